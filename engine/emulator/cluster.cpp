// Blocks of a cluster.

#include "engine/emulator/machine.h"

namespace tenon::engine {

uint32 Machine::cluster_rank() {
    return static_cast<uint32>(current_->block - current_->block->cluster->blocks.data());
}

void Machine::arrive_at_cluster_barrier() {
    Cluster& cluster = *current_->block->cluster;
    if (current_->cluster_arrivals > cluster.meetings)
        fail("a second arrival at the cluster barrier without a wait for the first");
    leave(cluster.meeting, *current_);
    ++current_->cluster_arrivals;
    ++cluster.arrivals;
    const uint64_t threads = cluster.blocks.size() * current_->block->threads.size();
    if (cluster.arrivals < (cluster.meetings + 1) * threads) return;
    ++cluster.meetings;
    for (Thread* thread : cluster.waiting) {
        cluster.meeting.take(thread->clock);
        resume(*thread);
    }
    cluster.waiting.clear();
}

void Machine::wait_for_cluster_barrier() {
    Cluster& cluster = *current_->block->cluster;
    if (current_->cluster_arrivals == 0) fail("a wait at the cluster barrier without an arrival");
    if (cluster.meetings >= current_->cluster_arrivals) return cluster.meeting.take(current_->clock);
    cluster.waiting.push_back(current_);
    wait_for({Wait::Kind::ClusterBarrier});
}

void* Machine::remote_shared(const void* local, uint32 rank) {
    const auto address = reinterpret_cast<uint64_t>(local);
    shared_address(local);
    if (rank >= current_->block->cluster->blocks.size())
        fail("block " + std::to_string(rank) + " of a cluster of " +
             std::to_string(current_->block->cluster->blocks.size()));
    const uint64_t offset = address & ((uint64_t{1} << kEmulatedTagShift) - 1);
    return reinterpret_cast<void*>((kEmulatedSharedTag + rank) << kEmulatedTagShift | offset);
}

}  // namespace tenon::engine
