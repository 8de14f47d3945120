// What a fault is called.

#include <map>

#include "engine/emulator/machine.h"

namespace tenon::engine {
namespace {

const char* text_of(Wait::Kind kind) {
    switch (kind) {
        case Wait::Kind::BlockBarrier:
            return "the block barrier";
        case Wait::Kind::NamedBarrier:
            return "named barrier ";
        case Wait::Kind::WarpBarrier:
            return "the warp barrier";
        case Wait::Kind::WarpOperation:
            return "the other lanes of the warp";
        case Wait::Kind::Warpgroup:
            return "the other threads of the warpgroup";
        case Wait::Kind::Mbarrier:
            return "the mbarrier at shared memory + ";
        case Wait::Kind::ClusterBarrier:
            return "the cluster barrier";
        case Wait::Kind::OtherBlocks:
            return "a value in global memory";
        case Wait::Kind::Nothing:
            break;
    }
    return "nothing";
}

/// "0-31, 40".
std::string ranges(const std::vector<uint32_t>& numbers) {
    std::string text;
    for (size_t i = 0; i < numbers.size();) {
        size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
        if (last > i) text += "-" + std::to_string(numbers[last]);
        i = last + 1;
    }
    return text;
}

}  // namespace

void Machine::fail(const std::string& what, const Thread& thread) {
    fault_ = what + " (" + place(thread) + ")";
    Fiber::switch_to(*current_->fiber, main_);
    __builtin_unreachable();  // the fiber is not resumed
}

std::string Machine::place(const Thread& thread) const {
    const std::array<uint32_t, 3>& index = thread.block->index;
    std::string text = "block " + std::to_string(index[0]);
    if (grid[1] > 1 || grid[2] > 1) text += "/" + std::to_string(index[1]) + "/" + std::to_string(index[2]);
    return text + ", thread " + std::to_string(thread.index);
}

std::string Machine::name_of_global(uint64_t address) const {
    const uint64_t tag = (address >> kEmulatedTagShift) % kEmulatedTags;
    if (tag >= kEmulatedSharedTag) return "shared memory";
    if (tag >= setup_.roles.size() || setup_.roles[tag].empty()) return "no argument";
    const auto offset = static_cast<int64_t>(address - setup_.spans[tag].begin);
    return "'" + setup_.roles[tag] + "' + " + std::to_string(offset) + " bytes";
}

void Machine::refuse_access(const void* pointer, uint32 bytes, uint32 alignment, EmulatedAccess access) {
    const auto address = reinterpret_cast<uint64_t>(pointer);
    const EmulatedSpan& span = spans[(address >> kEmulatedTagShift) % kEmulatedTags];
    const uint64_t offset = address - span.begin;
    const bool is_inside = offset <= span.bytes && span.bytes - offset >= bytes;
    std::string what = "an access of " + std::to_string(bytes) + " bytes at " + name_of_global(address) + " is ";
    if (!is_inside) {
        what += "outside of it, " + std::to_string(span.bytes) + " bytes long";
    } else if (address % alignment != 0) {
        what += "misaligned";
    } else {
        what += access == EmulatedAccess::Read ? "sound" : "a write to an input";
    }
    fail(what);
}

uint8_t* Machine::use_global(const void* pointer, uint32_t bytes, uint32_t alignment, EmulatedAccess access) {
    const auto address = reinterpret_cast<uint64_t>(pointer);
    const EmulatedSpan& span = spans[(address >> kEmulatedTagShift) % kEmulatedTags];
    const uint64_t offset = address - span.begin;
    const bool is_inside = offset <= span.bytes && span.bytes - offset >= bytes;
    const bool is_allowed = access == EmulatedAccess::Read || span.written;
    if (!is_inside || !is_allowed || address % alignment != 0) refuse_access(pointer, bytes, alignment, access);
    return reinterpret_cast<uint8_t*>(address & ((uint64_t{1} << kEmulatedTagShift) - 1));
}

std::string Machine::name_of_party(const Cluster& cluster, int party) const {
    const auto threads = static_cast<int>(setup_.launch.block[0]), warps = (threads + 31) / 32,
               blocks = static_cast<int>(cluster.blocks.size());
    const bool is_warp = party >= blocks * threads;
    const int number = is_warp ? party - blocks * threads : party, per_block = is_warp ? warps : threads;
    if (number >= blocks * per_block) return "the copy engine";
    return (is_warp ? "warp " : "thread ") + std::to_string(number % per_block) +
           (blocks > 1 ? " of block " + std::to_string(number / per_block) + " of the cluster" : "");
}

std::string Machine::state_of(const Thread& thread) const {
    if (thread.has_ended) return "ended";
    const Wait& wait = thread.wait;
    std::string text = std::string("wait for ") + text_of(wait.kind);
    if (wait.kind == Wait::Kind::NamedBarrier) text += std::to_string(wait.id);
    if (wait.kind == Wait::Kind::Mbarrier) {
        const MbarrierState& state = thread.block->mbarriers.at(wait.id);
        text += std::to_string(wait.id) + " to end a phase of parity " + std::to_string(wait.parity) + " (" +
                std::to_string(state.missing) + " of " + std::to_string(state.arrivals) + " arrivals and " +
                std::to_string(state.missing_bytes) + " bytes are missing)";
    }
    return text;
}

std::string Machine::deadlock() const {
    constexpr size_t kMostLines = 8;
    std::string text;
    size_t lines = 0;
    for (const std::unique_ptr<Cluster>& cluster : clusters_) {
        for (const Block& block : cluster->blocks) {
            std::map<std::string, std::vector<uint32_t>> waiting;
            for (const Thread& thread : block.threads) {
                waiting[state_of(thread)].push_back(thread.index);
            }
            if (waiting.size() == 1 && waiting.begin()->first == "ended") continue;
            for (const auto& [what, threads] : waiting) {
                if (++lines > kMostLines) continue;
                text += (text.empty() ? "" : "; ") + std::string("block ") + std::to_string(block.index[0]) +
                        ": threads " + ranges(threads) + " " + what;
            }
        }
    }
    return text.empty() ? text : "no thread can go on: " + text;
}

}  // namespace tenon::engine
