// Device profiles as JSON: reading, writing, and what a profile must hold to.

#include <tenon/target.h>

#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

namespace tenon {
namespace {

using Json = nlohmann::ordered_json;

/// Of the form that this library reads and writes.
constexpr int64_t kForm = 1;
constexpr size_t kMostBytes = 1 << 20;

Status bad(const std::string& text) { return Status(ErrorCode::BadFile, "device profile: " + text); }

/// Every number of a profile by its name, with the range in which planning makes sense.
template <typename Self, typename Visit>
void numbers(Self& self, Visit&& visit) {
    visit("compute_capability", self.compute_capability, 10, 9999);
    visit("multiprocessors", self.multiprocessors, 1, 100000);
    visit("shared_bytes_per_block", self.shared_bytes_per_block, 1024, 1e9);
    visit("shared_bytes_per_multiprocessor", self.shared_bytes_per_multiprocessor, 1024, 1e9);
    visit("registers_per_multiprocessor", self.registers_per_multiprocessor, 1024, 1e9);
    visit("l2_bytes", self.l2_bytes, 0, 1e12);
    visit("memory_bytes_per_second", self.memory_bytes_per_second, 1e6, 1e18);
    visit("clock_hz", self.clock_hz, 1e3, 1e12);
    visit("f16_flops_per_second", self.f16_flops_per_second, 0, 1e21);
    visit("tf32_flops_per_second", self.tf32_flops_per_second, 0, 1e21);
    visit("i8_ops_per_second", self.i8_ops_per_second, 0, 1e21);
    visit("f32_flops_per_second", self.f32_flops_per_second, 1, 1e21);
    visit("launch_seconds", self.launch_seconds, 0, 1);
}

std::string text_of(double value) { return Json(value).dump(); }

/// Reads one number into `field`; a whole number where the field is one.
template <typename Field>
Status read_number(const Json& json, const char* name, Field& field) {
    const auto found = json.find(name);
    if (found == json.end()) return bad(std::string(name) + " is missing");
    const bool fits = std::is_integral_v<Field> ? found->is_number_integer() : found->is_number();
    const double value = fits ? found->template get<double>() : 0.0;
    // Past this a whole number would not fit its field.
    if (!fits || !std::isfinite(value) || (std::is_integral_v<Field> && std::abs(value) > 1e12))
        return bad(std::string(name) + " is " + found->dump() + ", needs a " +
                   (std::is_integral_v<Field> ? "whole " : "") + "number");
    field = static_cast<Field>(value);
    return {};
}

Status check_names(const Json& json) {
    std::map<std::string, bool> known{{"tenon_target", true}, {"name", true}, {"measured", true}, {"source", true}};
    Target any;
    numbers(any, [&](const char* name, auto&, double, double) { known[name] = true; });
    for (const auto& [name, value] : json.items()) {
        if (known.count(name) == 0) return bad("unknown field '" + name + "'");
    }
    return {};
}

}  // namespace

Status Target::validate() const {
    if (name.empty() || name.size() > 256) return bad("name is empty or longer than 256 letters");
    Status status;
    numbers(*this, [&](const char* field, const auto& value, double least, double most) {
        const auto number = static_cast<double>(value);
        // Written so that NaN fails.
        if (status.is_ok() && !(number >= least && number <= most))
            status = bad("'" + name + "': " + field + " is " + text_of(number) + ", needs " + text_of(least) + " to " +
                         text_of(most));
    });
    return status;
}

std::string Target::to_json() const {
    Json json = {{"tenon_target", kForm}, {"name", name}, {"measured", measured}};
    numbers(*this, [&](const char* field, const auto& value, double, double) { json[field] = value; });
    return json.dump(4, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Target> Target::from_json(std::string_view text) {
    if (text.size() > kMostBytes) return bad("it has more than 1 MiB");
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object()) return bad("it is no JSON object");
    const auto version = json.find("tenon_target");
    if (version == json.end() || *version != kForm)
        return bad("tenon_target is " + (version == json.end() ? "missing" : version->dump()) + ", needs 1");
    if (const Status status = check_names(json); !status.is_ok()) return status;
    const auto name = json.find("name"), measured = json.find("measured");
    if (name == json.end() || !name->is_string()) return bad("name is missing or no string");
    if (measured == json.end() || !measured->is_boolean()) return bad("measured is missing, needs true or false");
    Target target;
    target.name = name->get<std::string>();
    target.measured = measured->get<bool>();
    Status status;
    numbers(target, [&](const char* field, auto& value, double, double) {
        if (status.is_ok()) status = read_number(json, field, value);
    });
    if (status.is_ok()) status = target.validate();
    if (!status.is_ok()) return status;
    return target;
}

}  // namespace tenon
