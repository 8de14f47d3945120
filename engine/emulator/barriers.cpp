// Barriers of a block and of a warp, and what the lanes of a warp do together.

#include <algorithm>
#include <cstring>

#include "engine/emulator/machine.h"
#include "engine/emulator/matrix.h"

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
    leave(barrier.meeting, *current_);
    if (++barrier.arrived == needed) {
        if (waits) barrier.meeting.take(current_->clock);
        for (Thread* thread : barrier.waiting) {
            barrier.meeting.take(thread->clock);
            resume(*thread);
        }
        barrier.arrived = 0;
        barrier.waiting.clear();
        barrier.meeting.clear();
        return;
    }
    if (!waits) return;
    barrier.waiting.push_back(current_);
    wait_for({id == 0 ? Wait::Kind::BlockBarrier : Wait::Kind::NamedBarrier, id});
}

LaneRecords& Machine::lane_records() {
    Warp& warp = warp_of(*current_);
    return warp.records[warp.round % 2];
}

template <typename Finish>
LaneRecords& Machine::meet(EmulatedWarpOperation operation, Finish finish) {
    static constexpr const char* kNames[] = {"a barrier",    "a shuffle",     "a vote",   "an election",
                                             "matrix loads", "matrix stores", "a product"};
    Warp& warp = warp_of(*current_);
    if (warp.arrived != 0 && warp.operation != operation)
        fail(std::string("the lanes of its warp meet at ") + kNames[static_cast<int>(warp.operation)] + " and at " +
             kNames[static_cast<int>(operation)]);
    warp.operation = operation;
    LaneRecords& records = warp.records[warp.round % 2];
    const uint32 lane = current_->index % kLanes;
    warp.arrived |= 1u << lane;
    if (warp.arrived != UINT32_MAX) {
        const bool is_barrier = operation == EmulatedWarpOperation::Barrier;
        wait_for({is_barrier ? Wait::Kind::WarpBarrier : Wait::Kind::WarpOperation});
        return records;
    }
    Thread* lanes = current_ - lane;
    finish(lanes, records);
    warp.arrived = 0;
    ++warp.round;
    for (uint32 other = 0; other < kLanes; ++other) {
        if (other != lane) resume(lanes[other]);
    }
    return records;
}

// Only a barrier orders memory; other operations of a warp do not.
void Machine::warp_barrier() {
    meet(EmulatedWarpOperation::Barrier, [this](Thread* lanes, LaneRecords&) {
        Meeting& meeting = warp_of(*lanes).meeting;
        for (uint32 lane = 0; lane < kLanes; ++lane) leave(meeting, lanes[lane]);
        for (uint32 lane = 0; lane < kLanes; ++lane) meeting.take(lanes[lane].clock);
        meeting.clear();
    });
}

const uint8* Machine::exchange(EmulatedWarpOperation operation, const void* value, uint32 bytes) {
    if (bytes > 0) std::memcpy(lane_records()[current_->index % kLanes].value.data(), value, bytes);
    return meet(operation, [](Thread*, LaneRecords&) {})[0].value.data();
}

// Rows go through the records: lane i brings the address of row i and its 16 bytes come to lie in the same place.
void Machine::load_matrices(uint32* matrix, const void* row, uint32 count, bool transposed) {
    const uint32 lane = current_->index % kLanes;
    std::memcpy(lane_records()[lane].value.data(), &row, sizeof row);
    const LaneRecords& rows = meet(EmulatedWarpOperation::LoadMatrices, [&](Thread* lanes, LaneRecords& records) {
        for (uint32 i = 0; i < 8 * count; ++i) {
            const void* address = nullptr;
            std::memcpy(&address, records[i].value.data(), sizeof address);
            std::memcpy(records[i].value.data(), use_shared(lanes[i], address, 16, 16, SharedMemory::Use::ReadByWarp),
                        16);
        }
    });
    for (uint32 m = 0; m < count; ++m) {
        const auto element = [&](uint32 i, uint32 j) {
            uint16_t bits = 0;
            std::memcpy(&bits, rows[8 * m + i].value.data() + 2 * j, sizeof bits);
            return static_cast<uint32>(bits);
        };
        const uint32 i = lane / 4, j = lane % 4 * 2;
        matrix[m] = transposed ? element(j, i) | element(j + 1, i) << 16 : element(i, j) | element(i, j + 1) << 16;
    }
}

void Machine::store_matrices(void* row, const uint32* matrix, bool transposed) {
    LaneRecord& own = lane_records()[current_->index % kLanes];
    std::memcpy(own.value.data(), &row, sizeof row);
    std::copy_n(matrix, 4, own.a.begin());
    meet(EmulatedWarpOperation::StoreMatrices, [&](Thread* lanes, LaneRecords& records) {
        for (uint32 i = 0; i < kLanes; ++i) {
            void* address = nullptr;
            std::memcpy(&address, records[i].value.data(), sizeof address);
            uint8_t* to = use_shared(lanes[i], address, 16, 16, SharedMemory::Use::Write);
            for (uint32 j = 0; j < 8; ++j) {
                const uint32 source = transposed ? j * 4 + i % 8 / 2 : i % 8 * 4 + j / 2;
                const uint32 half = transposed ? i % 2 : j % 2;
                const auto bits = static_cast<uint16_t>(records[source].a[i / 8] >> (16 * half));
                std::memcpy(to + 2 * j, &bits, sizeof bits);
            }
        }
    });
}

void Machine::multiply(EmulatedProduct product, void* c, const uint32* a, const uint32* b) {
    const bool is_short = product == EmulatedProduct::HalfK8;
    const uint32 lane = current_->index % kLanes;
    LaneRecord& own = lane_records()[lane];
    own.value[0] = static_cast<uint8_t>(product);
    std::copy_n(a, is_short ? 2 : 4, own.a.begin());
    std::copy_n(b, is_short ? 1 : 2, own.b.begin());
    std::memcpy(own.c.data(), c, sizeof own.c);
    const LaneRecords& records = meet(EmulatedWarpOperation::Multiply, [&](Thread* lanes, LaneRecords& found) {
        for (uint32 i = 0; i < kLanes; ++i) {
            if (found[i].value[0] != own.value[0]) fail("the lanes of its warp meet at different products", lanes[i]);
        }
        multiply_fragments(product, found);
    });
    std::memcpy(c, records[lane].c.data(), sizeof own.c);
}

}  // namespace tenon::engine
