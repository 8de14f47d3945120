#pragma once

#include <string>
#include <vector>

#include "codegen/kernels/rows/arrangement.h"
#include "codegen/kernels/rows/tile.h"
#include "codegen/source/kernel_page.h"

namespace tenon::codegen {

/// The body of an anchor's input as a lambda from a place to the element: `[=](auto at) { return …; }`, a level deep.
struct LoadText {
    std::string lambda;
    std::string declarations;
    std::string formula;
};

/// `list` are the accesses of `region.inputs[0]`, in the order of the strides of `domain`.
LoadText load_text(const Region& region, const std::vector<Access>& list, const Domain& domain, bool relaxed);

/// The bodies of a region whose anchor maps every element of its input to one of its result, over a common domain of
/// rows and columns (see Arrangement).
class SliceBodies {
  public:
    /// `statistic_strides`: of each anchor store over `axes.split_dims()`.
    SliceBodies(const Region& region, const GatheredAxes& axes, const std::vector<Dims>& statistic_strides);

    Arrangement arrangement;
    Domain domain;  ///< Strides of input accesses, epilogue accesses, statistics.
    int lanes = 1;  ///< For 16 bytes of the input.

    LoadText load(bool relaxed) const;
    BodyText epilogue(bool relaxed, const std::string& anchor_formula) const;
    /// kOutput, kTile and the strides of all operands.
    std::string constants(const SliceTile& tile, const GraphData& graph) const;
    /// Statement that stores statistic `i` from `value`.
    std::string statistic_store(size_t i, const std::string& role, const std::string& value) const;
    void set_alignment(KernelSource& kernel) const;
    double input_bytes() const;
    /// Bytes of the input that lie together and are read by neighbouring threads.
    int64_t run_bytes() const;

  private:
    std::string statistic_constant(size_t i) const;

    const Region& region_;
    std::vector<Access> input_;
    std::vector<Access> epilogue_;
};

/// Adds the lines of `text` that `constants` does not have yet.
void append_new_lines(std::string& constants, const std::string& text);

/// `constexpr Strides kName{.row = {…}, .column = {…}};`
std::string strides_constant(const std::string& name, const DomainStrides& strides);

/// Raises the pointer alignment of operands that are read or written `lanes` at a time, up to 16 bytes.
void set_vector_alignment(KernelSource& kernel, const std::vector<Access>& list, const Domain& domain, int lanes);

/// `[=](parameters) { statements }` as an argument a level deep; on one line if there is one short statement.
std::string lambda(const std::string& parameters, const std::string& statements);

}  // namespace tenon::codegen
