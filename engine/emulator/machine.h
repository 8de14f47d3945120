#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codegen/kernel_source.h"
#include "engine/emulator/block.h"
#include "engine/emulator/random.h"
#include "engine/emulator/tensor_box.h"

namespace tenon::engine {

/// A tensor-map argument, and its tensor's address with its tag.
struct TensorOfMap {
    codegen::KernelArgument argument;
    const void* tensor = nullptr;
};

/// What a kernel is run with.
struct MachineSetup {
    codegen::LaunchShape launch;
    EmulatedKernel kernel{};
    void** arguments = nullptr;
    std::vector<EmulatedSpan> spans;  ///< By tag.
    std::vector<std::string> roles;   ///< Of the spans, for messages.
    std::vector<TensorOfMap> maps;    ///< By the first word of a TensorMap parameter, less one.
    uint64_t seed = 0;
};

/// Runs the threads of a grid as fibers: one runs until it waits, then another that can go on, drawn by the seed. A
/// block starts when no thread of the blocks before it can go on.
class Machine final : public EmulatedMachine {
  public:
    explicit Machine(MachineSetup setup);

    /// Empty, or the first fault. The machine may not be used again.
    std::string run();

    void refuse_access(const void* address, uint32 bytes, uint32 alignment, EmulatedAccess access) override;
    void yield() override;
    void barrier(uint32 id, uint32 threads, bool waits) override;
    uint8* shared_memory() override;
    uint32 shared_address(const void* pointer) override;
    uint8* shared(const void* address, uint32 bytes, uint32 alignment, EmulatedAccess access) override;
    void warp_barrier() override;
    const uint8* exchange(EmulatedWarpOperation operation, const void* value, uint32 bytes) override;
    void load_matrices(uint32* matrix, const void* row, uint32 count, bool transposed) override;
    void store_matrices(void* row, const uint32* matrix, bool transposed) override;
    void multiply(EmulatedProduct product, void* c, const uint32* a, const uint32* b) override;
    void start_copy(void* to, const void* from, uint32 bytes, bool valid) override;
    void commit_copies() override;
    void wait_copies(uint32 pending) override;
    void init_mbarrier(void* barrier, uint32 arrivals) override;
    void fence_mbarriers() override;
    void arrive_at_mbarrier(void* barrier, uint32 expected_bytes, int32 rank) override;
    void wait_for_mbarrier(void* barrier, uint32 parity) override;
    void load_box(void* to, const void* map, void* barrier, const int32* coordinates, uint32 rank) override;
    void load_pixels(void* to, const void* map, void* barrier, const int32* coordinates, const uint16* taps) override;
    void load_bytes(void* to, const void* from, uint32 bytes, void* barrier) override;
    void store_box(const void* map, const void* from, const int32* coordinates, uint32 rank) override;
    void commit_stores() override;
    void wait_stores(uint32 pending, bool only_reads) override;
    void fence_async() override;
    void fence_warpgroup() override;
    void start_product(EmulatedOperand operand, uint32 columns, float* c, uint64 a, const uint32* fragment, uint64 b,
                       bool is_b_transposed, bool accumulate) override;
    void commit_products() override;
    void wait_products(uint32 pending) override;
    void set_registers(uint32 count) override;
    uint32 cluster_rank() override;
    void arrive_at_cluster_barrier() override;
    void wait_for_cluster_barrier() override;
    void* remote_shared(const void* local, uint32 rank) override;

  private:
    // Threads (machine.cpp).
    static void run_fiber();
    static FiberPool& fibers();
    void run_threads();
    void end(Thread& thread);
    void make_current(Thread& thread);
    Thread* next_thread();
    /// From the fiber of the running thread, or the main one, to that of `next`; to the main one if there is none.
    void switch_to(Fiber& from, Thread* next);
    void wait_for(Wait wait);
    void resume(Thread& thread);
    bool start_cluster();
    void start_threads(Block& block);
    bool wake_polling_threads();
    Warp& warp_of(const Thread& thread) { return thread.block->warps[thread.index / kLanes]; }
    /// Of the running warp's next operation.
    LaneRecords& lane_records();
    /// Waits for the other lanes of the warp; the last one calls `finish` before any goes on. Returns the lanes'
    /// records.
    template <typename Finish>
    LaneRecords& meet(EmulatedWarpOperation operation, Finish finish);

