#include <tenon/plan.h>

#include <iomanip>
#include <sstream>

#include "engine/plan_data.h"

namespace tenon {

std::string Plan::explain() const {
    const codegen::Program& program = data_->program;
    std::ostringstream out;
    out << std::fixed << std::setprecision(2);
    out << "plan  device " << target().name << " " << target().architecture()
        << (target().measured ? " (measured profile)" : " (datasheet profile)") << "  ops "
        << graph().data().nodes.size() << "  kernels " << program.steps.size() << "  workspace "
        << program.workspace_bytes << " B  constants " << program.constant_bytes << " B\n";
    for (size_t i = 0; i < program.steps.size(); ++i) {
        const codegen::Step& step = program.steps[i];
        out << "r" << i << "  " << step.family << "  " << step.kernel.name << "\n    ";
        for (const char c : step.formula) out << (c == '\n' ? std::string("\n    ") : std::string(1, c));
        out << "\n    nodes";
        for (const std::string& node : step.nodes) out << " '" << node << "'";
        out << "\n    tile " << step.tile << "  grid " << step.kernel.launch.grid[0] << "\n";
        out << "    bytes " << step.bytes_moved / 1e6 << " MB (saved " << step.bytes_saved / 1e6 << " MB)  flops "
            << step.flops / 1e9 << " G  predicted " << step.predicted_seconds * 1e6 << " us\n";
    }
    bool any = false;
    for (size_t i = 0; i < program.steps.size(); ++i) {
        for (const codegen::Note& note : program.steps[i].notes) {
            if (!any) out << "not fused:\n";
            any = true;
            out << "    r" << i << "  " << note.code << ": " << note.text << "\n";
        }
    }
    for (const std::string& rewrite : program.rewrites) out << "rewritten: " << rewrite << "\n";
    return out.str();
}

}  // namespace tenon
