// Tensors of a model: dims, element type, and elements as raw bytes or in the typed field of their kind.

#include <algorithm>
#include <cstring>

#include "frontend/onnx/model.h"
#include "frontend/onnx/wire.h"
#include "frontend/status_macros.h"

namespace tenon::onnx {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 40;

/// The fields of a TensorProto as they stand in the file.
struct RawTensor {
    std::string name;
    Dims dims;
    int64_t type = 0;
    std::optional<std::string_view> raw;
    std::vector<uint64_t> varints;  // int32_data, int64_data
    std::vector<uint64_t> fixed;    // float_data, double_data, as bits
    bool is_external = false;
};

Status fail(ErrorCode code, const RawTensor& tensor, const std::string& text) {
    return Status(code, "onnx: tensor '" + tensor.name + "' " + text);
}

bool append_varints(const WireReader& reader, std::vector<uint64_t>& out) {
    if (reader.kind() == WireReader::Kind::Varint) out.push_back(reader.bits());
    if (reader.kind() != WireReader::Kind::Bytes) return reader.kind() == WireReader::Kind::Varint;
    std::string_view packed = reader.bytes();
    for (uint64_t number = 0; !packed.empty(); out.push_back(number)) {
        if (!WireReader::take_varint(packed, number)) return false;
    }
    return true;
}

bool append_fixed(const WireReader& reader, int width, std::vector<uint64_t>& out) {
    const auto single = width == 4 ? WireReader::Kind::Fixed32 : WireReader::Kind::Fixed64;
    if (reader.kind() == single) out.push_back(reader.bits());
    if (reader.kind() != WireReader::Kind::Bytes) return reader.kind() == single;
    std::string_view packed = reader.bytes();
    for (uint64_t number = 0; !packed.empty(); out.push_back(number)) {
        if (!WireReader::take_fixed(packed, width, number)) return false;
    }
    return true;
}

Result<RawTensor> read_fields(std::string_view bytes) {
    RawTensor tensor;
    std::vector<uint64_t> dims;
    bool fine = true;
    WireReader reader(bytes);
    while (fine && reader.next()) {
        switch (reader.field()) {
            case 1:
                fine = append_varints(reader, dims);
                break;
            case 2:
                tensor.type = static_cast<int64_t>(reader.bits());
                break;
            case 4:
                fine = append_fixed(reader, 4, tensor.fixed);
                break;
            case 5:
            case 7:
                fine = append_varints(reader, tensor.varints);
                break;
            case 8:
                tensor.name = std::string(reader.bytes());
                break;
            case 9:
                tensor.raw = reader.bytes();
                break;
            case 10:
                fine = append_fixed(reader, 8, tensor.fixed);
                break;
            case 13:
                tensor.is_external = true;
                break;
            case 14:
                tensor.is_external = tensor.is_external || reader.bits() == 1;
                break;
            default:
                break;
        }
    }
    if (!fine || reader.is_damaged()) return fail(ErrorCode::BadFile, tensor, "is damaged");
    for (const uint64_t extent : dims) tensor.dims.push_back(static_cast<int64_t>(extent));
    return tensor;
}

/// Bytes that the dims need; damaged dims are refused.
Result<int64_t> bytes_needed(const RawTensor& tensor, DataType type) {
    if (tensor.dims.size() > kMaxRank)
        return fail(ErrorCode::Unsupported, tensor,
                    "has rank " + std::to_string(tensor.dims.size()) + ", at most " + std::to_string(kMaxRank) +
                        " is possible");
    int64_t bytes = bytes_of(type);
    bool is_empty = false;
    for (const int64_t extent : tensor.dims) {
        const bool too_large = extent < 0 || __builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes);
        if (too_large || bytes > kMostBytes)
            return fail(ErrorCode::BadFile, tensor, "has impossible extents: " + to_text(tensor.dims));
        is_empty = is_empty || extent == 0;
    }
    return is_empty ? 0 : bytes;
}

/// Writes the low `width` bytes of every number.
Bytes narrowed(const std::vector<uint64_t>& numbers, int64_t width) {
    Bytes bytes(numbers.size() * static_cast<size_t>(width));
    for (size_t i = 0; i < numbers.size(); ++i) {
        std::memcpy(bytes.data() + i * static_cast<size_t>(width), &numbers[i], static_cast<size_t>(width));
    }
    return bytes;
}

}  // namespace

Result<DataType> data_type(int64_t number) {
    switch (number) {
        case 1:
            return DataType::F32;
        case 2:
            return DataType::U8;
        case 3:
            return DataType::I8;
        case 6:
            return DataType::I32;
        case 7:
            return DataType::I64;
        case 9:
            return DataType::Bool;
        case 10:
            return DataType::F16;
        case 11:
            return DataType::F64;
        case 16:
            return DataType::BF16;
        default:
            break;
    }
    constexpr const char* kNames[] = {"undefined", "", "", "", "uint16", "int16",  "",          "",
                                      "string",    "", "", "", "uint32", "uint64", "complex64", "complex128"};
    const bool is_named = number >= 0 && number < static_cast<int64_t>(std::size(kNames)) && *kNames[number] != '\0';
    return Status(ErrorCode::Unsupported, "onnx: the element type " +
                                              (is_named ? std::string(kNames[number]) : std::to_string(number)) +
                                              " is not supported");
}

Result<NamedKnown> decode_tensor(std::string_view bytes) {
    TENON_ASSIGN(const RawTensor tensor, read_fields(bytes));
    if (tensor.is_external)
        return fail(ErrorCode::Unsupported, tensor, "keeps its data in another file; save the model as one file");
    const Result<DataType> type = data_type(tensor.type);
    if (!type.is_ok()) {
        return Status(type.status().code(), type.status().message() + " (tensor '" + tensor.name + "')");
    }
    TENON_ASSIGN(const int64_t needed, bytes_needed(tensor, *type));
    Bytes data;
    if (tensor.raw) {
        const auto* begin = reinterpret_cast<const std::byte*>(tensor.raw->data());
        data.assign(begin, begin + tensor.raw->size());
    } else {
        const bool is_fixed = *type == DataType::F32 || *type == DataType::F64;
        data = narrowed(is_fixed ? tensor.fixed : tensor.varints, bytes_of(*type));
    }
    if (static_cast<int64_t>(data.size()) != needed) {
        return fail(ErrorCode::BadFile, tensor,
                    "has " + std::to_string(data.size()) + " bytes of data, needs " + std::to_string(needed) + " for " +
                        std::string(to_string(*type)) + " " + to_text(tensor.dims));
    }
    if (*type == DataType::Bool) {
        for (std::byte& element : data) element = element == std::byte{0} ? std::byte{0} : std::byte{1};
    }
    return NamedKnown{tensor.name, {*type, tensor.dims, std::make_shared<const Bytes>(std::move(data))}};
}

}  // namespace tenon::onnx
