#pragma once

#include <cstdint>
#include <vector>

#include "engine/emulator/clock.h"

namespace tenon::engine {

/// Shared addresses start here, as on a GPU, where the first KiB is the system's.
inline constexpr uint32_t kSharedWindow = 1024;

/// Shared memory of one block, with what happened last to each of its words: who wrote and who read it, and whether
/// that came before, in the order that barriers make, what happens now.
class SharedMemory {
  public:
    enum class Use {
        Read,
        Write,
        Atomic,
        ReadByWarp,        ///< By all lanes in one instruction.
        StartFill,         ///< An asynchronous copy to these bytes starts; until it ends nobody may touch them.
        EndFill,           ///< It ends for the thread that waited.
        StartDrain,        ///< An asynchronous reader starts; until it ends nobody may write.
        EndDrain,          ///< It ends for the thread that waited.
        EndDrainForGroup,  ///< It ends for all threads that it was a product of; none of them is named as reader.
    };

    /// Of `bytes` bytes that nobody wrote. The memory is aligned to 1024 bytes.
    void reset(uint32_t bytes);

    uint32_t bytes() const { return bytes_; }
    uint8_t* at(uint32_t offset) { return memory_ + offset; }

    /// What is wrong with a use, and the party it is in conflict with.
    struct Problem {
        const char* what = nullptr;  ///< Null: nothing.
        int party = -1;
        explicit operator bool() const { return what != nullptr; }
    };

    /// The thread with this clock uses these bytes now. `warp_step` counts for ReadByWarp.
    Problem use(int64_t offset, uint32_t bytes, uint32_t alignment, Use use, const Clock& clock, uint32_t warp_step);
    /// The copy engine's end of a fill, as its step `step`.
    void end_fill_by_engine(uint32_t offset, uint32_t bytes, uint16_t engine, uint32_t step);
    /// Bytes that the copy engine would not see: a thread wrote them, and no fence came behind.
    Problem unfenced(uint32_t offset, uint32_t bytes, const Meeting& fenced) const;

  private:
    /// Four bytes; masks have a bit per byte.
    struct Word {
        uint32_t write_step = 0, read_step = 0;
        uint16_t writer = 0, reader = 0;
        uint8_t known = 0;    ///< Bytes that have a value.
        uint8_t written = 0;  ///< Bytes of the last write.
        uint8_t read = 0;     ///< Bytes read since.
        bool is_filling : 1 = false;
        bool is_atomic : 1 = false;     ///< The last write.
        bool is_by_engine : 1 = false;  ///< The last write.
        uint8_t drains : 5 = 0;
    };
    struct Accessor {
        const Clock& clock;
        uint16_t party;
        uint32_t step;
    };
    Problem use_word(Word& word, uint8_t mask, Use use, const Accessor& who) const;
    void record_write(Word& word, uint8_t mask, const Accessor& who, bool is_atomic) const;

    uint32_t bytes_ = 0;
    std::vector<uint8_t> storage_;
    uint8_t* memory_ = nullptr;
    std::vector<Word> words_;
};

}  // namespace tenon::engine
