#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <tenon/status.h>
#include <tenon/types.h>

namespace tenon {

using Json = nlohmann::json;

/// Parses strictly: one value, no doubled key, at most 32 levels. BadFile says at which byte it went wrong.
Result<Json> parse_json(std::string_view text);

/// A value of a document and the JSON pointer that leads to it; the document must outlive it.
struct Place {
    const Json* json = nullptr;
    std::string path;

    /// BadFile: "/nodes/0/op: is 5, needs a string".
    Status refuse(std::string_view needed) const;
    /// Any failure with the path in front.
    Status at_fault(const Status& status) const;
    Place element(size_t index) const;
};

// Each of these refuses a value of another kind.
Status read(const Place& place, bool& value);
Status read(const Place& place, int64_t& value);
/// A number, or "inf", "-inf", "nan", or "0x" and the 16 digits of a double.
Status read(const Place& place, double& value);
Status read(const Place& place, std::string& value);
Status read(const Place& place, Dims& value);
Status read(const Place& place, std::vector<double>& value);
/// One of `names`; `value` is its index.
Status read_name(const Place& place, const std::string_view* names, size_t count, size_t& value);
/// The elements of an array.
Status read_array(const Place& place, std::vector<Place>& elements);
/// The members of an object. Every name must stand in `known`.
Status read_object(const Place& place, const std::vector<std::string_view>& known,
                   std::map<std::string_view, Place>& members);

/// The reverse of reading a double.
Json json_of(double value);
/// One line of JSON; bytes that are no UTF-8 become U+FFFD.
std::string line_of(const Json& json);

}  // namespace tenon
