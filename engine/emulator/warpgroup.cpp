// Products of warpgroups. They read their operands and give their sums as late as the program allows: when it waits.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "engine/emulator/machine.h"
#include "engine/emulator/matrix.h"

namespace tenon::engine {
namespace {

constexpr uint32_t kThreads = 128, kRows = 64;
/// Every operand is this deep.
constexpr uint32_t kDepthBytes = 32;
constexpr uint32_t kStarts = UINT32_MAX;

/// The fields of a shared-memory descriptor (PTX manual, wgmma matrix descriptor).
struct Descriptor {
    explicit Descriptor(uint64_t bits)
        : address(static_cast<uint32_t>(bits & 0x3fff) << 4),
          leading_bytes(static_cast<uint32_t>(bits >> 16 & 0x3fff) << 4),
          group_bytes(static_cast<uint32_t>(bits >> 32 & 0x3fff) << 4),
          base_offset(static_cast<uint32_t>(bits >> 49 & 7)) {
        constexpr int kSwizzles[] = {0, 128, 64, 32};
        swizzle_bytes = kSwizzles[bits >> 62];
    }
    /// Of 16 bytes of a row, before the window is taken off.
    uint32_t unit(uint32_t row, uint32_t unit) const {
        const uint32_t group = address + row / 8 * group_bytes;
        if (swizzle_bytes == 0) return group + unit * leading_bytes + row % 8 * 16;
        return swizzled(group + row % 8 * static_cast<uint32_t>(swizzle_bytes) + unit * 16, swizzle_bytes);
    }
    /// Of 8 columns of depth k, where rows of 64 columns lie 128 bytes apart.
    uint32_t transposed_unit(uint32_t k, uint32_t unit) const {
        return swizzled(address + unit / 8 * leading_bytes + k / 8 * group_bytes + k % 8 * 128 + unit % 8 * 16,
                        swizzle_bytes);
    }
    uint32_t address, leading_bytes, group_bytes, base_offset;
    int swizzle_bytes = 0;
};

/// Row and column of register i of a thread: those of mma.m16n8 in each warp's 16 rows, 8 columns after the other.
uint32_t row_of(uint32_t thread, uint32_t i) { return thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8; }
/// Element (row, k) of a 64 x 16 operand that lies in registers: in each warp the fragment of mma.m16n8k16.
uint32_t fragment_bits(const PendingProduct& product, uint32_t row, uint32_t k) {
    const uint32_t thread = row / 16 * 32 + row % 8 * 4 + k % 8 / 2, i = k / 8 * 2 + row % 16 / 8;
    return product.fragments[thread][i] >> (k % 2 * 16) & 0xffff;
}
uint32_t column_of(uint32_t thread, uint32_t i) { return i / 4 * 8 + thread % 4 * 2 + i % 2; }

}  // namespace

Warpgroup& Machine::warpgroup_of_current() {
    Block& block = *current_->block;
    const uint32_t group = current_->index / kThreads;
    if ((group + 1) * kThreads > block.threads.size()) fail("its warpgroup has fewer than four warps");
    return block.warpgroups[group];
}

bool Machine::meet_warpgroup(Warpgroup& group, uint32_t waits_for) {
    if (group.arrived > 0 && group.waits_for != waits_for)
        fail("the threads of its warpgroup meet at different products");
    group.waits_for = waits_for;
    if (waits_for != kStarts) leave(group.meeting, *current_);
    if (++group.arrived == kThreads) return true;
    group.waiting.push_back(current_);
    wait_for({Wait::Kind::Warpgroup});
    return false;
}

void Machine::leave_warpgroup(Warpgroup& group) {
    group.arrived = 0;
    const bool has_waited = group.waits_for != kStarts;
    if (has_waited) group.meeting.take(current_->clock);
    for (Thread* thread : group.waiting) {
        if (has_waited) group.meeting.take(thread->clock);
        resume(*thread);
    }
    if (has_waited) group.meeting.clear();
    group.waiting.clear();
}

void Machine::fence_warpgroup() { current_->has_fenced_warpgroup = true; }

void Machine::commit_products() { ++current_->product_group; }

void Machine::set_registers(uint32 count) {
    constexpr uint32_t kRegisters = 64 << 10;
    warpgroup_of_current().registers = count;
    uint32_t sum = 0;
    for (const Warpgroup& group : current_->block->warpgroups) sum += group.registers * kThreads;
    if (sum > kRegisters)
        fail("its warpgroups take " + std::to_string(sum) + " registers, a block has " + std::to_string(kRegisters));
}

void Machine::start_product(EmulatedOperand operand, uint32 columns, float* c, uint64 a, const uint32* fragment,
                            uint64 b, bool is_b_transposed, bool accumulate) {
    Warpgroup& group = warpgroup_of_current();
    PendingProduct& product = group.starting;
    if (!current_->has_fenced_warpgroup) fail("the first product of a thread needs a warpgroup_fence in front");
    const bool is_first = group.arrived == 0;
    if (!is_first && (product.operand != operand || product.columns != columns || product.a != a || product.b != b ||
                      product.accumulate != accumulate || product.group != current_->product_group))
        fail("the threads of its warpgroup start different products");
    if (is_first)
        product = {operand, columns, a, b, accumulate, {}, current_->product_group, is_b_transposed, {}, nullptr};
    product.c[current_->index % kThreads] = c;
    product.fragments[current_->index % kThreads] = fragment;
    if (!meet_warpgroup(group, kStarts)) return;
    if (fragment == nullptr) use_operand(product, false, SharedMemory::Use::StartDrain);
    use_operand(product, true, SharedMemory::Use::StartDrain);
    const auto on_same_sums = [&](const PendingProduct& other) { return other.c[0] == product.c[0]; };
    const auto before = std::find_if(group.products.begin(), group.products.end(), on_same_sums);
    if (before != group.products.end()) {
        product.sums = before->sums;
    } else {
        product.sums = std::make_shared<std::vector<float>>(kRows * columns);
        for (uint32_t thread = 0; thread < kThreads; ++thread) {
            for (uint32_t i = 0; i < columns / 2; ++i) {
                (*product.sums)[row_of(thread, i) * columns + column_of(thread, i)] = product.c[thread][i];
                product.c[thread][i] = std::bit_cast<float>(UINT32_MAX);
            }
        }
    }
    group.products.push_back(std::move(product));
    leave_warpgroup(group);
}

void Machine::use_operand(const PendingProduct& product, bool is_b, SharedMemory::Use use) {
    const Descriptor descriptor(is_b ? product.b : product.a);
    if (descriptor.base_offset != 0) fail("a matrix descriptor with a base offset");
    Block& block = *current_->block;
    const bool is_transposed = is_b && product.is_b_transposed;
    constexpr uint32_t kTransposedDepth = kDepthBytes / 2;  // only of 16-bit types
    const uint32_t rows = is_transposed ? kTransposedDepth : is_b ? product.columns : kRows;
    const uint32_t units = is_transposed ? product.columns / 8 : kDepthBytes / 16;
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t unit = 0; unit < units; ++unit) {
            const uint32_t place = is_transposed ? descriptor.transposed_unit(row, unit) : descriptor.unit(row, unit);
            const int64_t offset = int64_t{place} - kSharedWindow;
            SharedMemory::Problem problem = block.shared.use(offset, 16, 16, use, current_->clock, 0);
            if (!problem && use == SharedMemory::Use::StartDrain)
                problem = block.shared.unfenced(static_cast<uint32_t>(offset), 16, block.fenced);
            if (problem) refuse_shared(*current_, offset, 16, problem);
        }
    }
}

