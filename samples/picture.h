#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

/// Pixels in rows from the top, `channels` bytes each (1 grey, 3 red green blue). Empty if a file could not be read.
struct Picture {
    int width = 0, height = 0, channels = 0;
    std::vector<uint8_t> pixels;

    uint8_t at(int x, int y, int channel) const {
        return pixels[static_cast<size_t>((y * width + x) * channels + (channels == 1 ? 0 : channel))];
    }
};

inline std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
}

/// Reads binary PGM (P5) and PPM (P6) files with 8 bits per channel and no comments.
inline Picture read_picture(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string kind;
    int width = 0, height = 0, largest = 0;
    file >> kind >> width >> height >> largest;
    file.get();
    const bool fits = width > 0 && height > 0 && width <= 16384 && height <= 16384 && largest == 255;
    if (!file || !fits || (kind != "P5" && kind != "P6")) return {};
    Picture picture{width, height, kind == "P5" ? 1 : 3, {}};
    picture.pixels.resize(static_cast<size_t>(width) * static_cast<size_t>(height) *
                          static_cast<size_t>(picture.channels));
    file.read(reinterpret_cast<char*>(picture.pixels.data()), static_cast<std::streamsize>(picture.pixels.size()));
    return file ? picture : Picture{};
}

inline bool write_picture(const Picture& picture, const std::string& path) {
    std::ofstream file(path, std::ios::binary);
    file << (picture.channels == 1 ? "P5" : "P6") << "\n" << picture.width << " " << picture.height << "\n255\n";
    file.write(reinterpret_cast<const char*>(picture.pixels.data()),
               static_cast<std::streamsize>(picture.pixels.size()));
    return file.good();
}

/// The value at a fractional position, interpolated between four pixels.
inline float sample(const Picture& picture, float x, float y, int channel) {
    const auto inside = [](float at, int extent) {
        return at < 0.0f ? 0.0f : at > static_cast<float>(extent - 1) ? static_cast<float>(extent - 1) : at;
    };
    x = inside(x, picture.width);
    y = inside(y, picture.height);
    const int left = static_cast<int>(x), top = static_cast<int>(y);
    const int right = left + 1 < picture.width ? left + 1 : left, bottom = top + 1 < picture.height ? top + 1 : top;
    const float across = x - static_cast<float>(left), down = y - static_cast<float>(top);
    const auto row = [&](int line) {
        return static_cast<float>(picture.at(left, line, channel)) * (1.0f - across) +
               static_cast<float>(picture.at(right, line, channel)) * across;
    };
    return row(top) * (1.0f - down) + row(bottom) * down;
}
