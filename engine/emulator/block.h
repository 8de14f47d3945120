#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "codegen/device/tenon/arch/host/machine.cuh"
#include "engine/emulator/fiber.h"
#include "engine/emulator/shared_memory.h"

namespace tenon::engine {

inline constexpr uint32_t kLanes = 32;

struct Block;
struct Thread;

/// A copy from global to shared memory that cp.async started and no wait has ended.
struct PendingCopy {
    uint32_t offset = 0;  ///< In shared memory.
    uint32_t bytes = 0;
    const uint8_t* from = nullptr;  ///< Null: zeros.
    uint32_t group = 0;
};

/// What a thread waits for.
struct Wait {
    enum class Kind { Nothing, BlockBarrier, NamedBarrier, WarpBarrier, WarpOperation, OtherBlocks };
    Kind kind = Kind::Nothing;
    uint32_t id = 0;  ///< Of a named barrier.
};

/// One thread of a kernel.
struct Thread : EmulatedThread {
    Block* block = nullptr;
    Fiber* fiber = nullptr;  ///< Null before it starts and after it ends.
    Clock clock;
    Wait wait;
    std::vector<PendingCopy> copies;  ///< In the order they were started.
    uint32_t copy_group = 0;          ///< The open one.
    bool has_ended = false;
};

/// Threads that meet, and how many must come.
struct Barrier {
    uint32_t threads = 0;  ///< 0 while nobody has come.
    uint32_t arrived = 0;
    std::vector<Thread*> waiting;
    Meeting meeting;
};

/// What one lane brings to an operation of its warp, and takes from it.
struct LaneRecord {
    alignas(16) std::array<uint8_t, 16> value;
    std::array<uint32_t, 4> a;
    std::array<uint32_t, 2> b;
    std::array<uint32_t, 4> c;
};
static_assert(sizeof(LaneRecord) == kEmulatedSlot);
using LaneRecords = std::array<LaneRecord, kLanes>;

/// An operation that all lanes of a warp do together. Two in turn, so that a lane that is ahead does not overwrite what
/// another one has not read yet.
struct Warp {
    EmulatedWarpOperation operation = EmulatedWarpOperation::Barrier;
    uint32_t arrived = 0;  ///< Bit per lane.
    uint32_t round = 0;
    uint32_t step = 1;  ///< Of the warp as a party of its cluster.
    Meeting meeting;
    std::array<LaneRecords, 2> records;
};

struct Cluster;

/// A block of threads.
struct Block {
    Cluster* cluster = nullptr;
    std::array<uint32_t, 3> index{};
    std::vector<Thread> threads;
    std::vector<Warp> warps;
    std::array<Barrier, 16> barriers;
    SharedMemory shared;
    Meeting fenced;  ///< What fences have made visible to asynchronous copies and products.
};

/// Blocks that run together and reach each other's shared memory. Kept and used again when all threads have ended.
struct Cluster {
    std::vector<Block> blocks;  ///< By rank.
    uint32_t running = 0;       ///< Threads that have not ended.
};

}  // namespace tenon::engine
