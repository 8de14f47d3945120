#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tenon::engine {

/// Shared memory of one block, and which of its bytes somebody has written.
class SharedMemory {
  public:
    /// Of `bytes` bytes that nobody wrote. The memory is aligned to 1024 bytes.
    void reset(uint32_t bytes);

    uint32_t bytes() const { return bytes_; }
    uint8_t* at(uint32_t offset) { return memory_ + offset; }

    /// Empty, or what is wrong with an access of this many bytes. A write makes the bytes readable.
    std::string touch(int64_t offset, uint32_t bytes, uint32_t alignment, bool reads, bool writes);

  private:
    uint32_t bytes_ = 0;
    std::vector<uint8_t> storage_;
    uint8_t* memory_ = nullptr;
    std::vector<uint8_t> written_;  ///< By byte.
};

}  // namespace tenon::engine
