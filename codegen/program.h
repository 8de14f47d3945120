#pragma once

#include <string>
#include <vector>

#include "codegen/kernel_source.h"
#include "frontend/graph/graph_data.h"

namespace tenon::codegen {

/// Memory a program touches.
struct Buffer {
    enum class Kind {
        Bound,      ///< Caller memory of graph value `value` (input or output).
        Host,       ///< Host scalar `value`.
        Constant,   ///< `offset` in the constant block; bytes in `data`.
        Workspace,  ///< `offset` in the workspace.
    };
    Kind kind = Kind::Workspace;
    ValueId value = kNone;  ///< In the user's graph, for Bound and Host.
    int64_t offset = 0;
    int64_t bytes = 0;
    std::shared_ptr<const Bytes> data;
};

/// A decision about an edge or a node that the user may ask about. `code` is stable, e.g. "MULTIPLE_READERS".
struct Note {
    std::string code;
    std::string text;
};

/// One kernel and what explain says about it.
struct Step {
    KernelSource kernel;
    std::string family;              ///< "conv", "pointwise", …
    std::string formula;             ///< In role names.
    std::vector<std::string> nodes;  ///< User names of the nodes it computes.
    std::string tile;                ///< One line.
    double bytes_moved = 0.0;        ///< Each operand once.
    double bytes_saved = 0.0;        ///< Against one kernel per node.
    double flops = 0.0;
    double predicted_seconds = 0.0;
    std::vector<Note> notes;  ///< Where growing stopped and why; candidates rejected.
};

/// A graph as kernels in launch order over buffers.
struct Program {
    std::vector<Buffer> buffers;
    std::vector<Step> steps;
    int64_t workspace_bytes = 0;
    int64_t constant_bytes = 0;
    std::vector<std::string> rewrites;  ///< "fold_batch_norm: conv1" …, in order.
};

}  // namespace tenon::codegen
