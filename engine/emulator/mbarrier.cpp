// Barriers in shared memory that also count bytes.

#include <algorithm>

#include "engine/emulator/machine.h"

namespace tenon::engine {
namespace {

/// What an mbarrier can count (PTX manual, mbarrier object).
constexpr int64_t kMostCounted = (int64_t{1} << 20) - 1;

}  // namespace

void Machine::init_mbarrier(void* barrier, uint32 arrivals) {
    use_shared(*current_, barrier, 8, 8, SharedMemory::Use::Write);
    if (arrivals == 0 || arrivals > kMostCounted)
        fail("an mbarrier for " + std::to_string(arrivals) + " arrivals; 1 to 1048575 can be counted");
    const auto [block, offset] = locate(barrier, 8);
    MbarrierState& state = block->mbarriers[static_cast<uint32_t>(offset)];
    if (!state.waiting.empty()) fail("an mbarrier is initialised while threads wait at it");
    state = {};
    state.arrivals = state.missing = arrivals;
    state.maker = current_->clock.party;
}

void Machine::fence_mbarriers() {
    for (auto& [offset, state] : current_->block->mbarriers) {
        if (state.maker == current_->clock.party) state.is_fenced = true;
    }
}

MbarrierState& Machine::mbarrier_at(Block& block, int64_t offset) {
    const auto found = block.mbarriers.find(static_cast<uint32_t>(offset));
    if (found == block.mbarriers.end())
        fail("there is no mbarrier at shared memory + " + std::to_string(offset) + ": nobody initialised it");
    return found->second;
}

void Machine::end_phase_if_complete(MbarrierState& state) {
    if (state.missing > 0 || state.missing_bytes != 0) return;
    ++state.phase;
    state.missing = state.arrivals;
    state.ended = state.meeting;
    std::vector<MbarrierState::Waiter> still_waiting;
    for (const MbarrierState::Waiter& waiter : state.waiting) {
        if (state.phase % 2 == waiter.parity) {
            still_waiting.push_back(waiter);
        } else {
            state.ended.take(waiter.thread->clock);
            resume(*waiter.thread);
        }
    }
    state.waiting.swap(still_waiting);
}

void Machine::arrive_at_mbarrier(void* barrier, uint32 expected_bytes, int32 rank) {
    if (rank >= 0) barrier = remote_shared(barrier, static_cast<uint32>(rank));
    use_shared(*current_, barrier, 8, 8, SharedMemory::Use::Read);
    const auto [block, offset] = locate(barrier, 8);
    MbarrierState& state = mbarrier_at(*block, offset);
    const std::string name = "the mbarrier at shared memory + " + std::to_string(offset);
    if (block != current_->block && !state.is_fenced)
        fail(name + " is used by another block, and its maker did not call mbarrier_init_fence");
    if (state.missing == 0)
        fail("an arrival too many at " + name + ": its phase has had all " + std::to_string(state.arrivals) +
             " and waits for " + std::to_string(state.missing_bytes) + " bytes");
    leave(state.meeting, *current_);
    state.missing_bytes += expected_bytes;
    if (state.missing_bytes > kMostCounted) fail(name + " waits for more bytes than it can count");
    --state.missing;
    end_phase_if_complete(state);
}

void Machine::leave_bytes(Block& block, uint32_t offset, uint32_t bytes) {
    MbarrierState& state = block.mbarriers.at(offset);
    const auto engine = static_cast<uint16_t>(nothing_known_->size() - 1);
    state.meeting.leave(engine, block.cluster->engine_step, nothing_known_->size());
    state.missing_bytes -= bytes;
    end_phase_if_complete(state);
}

void Machine::wait_for_mbarrier(void* barrier, uint32 parity) {
    use_shared(*current_, barrier, 8, 8, SharedMemory::Use::Read);
    const auto [block, offset] = locate(barrier, 8);
    MbarrierState& state = mbarrier_at(*block, offset);
    if (parity > 1) fail("the parity of a phase is 0 or 1, not " + std::to_string(parity));
    if (state.phase % 2 != parity) return state.ended.take(current_->clock);
    state.waiting.push_back({current_, parity});
    wait_for({Wait::Kind::Mbarrier, static_cast<uint32_t>(offset), parity});
}

}  // namespace tenon::engine
