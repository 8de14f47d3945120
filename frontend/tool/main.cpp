#include <CLI/CLI.hpp>

#include <tenon/tenon.h>

#include "frontend/tool/demo.h"

int main(int argc, char** argv) {
    CLI::App app("Fuses operation graphs into readable CUDA kernels", "tenon");
    app.set_version_flag("--version", std::string(tenon::kVersion));
    app.require_subcommand(1);
    std::string profile = "h200";
    CLI::App* demo = app.add_subcommand("demo", "Plan, compile, run and check one convolution block");
    demo->add_option("--target", profile, "Device profile to plan for")->check(CLI::IsMember(tenon::Target::names()));
    CLI11_PARSE(app, argc, argv);
    return tenon::tool::demo(profile);
}
