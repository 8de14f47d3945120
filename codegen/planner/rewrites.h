#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/graph/graph_data.h"

namespace tenon::codegen {

/// A change of the graph that keeps what its outputs are, up to the roundings its equation says. Values of the user's
/// graph keep their ids; a node keeps its place or goes.
struct Rewrite {
    std::string_view name;
    /// Changes the graph where it can; `done` receives one line per change ("name: node").
    void (*apply)(GraphData& graph, std::vector<std::string>& done);
};

/// In the order in which they are applied to the user's graph, before norms are written out.
std::span<const Rewrite> rewrites();
/// Applied behind that.
std::span<const Rewrite> late_rewrites();

void apply(std::span<const Rewrite> list, GraphData& graph, std::vector<std::string>& done);

/// Removes nodes that no output needs.
void drop_unused(GraphData& graph, std::vector<std::string>& done);
/// Nodes of constants become constants.
void fold_constants(GraphData& graph, std::vector<std::string>& done);
/// Activations written out as products become one function.
void recognise_activations(GraphData& graph, std::vector<std::string>& done);
/// Layer and RMS norms and softmax written out become one node.
void recognise_rows(GraphData& graph, std::vector<std::string>& done);
/// pad(x, 0) in front of a convolution becomes padding of the convolution.
void merge_pad(GraphData& graph, std::vector<std::string>& done);
/// batch_norm(conv(x, w)) -> conv(x, w * s) + b, and the same for constant factors and addends per channel.
void fold_channel_scale(GraphData& graph, std::vector<std::string>& done);

}  // namespace tenon::codegen
