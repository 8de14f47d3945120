#include <functional>

#include <CLI/CLI.hpp>

#include <tenon/tenon.h>

#include "frontend/tool/exit_codes.h"
#include "frontend/tool/verbs.h"

namespace {

using namespace tenon::tool;

constexpr const char* kExitCodes =
    "Exit codes: 0 done and right, 1 numbers differ from the reference, 2 bad command line, 3 a file or graph cannot "
    "be used, 4 compiling or running failed, 5 a GPU, its driver or NVRTC is missing.";

void add_file(CLI::App& verb, GraphFile& file) {
    verb.add_option("graph", file.path, "JSON (form: tenon/json.h), .onnx, or the graph of a plan file .tenon")
        ->required();
    verb.add_option("--extent", file.extents, "SYMBOL=NUMBER for an extent that an ONNX model leaves open");
}
void add_target(CLI::App& verb, std::string& target) {
    verb.add_option("--target", target, "Device profile to plan for")->check(CLI::IsMember(tenon::Target::names()));
}
void add_device(CLI::App& verb, std::string& device) {
    verb.add_option("--device", device, "gpu, emulator, reference, or auto: the GPU if there is one, else emulator")
        ->check(CLI::IsMember({"gpu", "emulator", "reference", "auto"}));
}

/// The verbs with their options; the chosen one is left in `chosen`.
class Program {
  public:
    explicit Program(CLI::App& app) {
        add_demo(app);
        add_explain(app);
        add_run(app);
        add_verify(app);
        add_compile(app);
        add_bench(app);
        add_rest(app);
    }
    int run_chosen() const { return chosen_(); }

  private:
    CLI::App& add(CLI::App& app, const char* name, const char* text, std::function<int()> action) {
        CLI::App* verb = app.add_subcommand(name, text);
        verb->callback([this, action] { chosen_ = action; });
        return *verb;
    }

    void add_demo(CLI::App& app) {
        CLI::App& verb =
            add(app, "demo", "Plan, compile, run and check one convolution block", [this] { return demo(demo_); });
        add_target(verb, demo_.target);
    }
    void add_explain(CLI::App& app) {
        CLI::App& verb = add(app, "explain", "Kernels of a graph, and what was not fused and why",
                             [this] { return explain(explain_); });
        add_file(verb, explain_.graph);
        add_target(verb, explain_.target);
        for (const char* form : {"json", "dot", "source", "graph"})
            verb.add_flag_function(
                std::string("--") + form, [this, form](int64_t) { explain_.form = form; },
                "Print this instead of text");
        verb.add_flag("--unfused", explain_.unfused, "One kernel per operation");
        verb.add_option("--write-sources", explain_.sources, "Write every kernel to FOLDER/NAME.cu, to be edited");
    }
    void add_run(CLI::App& app) {
        CLI::App& verb = add(app, "run", "Run a graph once", [this] { return run(run_); });
        add_file(verb, run_.graph);
        add_target(verb, run_.target);
        add_device(verb, run_.device);
        verb.add_option("--input", run_.inputs, "NAME=FILE (.npy, or raw row-major elements); others are random");
        verb.add_option("--seed", run_.seed, "Of the random inputs");
        verb.add_option("--out", run_.output_folder, "Write every output to FOLDER/NAME.npy");
        verb.add_flag("--unfused", run_.unfused, "One kernel per operation");
    }
    void add_verify(CLI::App& app) {
        CLI::App& verb = add(app, "verify", "Compare fused and unfused runs with the reference; name wrong regions",
                             [this] { return verify(verify_); });
        add_file(verb, verify_.graph);
        add_target(verb, verify_.target);
        add_device(verb, verify_.device);
        verb.add_option("--seed", verify_.seed, "Of the random inputs");
        verb.add_option("--tolerance", verify_.tolerance, "Part of the largest expected number; default by type")
            ->check(CLI::NonNegativeNumber);
        verb.add_option("--sources", verify_.sources, "Folder of edited kernels NAME.cu to run instead");
        verb.add_option("--reproducer", verify_.reproducer, "Write the first wrong region as a graph to this file");
    }
    void add_compile(CLI::App& app) {
        CLI::App& verb = add(app, "compile", "Compile the kernels of a graph", [this] { return compile(compile_); });
        add_file(verb, compile_.graph);
        add_target(verb, compile_.target);
        verb.add_option("--arch", compile_.architectures, "Architectures (sm_80,sm_90a); default the target's")
            ->delimiter(',');
        verb.add_option("-o,--output", compile_.plan_file, "Write a plan file");
    }
    void add_bench(CLI::App& app) {
        CLI::App& verb =
            add(app, "bench", "Time a graph on the GPU, fused and unfused", [this] { return bench(bench_); });
        add_file(verb, bench_.graph);
        verb.add_option("--samples", bench_.samples, "Measurements")->check(CLI::Range(1, 10000));
        verb.add_option("--launches", bench_.launches, "Runs in a row per measurement")->check(CLI::Range(1, 10000));
        verb.add_option("--seed", bench_.seed, "Of the random inputs");
        verb.add_flag("--json", bench_.json, "Print JSON");
    }
    void add_rest(CLI::App& app) {
        CLI::App* cache = app.add_subcommand("cache", "Compiled kernels on disk");
        cache->require_subcommand(1);
        add(*cache, "info", "Folder, number and size", cache_info);
        add(*cache, "clear", "Remove them", cache_clear);
        add(app, "support", "Operations and the element types they take", support);
        add(app, "info", "Versions, GPU, compilers, device profiles", info);
    }

    std::function<int()> chosen_;
    DemoOptions demo_;
    ExplainOptions explain_;
    RunOptions run_;
    VerifyOptions verify_;
    CompileOptions compile_;
    BenchOptions bench_;
};

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Fuses operation graphs into readable CUDA kernels", "tenon");
    app.set_version_flag("--version", std::string(tenon::kVersion));
    app.require_subcommand(1);
    app.footer(kExitCodes);
    const Program program(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? kRight : kBadCommand;
    }
    return program.run_chosen();
}
