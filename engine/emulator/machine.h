#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "codegen/kernel_source.h"
#include "engine/emulator/block.h"
#include "engine/emulator/random.h"

namespace tenon::engine {

/// What a kernel is run with.
struct MachineSetup {
    codegen::LaunchShape launch;
    EmulatedKernel kernel{};
    void** arguments = nullptr;
    std::vector<EmulatedSpan> spans;  ///< By tag.
    std::vector<std::string> roles;   ///< Of the spans, for messages.
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
    Warp& warp_of_current() { return current_->block->warps[current_->index / kLanes]; }

    // Faults (fault.cpp).
    [[noreturn]] void fail(const std::string& what);
    std::string place(const Thread& thread) const;
    std::string name_of_global(uint64_t address) const;
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
    uint64_t idle_polls_ = 0;
    Thread* current_ = nullptr;
    Thread* starting_ = nullptr;
    Fiber main_;
};

}  // namespace tenon::engine
