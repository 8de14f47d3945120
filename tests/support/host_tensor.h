#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/graph.h>

namespace tenon::testing {

/// A tensor in host memory, laid out in the strides of its spec. Values go in and out as doubles in logical (row-major)
/// order whatever the layout; gaps between elements hold 0xff bytes, so that a read or write there shows.
class HostTensor {
  public:
    HostTensor() = default;
    explicit HostTensor(TensorSpec spec);
    HostTensor(TensorSpec spec, const std::vector<double>& values);

    const TensorSpec& spec() const { return spec_; }
    /// Null for a tensor without elements.
    void* memory() { return bytes_.empty() ? nullptr : bytes_.data(); }
    const std::vector<std::byte>& bytes() const { return bytes_; }

    /// Rounds to the element type; needs one value per element.
    void set(const std::vector<double>& values);
    /// The same value everywhere.
    void fill(double value);
    /// Normal numbers with mean 0 and the given deviation; the same for one seed on every machine.
    void fill_normal(uint64_t seed, double deviation = 1.0);
    /// Whole numbers in [lowest, highest]; sums of their products are exact in every type with few terms.
    void fill_small_integers(uint64_t seed, int64_t lowest = -3, int64_t highest = 3);
    /// NaN, infinities, zeros of both signs, denormals and the largest numbers of the type, over and over.
    void fill_special();

    std::vector<double> values() const;
    /// True if every byte between the elements is as it was made.
    bool gaps_are_untouched() const;

  private:
    std::vector<bool> element_bytes() const;

    TensorSpec spec_;
    std::vector<std::byte> bytes_;
};

/// "[1, 0, 2]": the coordinates of an element given by its row-major number.
std::string coordinates_text(const Dims& dims, int64_t number);

}  // namespace tenon::testing
