#pragma once

#include <array>
#include <cstdint>
#include <map>
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
    enum class Kind {
        Nothing,
        BlockBarrier,
        NamedBarrier,
        WarpBarrier,
        WarpOperation,
        Warpgroup,
        Mbarrier,
        ClusterBarrier,
        OtherBlocks
    };
    Kind kind = Kind::Nothing;
    uint32_t id = 0;      ///< Of a named barrier; the offset of an mbarrier.
    uint32_t parity = 0;  ///< Of the phase of an mbarrier.
};

/// A copy from shared memory to a tensor that has not been waited for.
struct PendingStore {
    struct Piece {
        uint32_t offset = 0;  ///< In shared memory.
        uint32_t bytes = 0;
        uint32_t skipped = 0, inside = 0;  ///< Bytes outside the tensor in front, then bytes inside.
        uint8_t* to = nullptr;
    };
    std::vector<Piece> pieces;
    std::vector<uint8_t> data;  ///< Of all pieces, once they were read.
    bool is_read = false;
    uint32_t group = 0;
};

/// One thread of a kernel.
struct Thread : EmulatedThread {
    Block* block = nullptr;
    Fiber* fiber = nullptr;  ///< Null before it starts and after it ends.
    Clock clock;
    Wait wait;
    std::vector<PendingCopy> copies;  ///< In the order they were started.
    uint32_t copy_group = 0;          ///< The open one.
    std::vector<PendingStore> stores;
    uint32_t store_group = 0;
    uint32_t product_group = 0;
    bool has_fenced_warpgroup = false;
    uint64_t cluster_arrivals = 0;  ///< At the cluster barrier.
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

/// An mbarrier: its phase ends when all arrivals and all expected bytes have come.
struct MbarrierState {
    struct Waiter {
        Thread* thread;
        uint32_t parity;
    };
    uint32_t arrivals = 0;  ///< Per phase.
    uint32_t missing = 0;   ///< Arrivals of this phase.
    int64_t missing_bytes = 0;
    uint32_t phase = 0;
    uint16_t maker = 0;      ///< The party that initialised it.
    bool is_fenced = false;  ///< By its maker, for the copy engine and the cluster.
    Meeting meeting;
    Meeting ended;  ///< What was left up to the end of the last phase.
    std::vector<Waiter> waiting;
};

/// A product of a warpgroup that has been started; 64 rows.
struct PendingProduct {
    EmulatedOperand operand;
    uint32_t columns = 0;
    uint64_t a = 0, b = 0;  ///< Descriptors.
    bool accumulate = false;
    std::array<float*, 128> c{};  ///< Each thread's registers.
    uint32_t group = 0;
    bool is_b_transposed = false;                  ///< Rows of b in memory run along its columns.
    std::array<const uint32_t*, 128> fragments{};  ///< Of a, where it comes from registers.
    std::shared_ptr<std::vector<float>> sums;      ///< By row and column; the registers are poison meanwhile.
};

/// Four warps.
struct Warpgroup {
    PendingProduct starting;
    uint32_t arrived = 0;
    uint32_t waits_for = 0;  ///< Pending groups that the threads agree to leave; UINT32_MAX: they start a product.
    std::vector<Thread*> waiting;
    std::vector<PendingProduct> products;
    Meeting
        meeting;  ///< Of waits: products run for four warps together, so what one warp has waited for is over for all.
    uint32_t registers = 0;  ///< As setmaxnreg said last.
};

struct Cluster;

/// A copy to shared memory by the copy engine that has not landed.
struct EngineCopy {
    struct Piece {
        uint32_t offset = 0;  ///< In shared memory.
        uint32_t bytes = 0;
        uint32_t skipped = 0, inside = 0;  ///< Bytes of zeros in front, then bytes of memory, then zeros.
        const uint8_t* from = nullptr;
    };
    Block* block = nullptr;
    uint32_t mbarrier = 0;  ///< Its offset in the same block.
    uint32_t bytes = 0;     ///< That count there.
    bool rounds_to_tf32 = false;
    std::vector<Piece> pieces;
};

/// A block of threads.
struct Block {
    Cluster* cluster = nullptr;
    std::array<uint32_t, 3> index{};
    std::vector<Thread> threads;
    std::vector<Warp> warps;
    std::array<Barrier, 16> barriers;
    SharedMemory shared;
    std::vector<Warpgroup> warpgroups;
    std::map<uint32_t, MbarrierState> mbarriers;  ///< By offset in shared memory.
    uint32_t running = 0;                         ///< Threads that have not ended.
    Meeting fenced;  ///< What fences have made visible to asynchronous copies and products.
};

/// Blocks that run together and reach each other's shared memory. Kept and used again when all threads have ended.
struct Cluster {
    std::vector<Block> blocks;  ///< By rank.
    uint32_t running = 0;       ///< Threads that have not ended.
    uint32_t engine_step = 0;   ///< Copies to shared memory that have landed.
    // The barrier of all its threads.
    uint64_t arrivals = 0;  ///< Since the start.
    uint64_t meetings = 0;  ///< How often all have come.
    Meeting meeting;
    std::vector<Thread*> waiting;
};

}  // namespace tenon::engine
