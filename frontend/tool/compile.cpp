#include <iostream>

#include <tenon/tenon.h>

#include "frontend/tool/exit_codes.h"
#include "frontend/tool/files.h"
#include "frontend/tool/progress.h"
#include "frontend/tool/verbs.h"

namespace tenon::tool {
namespace {

void print_report(const CompileReport& report) {
    for (const CompileReport::Kernel& kernel : report.kernels) {
        std::cout << report.architecture << "  " << kernel.name << "  registers " << kernel.registers << "  spilled "
                  << kernel.spill_bytes << " B  shared " << kernel.static_shared_bytes << " B  binary "
                  << kernel.cubin_bytes << " B  compiled in " << static_cast<int>(kernel.compile_seconds * 1e3 + 0.5)
                  << " ms\n";
    }
}

}  // namespace

int compile(const CompileOptions& options) {
    const Result<Graph> graph = read_graph(options.graph);
    if (!graph.is_ok()) return fail("compile", graph.status());
    const Result<Target> target = Target::named(options.target);
    if (!target.is_ok()) return fail("compile", target.status());
    const Result<Plan> plan = Plan::build(*graph, *target);
    if (!plan.is_ok()) return fail("compile", plan.status());

    std::vector<std::string> architectures = options.architectures;
    if (architectures.empty()) architectures.push_back(target->architecture());
    ProgressLine line("compile", plan->kernel_count() * static_cast<int>(architectures.size()));
    Settings settings = Settings::from_environment();
    int done = 0;
    settings.progress = [&](const Progress&) {
        line.show(++done);
        return true;
    };
    const Compiler compiler(settings);
    for (const std::string& architecture : architectures) {
        const Result<CompileReport> report = plan->compile(architecture, compiler);
        if (!report.is_ok()) return fail("compile", report.status());
        print_report(*report);
    }
    std::cout << compiler.compiled_count() << " kernels compiled, " << compiler.disk_hits() << " found in the cache\n";
    if (options.plan_file.empty()) return kRight;
    const Result<Plan> compiled = plan->compiled_for(architectures, compiler);
    if (!compiled.is_ok()) return fail("compile", compiled.status());
    if (const Status status = compiled->save(options.plan_file); !status.is_ok()) return fail("compile", status);
    std::cout << "plan written to " << options.plan_file << "\n";
    return kRight;
}

}  // namespace tenon::tool
