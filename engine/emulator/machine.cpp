#include "engine/emulator/machine.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tenon::engine {
namespace {

/// Rounds in which all threads that can go on have only polled global memory, after which nothing will change any more.
constexpr uint64_t kIdlePolls = 1000;

thread_local Machine* running_machine = nullptr;

}  // namespace

Machine::Machine(MachineSetup setup) : setup_(std::move(setup)), random_(setup_.seed) {
    setup_.spans.resize(kEmulatedTags, EmulatedSpan{0, 0, false});
    spans = setup_.spans.data();
    for (size_t axis = 0; axis < 3; ++axis) {
        grid[axis] = setup_.launch.grid[axis];
        cluster_count_ *= grid[axis] / setup_.launch.cluster[axis];
    }
    const std::array<uint32_t, 3>& size = setup_.launch.cluster;
    const size_t threads = setup_.launch.block[0], warps = (threads + kLanes - 1) / kLanes;
    nothing_known_ = std::make_shared<Steps>(static_cast<size_t>(size[0]) * size[1] * size[2] * (threads + warps) + 1);
    const auto limit = static_cast<uint32_t>(std::min<uint64_t>(cluster_count_, UINT32_MAX));
    if (limit > 0) cluster_step_ = 1 + random_.below(limit);
    while (cluster_count_ > 0 && std::gcd(cluster_step_, cluster_count_) != 1) --cluster_step_;
}

std::string Machine::run() {
    running_machine = this;
    setup_.kernel.bind(this);
    switch_to(main_, next_thread());
    // Threads that a fault left half done are forgotten.
    for (const std::unique_ptr<Cluster>& cluster : clusters_) {
        for (Block& block : cluster->blocks) {
            for (Thread& thread : block.threads) {
                if (thread.fiber == nullptr) continue;
                thread.fiber->restart();
                fibers().give_back(thread.fiber);
            }
        }
    }
    running_machine = nullptr;
    return fault_;
}

void Machine::run_fiber() {
    for (;;) running_machine->run_threads();
}

FiberPool& Machine::fibers() {
    static thread_local FiberPool pool(&Machine::run_fiber);
    return pool;
}

// A thread that ends without ever waiting leaves its fiber to the next one, so that a kernel without barriers is a
// loop.
void Machine::run_threads() {
    Thread* thread = starting_;
    Fiber* const fiber = thread->fiber;
    for (;;) {
        setup_.kernel.call(setup_.arguments);
        end(*thread);
        Thread* next = next_thread();
        if (next == nullptr || next->fiber != nullptr) {
            fibers().give_back(fiber);
            return switch_to(*fiber, next);
        }
        next->fiber = fiber;
        make_current(*next);
        thread = next;
    }
}

void Machine::make_current(Thread& thread) {
    current_ = &thread;
    this->thread = &thread;
    thread.wait = {};
}

void Machine::end(Thread& thread) {
    idle_polls_ = 0;
    thread.has_ended = true;
    thread.fiber = nullptr;
    const auto is_unread = [](const PendingStore& store) { return !store.is_read; };
    if (std::any_of(thread.stores.begin(), thread.stores.end(), is_unread)) {
        fault_ = "a thread ends while its stores still read shared memory: wait_stores_read is missing (" +
                 place(thread) + ")";
        return;
    }
    for (PendingStore& store : thread.stores) write_stored(store);
    Cluster* cluster = thread.block->cluster;
    --thread.block->running;
    if (--cluster->running == 0) idle_clusters_.push_back(cluster);
}

void Machine::switch_to(Fiber& from, Thread* next) {
    if (next == nullptr) return &from == &main_ ? void() : Fiber::switch_to(from, main_);
    if (next->fiber == nullptr) {
        next->fiber = fibers().take();
        starting_ = next;
        if (next->fiber == nullptr) {
            fault_ = "no memory for the stacks of its threads";
            return switch_to(from, nullptr);
        }
    }
    make_current(*next);
    Fiber::switch_to(from, *next->fiber);
}

