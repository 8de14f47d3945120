#include "codegen/source/skeleton.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace tenon::codegen {
namespace {

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Appends `text` with every line after a break indented; keeps empty lines free of trailing blanks.
void append_indented(std::string& out, std::string_view text, std::string_view indentation) {
    for (size_t start = 0; start <= text.size();) {
        const size_t end = std::min(text.find('\n', start), text.size());
        if (start > 0) {
            out += '\n';
            if (end > start) out += indentation;
        }
        out += text.substr(start, end - start);
        start = end + 1;
    }
}

}  // namespace

Result<std::string> fill(std::string_view skeleton, std::initializer_list<Hole> holes) {
    std::string out;
    std::vector<bool> used(holes.size(), false);
    for (size_t at = 0; at < skeleton.size();) {
        if (skeleton[at] != '$') {
            out += skeleton[at++];
            continue;
        }
        size_t end = at + 1;
        while (end < skeleton.size() && is_name_character(skeleton[end])) ++end;
        const std::string_view name = skeleton.substr(at + 1, end - at - 1);
        const auto hole = std::find_if(holes.begin(), holes.end(), [&](const Hole& h) { return h.name == name; });
        if (hole == holes.end()) {
            return Status(ErrorCode::InvalidArgument, "skeleton: nothing fills $" + std::string(name));
        }
        used[static_cast<size_t>(hole - holes.begin())] = true;
        const size_t line_start = out.rfind('\n') == std::string::npos ? 0 : out.rfind('\n') + 1;
        const std::string indentation = out.substr(line_start);
        const bool blank_before = std::all_of(indentation.begin(), indentation.end(), [](char c) { return c == ' '; });
        const bool alone = blank_before && (end == skeleton.size() || skeleton[end] == '\n');
        if (alone && hole->text.empty()) {
            out.resize(line_start);
            at = std::min(end + 1, skeleton.size());
            continue;
        }
        append_indented(out, hole->text, blank_before ? indentation : "");
        at = end;
    }
    const auto unused = std::find(used.begin(), used.end(), false);
    if (unused != used.end()) {
        const Hole& hole = *(holes.begin() + (unused - used.begin()));
        return Status(ErrorCode::InvalidArgument, "skeleton has no hole $" + std::string(hole.name));
    }
    return out;
}

std::string indented(const std::string& text) {
    std::string out = "    ";
    for (const char c : text) out += c == '\n' ? std::string("\n    ") : std::string(1, c);
    return out;
}

}  // namespace tenon::codegen
