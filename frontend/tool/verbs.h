#pragma once

#include <string>
#include <vector>

#include "frontend/tool/files.h"

namespace tenon::tool {

// The verbs of the program, one file each. Every call prints its findings to stdout, failures to stderr, and returns an
// exit code of exit_codes.h. `target` names a device profile, `device` is gpu, emulator, reference or auto.

struct DemoOptions {
    std::string target = "h200";
};
/// Plans, compiles, runs and checks y = relu(conv(x, w) + bias + residual); the last line counts what ran where.
int demo(const DemoOptions& options);

struct ExplainOptions {
    GraphFile graph;
    std::string target = "h200", form = "text";  ///< text, json, dot, source or graph.
    std::string sources;                         ///< Folder to write every kernel to.
    bool unfused = false;
};
/// Prints what a graph is cut into and why.
int explain(const ExplainOptions& options);

struct RunOptions {
    GraphFile graph;  ///< A plan file runs as it is.
    std::string target = "h200", device = "auto", output_folder;
    std::vector<std::string> inputs;  ///< NAME=PATH; the others are random.
    uint64_t seed = 1;
    bool unfused = false;
};
/// Runs a graph once and prints a summary of every output.
int run(const RunOptions& options);

struct VerifyOptions {
    GraphFile graph;
    std::string target = "h200", device = "auto", reproducer;
    uint64_t seed = 1;
    double tolerance = 0.0;  ///< Of the largest expected number; 0: by type.
    std::string sources;     ///< Folder of edited kernels to run in place of the generated ones.
};
/// Compares fused and unfused runs with the reference; on a difference runs region after region alone and names those
/// that are wrong.
int verify(const VerifyOptions& options);

struct CompileOptions {
    GraphFile graph;
    std::string target = "h200", plan_file;
    std::vector<std::string> architectures;  ///< "sm_80"; empty: the target's.
};
/// Compiles every kernel and reports registers, spills and sizes; writes a plan file if asked.
int compile(const CompileOptions& options);

struct BenchOptions {
    GraphFile graph;
    int samples = 20, launches = 20;
    uint64_t seed = 1;
    bool json = false;
};
/// Times the fused and the unfused plan on the GPU.
int bench(const BenchOptions& options);

/// Says where compiled kernels are kept and how much that is.
int cache_info();
/// Removes them.
int cache_clear();

/// Prints operations, pointwise functions and the element types they take.
int support();
/// Prints versions, GPU, compilers and device profiles.
int info();

}  // namespace tenon::tool
