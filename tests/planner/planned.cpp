#include "tests/planner/planned.h"

#include "codegen/generate.h"

namespace tenon::testing {

Planned planned(const Graph& graph, const PlanOptions& options) {
    Planned result;
    const Result<codegen::Program> program = codegen::generate(graph, *Target::named("h200"), options);
    if (!program.is_ok()) {
        result.failure = program.status().message();
        return result;
    }
    result.kernels = program->steps.size();
    result.rewrites = program->rewrites;
    for (const codegen::Step& step : program->steps) {
        result.source += step.kernel.text;
        for (const codegen::Note& note : step.notes) {
            result.codes.push_back(note.code);
            result.notes += note.code + ": " + note.text + "\n";
        }
    }
    return result;
}

}  // namespace tenon::testing
