#include "tests/support/host_tensor.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "engine/reference/number.h"
#include "engine/reference/tensor_access.h"

namespace tenon::testing {
namespace {

/// splitmix64: whole, portable, and good enough for test data.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}

    uint64_t bits() {
        uint64_t mixed = state_ += 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
        return mixed ^ mixed >> 31;
    }
    /// In (0, 1].
    double unit() { return static_cast<double>((bits() >> 11) + 1) * 0x1p-53; }
    double normal() { return std::sqrt(-2.0 * std::log(unit())) * std::cos(2.0 * std::numbers::pi * unit()); }

  private:
    uint64_t state_;
};

std::vector<double> special_values(DataType type) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto floats = [&](double largest, double least, double denormal) {
        return std::vector<double>{nan,  1.0,     kInfinite, -1.0,  -kInfinite, 0.0,
                                   -0.0, largest, -largest,  least, -least,     denormal};
    };
    switch (type) {
        case DataType::F16:
            return floats(65504.0, 0x1p-14, 0x1p-24);
        case DataType::BF16:
            return floats(0x1.fep127, 0x1p-126, 0x1p-133);
        case DataType::F32:
            return floats(0x1.fffffep127, 0x1p-126, 0x1p-149);
        case DataType::F64:
            return floats(0x1.fffffffffffffp1023, 0x1p-1022, 0x1p-1074);
        case DataType::Bool:
            return {0.0, 1.0};
        default:
            break;
    }
    const double lowest = static_cast<double>(engine::lowest_integer(type));
    return {0.0, 1.0, lowest, static_cast<double>(engine::highest_integer(type)), lowest + 1.0, 2.0, 3.0};
}

TensorSpec with_strides(TensorSpec spec) {
    if (spec.strides.empty()) spec.strides = packed_strides(spec.dims, spec.layout);
    return spec;
}

}  // namespace

HostTensor::HostTensor(TensorSpec spec) : spec_(with_strides(std::move(spec))) {
    bytes_.assign(static_cast<size_t>(span_of(spec_.dims, spec_.strides) * bytes_of(spec_.type)), std::byte{0xff});
}

HostTensor::HostTensor(TensorSpec spec, const std::vector<double>& values) : HostTensor(std::move(spec)) {
    set(values);
}

void HostTensor::set(const std::vector<double>& values) {
    size_t next = 0;
    engine::walk<1>(spec_.dims, {spec_.strides},
                    [&](const auto& at) { engine::store(bytes_.data(), spec_.type, at[0], values.at(next++)); });
}

void HostTensor::fill(double value) { set(std::vector<double>(static_cast<size_t>(element_count(spec_.dims)), value)); }

void HostTensor::fill_normal(uint64_t seed, double deviation) {
    Random random(seed);
    std::vector<double> values(static_cast<size_t>(element_count(spec_.dims)));
    for (double& value : values) value = deviation * random.normal();
    set(values);
}

void HostTensor::fill_small_integers(uint64_t seed, int64_t lowest, int64_t highest) {
    Random random(seed);
    std::vector<double> values(static_cast<size_t>(element_count(spec_.dims)));
    const uint64_t choices = static_cast<uint64_t>(highest - lowest + 1);
    for (double& value : values) value = static_cast<double>(lowest + static_cast<int64_t>(random.bits() % choices));
    set(values);
}

void HostTensor::fill_special() {
    const std::vector<double> special = special_values(spec_.type);
    std::vector<double> values(static_cast<size_t>(element_count(spec_.dims)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = special[i % special.size()];
    set(values);
}

std::vector<double> HostTensor::values() const {
    std::vector<double> values;
    engine::walk<1>(spec_.dims, {spec_.strides},
                    [&](const auto& at) { values.push_back(engine::load(bytes_.data(), spec_.type, at[0])); });
    return values;
}

bool HostTensor::gaps_are_untouched() const {
    const std::vector<bool> belongs = element_bytes();
    for (size_t i = 0; i < bytes_.size(); ++i) {
        if (!belongs[i] && bytes_[i] != std::byte{0xff}) return false;
    }
    return true;
}

std::vector<bool> HostTensor::element_bytes() const {
    std::vector<bool> belongs(bytes_.size(), false);
    const int64_t width = bytes_of(spec_.type);
    engine::walk<1>(spec_.dims, {spec_.strides}, [&](const auto& at) {
        for (int64_t i = 0; i < width; ++i) belongs[static_cast<size_t>(at[0] * width + i)] = true;
    });
    return belongs;
}

std::string coordinates_text(const Dims& dims, int64_t number) {
    std::string text;
    for (size_t axis = dims.size(); axis-- > 0;) {
        text = std::to_string(number % dims[axis]) + (text.empty() ? "" : ", ") + text;
        number /= dims[axis];
    }
    return "[" + text + "]";
}

}  // namespace tenon::testing
