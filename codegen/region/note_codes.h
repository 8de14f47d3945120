#pragma once

#include <array>
#include <string_view>

namespace tenon::codegen {

/// Why the planner left an edge of the graph between two kernels. Codes are stable; the text of a note names the two
/// nodes and the values that clash.
struct NoteCode {
    std::string_view code;
    std::string_view meaning;
};

inline constexpr std::array kNoteCodes = {
    NoteCode{"NOT_POINTWISE",
             "The node behind the edge is an anchor (a convolution, a reduction, a copy): it needs a loop of its own. "
             "What lies between the two anchors is still fused into one of them."},
    NoteCode{"FORBIDDEN_BY_USER",
             "The graph says Fusion::Forbidden for the node that reads. Take it away to let the planner decide."},
    NoteCode{"TAKEN",
             "The node reads the results of two kernels, and the other one has taken it. Each node is computed once, "
             "except cheap ones in front of an anchor."},
    NoteCode{"OTHER_EXTENTS",
             "The node has more elements than the result it reads: it broadcasts the result. A kernel computes one "
             "value per element of its anchor's result."},
    NoteCode{"SECOND_RESULT",
             "The node reads a further result of the anchor (indices of a maximum, statistics of a norm), which does "
             "not stay in the registers of the epilogue."},
    NoteCode{"OTHER_ORDER",
             "The node reads one result in two orders of its elements, such as x + transpose(x). A thread has one of "
             "the two at hand."},
    NoteCode{"PART_OF_THE_RESULT",
             "A slice or an expand lies between: what follows has other elements than the kernel computes. The slice "
             "itself costs nothing, it is read where the result lies."},
    NoteCode{"NEEDS_THE_RESULT_EARLIER",
             "Another operand of the node is computed from this kernel's result by another kernel (a gate made of a "
             "global mean): fused, each would wait for the other."},
    NoteCode{"BETTER_ELSEWHERE",
             "Another anchor's result is read by the same node, and keeping that one in registers saves more bytes."},
    NoteCode{"NO_STRIDES",
             "Behind a reshape the operand moves over the elements in a way that no strides say. A copy with the "
             "layout of the kernel's result would help."},
    NoteCode{"NO_COORDINATE",
             "The node is the coordinate along an axis that the kernel's result does not have after a reshape."},
    NoteCode{"COSTLY_TO_REPEAT",
             "The node lies in front of an anchor that reads every element many times, or beside its result; computing "
             "it again each time costs more than storing it once."},
    NoteCode{"LOADS_LESS_FROM_MEMORY",
             "The result is wanted by the caller anyway, and is smaller than what it is made of: it is stored once and "
             "loaded."},
    NoteCode{"NO_ANCHOR", "The direct family writes kernels around an anchor that it has a function for."},
    NoteCode{"HAS_ANCHOR", "The pointwise family has no main loop: it takes regions without an anchor."},
};

}  // namespace tenon::codegen
