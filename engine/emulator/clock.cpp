#include "engine/emulator/clock.h"

#include <algorithm>

namespace tenon::engine {
namespace {

void merge(Steps& into, const Steps& from) {
    into.resize(std::max(into.size(), from.size()));
    for (size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

}  // namespace

void Meeting::leave(Clock& clock, uint32_t& warp_step) {
    if (merged_ != clock.known) {
        merge(steps_, *clock.known);
        merged_ = clock.known;
    }
    steps_[clock.party] = clock.step++;
    steps_[clock.warp_party] = warp_step++;
    taker_knew_ = frozen_ = nullptr;
}

void Meeting::leave(uint16_t party, uint32_t step, size_t parties) {
    steps_.resize(std::max(steps_.size(), parties));
    steps_[party] = std::max(steps_[party], step);
    taker_knew_ = frozen_ = nullptr;
}

void Meeting::take(Clock& clock) {
    if (steps_.empty()) return;
    if (frozen_ == nullptr) frozen_ = std::make_shared<Steps>(steps_);
    if (taker_knew_ != clock.known) {
        auto known = std::make_shared<Steps>(*clock.known);
        merge(*known, steps_);
        taker_knew_ = clock.known;
        taker_knows_ = *known == *frozen_ ? frozen_ : std::move(known);
    }
    clock.known = taker_knows_;
}

void Meeting::clear() {
    steps_.clear();
    merged_ = frozen_ = taker_knew_ = taker_knows_ = nullptr;
}

}  // namespace tenon::engine
