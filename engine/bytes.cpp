#include "engine/bytes.h"

// Everything of the hash library is inlined here, so none of its names leave this file.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tenon::engine {

std::array<char, 16> hash_of(std::string_view bytes) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
    std::array<char, 16> hash;
    std::memcpy(hash.data(), canonical.digest, hash.size());
    return hash;
}

std::string hash_text(std::string_view bytes) {
    std::string text;
    for (const char byte : hash_of(bytes)) {
        const auto value = static_cast<unsigned char>(byte);
        text += "0123456789abcdef"[value >> 4];
        text += "0123456789abcdef"[value & 15];
    }
    return text;
}

}  // namespace tenon::engine
