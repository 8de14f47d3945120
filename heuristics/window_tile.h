#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <tenon/target.h>

namespace tenon::heuristics {

/// A window sliding over an image, as far as it decides about time. Spatial axes are depth, height, width; axes the
/// tensor lacks have extent 1.
struct WindowProblem {
    int64_t batch = 1, channels = 1;  ///< Of the output.
    std::array<int64_t, 3> output{1, 1, 1}, window{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1};
    int64_t input_bytes = 2;         ///< Per element of x.
    int64_t output_bytes = 2;        ///< Per element of y and of everything the epilogue reads per element.
    int inner_channels = 1;          ///< Input channels summed up per output.
    bool has_weights = false;        ///< They stay in registers while the window slides.
    bool lanes_are_columns = false;  ///< Else lanes are channels.
    int most_lanes = 1;              ///< That every access allows.
    int state_registers = 1;         ///< Per open output.
    double instructions_per_tap = 1.0;
    double bytes_moved = 0.0;  ///< Every operand once.
};

/// What one thread computes: rows x columns places of `lanes` outputs.
struct WindowTile {
    int lanes = 1, columns = 1, rows = 1;
    bool rolled = false;  ///< One tap at a time, for windows too large for registers.
    int threads = 256;
    int blocks = 1;  ///< Per multiprocessor; registers are capped so that they fit.
    double seconds = 0.0;
};

/// Tiles that fit, best first. Never empty.
std::vector<WindowTile> ranked(const WindowProblem& problem, const Target& target);

/// Registers a thread is expected to need.
int registers_of(const WindowProblem& problem, const WindowTile& tile);

/// "4 channels x 4 columns x 7 rows, 252 threads".
std::string to_text(const WindowProblem& problem, const WindowTile& tile);

}  // namespace tenon::heuristics
