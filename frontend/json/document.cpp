#include "frontend/json/document.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "frontend/status_macros.h"

namespace tenon {
namespace {

constexpr size_t kMostLevels = 32;

Status bad(std::string text) { return Status(ErrorCode::BadFile, std::move(text)); }

/// Builds a document from the parser's events and stops at the first thing it does not like.
class Builder : public nlohmann::json_sax<Json> {
  public:
    Json root;
    Status status;

    bool null() override { return place(Json(nullptr)) != nullptr; }
    bool boolean(bool value) override { return place(Json(value)) != nullptr; }
    bool number_integer(number_integer_t value) override { return place(Json(value)) != nullptr; }
    bool number_unsigned(number_unsigned_t value) override { return place(Json(value)) != nullptr; }
    bool number_float(number_float_t value, const string_t&) override { return place(Json(value)) != nullptr; }
    bool string(string_t& value) override { return place(Json(std::move(value))) != nullptr; }
    bool binary(binary_t&) override { return false; }
    bool start_object(size_t) override { return open(Json::object()); }
    bool start_array(size_t) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& name) override {
        const auto [member, is_new] = open_.back()->get_ref<Json::object_t&>().try_emplace(name);
        member_ = &member->second;
        if (!is_new) status = bad("the key \"" + name + "\" stands twice in one object");
        return is_new;
    }
    bool parse_error(size_t byte, const std::string&, const nlohmann::detail::exception&) override {
        status = bad("is no JSON, from byte " + std::to_string(byte) + " on");
        return false;
    }

  private:
    Json* place(Json value) {
        if (open_.empty()) {
            root = std::move(value);
            return &root;
        }
        if (open_.back()->is_array()) return &open_.back()->emplace_back(std::move(value));
        *member_ = std::move(value);
        return member_;
    }
    bool open(Json value) {
        if (open_.size() == kMostLevels) {
            status = bad("is nested deeper than " + std::to_string(kMostLevels) + " levels");
            return false;
        }
        open_.push_back(place(std::move(value)));
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    std::vector<Json*> open_;  ///< Addresses stay: only the innermost array or object grows.
    Json* member_ = nullptr;
};

/// The value for a message, cut where it gets long.
std::string shown(const Json& json) {
    if (json.is_array()) return "an array";
    if (json.is_object()) return "an object";
    std::string text = json.is_string() && json.get_ref<const std::string&>().size() > 40
                           ? line_of(Json(json.get_ref<const std::string&>().substr(0, 40) + "…"))
                           : line_of(json);
    return text;
}

/// The key as a step of a JSON pointer.
std::string step(std::string_view key) {
    std::string text = "/";
    for (const char c : key) text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return text;
}

template <typename T>
Status read_numbers(const Place& place, std::vector<T>& values) {
    if (!place.json->is_array()) return place.refuse("an array");
    values.resize(place.json->size());
    for (size_t i = 0; i < values.size(); ++i) TENON_TRY(read(place.element(i), values[i]));
    return {};
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
    Builder builder;
    if (Json::sax_parse(text.begin(), text.end(), &builder)) return std::move(builder.root);
    return builder.status.is_ok() ? bad("is no JSON") : builder.status;
}

Status Place::refuse(std::string_view needed) const {
    return bad((path.empty() ? "/" : path) + ": is " + shown(*json) + ", needs " + std::string(needed));
}

Status Place::at_fault(const Status& status) const {
    if (status.is_ok()) return status;
    return Status(status.code(), (path.empty() ? "/" : path) + ": " + status.message());
}

Place Place::element(size_t index) const { return {&(*json)[index], path + "/" + std::to_string(index)}; }

Status read(const Place& place, bool& value) {
    if (!place.json->is_boolean()) return place.refuse("true or false");
    value = place.json->get<bool>();
    return {};
}

Status read(const Place& place, int64_t& value) {
    const Json& json = *place.json;
    const bool too_large = json.is_number_unsigned() && json.get<uint64_t>() > uint64_t{INT64_MAX};
    if (!json.is_number_integer() || too_large) return place.refuse("a whole number of 64 bits");
    value = json.get<int64_t>();
    return {};
}

Status read(const Place& place, double& value) {
    const Json& json = *place.json;
    if (json.is_number()) {
        value = json.get<double>();
        return {};
    }
    const std::string text = json.is_string() ? json.get<std::string>() : "";
    if (text == "inf" || text == "-inf" || text == "nan") {
        const double infinity = std::numeric_limits<double>::infinity();
        value = text == "nan" ? std::numeric_limits<double>::quiet_NaN() : text == "inf" ? infinity : -infinity;
        return {};
    }
    uint64_t bits = 0;
    if (text.size() == 18 && text.starts_with("0x") &&
        std::from_chars(text.data() + 2, text.data() + 18, bits, 16).ptr == text.data() + 18) {
        value = std::bit_cast<double>(bits);
        return {};
    }
    return place.refuse("a number, \"inf\", \"-inf\" or \"nan\"");
}

Status read(const Place& place, std::string& value) {
    if (!place.json->is_string()) return place.refuse("a string");
    value = place.json->get<std::string>();
    return {};
}

Status read(const Place& place, Dims& value) { return read_numbers(place, value); }
Status read(const Place& place, std::vector<double>& value) { return read_numbers(place, value); }

Status read_name(const Place& place, const std::string_view* names, size_t count, size_t& value) {
    const std::string text = place.json->is_string() ? place.json->get<std::string>() : "";
    value = static_cast<size_t>(std::find(names, names + count, text) - names);
    if (value < count) return {};
    std::string known;
    for (size_t i = 0; i < count; ++i) known += (i == 0 ? "" : ", ") + std::string(names[i]);
    return place.refuse("one of " + known);
}

Status read_array(const Place& place, std::vector<Place>& elements) {
    if (!place.json->is_array()) return place.refuse("an array");
    for (size_t i = 0; i < place.json->size(); ++i) elements.push_back(place.element(i));
    return {};
}

Status read_object(const Place& place, const std::vector<std::string_view>& known,
                   std::map<std::string_view, Place>& members) {
    if (!place.json->is_object()) return place.refuse("an object");
    for (const auto& [key, value] : place.json->get_ref<const Json::object_t&>()) {
        const Place member{&value, place.path + step(key)};
        if (std::find(known.begin(), known.end(), key) == known.end())
            return member.at_fault(bad("no such field is known here"));
        members.emplace(key, member);
    }
    return {};
}

Json json_of(double value) {
    if (std::isfinite(value)) return value;
    if (std::isinf(value)) return value > 0.0 ? "inf" : "-inf";
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    if (bits == std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN())) return "nan";
    std::string digits(16, '0');
    for (size_t i = 0; i < 16; ++i) digits[i] = "0123456789abcdef"[bits >> (60 - 4 * i) & 15];
    return "0x" + digits;
}

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, nlohmann::detail::error_handler_t::replace); }

}  // namespace tenon
