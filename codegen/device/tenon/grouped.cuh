// Convolutions whose groups have few channels, on tensor cores: a block stages a tile of the image with its border, every
// warp keeps the filters of a group in registers and multiplies. A product never mixes groups, so that an infinity in one
// cannot meet the zeros of another.
#pragma once

#include <tenon/arch/async_copy.cuh>
#include <tenon/arch/matrix.cuh>
#include <tenon/window.cuh>

namespace tenon {

/// Channels and filters of one group; elements from one to the next of the filters [K, channels, height, width].
struct GroupedFilter {
    int channels, filters;
    int64 filter, channel;
    int64 spatial[2];
    bool in_pairs;  ///< Two neighbouring channels of a filter are one aligned word.
};

/// A block computes `rows` x `columns` pixels of `groups` neighbouring groups; a unit of work of a warp is `share` groups
/// whose filters stand side by side in one product (fewer than 8 each), or `slices` times 8 filters of one group.
struct GroupedTile {
    int rows, columns, groups;
    int share, slices;
    int copy;  ///< Channels per staging copy.
    int threads, blocks;
};

template <WindowShape S, GroupedFilter F, Domain D, GroupedTile T, typename X>
struct GroupedConv {
    using Index = typename IndexOf<D.wide>::type;

    static constexpr int kTapRows = int(S.window[1]), kTapColumns = int(S.window[2]);
    static constexpr int kStrideRows = int(S.stride[1]), kStrideColumns = int(S.stride[2]);
    static constexpr int kStagedRows = (T.rows - 1) * kStrideRows + (kTapRows - 1) * int(S.dilation[1]) + 1;
    static constexpr int kStagedColumns = (T.columns - 1) * kStrideColumns + (kTapColumns - 1) * int(S.dilation[2]) + 1;
    static constexpr int kChannels = T.groups * F.channels;
    /// Elements from one staged pixel to the next: whole copies, an odd number of them, so that the pixels of a product
    /// lie in different banks.
    static constexpr int kPixel = int(pieces_of(kChannels, T.copy) | 1) * T.copy;
    static constexpr int kDepth = kTapRows * kTapColumns * F.channels;
    static constexpr int kSteps = int(pieces_of(kDepth, 16));
    static constexpr int kTilePixels = T.rows * T.columns;
    static constexpr int kGroups = int(S.channels) / F.filters;
    static constexpr int kUnitsPerGroup = int(pieces_of(F.filters, 8 * T.slices));
    static constexpr int kUnits = T.groups / T.share * kUnitsPerGroup;

    /// Where the block's tile begins.
    Index batch;
    int row, column, group;

    __device__ void run(const X* x, const X* w, auto epilogue) {
        constexpr int kSlabs = int(pieces_of(kGroups, T.groups));
        constexpr int kStrips = int(pieces_of(S.output[2], T.columns)), kBands = int(pieces_of(S.output[1], T.rows));
        Index rest = Index(block_index_x());
        group = int(rest % kSlabs) * T.groups;
        column = int(rest / kSlabs % kStrips) * T.columns;
        row = int(rest / kSlabs / kStrips % kBands) * T.rows;
        batch = rest / kSlabs / kStrips / kBands;
        stage(x + batch * Index(S.x.batch));
        commit_copies();
        wait_copies<0>();
        block_barrier();
        for (int unit = int(warp_index()); unit < kUnits; unit += T.threads / 32) multiply_unit(unit, w, epilogue);
    }

    /// Copies the tile's image with its border; zeros where there is none.
    __device__ void stage(const X* image) const {
        constexpr int kCopies = int(pieces_of(kChannels, T.copy));
        constexpr int kPieces = kStagedRows * kStagedColumns * kCopies;
        X* staged = reinterpret_cast<X*>(shared_memory());
        const int top = row * kStrideRows - int(S.pad[1]), left = column * kStrideColumns - int(S.pad[2]);
        for (int piece = int(thread_index()); piece < kPieces; piece += T.threads) {
            const int pixel = piece / kCopies, channel = piece % kCopies * T.copy;
            const int height = top + pixel / kStagedColumns, width = left + pixel % kStagedColumns;
            const bool inside = height >= 0 && height < S.image[1] && width >= 0 && width < S.image[2] &&
                                group * F.channels + channel < kGroups * F.channels;
            const X* from = image + Index(height) * Index(S.x.spatial[1]) + Index(width) * Index(S.x.spatial[2]) +
                            group * F.channels + channel;
            copy_async<T.copy * int(sizeof(X))>(staged + pixel * kPixel + channel, inside ? from : image, inside);
        }
    }

    /// The filters of one unit as operands of the products, columns side by side.
    struct Filters {
        uint32 part[T.share * T.slices][kSteps][2];
    };

    __device__ static uint32 pair_of(const X* w, int filter, int k) {
        if (k >= kDepth) return 0;
        const int tap = k / F.channels, channel = k % F.channels;
        const X* from = w + filter * F.filter + channel * F.channel + tap / kTapColumns * F.spatial[0] +
                        tap % kTapColumns * F.spatial[1];
        if constexpr (F.in_pairs) return bit_cast<uint32>(load_vector<2>(from));
        else return uint32(load_element(from).bits) | uint32(load_element(from + F.channel).bits) << 16;
    }

    /// Column of a product that this lane holds of B, and the first of the two it holds of the result.
    __device__ static int filter_column() { return int(lane_index()) / 4; }
    __device__ static int result_column() { return int(lane_index()) % 4 * 2; }

