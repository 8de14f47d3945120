// Copies by the copy engine. Those to shared memory land one by one, and only when no thread can go on without them;
// those to tensors read and write when the thread that started them waits.

#include <algorithm>
#include <cstring>

#include "engine/emulator/machine.h"

namespace tenon::engine {
namespace {

/// What the copy engine needs of the start of a box in shared memory.
constexpr uint32_t kBoxAlignment = 128;

uint64_t number_of(const void* map) {
    uint64_t number = 0;
    std::memcpy(&number, map, sizeof number);
    return number;
}

void round_to_tf32(uint8_t* bytes, uint32_t count) {
    for (uint32_t at = 0; at < count; at += 4) {
        uint32_t bits = 0;
        std::memcpy(&bits, bytes + at, 4);
        bits = rounded_to_tf32(bits);
        std::memcpy(bytes + at, &bits, 4);
    }
}

}  // namespace

const codegen::KernelArgument& Machine::tensor_map(const void* map, uint32_t rank, bool is_im2col) {
    const uint64_t number = number_of(map);
    if (number == 0 || number > setup_.maps.size()) fail("a tensor map that is no parameter of the kernel");
    const codegen::KernelArgument& argument = setup_.maps[number - 1].argument;
    if (argument.map.dims.size() != rank || argument.map.is_im2col != is_im2col)
        fail("the tensor map '" + argument.role + "' has " + std::to_string(argument.map.dims.size()) + " axes" +
             (argument.map.is_im2col ? " in im2col mode" : "") + "; the copy is for " + std::to_string(rank) +
             (is_im2col ? " in im2col mode" : ""));
    return argument;
}

const void* Machine::tensor_of(const void* map) const { return setup_.maps[number_of(map) - 1].tensor; }

EngineCopy Machine::new_copy(void* to, void* barrier, uint32_t alignment) {
    use_shared(*current_, barrier, 8, 8, SharedMemory::Use::Read);
    const auto [home, place] = locate(barrier, 8);
    const auto [block, offset] = locate(to, 1);
    const std::string name = "the mbarrier at shared memory + " + std::to_string(place);
    if (!mbarrier_at(*home, place).is_fenced)
        fail(name +
             " is used by the copy engine, and its maker called neither mbarrier_init_fence nor "
             "fence_async_shared");
    if (block != home) fail("a copy to one block counts its bytes in another");
    if (offset % alignment != 0)
        fail("a copy to shared memory + " + std::to_string(offset) + " is misaligned: it must be to " +
             std::to_string(alignment) + " bytes");
    return {.block = block, .mbarrier = static_cast<uint32_t>(place)};
}

void Machine::add_pieces(EngineCopy& copy, const codegen::KernelArgument& map, const void* tensor, void* to,
                         const std::vector<BoxPiece>& pieces) {
    const auto start = static_cast<uint32_t>(locate(to, 1).second);
    for (const BoxPiece& piece : pieces) {
        const uint32_t address = kSharedWindow + start + piece.shared_offset;
        EngineCopy::Piece placed{.offset = swizzled(address, map.map.swizzle_bytes) - kSharedWindow,
                                 .bytes = piece.bytes,
                                 .skipped = piece.skipped,
                                 .inside = piece.inside};
        if (piece.inside > 0) {
            const uint8_t* from = static_cast<const uint8_t*>(tensor) + piece.global_offset;
            placed.from = use_global(from, piece.inside, 1, EmulatedAccess::Read);
        }
        copy.pieces.push_back(placed);
    }
}

void Machine::start_engine_copy(EngineCopy copy, void* to) {
    const auto start = static_cast<const uint8_t*>(to) - locate(to, 1).second;
    for (const EngineCopy::Piece& piece : copy.pieces) {
        use_shared(*current_, start + piece.offset, piece.bytes, piece.bytes % 16 == 0 ? 16 : 1,
                   SharedMemory::Use::StartFill);
        copy.bytes += piece.bytes;
    }
    engine_copies_.push_back(std::move(copy));
}

void Machine::load_box(void* to, const void* map, void* barrier, const int32* coordinates, uint32 rank) {
    const codegen::KernelArgument& argument = tensor_map(map, rank, false);
    EngineCopy copy = new_copy(to, barrier, kBoxAlignment);
    copy.rounds_to_tf32 = argument.map.rounds_to_tf32;
    add_pieces(copy, argument, tensor_of(map), to, box_pieces(argument, coordinates));
    start_engine_copy(std::move(copy), to);
}

void Machine::load_pixels(void* to, const void* map, void* barrier, const int32* coordinates, const uint16* taps) {
    const codegen::KernelArgument& argument = tensor_map(map, 4, true);
    const std::string why = why_origin_is_refused(argument.map, coordinates);
    if (!why.empty()) fail("a copy of '" + argument.role + "' in im2col mode: " + why);
    if (taps[0] > 255 || taps[1] > 255) fail("a copy of '" + argument.role + "': taps go up to 255");
    EngineCopy copy = new_copy(to, barrier, kBoxAlignment);
    copy.rounds_to_tf32 = argument.map.rounds_to_tf32;
    add_pieces(copy, argument, tensor_of(map), to, pixel_pieces(argument, coordinates, taps));
    start_engine_copy(std::move(copy), to);
}

void Machine::load_bytes(void* to, const void* from, uint32 bytes, void* barrier) {
    if (bytes % 16 != 0) fail("a copy of " + std::to_string(bytes) + " bytes, which are no multiple of 16");
    EngineCopy copy = new_copy(to, barrier, 16);
    const auto offset = static_cast<uint32_t>(locate(to, 1).second);
    if (bytes > 0) {
        const uint8_t* source = use_global(from, bytes, 16, EmulatedAccess::Read);
        copy.pieces.push_back({.offset = offset, .bytes = bytes, .inside = bytes, .from = source});
    }
    start_engine_copy(std::move(copy), to);
}

bool Machine::finish_engine_copy() {
    if (engine_copies_.empty()) return false;
    std::swap(engine_copies_[random_.below(static_cast<uint32_t>(engine_copies_.size()))], engine_copies_.back());
    const EngineCopy copy = std::move(engine_copies_.back());
    engine_copies_.pop_back();
    if (copy.block->running == 0) {
        fault_ = "a block ends before a copy to its shared memory has landed (block " +
                 std::to_string(copy.block->index[0]) + ")";
        return true;
    }
    const auto engine = static_cast<uint16_t>(nothing_known_->size() - 1);
    const uint32_t step = ++copy.block->cluster->engine_step;
    for (const EngineCopy::Piece& piece : copy.pieces) {
        uint8_t* to = copy.block->shared.at(piece.offset);
        std::memset(to, 0, piece.bytes);
        if (piece.inside > 0) std::memcpy(to + piece.skipped, piece.from, piece.inside);
        if (copy.rounds_to_tf32) round_to_tf32(to, piece.bytes);
        copy.block->shared.end_fill_by_engine(piece.offset, piece.bytes, engine, step);
    }
    leave_bytes(*copy.block, copy.mbarrier, copy.bytes);
    return true;
}

void Machine::store_box(const void* map, const void* from, const int32* coordinates, uint32 rank) {
    const codegen::KernelArgument& argument = tensor_map(map, rank, false);
    const auto [block, start] = locate(from, 1);
    if (block != current_->block) fail("a copy to a tensor starts in the shared memory of another block");
    if (start % kBoxAlignment != 0)
        fail("a copy from shared memory + " + std::to_string(start) + " is misaligned: it must be to 128 bytes");
    const auto* base = static_cast<const uint8_t*>(from) - start;
    PendingStore store{.group = current_->store_group};
    for (const BoxPiece& piece : box_pieces(argument, coordinates)) {
        const auto offset = static_cast<uint32_t>(start) + piece.shared_offset;
        const uint32_t place = swizzled(kSharedWindow + offset, argument.map.swizzle_bytes) - kSharedWindow;
        use_shared(*current_, base + place, piece.bytes, 16, SharedMemory::Use::StartDrain);
        const SharedMemory::Problem problem = block->shared.unfenced(place, piece.bytes, block->fenced);
        if (problem) refuse_shared(*current_, place, piece.bytes, problem);
        PendingStore::Piece placed{.offset = place, .bytes = piece.bytes};
        if (piece.inside > 0) {
            const auto* tensor = static_cast<const uint8_t*>(tensor_of(map));
            placed.to = use_global(tensor + piece.global_offset, piece.inside, 1, EmulatedAccess::Write);
            placed.skipped = piece.skipped;
            placed.inside = piece.inside;
        }
        store.pieces.push_back(placed);
    }
    current_->stores.push_back(std::move(store));
}

void Machine::commit_stores() { ++current_->store_group; }

void Machine::read_stored(PendingStore& store) {
    if (store.is_read) return;
    store.is_read = true;
    SharedMemory& shared = current_->block->shared;
    for (const PendingStore::Piece& piece : store.pieces) {
        shared.use(piece.offset, piece.bytes, 1, SharedMemory::Use::EndDrain, current_->clock, 0);
        store.data.insert(store.data.end(), shared.at(piece.offset), shared.at(piece.offset) + piece.bytes);
    }
}

void Machine::write_stored(PendingStore& store) {
    const uint8_t* data = store.data.data();
    for (const PendingStore::Piece& piece : store.pieces) {
        if (piece.to != nullptr) std::memcpy(piece.to, data + piece.skipped, piece.inside);
        data += piece.bytes;
    }
}

void Machine::wait_stores(uint32 pending, bool only_reads) {
    std::vector<PendingStore>& stores = current_->stores;
    size_t ended = 0;
    for (; ended < stores.size() && stores[ended].group + pending < current_->store_group; ++ended) {
        read_stored(stores[ended]);
        if (!only_reads) write_stored(stores[ended]);
    }
    if (!only_reads) stores.erase(stores.begin(), stores.begin() + static_cast<std::ptrdiff_t>(ended));
}

void Machine::fence_async() {
    fence_mbarriers();
    leave(current_->block->fenced, *current_);
}

}  // namespace tenon::engine