    // Shared memory (shared_access.cpp).
    /// A pointer to shared memory as the block and the offset it means; a fault if it means neither.
    std::pair<Block*, int64_t> locate(const void* pointer, uint32_t bytes);
    uint8_t* use_shared(Thread& thread, const void* pointer, uint32_t bytes, uint32_t alignment, SharedMemory::Use use);
    [[noreturn]] void refuse_shared(const Thread& thread, int64_t offset, uint32_t bytes,
                                    const SharedMemory::Problem& problem);
    /// Global memory that an operation of the machine itself touches for the running thread.
    uint8_t* use_global(const void* pointer, uint32_t bytes, uint32_t alignment, EmulatedAccess access);
    void leave(Meeting& meeting, Thread& thread) { meeting.leave(thread.clock, warp_of(thread).step); }
    std::string name_of_party(const Cluster& cluster, int party) const;

    // Barriers that count bytes (mbarrier.cpp).
    MbarrierState& mbarrier_at(Block& block, int64_t offset);
    void end_phase_if_complete(MbarrierState& barrier);
    void leave_bytes(Block& block, uint32_t offset, uint32_t bytes);

    // The copy engine (tensor_copy.cpp).
    const codegen::KernelArgument& tensor_map(const void* map, uint32_t rank, bool is_im2col);
    EngineCopy new_copy(void* to, void* barrier, uint32_t alignment);
    void start_engine_copy(EngineCopy copy, void* to);
    void add_pieces(EngineCopy& copy, const codegen::KernelArgument& map, const void* tensor, void* to,
                    const std::vector<BoxPiece>& pieces);
    const void* tensor_of(const void* map) const;
    /// Lands one copy, if any is under way.
    bool finish_engine_copy();
    void read_stored(PendingStore& store);
    static void write_stored(PendingStore& store);

    // Products of warpgroups (warpgroup.cpp).
    Warpgroup& warpgroup_of_current();
    /// Waits for the other threads of the warpgroup; true in the last one, which then calls leave_warpgroup.
    bool meet_warpgroup(Warpgroup& group, uint32_t waits_for);
    void leave_warpgroup(Warpgroup& group);
    void use_operand(const PendingProduct& product, bool is_b, SharedMemory::Use use);
    std::vector<float> read_operand(const PendingProduct& product, bool is_b);
    void finish_product(PendingProduct& product, bool is_last_on_sums);

    // Faults (fault.cpp).
    [[noreturn]] void fail(const std::string& what) { fail(what, *current_); }
    [[noreturn]] void fail(const std::string& what, const Thread& thread);
    std::string place(const Thread& thread) const;
    std::string name_of_global(uint64_t address) const;
    std::string state_of(const Thread& thread) const;
    std::string deadlock() const;

    MachineSetup setup_;
    Random random_;
    std::string fault_;
    uint64_t cluster_count_ = 1;
    uint64_t clusters_started_ = 0;
    uint64_t cluster_step_ = 1;  ///< They start in steps of this many, which has no factor in common with their count.
    std::vector<std::unique_ptr<Cluster>> clusters_;
    std::vector<Cluster*> idle_clusters_;
    std::vector<Thread*> ready_;
    std::vector<Thread*> polling_;
    std::vector<EngineCopy> engine_copies_;
    uint64_t idle_polls_ = 0;
    std::shared_ptr<const Steps> nothing_known_;
    Thread* current_ = nullptr;
    Thread* starting_ = nullptr;
    Fiber main_;
};

}  // namespace tenon::engine
