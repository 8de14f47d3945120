#include "engine/emulator/shared_memory.h"

#include <algorithm>

namespace tenon::engine {
namespace {

constexpr uint32_t kAlignment = 1024;
/// NaN in every floating type, -1 as an integer.
constexpr uint8_t kPoison = 0xff;

/// The bytes of word `word` that lie in [first, last).
uint8_t mask_of(uint32_t word, uint32_t first, uint32_t last) {
    const uint32_t begin = std::max(first, word * 4) - word * 4, end = std::min(last, word * 4 + 4) - word * 4;
    return static_cast<uint8_t>((0xfu << begin) & (0xfu >> (4 - end)));
}

}  // namespace

void SharedMemory::reset(uint32_t bytes) {
    bytes_ = bytes;
    storage_.assign(bytes + kAlignment, kPoison);
    memory_ = storage_.data() + (kAlignment - reinterpret_cast<uintptr_t>(storage_.data()) % kAlignment) % kAlignment;
    words_.assign((bytes + 3) / 4, Word{});
}

SharedMemory::Problem SharedMemory::use(int64_t offset, uint32_t bytes, uint32_t alignment, Use use, const Clock& clock,
                                        uint32_t warp_step) {
    if (offset < 0 || offset + bytes > bytes_) return {"outside the shared memory of the block"};
    if (offset % alignment != 0) return {"misaligned"};
    const bool by_warp = use == Use::ReadByWarp;
    const Accessor who{clock, by_warp ? clock.warp_party : clock.party, by_warp ? warp_step : clock.step};
    const auto first = static_cast<uint32_t>(offset), last = first + bytes;
    for (uint32_t word = first / 4; word * 4 < last; ++word) {
        const Problem problem = use_word(words_[word], mask_of(word, first, last), use, who);
        if (problem) return problem;
    }
    return {};
}

SharedMemory::Problem SharedMemory::use_word(Word& word, uint8_t mask, Use use, const Accessor& who) const {
    const auto is_unordered = [&](uint16_t party, uint32_t step) {
        return who.clock.party != party && !who.clock.knows(party, step);
    };
    if (use == Use::EndFill) {
        word.is_filling = false;
        record_write(word, mask, who, false);
        return {};
    }
    if (use == Use::EndDrainForGroup) {
        --word.drains;
        return {};
    }
    if (word.is_filling) return {"on bytes that an asynchronous copy still fills: a wait is missing"};
    const bool reads = use == Use::Read || use == Use::ReadByWarp || use == Use::StartDrain || use == Use::EndDrain;
    if ((reads || use == Use::Atomic) && (word.known & mask) != mask)
        return {"a read of shared memory that nobody wrote"};
    const bool both_atomic = use == Use::Atomic && word.is_atomic;
    if ((word.written & mask) != 0 && !both_atomic && is_unordered(word.writer, word.write_step))
        return {"a race: it is not ordered behind a write by", word.writer};
    if (reads) {
        if (use == Use::StartDrain) ++word.drains;
        if (use == Use::EndDrain) --word.drains;
        word.read = word.reader == who.party ? word.read | mask : mask;
        word.reader = who.party;
        word.read_step = who.step;
        return {};
    }
    if (word.drains > 0) return {"on bytes that an asynchronous copy or product still reads: a wait is missing"};
    if ((word.read & mask) != 0 && is_unordered(word.reader, word.read_step))
        return {"a race: it is not ordered behind a read by", word.reader};
    if (use == Use::StartFill) word.is_filling = true;
    record_write(word, mask, who, use == Use::Atomic);
    return {};
}

void SharedMemory::record_write(Word& word, uint8_t mask, const Accessor& who, bool is_atomic) const {
    const bool same = word.writer == who.party && word.write_step == who.step;
    word.written = same ? word.written | mask : mask;
    word.read &= static_cast<uint8_t>(~mask);
    word.known |= mask;
    word.writer = who.party;
    word.write_step = who.step;
    word.is_atomic = is_atomic;
    word.is_by_engine = false;
}

void SharedMemory::end_fill_by_engine(uint32_t offset, uint32_t bytes, uint16_t engine, uint32_t step) {
    for (uint32_t word = offset / 4; word * 4 < offset + bytes; ++word) {
        Word& filled = words_[word];
        filled = {};
        filled.known = filled.written = 0xf;
        filled.writer = engine;
        filled.write_step = step;
        filled.is_by_engine = true;
    }
}

SharedMemory::Problem SharedMemory::unfenced(uint32_t offset, uint32_t bytes, const Meeting& fenced) const {
    for (uint32_t word = offset / 4; word * 4 < offset + bytes; ++word) {
        const Word& found = words_[word];
        if (found.written == 0 || found.is_by_engine || fenced.has(found.writer, found.write_step)) continue;
        return {"not fenced for asynchronous use since a write by", found.writer};
    }
    return {};
}

}  // namespace tenon::engine
