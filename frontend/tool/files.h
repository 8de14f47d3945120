#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tenon/plan.h>

namespace tenon::tool {

/// The whole file; BadFile if it cannot be read.
Result<std::string> read_file(const std::string& path);
/// Replaces the file.
Status write_file(const std::string& path, std::string_view bytes);
/// A graph on disk, and what an ONNX model leaves open.
struct GraphFile {
    std::string path;
    std::vector<std::string> extents;  ///< "batch=1": extents of the symbols of an ONNX model.
};
/// A graph from an ONNX model if the path ends with .onnx, from a plan file if with .tenon, else from JSON (see
/// tenon/json.h).
Result<Graph> read_graph(const GraphFile& file);
bool is_plan_file(const std::string& path);

}  // namespace tenon::tool
