#include "codegen/kernels/rows/merge_kernel.h"

#include <algorithm>
#include <optional>

#include "codegen/kernels/rows/slice_page.h"
#include "codegen/kernels/rows/split_steps.h"
#include "codegen/source/literal.h"
#include "codegen/source/names.h"
#include "frontend/status_macros.h"

namespace tenon::codegen {
namespace {

/// Gathers the statements of the merging kernel and the operands they name.
class MergeKernel {
  public:
    MergeKernel(const NormRegion& norm, const StatisticsLayout& layout, const EmitContext& context)
        : norm_(norm), layout_(layout), context_(context), inner_(inner_type(norm)) {}

    Result<Step> write() {
        region_.nodes = norm_.region.nodes;
        region_.notes = norm_.region.notes;
        region_.epilogue.dims = layout_.kept_dims;
        const Dims memory{layout_.tile.splits, layout_.fine};
        region_.operands = {scratch_operand(kMeans, inner_, memory, "means"),
                            scratch_operand(kSpreads, inner_, memory, "spreads")};
        for (Operand& parts : region_.operands) parts.strides = layout_.part_strides;
        store(layout_.statistic(kMean, inner_, "mean_of_slice"), "mean", layout_.channels);
        store(layout_.statistic(kInverseDeviation, inner_, "scale_of_slice"), "inverse_deviation", layout_.channels);
        if (norm_.function == "batch_norm") {
            store_running();
        } else {
            store_saved();
        }
        return page();
    }

  private:
    /// One store of the kernel: `value` with the text of a load in the place of "$".
    struct Line {
        size_t store;  ///< Index into accesses_.
        std::string value;
        int64_t times = 1;  ///< Neighbours that receive the same.
        std::optional<size_t> load;
    };

    size_t add_access(Operand operand, const std::string& role) {
        if (!role.empty()) operand.role = role;
        const int index = static_cast<int>(region_.operands.size());
        accesses_.push_back({-1, index, operand.strides, operand.type, operand.offset});
        region_.operands.push_back(std::move(operand));
        return accesses_.size() - 1;
    }

    void store(const Operand& operand, const std::string& value, int64_t times = 1, const std::string& role = "",
               std::optional<size_t> loaded = std::nullopt) {
        region_.stores.push_back({0, static_cast<int>(region_.operands.size())});
        const size_t access = add_access(operand, role);
        lines_.push_back({access, value, times, loaded});
    }

    /// Strides over all axes of x as strides over the kept ones.
    Dims kept_strides(const Dims& strides) const {
        Dims result;
        for (const int axis : layout_.kept) result.push_back(strides[static_cast<size_t>(axis)]);
        return result;
    }

    const std::string& role(size_t access) const {
        return region_.operands[static_cast<size_t>(accesses_[access].operand)].role;
    }

    std::string text(const Line& line, const Domain& output) const {
        const auto packed = [&](size_t access) { return output.strides[access] == output.packed(); };
        std::string value = line.value;
        if (line.load) {
            const std::string name = role(*line.load);
            const std::string word = packed(*line.load) ? "per_element" : "strided<" + constant_name(name) + ">";
            value.replace(value.find('$'), 1, word + "(" + name + ", at)");
        }
        const std::string name = role(line.store);
        std::string word = packed(line.store) ? "store" : "store_strided<" + constant_name(name) + ">";
        if (line.times > 1) word = "store_repeated<" + constant_name(name) + ", " + std::to_string(line.times) + ">";
        return word + "(" + name + ", at, " + value + ");";
    }

    void store_saved() {
        for (size_t i = 0; i < norm_.region.anchor_stores.size(); ++i) {
            const Store& stored = norm_.region.anchor_stores[i];
            Operand operand = norm_.region.operands[static_cast<size_t>(stored.operand)];
            operand.strides = kept_strides(norm_.statistic_strides[i]);
            const bool is_mean = stored.term == 1;
            store(operand, is_mean ? "mean" : "inverse_deviation", 1,
                  is_mean ? "saved_mean" : "saved_inverse_deviation");
        }
    }

    const Operand& input(size_t i) const {
        const Region& given = norm_.given;
        return given.operands[static_cast<size_t>(given.inputs[i].terms.back().operand)];
    }

    /// running = (1 - momentum) * running + momentum * batch, the variance unbiased.
    void store_running() {
        const Region& given = norm_.given;
        const std::string momentum = momentum_text();
        const double count = static_cast<double>(layout_.elements);
        const std::string unbiased = "variance * " + literal(inner_, count / (count - 1.0), 0);
        for (const Store& stored : given.anchor_stores) {
            const Operand& operand = given.operands[static_cast<size_t>(stored.operand)];
            if (stored.term == 1) {
                const size_t running = add_access(input(3), "running_mean");
                store(operand, "blended($, mean, " + momentum + ")", 1, "new_mean", running);
            } else if (stored.term == 2) {
                const size_t running = add_access(input(4), "running_variance");
                store(operand, "blended($, " + unbiased + ", " + momentum + ")", 1, "new_variance", running);
            } else {
                const bool is_mean = stored.term == 3;
                store(operand, is_mean ? "mean" : "inverse_deviation", 1,
                      is_mean ? "saved_mean" : "saved_inverse_deviation");
            }
        }
    }

