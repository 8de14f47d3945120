#include "frontend/tool/files.h"

#include <tenon/json.h>
#include <tenon/onnx.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "frontend/status_macros.h"

namespace tenon::tool {
namespace {

Status cannot(const char* what, const std::string& path) {
    const std::string reason = errno != 0 ? std::strerror(errno) : "failed";
    return Status(ErrorCode::BadFile, "cannot " + std::string(what) + " '" + path + "': " + reason);
}

Result<OnnxOptions> onnx_options(const std::vector<std::string>& extents) {
    OnnxOptions options;
    for (const std::string& text : extents) {
        const size_t split = text.find('=');
        int64_t extent = 0;
        const char* end = text.data() + text.size();
        if (split == std::string::npos || std::from_chars(text.data() + split + 1, end, extent).ptr != end ||
            extent < 1)
            return Status(ErrorCode::InvalidArgument, "--extent is '" + text + "', needs SYMBOL=NUMBER");
        options.extents[text.substr(0, split)] = extent;
    }
    return options;
}

Result<Graph> graph_of_bytes(const GraphFile& file, std::string_view bytes) {
    if (is_plan_file(file.path)) {
        TENON_ASSIGN(const Plan plan, Plan::from_bytes(bytes));
        return plan.graph();
    }
    if (!file.path.ends_with(".onnx")) return graph_from_json(bytes);
    TENON_ASSIGN(const OnnxOptions options, onnx_options(file.extents));
    return graph_from_onnx(bytes, options);
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        return Status(ErrorCode::BadFile, "cannot read '" + path + "': it is a folder");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) return cannot("read", path);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    if (file.bad()) return cannot("read", path);
    return std::move(bytes).str();
}

Status write_file(const std::string& path, std::string_view bytes) {
    errno = 0;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    return file ? Status() : cannot("write", path);
}

bool is_plan_file(const std::string& path) { return path.ends_with(".tenon"); }

Result<Graph> read_graph(const GraphFile& file) {
    TENON_ASSIGN(const std::string bytes, read_file(file.path));
    const Result<Graph> graph = graph_of_bytes(file, bytes);
    if (graph.is_ok()) return graph;
    return Status(graph.status().code(), file.path + ": " + graph.status().message());
}

}  // namespace tenon::tool