void Machine::wait_for(Wait wait) {
    Thread* const self = current_;
    self->wait = wait;
    if (wait.kind != Wait::Kind::OtherBlocks) idle_polls_ = 0;
    Thread* next = next_thread();
    if (next == self) return make_current(*self);
    switch_to(*self->fiber, next);
}

void Machine::resume(Thread& thread) {
    idle_polls_ = 0;
    ready_.push_back(&thread);
}

Thread* Machine::next_thread() {
    while (fault_.empty()) {
        if (!ready_.empty()) {
            std::swap(ready_[random_.below(static_cast<uint32_t>(ready_.size()))], ready_.back());
            Thread* next = ready_.back();
            ready_.pop_back();
            return next;
        }
        if (finish_engine_copy() || start_cluster() || wake_polling_threads()) continue;
        fault_ = deadlock();
        break;
    }
    return nullptr;
}

bool Machine::start_cluster() {
    if (clusters_started_ == cluster_count_) return false;
    if (idle_clusters_.empty()) {
        clusters_.push_back(std::make_unique<Cluster>());
        idle_clusters_.push_back(clusters_.back().get());
    }
    Cluster& cluster = *idle_clusters_.back();
    idle_clusters_.pop_back();
    const std::array<uint32_t, 3>& size = setup_.launch.cluster;
    const uint64_t number = clusters_started_++ * cluster_step_ % cluster_count_;
    const uint64_t columns = grid[0] / size[0], rows = grid[1] / size[1];
    const std::array<uint64_t, 3> first{number % columns * size[0], number / columns % rows * size[1],
                                        number / columns / rows * size[2]};
    cluster.blocks.resize(static_cast<size_t>(size[0]) * size[1] * size[2]);
    for (size_t rank = 0; rank < cluster.blocks.size(); ++rank) {
        Block& block = cluster.blocks[rank];
        block.cluster = &cluster;
        block.index = {static_cast<uint32_t>(first[0] + rank % size[0]),
                       static_cast<uint32_t>(first[1] + rank / size[0] % size[1]),
                       static_cast<uint32_t>(first[2] + rank / size[0] / size[1])};
        start_threads(block);
    }
    cluster.engine_step = 0;
    cluster.arrivals = cluster.meetings = 0;
    cluster.meeting.clear();
    cluster.running = static_cast<uint32_t>(cluster.blocks.size()) * setup_.launch.block[0];
    return true;
}

void Machine::start_threads(Block& block) {
    const size_t threads = setup_.launch.block[0], warps = (threads + kLanes - 1) / kLanes;
    const size_t blocks = block.cluster->blocks.size();
    const auto rank = static_cast<size_t>(&block - block.cluster->blocks.data());
    block.shared.reset(setup_.launch.shared_bytes);
    block.threads.assign(threads, Thread{});
    block.warps.resize(warps);
    for (Warp& warp : block.warps) {
        warp.arrived = 0;
        warp.step = 1;
        warp.meeting.clear();
    }
    block.barriers.fill({});
    block.warpgroups.assign((warps + 3) / 4, Warpgroup{});
    block.mbarriers.clear();
    block.fenced.clear();
    block.running = static_cast<uint32_t>(threads);
    for (size_t i = 0; i < block.threads.size(); ++i) {
        Thread& thread = block.threads[i];
        thread.index = static_cast<uint32_t>(i);
        std::copy(block.index.begin(), block.index.end(), thread.block_index);
        thread.block = &block;
        thread.clock = {.party = static_cast<uint16_t>(rank * threads + i),
                        .warp_party = static_cast<uint16_t>(blocks * threads + rank * warps + i / kLanes),
                        .known = nothing_known_};
        ready_.push_back(&thread);
    }
}

void Machine::yield() {
    polling_.push_back(current_);
    wait_for({Wait::Kind::OtherBlocks});
}

bool Machine::wake_polling_threads() {
    if (polling_.empty() || ++idle_polls_ > kIdlePolls) return false;
    ready_.swap(polling_);
    return true;
}

}  // namespace tenon::engine
