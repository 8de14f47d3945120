#include <tenon/plan.h>

#include <iomanip>
#include <locale>
#include <sstream>

#include "engine/explanation.h"

namespace tenon {
namespace {

using codegen::LaunchShape;

std::string extents(const std::array<uint32_t, 3>& shape) {
    std::string text = std::to_string(shape[0]);
    if (shape[1] != 1 || shape[2] != 1) text += "x" + std::to_string(shape[1]);
    if (shape[2] != 1) text += "x" + std::to_string(shape[2]);
    return text;
}

std::string indented(const std::string& text) {
    std::string lines;
    for (const char c : text) lines += c == '\n' ? std::string("\n    ") : std::string(1, c);
    return lines;
}

void write_launch(std::ostream& out, const codegen::Step& step) {
    const LaunchShape& launch = step.kernel.launch;
    out << "    tile " << step.tile << "  grid " << extents(launch.grid) << "  block " << extents(launch.block);
    if (launch.cluster != std::array<uint32_t, 3>{1, 1, 1}) out << "  cluster " << extents(launch.cluster);
    out << "  dynamic shared " << launch.shared_bytes << " B" << (launch.dependent ? "  starts early" : "") << "\n";
}

void write_compiled(std::ostream& out, const std::optional<CompileReport::Kernel>& compiled) {
    if (!compiled) {
        out << "    registers unknown: not compiled\n";
        return;
    }
    out << "    registers " << compiled->registers << "  spills " << compiled->spill_bytes << " B  static shared "
        << compiled->static_shared_bytes << " B  binary " << compiled->cubin_bytes << " B  compiled in "
        << compiled->compile_seconds * 1e3 << " ms\n";
}

void write_times(std::ostream& out, const engine::KernelFacts& facts) {
    const codegen::Step& step = *facts.step;
    out << "    bytes " << step.bytes_moved / 1e6 << " MB (saved " << step.bytes_saved / 1e6 << " MB)  flops "
        << step.flops / 1e9 << " G  roofline memory " << facts.memory_seconds * 1e6 << " us, arithmetic "
        << facts.arithmetic_seconds * 1e6 << " us\n";
    const auto write_time = [&](const char* how, double seconds) {
        out << how << seconds * 1e6 << " us (" << facts.share_of(seconds) * 100.0 << " % of the roofline)";
    };
    write_time("    predicted ", facts.predicted_seconds);
    if (facts.measured_seconds) write_time("  measured ", *facts.measured_seconds);
    out << "\n";
}

void write_notes(std::ostream& out, const codegen::Program& program) {
    bool any = false;
    for (size_t i = 0; i < program.steps.size(); ++i) {
        for (const codegen::Note& note : program.steps[i].notes) {
            if (!any) out << "not fused:\n";
            any = true;
            out << "    r" << i << "  " << note.code << ": " << note.text << "\n";
        }
    }
    for (const std::string& rewrite : program.rewrites) out << "rewritten: " << rewrite << "\n";
}

}  // namespace

std::string Plan::explain(const ExplainOptions& options) const {
    const codegen::Program& program = data_->program;
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << std::fixed << std::setprecision(2);
    out << "plan  device " << target().name << " " << target().architecture()
        << (target().measured ? " (measured profile)" : " (datasheet profile)") << "  ops "
        << graph().data().nodes.size() << "  kernels " << program.steps.size() << "  workspace "
        << program.workspace_bytes << " B  constants " << program.constant_bytes << " B\n";
    size_t number = 0;
    for (const engine::KernelFacts& facts : engine::facts_of(*data_, options)) {
        const codegen::Step& step = *facts.step;
        out << "r" << number++ << "  " << step.family << "  " << step.kernel.name << "\n    " << indented(step.formula)
            << "\n    nodes";
        for (const std::string& node : step.nodes) out << " '" << node << "'";
        out << "\n";
        write_launch(out, step);
        write_compiled(out, facts.compiled);
        write_times(out, facts);
    }
    write_notes(out, program);
    return out.str();
}

}  // namespace tenon
