#include <tenon/plan.h>

#include <map>

#include "engine/explanation.h"

namespace tenon {
namespace {

using codegen::Buffer;

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' ? std::string("\\l") : std::string(1, c);
    }
    return out + "\"";
}

std::string megabytes(int64_t bytes) {
    const int64_t hundredths = (bytes + 5000) / 10000;
    const std::string rest = std::to_string(hundredths % 100);
    return std::to_string(hundredths / 100) + "." + (rest.size() < 2 ? "0" : "") + rest + " MB";
}

/// Who wrote each buffer last, as the graph's edges need it.
class Edges {
  public:
    explicit Edges(const PlanData& plan) : plan_(plan) {}

    void add(const codegen::KernelSource& kernel, size_t step) {
        const std::string name = "r" + std::to_string(step);
        for (const codegen::KernelArgument& argument : kernel.arguments) {
            if (!argument.written) text_ += "    " + source(argument.buffer) + " -> " + name + label(argument);
        }
        for (const codegen::KernelArgument& argument : kernel.arguments) {
            if (!argument.written) continue;
            writer_[argument.buffer] = name;
            if (buffer(argument.buffer).kind == Buffer::Kind::Bound)
                text_ += "    " + name + " -> " + tensor(argument.buffer) + label(argument);
        }
    }
    std::string text() const {
        std::string tensors;
        for (const auto& [name, shown] : tensors_) tensors += "    " + name + " [label=" + quoted(shown) + "];\n";
        return tensors + text_;
    }

  private:
    const Buffer& buffer(int32_t number) const { return plan_.program.buffers[static_cast<size_t>(number)]; }

    std::string source(int32_t number) {
        const auto writer = writer_.find(number);
        return writer != writer_.end() ? writer->second : tensor(number);
    }

    /// The DOT node of memory that is the caller's or constant.
    std::string tensor(int32_t number) {
        const bool is_callers = buffer(number).value != kNone && buffer(number).kind != Buffer::Kind::Constant &&
                                buffer(number).kind != Buffer::Kind::Workspace;
        const std::string name = "b" + std::to_string(number);
        tensors_[name] = is_callers ? plan_.graph.data().value(buffer(number).value).name
                         : buffer(number).kind == Buffer::Kind::Constant ? "constant"
                                                                         : "workspace";
        return name;
    }

    static std::string label(const codegen::KernelArgument& argument) {
        return " [label=" + quoted(argument.role + " " + megabytes(argument.span_bytes)) + "];\n";
    }

    const PlanData& plan_;
    std::map<int32_t, std::string> writer_;
    std::map<std::string, std::string> tensors_;
    std::string text_;
};

}  // namespace

std::string Plan::explain_dot() const {
    std::string kernels;
    Edges edges(*data_);
    for (size_t i = 0; i < data_->program.steps.size(); ++i) {
        const codegen::Step& step = data_->program.steps[i];
        kernels +=
            "    r" + std::to_string(i) + " [shape=box, label=" +
            quoted("r" + std::to_string(i) + "  " + step.family + "\n" + step.formula + "\n" + step.tile + "\n") +
            "];\n";
        edges.add(step.kernel, i);
    }
    return "digraph plan {\n    node [fontname=monospace];\n" + kernels + edges.text() + "}\n";
}

}  // namespace tenon