    __device__ void load_filters(Filters& filters, const X* w, int first_group, int first_filter) const {
#pragma unroll
        for (int part = 0; part < T.share * T.slices; ++part) {
            // With several groups in a product, each has its own columns of it.
            const int filter = T.share > 1 ? filter_column() - part * F.filters : first_filter + part * 8 + filter_column();
            const int in_group = T.share > 1 ? first_group + part : first_group;
            const bool used = filter >= 0 && filter < F.filters && in_group < kGroups;
#pragma unroll
            for (int step = 0; step < kSteps; ++step) {
#pragma unroll
                for (int half_step = 0; half_step < 2; ++half_step) {
                    const int k = step * 16 + half_step * 8 + result_column();
                    filters.part[part][step][half_step] = used ? pair_of(w, in_group * F.filters + filter, k) : 0;
                }
            }
        }
    }

    __device__ void multiply_unit(int unit, const X* w, auto epilogue) const {
        const int local_group = unit / kUnitsPerGroup * T.share;
        const int first_filter = unit % kUnitsPerGroup * T.slices * 8;
        if (group + local_group >= kGroups) return;
        Filters filters;
        load_filters(filters, w, group + local_group, first_filter);
        int taps[kSteps][2];  // where this lane's elements of each step lie behind a pixel's first
#pragma unroll
        for (int i = 0; i < 2 * kSteps; ++i) {
            const int k = i * 8 + result_column(), tap = k / F.channels;
            const int pixels = tap / kTapColumns * int(S.dilation[1]) * kStagedColumns + tap % kTapColumns * int(S.dilation[2]);
            taps[i / 2][i % 2] = k < kDepth ? pixels * kPixel + k % F.channels : -1;
        }
        const X* staged = reinterpret_cast<const X*>(shared_memory()) + local_group * F.channels;
        for (int first = 0; first < kTilePixels; first += 16) {
            float sums[T.share * T.slices][4] = {};
            multiply_pixels(sums, filters, taps, staged, first);
            finish_pixels(sums, first, local_group, first_filter, epilogue);
        }
    }

    /// First staged element under pixel `pixel` of the tile; pixels past its end repeat the last.
    __device__ static int staged_place(int pixel) {
        const int inside = pixel < kTilePixels ? pixel : kTilePixels - 1;
        return (inside / T.columns * kStrideRows * kStagedColumns + inside % T.columns * kStrideColumns) * kPixel;
    }

    __device__ static uint32 staged_pair(const X* from, int tap) {
        return tap < 0 ? 0 : load_shared(reinterpret_cast<const uint32*>(from + tap));
    }

    __device__ static void multiply_pixels(float (&sums)[T.share * T.slices][4], const Filters& filters,
                                           const int (&taps)[kSteps][2], const X* staged, int first) {
        const int pixel = first + int(lane_index()) / 4;
        const X* upper = staged + staged_place(pixel);
        const X* lower = staged + staged_place(pixel + 8);
#pragma unroll
        for (int of_share = 0; of_share < T.share; ++of_share) {
#pragma unroll
            for (int step = 0; step < kSteps; ++step) {
                const int shift = of_share * F.channels;
                const uint32 pixels[4] = {
                    staged_pair(upper + shift, taps[step][0]), staged_pair(lower + shift, taps[step][0]),
                    staged_pair(upper + shift, taps[step][1]), staged_pair(lower + shift, taps[step][1])};
#pragma unroll
                for (int slice = 0; slice < T.slices; ++slice) {
                    const int part = of_share * T.slices + slice;
                    multiply_m16n8k16<X>(sums[part], pixels, filters.part[part][step]);
                }
            }
        }
    }

    __device__ void finish_pixels(const float (&sums)[T.share * T.slices][4], int first, int local_group, int first_filter,
                                  auto epilogue) const {
        const int lane_column = result_column();
        const int base = (group + local_group) * F.filters + first_filter + lane_column;
#pragma unroll
        for (int half_tile = 0; half_tile < 2; ++half_tile) {
            const int pixel = first + int(lane_index()) / 4 + half_tile * 8;
            const int at_row = row + pixel / T.columns, at_column = column + pixel % T.columns;
            if (pixel >= kTilePixels || at_row >= S.output[1] || at_column >= S.output[2]) continue;
            const Index place = (batch * Index(S.output[1]) + at_row) * Index(S.output[2]) + at_column;
#pragma unroll
            for (int slice = 0; slice < T.slices; ++slice) {
                Lanes<float, 2> value{{sums[slice][half_tile * 2], sums[slice][half_tile * 2 + 1]}};
#pragma unroll
                for (int part = 1; part < T.share; ++part) {
                    if (lane_column >= part * F.filters) value = {{sums[part][half_tile * 2], sums[part][half_tile * 2 + 1]}};
                }
                const int filter = first_filter + slice * 8 + lane_column;
                if (filter >= T.share * F.filters || base + slice * 8 >= S.channels) continue;
                epilogue(At<D, 2>{place, Index(base + slice * 8)}, value);
            }
        }
    }
};

/// Hands every pair of outputs of the grouped convolution of x with w to `epilogue(at, value)`. Grid: one block per tile,
/// groups of neighbouring channels first.
template <WindowShape S, GroupedFilter F, Domain D, GroupedTile T, typename X, typename Epilogue>
__device__ inline void grouped_conv(const X* x, const X* w, Epilogue epilogue) {
    GroupedConv<S, F, D, T, X>{}.run(x, w, epilogue);
}

}  // namespace tenon
