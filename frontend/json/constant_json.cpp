#include "frontend/json/constant_json.h"

#include <nlohmann/json.hpp>

#include "frontend/graph/elements.h"
#include "frontend/status_macros.h"

namespace tenon {
namespace {

constexpr int64_t kMostValuesShown = 16;
constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Calls `visit(number, offset)` for each element in row-major order; offset in elements.
template <typename Visit>
Status each_element(const Value& value, Visit visit) {
    Dims at(value.dims.size(), 0);
    const int64_t count = element_count(value.dims);
    for (int64_t number = 0; number < count; ++number) {
        int64_t offset = 0;
        for (size_t axis = 0; axis < at.size(); ++axis) offset += at[axis] * value.strides[axis];
        TENON_TRY(visit(static_cast<size_t>(number), offset));
        for (size_t axis = at.size(); axis-- > 0 && ++at[axis] == value.dims[axis];) at[axis] = 0;
    }
    return {};
}

bool has_gaps(const Value& value) { return span_of(value.dims, value.strides) > element_count(value.dims); }

Json element_json(const Value& value, int64_t offset) {
    const void* memory = value.data->data();
    if (is_floating(value.type)) return json_of(load_element(memory, value.type, offset));
    const int64_t whole = load_whole_element(memory, value.type, offset);
    return value.type == DataType::Bool ? Json(whole != 0) : Json(whole);
}

Status store(const Place& place, DataType type, int64_t offset, void* memory) {
    if (is_floating(type)) {
        double number = 0.0;
        TENON_TRY(read(place, number));
        store_element(memory, type, offset, number);
        return {};
    }
    bool truth = false;
    int64_t whole = 0;
    TENON_TRY(type == DataType::Bool ? read(place, truth) : read(place, whole));
    if (!fits(type, whole)) return place.refuse("a value of " + std::string(to_string(type)));
    store_whole_element(memory, type, offset, type == DataType::Bool ? int64_t{truth} : whole);
    return {};
}

int digit_value(char c) {
    const size_t found = kDigits.find(c);
    return found == std::string_view::npos ? -1 : static_cast<int>(found);
}

}  // namespace

std::string base64_of(const Bytes& bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        const size_t count = std::min<size_t>(3, bytes.size() - i);
        uint32_t group = 0;
        for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? std::to_integer<uint32_t>(bytes[i + k]) : 0u);
        for (size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

Result<Bytes> bytes_of_base64(const Place& place, int64_t size) {
    if (!place.json->is_string()) return place.refuse("base64 text");
    const std::string& text = place.json->get_ref<const std::string&>();
    const int64_t needed = (size + 2) / 3 * 4;
    if (static_cast<int64_t>(text.size()) != needed)
        return place.at_fault(Status(ErrorCode::BadFile, "has " + std::to_string(text.size()) + " characters, " +
                                                             std::to_string(size) + " bytes need " +
                                                             std::to_string(needed)));
    Bytes bytes(static_cast<size_t>(size));
    for (size_t i = 0, at = 0; i < text.size(); i += 4, at += 3) {
        const size_t count = std::min<size_t>(3, bytes.size() - at);
        uint32_t group = 0;
        for (size_t k = 0; k < 4; ++k) {
            const int digit = k <= count ? digit_value(text[i + k]) : text[i + k] == '=' ? 0 : -1;
            if (digit < 0)
                return place.at_fault(
                    Status(ErrorCode::BadFile, "character " + std::to_string(i + k) + " is no base64"));
            group = group << 6 | static_cast<uint32_t>(digit);
        }
        if ((group & ((1u << (8 * (3 - count))) - 1u)) != 0)
            return place.at_fault(Status(ErrorCode::BadFile, "the last base64 group has bits beyond the last byte"));
        for (size_t k = 0; k < count; ++k) bytes[at + k] = static_cast<std::byte>(group >> (16 - 8 * k) & 255);
    }
    return bytes;
}

Json values_of(const Value& value) {
    if (element_count(value.dims) > kMostValuesShown || has_gaps(value)) return nullptr;
    Json values = Json::array();
    const Status walked = each_element(value, [&](size_t, int64_t offset) {
        values.push_back(element_json(value, offset));
        return Status();
    });
    const Result<Bytes> again = bytes_of_values({&values, ""}, value);
    return walked.is_ok() && again.is_ok() && *again == *value.data ? values : Json(nullptr);
}

Result<Bytes> bytes_of_values(const Place& place, const Value& value) {
    const int64_t count = element_count(value.dims);
    if (!place.json->is_array()) return place.refuse("an array");
    if (static_cast<int64_t>(place.json->size()) != count)
        return place.at_fault(Status(ErrorCode::BadFile, "has " + std::to_string(place.json->size()) + " values, " +
                                                             to_text(value.dims) + " needs " + std::to_string(count)));
    if (has_gaps(value))
        return place.at_fault(Status(ErrorCode::BadFile, "a constant with gaps between its elements needs base64"));
    Bytes bytes(static_cast<size_t>(span_of(value.dims, value.strides) * bytes_of(value.type)));
    TENON_TRY(each_element(value, [&](size_t number, int64_t offset) {
        return store(place.element(number), value.type, offset, bytes.data());
    }));
    return bytes;
}

}  // namespace tenon
