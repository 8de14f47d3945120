#pragma once

#include <cstdint>

namespace tenon::engine {

// The records of codegen/device/tenon/arch/host.cuh, seen from the other side of the shared object. Field by field the
// same.

struct EmulatedSpan {
    const uint8_t* begin;
    const uint8_t* end;
    bool written;
};

struct EmulatedFault {
    enum Kind { None, OutOfBounds, Misaligned, ReadOnly };
    int32_t kind;
    const void* address;
    int32_t bytes;
    uint32_t block;
    uint32_t thread;
};

struct EmulatedLaunch {
    uint32_t grid;
    uint32_t block;
    uint64_t seed;
    void** arguments;
    const EmulatedSpan* spans;
    int32_t span_count;
    EmulatedFault fault;
};

}  // namespace tenon::engine
