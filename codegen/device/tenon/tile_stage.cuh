// Brings tiles of an operand from global into shared memory, 16 bytes per thread and piece.
#pragma once

#include <tenon/arch/async_copy.cuh>
#include <tenon/computed.cuh>
#include <tenon/tile.cuh>
#include <tenon/tile_operand.cuh>

namespace tenon {

/// Fills tiles of kOuter outer indices times T.depth depth indices of operand O, from memory or computed. `fetch` starts to
/// load a tile, `put` finishes it; where copies run beside the program, `fetch` starts them and `put` has nothing left to do.
template <TileOperand O, ContractionTile T, int kOuter, typename From, typename Index>
class TileStage {
    using Element = typename ElementOf<From>::type;
    static constexpr int kPerPiece = 16 / sizeof(Element);
    static constexpr int kLines = O.outer_major ? T.depth : kOuter;
    static constexpr int kLineElements = O.outer_major ? kOuter : T.depth;
    static constexpr int kPiecesPerLine = kLineElements / kPerPiece;
    static constexpr int kPiecesPerTile = kLines * kPiecesPerLine;
    static constexpr int kPieces = (kPiecesPerTile + T.threads - 1) / T.threads;
    static constexpr bool kWhole = kPiecesPerTile % T.threads == 0;
    static constexpr int kChunkBytes = O.chunk * sizeof(Element);
    static constexpr int kChunks = 16 / kChunkBytes;
    static constexpr bool kAsynchronous = T.asynchronous && kComputeCapability >= 80 && kChunkBytes >= 4 && kIsInMemory<From>;
    /// Outer indices a thread keeps track of: one per piece, or one per chunk of its place in every line.
    static constexpr int kPlaces = O.outer_major ? kChunks : kPieces;
    using Chunk = typename Word<kChunkBytes>::type;
    struct Piece {
        Chunk chunk[kChunks];
    };

    static_assert(kLineElements % kPerPiece == 0);
    static_assert(T.threads % kPiecesPerLine == 0 || !O.outer_major, "a thread keeps its place in all lines");

  public:
    static constexpr int kPitch = kLineElements * sizeof(Element);
    static constexpr int kBytes = kLines * kPitch;

    /// `first` is the offset of batch, outer and depth index 0, `outer` the first index of the tile, of `outer_count` in all.
    __device__ TileStage(From from, Index first, Index outer, Index outer_count, Index depth_count)
        : from_(from), first_(first), depth_count_(depth_count) {
#pragma unroll
        for (int i = 0; i < kPlaces; ++i) {
            const int within = O.outer_major ? place_of(0) * kPerPiece + i * O.chunk : line_of(i);
            outer_[i] = outer_place<O, Index>(outer + within, outer_count);
        }
    }

    __device__ void fetch(Index depth, uint8* tile) {
#pragma unroll
        for (int i = 0; i < kPieces; ++i) {
#pragma unroll
            for (int c = 0; c < kChunks; ++c) {
                const int within = O.outer_major ? line_of(i) : place_of(i) * kPerPiece + c * O.chunk;
                const auto element =
                    element_at<O, Index>(outer_[O.outer_major ? c : i], depth_place<O, Index>(depth + within, depth_count_));
                if (kWhole || is_mine(i)) move(element, tile, i, c);
            }
        }
    }

    __device__ void put(uint8* tile) {
        if constexpr (!kAsynchronous) {
#pragma unroll
            for (int i = 0; i < kPieces; ++i) {
                if (kWhole || is_mine(i)) store_shared(reinterpret_cast<Quad*>(tile + offset_of_piece(i)), bit_cast<Quad>(piece_[i]));
            }
        }
    }

  private:
    __device__ static int number_of(int i) { return int(thread_index()) + i * T.threads; }
    __device__ static bool is_mine(int i) { return number_of(i) < kPiecesPerTile; }
    __device__ static int line_of(int i) { return O.outer_first ? number_of(i) % kLines : number_of(i) / kPiecesPerLine; }
    __device__ static int place_of(int i) {
        if (O.outer_first) return number_of(i) / kLines;
        return number_of(T.threads % kPiecesPerLine == 0 ? 0 : i) % kPiecesPerLine;
    }
    __device__ static int offset_of_piece(int i) { return piece_offset<kPitch>(line_of(i), place_of(i)); }

    __device__ void move(const TileElement<Index>& element, uint8* tile, int i, int c) {
        if constexpr (kAsynchronous) {
            copy_async<kChunkBytes>(tile + offset_of_piece(i) + c * kChunkBytes, from_ + first_ + element.offset, element.exists);
        } else {
            piece_[i].chunk[c] = element.exists ? bit_cast<Chunk>(read_lanes<O.chunk>(from_, first_ + element.offset)) : Chunk{};
        }
    }

    From from_;
    Index first_, depth_count_;
    TilePlace<Index> outer_[kPlaces];
    Piece piece_[kAsynchronous ? 1 : kPieces];
};

}  // namespace tenon
