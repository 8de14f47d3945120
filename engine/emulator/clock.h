#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace tenon::engine {

/// For every party of a cluster, how many of its steps are known to have happened before. Parties are threads, warps
/// (for what their lanes do together) and the copy engine.
using Steps = std::vector<uint32_t>;

/// What one thread knows. A step of its own ends each time it lets others know of it.
struct Clock {
    uint16_t party = 0;
    uint16_t warp_party = 0;
    uint32_t step = 1;
    std::shared_ptr<const Steps> known;

    bool knows(uint16_t other, uint32_t other_step) const {
        return other == party || other == warp_party || (*known)[other] >= other_step;
    }
};

/// A place where threads leave what they know and take what others left: a barrier. Most threads know the same of each
/// other since the last barrier, so most of the work is done once for all.
class Meeting {
  public:
    /// `warp_step` is the current step of the thread's warp; both steps end.
    void leave(Clock& clock, uint32_t& warp_step);
    /// What the copy engine did.
    void leave(uint16_t party, uint32_t step, size_t parties);
    /// The thread knows from now on all that was left so far.
    void take(Clock& clock);
    void clear();

    bool is_empty() const { return steps_.empty(); }
    /// Whether the step has been left here.
    bool has(uint16_t party, uint32_t step) const { return party < steps_.size() && steps_[party] >= step; }

  private:
    Steps steps_;
    std::shared_ptr<const Steps> merged_;      ///< Came in last.
    std::shared_ptr<const Steps> frozen_;      ///< A copy of steps_, shared by all who know nothing else.
    std::shared_ptr<const Steps> taker_knew_;  ///< And what it knew after taking.
    std::shared_ptr<const Steps> taker_knows_;
};

}  // namespace tenon::engine