std::vector<float> Machine::read_operand(const PendingProduct& product, bool is_b) {
    const Descriptor descriptor(is_b ? product.b : product.a);
    const bool is_tf32 = product.operand == EmulatedOperand::Tf32;
    const uint32_t rows = is_b ? product.columns : kRows, size = is_tf32 ? 4 : 2, depth = kDepthBytes / size;
    std::vector<float> values(rows * depth);
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t k = 0; k < depth; ++k) {
            uint32_t bits = 0;
            if (!is_b && product.fragments[0] != nullptr) {
                bits = fragment_bits(product, row, k);
            } else {
                const uint32_t address = is_b && product.is_b_transposed
                                             ? descriptor.transposed_unit(k, row / 8) + row % 8 * 2
                                             : descriptor.unit(row, k * size / 16) + k * size % 16;
                std::memcpy(&bits, current_->block->shared.at(address - kSharedWindow), size);
            }
            // b is kept with its columns side by side, for the loop over them.
            values[is_b ? k * rows + row : row * depth + k] = product.operand == EmulatedOperand::Half
                                                                  ? half_operand(bits)
                                                              : is_tf32 ? tf32_operand(bits)
                                                                        : bfloat16_operand(bits);
        }
    }
    return values;
}

void Machine::finish_product(PendingProduct& product, bool is_last_on_sums) {
    const std::vector<float> a = read_operand(product, false), b = read_operand(product, true);
    if (product.fragments[0] == nullptr) use_operand(product, false, SharedMemory::Use::EndDrainForGroup);
    use_operand(product, true, SharedMemory::Use::EndDrainForGroup);
    std::vector<float>& sums = *product.sums;
    const uint32_t columns = product.columns, depth = static_cast<uint32_t>(a.size()) / kRows;
    if (!product.accumulate) std::fill(sums.begin(), sums.end(), 0.0f);
    for (uint32_t row = 0; row < kRows; ++row) {
        float* sum = sums.data() + row * columns;
        for (uint32_t k = 0; k < depth; ++k) {
            const float factor = a[row * depth + k];
            const float* line = b.data() + k * columns;
            for (uint32_t column = 0; column < columns; ++column) sum[column] += factor * line[column];
        }
    }
    if (!is_last_on_sums) return;
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
        for (uint32_t i = 0; i < columns / 2; ++i)
            product.c[thread][i] = with_canonical_nan(sums[row_of(thread, i) * columns + column_of(thread, i)]);
    }
}

void Machine::wait_products(uint32 pending) {
    Warpgroup& group = warpgroup_of_current();
    if (!meet_warpgroup(group, pending)) return;
    std::vector<PendingProduct>& products = group.products;
    size_t ended = 0;
    for (; ended < products.size() && products[ended].group + pending < current_->product_group; ++ended) {
        const auto on_same_sums = [&](const PendingProduct& other) { return other.sums == products[ended].sums; };
        const bool is_last =
            std::none_of(products.begin() + static_cast<std::ptrdiff_t>(ended) + 1, products.end(), on_same_sums);
        finish_product(products[ended], is_last);
    }
    products.erase(products.begin(), products.begin() + static_cast<std::ptrdiff_t>(ended));
    leave_warpgroup(group);
}

}  // namespace tenon::engine
