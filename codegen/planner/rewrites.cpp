#include "codegen/planner/rewrites.h"

#include <array>

namespace tenon::codegen {

std::span<const Rewrite> rewrites() {
    static constexpr std::array kRewrites = {
        Rewrite{"drop_unused", drop_unused},                      //
        Rewrite{"fold_constants", fold_constants},                //
        Rewrite{"recognise_activations", recognise_activations},  //
        Rewrite{"recognise_rows", recognise_rows},                //
        Rewrite{"merge_pad", merge_pad},                          //
        Rewrite{"fold_channel_scale", fold_channel_scale},        // after constant filters are known
        Rewrite{"drop_unused", drop_unused},                      // what the rewrites left behind
    };
    return kRewrites;
}

std::span<const Rewrite> late_rewrites() {
    static constexpr std::array kRewrites = {
        Rewrite{"fold_constants", fold_constants},
        Rewrite{"drop_unused", drop_unused},
    };
    return kRewrites;
}

void apply(std::span<const Rewrite> list, GraphData& graph, std::vector<std::string>& done) {
    for (const Rewrite& rewrite : list) rewrite.apply(graph, done);
}

}  // namespace tenon::codegen