    std::string momentum_text() {
        const Region& given = norm_.given;
        const bool is_used = std::any_of(given.anchor_stores.begin(), given.anchor_stores.end(),
                                         [](const Store& s) { return s.term == 1 || s.term == 2; });
        if (given.inputs.size() < 6 || !is_used)
            return literal(inner_, std::get<BatchNorm>(context_.graph.node(given.anchor).op).momentum, 0);
        Operand scalar = input(5);
        scalar.role = "momentum";
        region_.operands.push_back(scalar);
        return scalar.is_host_scalar ? "widened(momentum)" : "scalar(momentum, at)";
    }

    Result<Step> page() {
        const bool grouped = layout_.channels > 1;
        AxisOrder order{{0}, {}}, columns;
        if (grouped) order.rows.push_back(static_cast<int>(layout_.part_dims.size()) - 1);
        for (int axis = 0; axis < static_cast<int>(layout_.kept_dims.size()); ++axis) {
            order.columns.push_back(axis + 1);
            columns.columns.push_back(axis);
        }
        const std::vector<Access> parts{{0, 0, layout_.part_strides, inner_, 0},
                                        {0, 1, layout_.part_strides, inner_, 0}};
        const Domain input = arrange(layout_.part_dims, order, strides_of(parts));
        const Domain output = arrange(layout_.kept_dims, columns, strides_of(accesses_));
        const int lanes = std::min(lanes_of_type(input, parts, inner_), lanes_of_type(output, accesses_, inner_));
        const SliceTile tile = choose_column_tile(output.column_count(), input.row_count(), lanes, bytes_of(inner_),
                                                  false, context_.target);

        KernelPage page;
        page.stem = norm_.function + "_statistics";
        page.formula = "mean, 1 / sqrt(variance + epsilon) from means, spreads";
        page.includes = {"tenon/epilogue.cuh", "tenon/moments.cuh"};
        page.constants = domain_constant(input, false, "kInput") + "\n" + domain_constant(output, false) + "\n" +
                         tile.constant() +
                         "\nconstexpr PartCounts kCounts{.neighbours = " + std::to_string(layout_.channels) +
                         ", .each = " + std::to_string(layout_.elements_of_split()) +
                         ", .all = " + std::to_string(layout_.elements) + "};";
        page.constants += "\n" + strides_constant("kParts", input.strides[0]);
        std::string statements =
            "const auto inverse_deviation = rsqrt(variance + " + literal(inner_, norm_.epsilon, 0) + ");";
        for (const Line& line : lines_) statements += "\n" + text(line, output);
        for (size_t i = 0; i < accesses_.size(); ++i) {
            const std::string name = constant_name(role(i));
            if (statements.find("<" + name + ",") != std::string::npos ||
                statements.find("<" + name + ">") != std::string::npos)
                page.constants += "\n" + strides_constant(name, output.strides[i]);
        }
        page.body = "merge_moments<kInput, kOutput, kTile, kCounts, " + std::string(device_type(inner_)) +
                    ">(\n    [=](auto at) { return strided<kParts>(means, at); },\n" +
                    "    [=](auto at) { return strided<kParts>(spreads, at); },\n    " +
                    lambda("auto at, auto mean, auto variance", statements) + ");";
        Step step;
        TENON_ASSIGN(step.kernel, write_page(page, region_, context_.graph, context_.target));
        set_vector_alignment(step.kernel, parts, input, lanes);
        set_vector_alignment(step.kernel, accesses_, output, lanes);
        describe(step, region_, context_.graph, page.formula);
        finish_step(step, tile, output.column_count(), inner_ == DataType::F64 ? 24 : 12, context_);
        return step;
    }

    const NormRegion& norm_;
    const StatisticsLayout& layout_;
    const EmitContext& context_;
    DataType inner_;
    Region region_;
    std::vector<Access> accesses_;  // of the lines
    std::vector<Line> lines_;
};

}  // namespace

void finish_step(Step& step, const SliceTile& tile, int64_t statistics, int statistic_bytes,
                 const EmitContext& context) {
    step.kernel.launch.block = {static_cast<uint32_t>(tile.threads), 1, 1};
    step.kernel.launch.grid = {static_cast<uint32_t>(tile.blocks(statistics)), static_cast<uint32_t>(tile.splits), 1};
    step.kernel.launch.shared_bytes = tile.shared_bytes(1, statistic_bytes);
    step.family = "rows";
    step.tile = tile.text();
    step.predicted_seconds = context.target.launch_seconds + step.bytes_moved / context.target.memory_bytes_per_second;
}

Result<Step> merge_kernel(const NormRegion& norm, const StatisticsLayout& layout, const EmitContext& context) {
    return MergeKernel(norm, layout, context).write();
}

}  // namespace tenon::codegen
