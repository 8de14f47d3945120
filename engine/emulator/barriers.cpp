// Barriers of a block and of a warp, and exchange inside a warp.

#include <cstring>

#include "engine/emulator/machine.h"

namespace tenon::engine {

void Machine::barrier(uint32 id, uint32 threads, bool waits) {
    Block& block = *current_->block;
    if (id >= block.barriers.size()) fail("named barrier " + std::to_string(id) + " is not one of 0..15");
    const auto whole = static_cast<uint32>(block.threads.size());
    if (threads > whole || threads % kLanes != 0)
        fail("named barrier " + std::to_string(id) + " is for " + std::to_string(threads) + " threads; the block has " +
             std::to_string(whole) + ", and whole warps meet");
    const uint32 needed = threads == 0 ? whole : threads;
    Barrier& barrier = block.barriers[id];
    if (barrier.arrived > 0 && barrier.threads != needed)
        fail("named barrier " + std::to_string(id) + " is for " + std::to_string(needed) + " threads here, for " +
             std::to_string(barrier.threads) + " elsewhere");
    barrier.threads = needed;
    if (++barrier.arrived == needed) {
        for (Thread* thread : barrier.waiting) resume(*thread);
        barrier.arrived = 0;
        barrier.waiting.clear();
        return;
    }
    if (!waits) return;
    barrier.waiting.push_back(current_);
    wait_for({id == 0 ? Wait::Kind::BlockBarrier : Wait::Kind::NamedBarrier, id});
}

void Machine::warp_barrier() { exchange(EmulatedWarpOperation::Barrier, nullptr, 0); }

const uint8* Machine::exchange(EmulatedWarpOperation operation, const void* value, uint32 bytes) {
    static constexpr const char* kNames[] = {"a barrier",    "a shuffle",     "a vote",   "an election",
                                             "matrix loads", "matrix stores", "a product"};
    Warp& warp = warp_of_current();
    if (warp.arrived != 0 && warp.operation != operation)
        fail(std::string("the lanes of its warp meet at ") + kNames[static_cast<int>(warp.operation)] + " and at " +
             kNames[static_cast<int>(operation)]);
    warp.operation = operation;
    const uint32 lane = current_->index % kLanes;
    uint8* slots = warp.slots[warp.round % 2].data();
    if (bytes > 0) std::memcpy(slots + lane * kEmulatedSlot, value, bytes);
    warp.arrived |= 1u << lane;
    if (warp.arrived != UINT32_MAX) {
        wait_for({operation == EmulatedWarpOperation::Barrier ? Wait::Kind::WarpBarrier : Wait::Kind::WarpOperation});
        return slots;
    }
    warp.arrived = 0;
    ++warp.round;
    for (uint32 other = 0; other < kLanes; ++other) {
        if (other != lane) resume(current_->block->threads[current_->index - lane + other]);
    }
    return slots;
}

}  // namespace tenon::engine
