#include "engine/emulator/shared_memory.h"

#include <algorithm>

namespace tenon::engine {
namespace {

constexpr uint32_t kAlignment = 1024;
/// NaN in every floating type, -1 as an integer.
constexpr uint8_t kPoison = 0xff;

}  // namespace

void SharedMemory::reset(uint32_t bytes) {
    bytes_ = bytes;
    storage_.assign(bytes + kAlignment, kPoison);
    memory_ = storage_.data() + (kAlignment - reinterpret_cast<uintptr_t>(storage_.data()) % kAlignment) % kAlignment;
    written_.assign(bytes, 0);
}

std::string SharedMemory::touch(int64_t offset, uint32_t bytes, uint32_t alignment, bool reads, bool writes) {
    if (offset < 0 || offset + bytes > bytes_)
        return "outside the " + std::to_string(bytes_) + " bytes of shared memory";
    if (offset % alignment != 0) return "misaligned: " + std::to_string(alignment) + " bytes are needed";
    const auto first = written_.begin() + offset, last = first + bytes;
    if (reads && std::find(first, last, 0) != last) return "a read of shared memory that nobody wrote";
    if (writes) std::fill(first, last, 1);
    return {};
}

}  // namespace tenon::engine
