#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <tenon/status.h>

namespace tenon::codegen {

/// A named gap of a skeleton and what stands there.
struct Hole {
    std::string_view name;
    std::string text;
};

/// Copies `skeleton`, putting each hole's text where `$name` stands. A hole on a line of its own keeps that line's
/// indentation for every line of its text; an empty one removes the line. Leaving a hole unfilled, or filling one the
/// skeleton lacks, is an error.
Result<std::string> fill(std::string_view skeleton, std::initializer_list<Hole> holes);

/// `text` with every line indented once.
std::string indented(const std::string& text);

}  // namespace tenon::codegen
