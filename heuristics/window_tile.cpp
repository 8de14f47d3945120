#include "heuristics/window_tile.h"

#include <algorithm>
#include <cmath>

namespace tenon::heuristics {
namespace {

int64_t pieces(int64_t extent, int64_t piece) { return (extent + piece - 1) / piece; }

int place_width(const WindowProblem& p, const WindowTile& t) { return p.lanes_are_columns ? t.lanes : 1; }

/// Elements of one input row a thread reads per lane: those that lie under a tap.
int64_t cells_of(const WindowProblem& p, const WindowTile& t) {
    const int64_t outputs = t.columns * place_width(p, t);
    return std::min((outputs - 1) * p.stride[2] + (p.window[2] - 1) * p.dilation[2] + 1, outputs * p.window[2]);
}

/// Input rows a thread visits.
int64_t steps_of(const WindowProblem& p, const WindowTile& t) {
    return t.rows == 1 ? p.window[1] : (t.rows - 1) * p.stride[1] + (p.window[1] - 1) * p.dilation[1] + 1;
}

int64_t threads_needed(const WindowProblem& p, const WindowTile& t) {
    const int64_t channels = p.lanes_are_columns ? p.channels : p.channels / t.lanes;
    return p.batch * channels * p.output[0] * pieces(p.output[1], t.rows) *
           pieces(p.output[2], t.columns * place_width(p, t));
}

bool fits(const WindowProblem& p, const WindowTile& t) {
    if (t.columns > 1 && t.columns * place_width(p, t) >= 2 * p.output[2]) return false;
    if (t.rows > 1 && (t.rows >= 2 * p.output[1] || p.dilation[1] > 1)) return false;
    if (t.rolled) return t.rows == 1;
    const int64_t taps = p.window[1] * p.window[2] * p.inner_channels;
    constexpr int64_t kMostProducts = 3200;  // of one thread's straight-line code
    return taps * t.rows * t.columns * t.lanes <= kMostProducts && registers_of(p, t) <= 165;
}

/// Fills threads, blocks and the expected time:
///
///     launch + max(memory, arithmetic) + half of what the multiprocessors pull through their caches + rows in sequence
///
/// fitted to measurements of 3x3 depthwise on an H200 with 1, 32 and 256 images; only the order of tiles matters.
WindowTile judged(const WindowProblem& p, WindowTile t, const Target& target) {
    const double outputs = static_cast<double>(p.batch * p.channels * p.output[0] * p.output[1] * p.output[2]);
    const double taps = static_cast<double>(p.window[0] * p.window[1] * p.window[2] * p.inner_channels);
    const int registers = (registers_of(p, t) * 23 / 20 + 15) / 8 * 8;  // the compiler wants a little more
    t.blocks = std::clamp<int>(static_cast<int>(target.registers_per_multiprocessor) / (registers * t.threads), 1,
                               std::max(1, 2048 / t.threads / 2));
    const double blocks = static_cast<double>(pieces(threads_needed(p, t), t.threads));
    const double machine = target.multiprocessors;
    const double busy = blocks <= machine ? blocks : machine * blocks / (blocks + 0.3 * machine * t.blocks);
    const double cell_loads =
        t.rolled ? taps
                 : static_cast<double>(cells_of(p, t) * steps_of(p, t) * p.window[0] * p.inner_channels) /
                       static_cast<double>(t.rows * t.columns * place_width(p, t));
    const double pulled =
        outputs * (cell_loads * static_cast<double>(p.input_bytes) + static_cast<double>(p.output_bytes));
    const double instructions = outputs * (taps * p.instructions_per_tap + cell_loads + 4.0);
    const double cache_rate = 40.0 * target.clock_hz * std::min(busy, machine);
    const double arithmetic = instructions / (0.7 * 128.0 * target.clock_hz * std::min(busy, machine));
    const double residency = std::min(1.0, t.threads * t.blocks / 512.0 + 0.25);  // few warps hide little
    const double memory = p.bytes_moved / (target.memory_bytes_per_second * residency);
    // Narrow accesses leave lines half used per request.
    const double access_bytes = static_cast<double>(t.lanes * p.input_bytes);
    const double narrow = p.lanes_are_columns ? 1.0 : access_bytes >= 8.0 ? 1.0 : access_bytes >= 4.0 ? 1.3 : 2.0;
    const double sequence = 0.6e-6 + 0.07e-6 * static_cast<double>(steps_of(p, t) * p.window[0]);
    t.seconds = target.launch_seconds + std::max(memory, arithmetic) + 0.5 * narrow * pulled / cache_rate + sequence;
    return t;
}

/// Block sizes: whole groups of channels, so that no warp mixes far places, and powers of two.
std::vector<int> block_sizes(const WindowProblem& p, const WindowTile& t) {
    std::vector<int> sizes{256, 128, 64};
    const int64_t groups = p.lanes_are_columns ? pieces(p.output[2], t.columns * t.lanes) : p.channels / t.lanes;
    if (groups > 1 && groups <= 256) sizes.insert(sizes.begin(), static_cast<int>(256 / groups * groups));
    std::erase_if(sizes, [](int size) { return size < 64; });
    return sizes;
}

}  // namespace

int registers_of(const WindowProblem& p, const WindowTile& t) {
    const int64_t state = static_cast<int64_t>(t.columns) * t.lanes * p.state_registers;
    if (t.rolled) return static_cast<int>(40 + 3 * state);
    const int64_t reach = p.dilation[1] * (p.window[1] - 1) + 1;
    const int64_t open = p.window[0] > 1 ? t.rows : std::min<int64_t>(t.rows, pieces(reach, p.stride[1]));
    const int64_t cells = cells_of(p, t) * (p.lanes_are_columns ? 1 : t.lanes);
    const int64_t weights =
        p.has_weights ? p.window[1] * p.window[2] * p.inner_channels * (p.lanes_are_columns ? 1 : t.lanes) : 0;
    return static_cast<int>(30 + weights + open * state + cells + cells * p.input_bytes / 4);
}

std::vector<WindowTile> ranked(const WindowProblem& problem, const Target& target) {
    std::vector<WindowTile> tiles;
    for (const bool rolled : {false, true}) {
        for (int lanes = problem.most_lanes; lanes >= 1; lanes /= 2) {
            for (const int columns : {1, 2, 4, 8}) {
                for (const int rows : {1, 2, 4, 7, 8, 14}) {
                    WindowTile tile{.lanes = lanes, .columns = columns, .rows = rows, .rolled = rolled};
                    if (!fits(problem, tile)) continue;
                    for (const int threads : block_sizes(problem, tile)) {
                        tile.threads = threads;
                        tiles.push_back(judged(problem, tile, target));
                    }
                }
            }
        }
    }
    std::stable_sort(tiles.begin(), tiles.end(),
                     [](const WindowTile& a, const WindowTile& b) { return a.seconds < b.seconds; });
    return tiles;
}

std::string to_text(const WindowProblem& problem, const WindowTile& tile) {
    std::string text = std::to_string(tile.lanes) + (problem.lanes_are_columns ? " lanes x " : " channels x ") +
                       std::to_string(tile.columns) + " columns x " + std::to_string(tile.rows) + " rows, " +
                       std::to_string(tile.threads) + " threads";
    return tile.rolled ? text + ", tap by tap" : text;
}

}  // namespace tenon::heuristics
