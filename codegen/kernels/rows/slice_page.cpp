#include "codegen/kernels/rows/slice_page.h"

#include <algorithm>

#include "codegen/source/names.h"

namespace tenon::codegen {
namespace {

const std::vector<Store> kNoStores;

std::string constant_list(const Dims& dims) {
    std::string text;
    for (const int64_t stride : dims) text += (text.empty() ? "" : ", ") + std::to_string(stride);
    return "{" + text + "}";
}

}  // namespace

void append_new_lines(std::string& constants, const std::string& text) {
    for (size_t start = 0; start < text.size();) {
        const size_t end = std::min(text.find('\n', start), text.size());
        const std::string line = text.substr(start, end - start);
        if (constants.find(line) == std::string::npos) constants += "\n" + line;
        start = end + 1;
    }
}

std::string strides_constant(const std::string& name, const DomainStrides& strides) {
    std::string text = "constexpr Strides " + name + "{";
    if (!strides.row.empty()) text += ".row = " + constant_list(strides.row) + ", ";
    return text + ".column = " + constant_list(strides.column) + "};";
}

LoadText load_text(const Region& region, const std::vector<Access>& list, const Domain& domain, bool relaxed) {
    const BodyText body = write_body(region, region.inputs[0], kNoStores, list, domain,
                                     {.index = "input_index", .relaxed = relaxed, .returns = true}, "");
    return {lambda("auto at", body.statements), body.declarations, body.formula};
}

void set_vector_alignment(KernelSource& kernel, const std::vector<Access>& list, const Domain& domain, int lanes) {
    for (size_t i = 0; i < list.size(); ++i) {
        if (list[i].operand < 0 || domain.strides[i].column.back() != 1) continue;
        KernelArgument& argument = kernel.arguments[static_cast<size_t>(list[i].operand)];
        argument.alignment = std::max(argument.alignment, std::min<int64_t>(16, bytes_of(argument.type) * lanes));
    }
}

std::string lambda(const std::string& parameters, const std::string& statements) {
    const std::string head = "[=](" + parameters + ") {";
    if (statements.find('\n') == std::string::npos && head.size() + statements.size() < 84)
        return head + " " + statements + " }";
    std::string out = head + "\n        ";
    for (const char c : statements) out += c == '\n' ? std::string("\n        ") : std::string(1, c);
    return out + "\n    }";
}

SliceBodies::SliceBodies(const Region& region, const GatheredAxes& axes, const std::vector<Dims>& statistic_strides)
    : region_(region),
      input_(accesses(region, region.inputs[0], kNoStores)),
      epilogue_(accesses(region, region.epilogue, region.stores)) {
    std::vector<Dims> strides;
    for (const std::vector<Access>* list : {&input_, &epilogue_}) {
        for (const Access& access : *list) strides.push_back(axes.split_strides(access.strides));
    }
    strides.insert(strides.end(), statistic_strides.begin(), statistic_strides.end());
    arrangement = arrange_statistics(axes, axes.split_strides(leading_strides(input_, axes.dims)));
    domain = arrange(axes.split_dims(), arrangement.order, strides);
    std::vector<Access> all = input_;
    all.insert(all.end(), epilogue_.begin(), epilogue_.end());
    lanes = lanes_of_type(domain, all, all.front().type);
}

LoadText SliceBodies::load(bool relaxed) const {
    return load_text(region_, input_, with_accesses(domain, 0, input_.size()), relaxed);
}

BodyText SliceBodies::epilogue(bool relaxed, const std::string& anchor_formula) const {
    return write_body(region_, region_.epilogue, region_.stores, epilogue_,
                      with_accesses(domain, input_.size(), epilogue_.size()), {.relaxed = relaxed}, anchor_formula);
}

std::string SliceBodies::constants(const SliceTile& tile, const GraphData& graph) const {
    std::string text = domain_constant(domain, needs_wide_offsets(domain, region_, graph)) + "\n" + tile.constant();
    append_new_lines(text, load(false).declarations);
    append_new_lines(text, epilogue(false, "").declarations);
    for (size_t i = 0; i < region_.anchor_stores.size(); ++i) append_new_lines(text, statistic_constant(i));
    return text;
}

std::string SliceBodies::statistic_constant(size_t i) const {
    const DomainStrides& strides = domain.strides[input_.size() + epilogue_.size() + i];
    const std::string& role = region_.operands[static_cast<size_t>(region_.anchor_stores[i].operand)].role;
    return strides_constant(constant_name(role), strides);
}

std::string SliceBodies::statistic_store(size_t i, const std::string& role, const std::string& value) const {
    const std::string word = arrangement.by_columns ? "store_strided" : "store_per_row";
    const Store& store = region_.anchor_stores[i];
    return word + "<" + constant_name(region_.operands[static_cast<size_t>(store.operand)].role) + ">(" + role +
           ", at, " + value + ");";
}

void SliceBodies::set_alignment(KernelSource& kernel) const {
    set_vector_alignment(kernel, input_, domain, lanes);
    set_vector_alignment(kernel, epilogue_, with_accesses(domain, input_.size(), epilogue_.size()), lanes);
}

double SliceBodies::input_bytes() const {
    double bytes = 0.0;
    for (const Access& access : input_) {
        if (access.operand >= 0)
            bytes += static_cast<double>(element_count(region_.inputs[0].dims) * bytes_of(access.type));
    }
    return bytes;
}

int64_t SliceBodies::run_bytes() const {
    const std::vector<int64_t>& inner = domain.columns;
    const int64_t width = bytes_of(region_.inputs[0].terms.back().type);
    const bool whole_rows = domain.columns.size() == 1 && !domain.rows.empty() &&
                            (input_.empty() || domain.strides[0].row.back() == domain.columns[0]);
    return inner.back() * (whole_rows && !arrangement.by_columns ? domain.rows.back() : 1) * width;
}

}  // namespace tenon::codegen
