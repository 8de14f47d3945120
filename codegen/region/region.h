#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/program.h"
#include "frontend/graph/graph_data.h"

namespace tenon::codegen {

/// Memory that the kernels of one region share; the planner places it in the workspace.
struct Scratch {
    int number = 0;  ///< Index into Emission::scratch_bytes.
    Dims dims;       ///< Packed.
};

/// A tensor in memory as one kernel sees it: how it moves over the axes of the body that loads or stores it.
struct Operand {
    ValueId value = kNone;  ///< Of the planned graph.
    DataType type = DataType::F32;
    ValueId root = kNone;  ///< The value whose buffer holds it (views share one).
    Dims strides;          ///< Elements, one per axis of the body's dims; 0 where it is broadcast.
    int64_t offset = 0;    ///< Elements from the start of the root's buffer.
    std::string role;      ///< Parameter name in the source: x, w, bias, residual, y…
    bool is_host_scalar = false;
    std::optional<Scratch> scratch;  ///< Then `value` and `root` are kNone.
};

/// One value of a body, computed once for every point of the body's dims. Arguments are indices of earlier terms.
struct Term {
    enum class Kind {
        Load,     ///< Element of operand `operand`.
        Literal,  ///< `literal` (or `integer` for I64), rank 0.
        Anchor,   ///< Result of the anchor.
        Apply,    ///< `function` of the arguments.
        Cast,     ///< Argument 0 converted to `type`.
        Index,    ///< Coordinate along `axis`.
    };
    Kind kind = Kind::Load;
    DataType type = DataType::F32;  ///< Declared type: the value is rounded to it unless numerics are relaxed.
    int operand = -1;
    double literal = 0.0;
    int64_t integer = 0;
    Pointwise function;
    std::vector<int> arguments;
    int axis = 0;
    ValueId value = kNone;  ///< The graph value this term computes or loads.
};

/// Straight-line computation over all points of `dims`.
struct Body {
    Dims dims;
    std::vector<Term> terms;
};

/// A term of the epilogue that goes to memory.
struct Store {
    int term = -1;
    int operand = -1;
};

/// The work of one kernel: an anchor (none for pointwise regions), a body on each of its inputs, a body on its result.
///
///     inputs[0] ──▶┐
///     inputs[1] ──▶┤ anchor ──▶ epilogue ──▶ stores
///
struct Region {
    NodeId anchor = kNone;  ///< Node of the planned graph.
    std::vector<Operand> operands;
    std::vector<Body> inputs;  ///< Last term is the element the anchor reads.
    Body epilogue;             ///< Over the dims of the anchor's first output (pointwise: of the region).
    std::vector<Store> stores;
    std::vector<Store>
        anchor_stores;          ///< Further outputs of the anchor (indices, statistics): `term` is the output number.
    std::vector<NodeId> nodes;  ///< All nodes computed here, anchor included.
    std::vector<Note> notes;

    /// The operand of anchor input `i` if its body is a bare load, else nullptr.
    const Operand* plain_input(size_t i) const;
};

/// One line per operand and term, for tests and debugging.
std::string to_text(const Region& region);

}  // namespace tenon::codegen
