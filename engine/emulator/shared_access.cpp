// Accesses of threads to the shared memory of their block and their cluster.

#include "engine/emulator/machine.h"

namespace tenon::engine {
namespace {

uint64_t tag_of(uint64_t address) { return address >> kEmulatedTagShift; }

}  // namespace

uint8* Machine::shared_memory() {
    const Block& block = *current_->block;
    const auto rank = static_cast<uint64_t>(&block - block.cluster->blocks.data());
    return reinterpret_cast<uint8*>((kEmulatedSharedTag + rank) << kEmulatedTagShift | kSharedWindow);
}

uint32 Machine::shared_address(const void* pointer) {
    const auto address = reinterpret_cast<uint64_t>(pointer);
    if (tag_of(address) < kEmulatedSharedTag)
        fail(name_of_global(address) + " is taken for an address of shared memory");
    return static_cast<uint32>(address);
}

std::pair<Block*, int64_t> Machine::locate(const void* pointer, uint32_t bytes) {
    const auto address = reinterpret_cast<uint64_t>(pointer);
    Cluster& cluster = *current_->block->cluster;
    const uint64_t rank = tag_of(address) - kEmulatedSharedTag;
    if (rank >= cluster.blocks.size())
        fail("an access to shared memory of " + std::to_string(bytes) + " bytes goes to " + name_of_global(address));
    const uint64_t offset = address & ((uint64_t{1} << kEmulatedTagShift) - 1);
    if (cluster.blocks[rank].running == 0)
        fail("an access to the shared memory of block " + std::to_string(rank) + " of the cluster, which has ended");
    return {&cluster.blocks[rank], static_cast<int64_t>(offset - kSharedWindow)};
}

uint8_t* Machine::use_shared(Thread& thread, const void* pointer, uint32_t bytes, uint32_t alignment,
                             SharedMemory::Use use) {
    const auto [block, offset] = locate(pointer, bytes);
    const SharedMemory::Problem problem =
        block->shared.use(offset, bytes, alignment, use, thread.clock, warp_of(thread).step);
    if (problem) refuse_shared(thread, offset, bytes, problem);
    return block->shared.at(static_cast<uint32_t>(offset));
}

void Machine::refuse_shared(const Thread& thread, int64_t offset, uint32_t bytes,
                            const SharedMemory::Problem& problem) {
    std::string what = "an access of " + std::to_string(bytes) + " bytes at shared memory + " + std::to_string(offset) +
                       " is " + problem.what;
    if (problem.party >= 0) what += " " + name_of_party(*thread.block->cluster, problem.party);
    fail(what, thread);
}

uint8* Machine::shared(const void* pointer, uint32 bytes, uint32 alignment, EmulatedAccess access) {
    static constexpr SharedMemory::Use kUses[] = {SharedMemory::Use::Read, SharedMemory::Use::Write,
                                                  SharedMemory::Use::Atomic};
    return use_shared(*current_, pointer, bytes, alignment, kUses[static_cast<int>(access)]);
}

}  // namespace tenon::engine
