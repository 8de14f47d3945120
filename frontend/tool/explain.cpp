#include <iostream>

#include <tenon/tenon.h>

#include "frontend/tool/exit_codes.h"
#include "frontend/tool/files.h"
#include "frontend/tool/verbs.h"

namespace tenon::tool {

int explain(const ExplainOptions& options) {
    const Result<Graph> graph = read_graph(options.graph);
    if (!graph.is_ok()) return fail("explain", graph.status());
    if (options.form == "graph") {
        std::cout << graph->to_text();
        return kRight;
    }
    const Result<Target> target = Target::named(options.target);
    if (!target.is_ok()) return fail("explain", target.status());
    const Result<Plan> plan = Plan::build(*graph, *target, {.fuse = !options.unfused});
    if (!plan.is_ok()) return fail("explain", plan.status());
    if (!options.sources.empty()) {
        if (const Status status = plan->write_sources(options.sources); !status.is_ok()) return fail("explain", status);
        std::cout << plan->kernel_count() << " kernels written to " << options.sources << "\n";
        return kRight;
    }
    if (options.form == "json") std::cout << plan->explain_json();
    if (options.form == "dot") std::cout << plan->explain_dot();
    if (options.form == "source") std::cout << plan->source();
    if (options.form == "text") std::cout << plan->explain();
    return kRight;
}

}  // namespace tenon::tool
