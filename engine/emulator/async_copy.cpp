// Copies from global to shared memory that run beside the program. They land as late as the program allows: when the
// thread that started them waits.

#include <cstring>

#include "engine/emulator/machine.h"

namespace tenon::engine {

void Machine::start_copy(void* to, const void* from, uint32 bytes, bool valid) {
    use_shared(*current_, to, bytes, bytes, SharedMemory::Use::StartFill);
    const auto offset = static_cast<uint32_t>(locate(to, bytes).second);
    const uint8_t* source = valid ? use_global(from, bytes, bytes, EmulatedAccess::Read) : nullptr;
    current_->copies.push_back({offset, bytes, source, current_->copy_group});
}

void Machine::commit_copies() { ++current_->copy_group; }

void Machine::wait_copies(uint32 pending) {
    std::vector<PendingCopy>& copies = current_->copies;
    SharedMemory& shared = current_->block->shared;
    size_t ended = 0;
    for (; ended < copies.size() && copies[ended].group + pending < current_->copy_group; ++ended) {
        const PendingCopy& copy = copies[ended];
        uint8_t* to = shared.at(copy.offset);
        shared.use(copy.offset, copy.bytes, 1, SharedMemory::Use::EndFill, current_->clock, 0);
        if (copy.from == nullptr) {
            std::memset(to, 0, copy.bytes);
        } else {
            std::memcpy(to, copy.from, copy.bytes);
        }
    }
    copies.erase(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(ended));
}

}  // namespace tenon::engine
