#include "codegen/planner/workspace_layout.h"

#include <algorithm>
#include <numeric>

namespace tenon::codegen {

std::vector<int64_t> lay_out(const std::vector<Lifetime>& tensors, int64_t& total) {
    constexpr int64_t kAlignment = 256;
    const auto padded = [](int64_t bytes) {
        return (std::max<int64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
    };
    // Largest first: small tensors then fill the gaps.
    std::vector<size_t> order(tensors.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return tensors[a].bytes > tensors[b].bytes; });

    std::vector<int64_t> offsets(tensors.size(), 0);
    std::vector<size_t> placed;
    total = 0;
    for (const size_t tensor : order) {
        std::vector<std::pair<int64_t, int64_t>> taken;
        for (const size_t other : placed) {
            const bool together = tensors[other].first_step <= tensors[tensor].last_step &&
                                  tensors[tensor].first_step <= tensors[other].last_step;
            if (together) taken.emplace_back(offsets[other], offsets[other] + padded(tensors[other].bytes));
        }
        std::sort(taken.begin(), taken.end());
        int64_t at = 0;
        for (const auto& [begin, end] : taken) {
            if (at + padded(tensors[tensor].bytes) <= begin) break;
            at = std::max(at, end);
        }
        offsets[tensor] = at;
        placed.push_back(tensor);
        total = std::max(total, at + padded(tensors[tensor].bytes));
    }
    return offsets;
}

}  // namespace tenon::codegen
