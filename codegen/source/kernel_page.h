#pragma once

#include <map>
#include <string>
#include <vector>

#include <tenon/target.h>

#include "codegen/kernel_source.h"
#include "codegen/region/region.h"
#include "codegen/source/body_text.h"

namespace tenon::codegen {

/// Everything that differs between two kernel pages.
struct KernelPage {
    std::string stem;                      ///< Name without its hash.
    std::string formula;                   ///< May have several lines.
    std::vector<std::string> includes;     ///< "tenon/elementwise.cuh".
    std::string constants;                 ///< File-scope constants after kOutput, one per line.
    std::string body;                      ///< Statements of the kernel function.
    std::map<int, TensorMapShape> maps;    ///< By operand: parameters that are tensor maps instead of pointers.
    std::string bounds = "kTile.threads";  ///< Of __launch_bounds__; "kTile.threads, kTile.blocks" also caps registers.
};

/// Writes the page: comment with formula and operand table, includes, constants, kernel. Fills name, text and arguments
/// of the kernel; the launch shape is the caller's. Element counts of the operand table come from `graph`.
Result<KernelSource> write_page(const KernelPage& page, const Region& region, const GraphData& graph,
                                const Target& target);

/// `constexpr Domain kOutput{...};`
std::string domain_constant(const Domain& domain, bool wide, std::string_view name = "kOutput");
/// Whether offsets of these accesses, or the number of points, pass 31 bits.
bool needs_wide_offsets(const Domain& domain, const Region& region, const GraphData& graph);

/// Bytes every operand moves once, and the Step facts that follow from the region alone (nodes, formula, notes, bytes).
void describe(Step& step, const Region& region, const GraphData& graph, const std::string& formula);

}  // namespace tenon::codegen
