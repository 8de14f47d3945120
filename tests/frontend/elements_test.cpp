#include "frontend/graph/elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "engine/reference/number.h"

namespace tenon {
namespace {

/// Every value of the 16-bit types, the midpoints between neighbours, and what stands just beside them.
TEST(Elements, SixteenBitFloatsAgreeWithTheReference) {
    for (const DataType type : {DataType::F16, DataType::BF16}) {
        for (uint32_t bits = 0; bits < 65536; ++bits) {
            const uint16_t element = static_cast<uint16_t>(bits), next = static_cast<uint16_t>(bits + 1);
            const double value = load_element(&element, type, 0);
            const double expected = engine::load(&element, type, 0);
            ASSERT_EQ(std::isnan(value), std::isnan(expected)) << bits;
            if (!std::isnan(value)) {
                ASSERT_EQ(value, expected) << bits;
            }
            const double middle = (value + load_element(&next, type, 0)) / 2.0;
            for (const double number : {value, middle, std::nextafter(middle, 1e9), std::nextafter(middle, -1e9)}) {
                uint16_t stored = 0, reference = 0;
                store_element(&stored, type, 0, number);
                engine::store(&reference, type, 0, number);
                ASSERT_EQ(stored, reference) << number;
            }
        }
    }
}

TEST(Elements, EveryTypeAgreesWithTheReference) {
    std::vector<double> numbers = {0.0, -0.0, 0.5, 1.5, -2.5, 127.5, 255.5, 1e300, -1e300, INFINITY, -INFINITY, NAN};
    std::mt19937_64 random(3);
    for (int i = 0; i < 2000; ++i)
        numbers.push_back(
            std::ldexp(static_cast<double>(static_cast<int64_t>(random())), static_cast<int>(random() % 60) - 100));
    for (const DataType type : {DataType::F16, DataType::BF16, DataType::F32, DataType::F64, DataType::I8, DataType::U8,
                                DataType::I32, DataType::I64, DataType::Bool}) {
        for (const double number : numbers) {
            uint64_t stored = 0, reference = 0;
            store_element(&stored, type, 0, number);
            engine::store(&reference, type, 0, number);
            EXPECT_EQ(stored, reference) << number << " as " << to_string(type);
        }
    }
}

}  // namespace
}  // namespace tenon
