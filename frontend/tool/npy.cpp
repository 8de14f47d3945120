#include "frontend/tool/npy.h"

#include <charconv>
#include <cstring>

#include "frontend/graph/elements.h"
#include "frontend/status_macros.h"

namespace tenon::tool {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

struct TypeName {
    DataType type;
    std::string_view name;
};
constexpr TypeName kTypes[] = {{DataType::F16, "<f2"}, {DataType::F32, "<f4"}, {DataType::F64, "<f8"},
                               {DataType::I8, "|i1"},  {DataType::U8, "|u1"},  {DataType::I32, "<i4"},
                               {DataType::I64, "<i8"}, {DataType::Bool, "|b1"}};

Status bad(std::string text) { return Status(ErrorCode::BadFile, "npy: " + std::move(text)); }

/// What stands behind 'key': in the head.
std::string_view entry(std::string_view head, std::string_view key) {
    const size_t found = head.find("'" + std::string(key) + "'");
    if (found == std::string_view::npos) return {};
    const size_t colon = head.find(':', found);
    if (colon == std::string_view::npos) return {};
    const size_t begin = head.find_first_not_of(' ', colon + 1);
    return begin == std::string_view::npos ? std::string_view{} : head.substr(begin);
}

Result<Dims> shape(std::string_view text) {
    Dims dims;
    if (text.empty() || text.front() != '(') return bad("has no shape");
    text.remove_prefix(1);
    while (true) {
        while (!text.empty() && (text.front() == ' ' || text.front() == ',')) text.remove_prefix(1);
        if (text.empty()) return bad("the shape does not end");
        if (text.front() == ')') return dims;
        int64_t extent = -1;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
        if (error != std::errc() || extent < 0) return bad("the shape is no list of extents");
        text.remove_prefix(static_cast<size_t>(end - text.data()));
        dims.push_back(extent);
        if (dims.size() > kMaxRank) return bad("has rank above " + std::to_string(kMaxRank));
    }
}

}  // namespace

Result<Array> array_from_npy(std::string_view bytes) {
    if (bytes.size() < 12 || bytes.substr(0, 6) != kMagic) return bad("does not begin like one");
    const auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(bytes[at])); };
    const bool is_long = bytes[6] != 1;
    const size_t begin = is_long ? 12 : 10;
    const size_t length = byte(8) | byte(9) << 8 | (is_long ? byte(10) << 16 | byte(11) << 24 : 0);
    if (length > bytes.size() - begin) return bad("the head does not end");
    const std::string_view head = bytes.substr(begin, length), data = bytes.substr(begin + length);

    Array array;
    const std::string_view descr = entry(head, "descr");
    const TypeName* type = nullptr;
    for (const TypeName& known : kTypes) {
        if (descr.substr(0, 5) == "'" + std::string(known.name) + "'") type = &known;
    }
    if (type == nullptr)
        return bad("elements are " + std::string(descr.substr(0, 8)) + ", need '<f2', '<f4', '<f8', '|i1', '|u1', " +
                   "'<i4', '<i8' or '|b1'");
    array.type = type->type;
    if (!entry(head, "fortran_order").starts_with("False")) return bad("is column-major, needs row-major");
    TENON_ASSIGN(array.dims, shape(entry(head, "shape")));
    const int64_t count = element_count(array.dims), found = static_cast<int64_t>(data.size());
    if (found % bytes_of(array.type) != 0 || found / bytes_of(array.type) != count)
        return bad("has " + std::to_string(found) + " bytes of elements, " + to_text(array.dims) + " of " +
                   std::string(to_string(array.type)) + " needs another number");
    array.bytes.resize(data.size());
    if (!data.empty()) std::memcpy(array.bytes.data(), data.data(), data.size());
    return array;
}

std::string npy_of(const Array& array) {
    if (array.type == DataType::BF16) {
        Array wide{DataType::F32, array.dims, std::vector<std::byte>(array.bytes.size() * 2)};
        for (int64_t i = 0; i < element_count(array.dims); ++i)
            store_element(wide.bytes.data(), DataType::F32, i, load_element(array.bytes.data(), DataType::BF16, i));
        return npy_of(wide);
    }
    std::string name, extents;
    for (const TypeName& known : kTypes) {
        if (known.type == array.type) name = known.name;
    }
    for (const int64_t extent : array.dims) extents += std::to_string(extent) + ", ";
    std::string head = "{'descr': '" + name + "', 'fortran_order': False, 'shape': (" + extents + "), }";
    head.append(63 - (10 + head.size()) % 64, ' ');
    head += '\n';
    std::string text = std::string(kMagic) + std::string("\x01\x00", 2);
    text += static_cast<char>(head.size() & 255);
    text += static_cast<char>(head.size() >> 8);
    return text + head + std::string(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
}

}  // namespace tenon::tool
