#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <tenon/target.h>

namespace tenon::heuristics {

/// A convolution of many small groups over images with channels innermost, elements of 2 bytes.
struct GroupedProblem {
    int64_t batch = 1, groups = 1;
    int channels = 2, filters = 2;  ///< Of one group.
    std::array<int64_t, 2> output{1, 1}, window{1, 1}, stride{1, 1}, dilation{1, 1};
    int copy = 8;  ///< Channels that one staging copy may move: 2, 4 or 8.
    double bytes_moved = 0.0;
};

/// What a block computes; the fields are those of the device library's GroupedTile.
struct GroupedTile {
    int rows = 1, columns = 1, groups = 1;
    int share = 1, slices = 1;
    int copy = 8;
    int threads = 128;
    int blocks = 1;
    int64_t shared_bytes = 0;
    double seconds = 0.0;
};

/// Tiles that fit, best first; none where the filters of a group do not fit a warp's registers.
std::vector<GroupedTile> ranked(const GroupedProblem& problem, const Target& target);

/// "4 x 56 pixels x 16 groups, 128 threads".
std::string to_text(const GroupedTile& tile);

}  // namespace tenon::heuristics
