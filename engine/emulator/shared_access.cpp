// Accesses of the running thread to the shared memory of its block and its cluster.

#include "engine/emulator/machine.h"

namespace tenon::engine {
namespace {

/// Shared addresses start here, as on a GPU, where the first KiB is the system's.
constexpr uint64_t kWindow = 1024;

uint64_t tag_of(uint64_t address) { return address >> kEmulatedTagShift; }

}  // namespace

uint8* Machine::shared_memory() {
    const Block& block = *current_->block;
    const auto rank = static_cast<uint64_t>(&block - block.cluster->blocks.data());
    return reinterpret_cast<uint8*>((kEmulatedSharedTag + rank) << kEmulatedTagShift | kWindow);
}

uint32 Machine::shared_address(const void* pointer) {
    const auto address = reinterpret_cast<uint64_t>(pointer);
    if (tag_of(address) < kEmulatedSharedTag)
        fail(name_of_global(address) + " is taken for an address of shared memory");
    return static_cast<uint32>(address);
}

uint8* Machine::shared(const void* pointer, uint32 bytes, uint32 alignment, EmulatedAccess access) {
    const auto address = reinterpret_cast<uint64_t>(pointer);
    Cluster& cluster = *current_->block->cluster;
    const uint64_t rank = tag_of(address) - kEmulatedSharedTag;
    if (rank >= cluster.blocks.size())
        fail("an access to shared memory of " + std::to_string(bytes) + " bytes goes to " + name_of_global(address));
    SharedMemory& memory = cluster.blocks[rank].shared;
    const auto offset = static_cast<int64_t>((address & ((uint64_t{1} << kEmulatedTagShift) - 1)) - kWindow);
    const std::string problem =
        memory.touch(offset, bytes, alignment, access != EmulatedAccess::Write, access != EmulatedAccess::Read);
    if (!problem.empty())
        fail("an access of " + std::to_string(bytes) + " bytes at shared memory + " + std::to_string(offset) + " is " +
             problem);
    return memory.at(static_cast<uint32>(offset));
}

}  // namespace tenon::engine
