#include "frontend/onnx/wire.h"

namespace tenon::onnx {

bool WireReader::take_varint(std::string_view& packed, uint64_t& number) {
    number = 0;
    for (size_t i = 0; i < packed.size() && i < 10; ++i) {
        const auto byte = static_cast<uint8_t>(packed[i]);
        number |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
        if (byte & 0x80) continue;
        packed.remove_prefix(i + 1);
        return true;
    }
    return false;
}

bool WireReader::take_fixed(std::string_view& packed, int width, uint64_t& number) {
    if (packed.size() < static_cast<size_t>(width)) return false;
    number = 0;
    for (int i = 0; i < width; ++i) {
        number |= static_cast<uint64_t>(static_cast<uint8_t>(packed[static_cast<size_t>(i)])) << (8 * i);
    }
    packed.remove_prefix(static_cast<size_t>(width));
    return true;
}

bool WireReader::next() {
    if (left_.empty() || damaged_) return false;
    damaged_ = true;  // until the whole field is read
    bytes_ = {};
    bits_ = 0;
    uint64_t tag = 0;
    if (!take_varint(left_, tag) || tag > UINT32_MAX || tag >> 3 == 0) return false;
    field_ = static_cast<uint32_t>(tag >> 3);
    switch (tag & 7) {
        case 0:
            kind_ = Kind::Varint;
            if (!take_varint(left_, bits_)) return false;
            break;
        case 1:
            kind_ = Kind::Fixed64;
            if (!take_fixed(left_, 8, bits_)) return false;
            break;
        case 2: {
            kind_ = Kind::Bytes;
            uint64_t size = 0;
            if (!take_varint(left_, size) || size > left_.size()) return false;
            bytes_ = left_.substr(0, static_cast<size_t>(size));
            left_.remove_prefix(static_cast<size_t>(size));
            break;
        }
        case 5:
            kind_ = Kind::Fixed32;
            if (!take_fixed(left_, 4, bits_)) return false;
            break;
        default:
            return false;
    }
    damaged_ = false;
    return true;
}

}  // namespace tenon::onnx
