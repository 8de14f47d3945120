// Exchange between the threads of a warp, on the host: every lane shows its value, then takes the one it wants.
#pragma once

#include <tenon/arch/block.cuh>

namespace tenon {

/// The values of all lanes, once all have come.
template <typename T>
struct LaneValues {
    LaneValues(EmulatedWarpOperation operation, T value) : slots(machine->exchange(operation, &value, sizeof(T))) {}
    T operator[](uint32 lane) const {
        T value;
        __builtin_memcpy(&value, slots + lane * kEmulatedSlot, sizeof(T));
        return value;
    }
    const uint8* slots;
};

template <typename T>
inline T shuffle(T value, int source) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    return LaneValues<T>(EmulatedWarpOperation::Shuffle, value)[source & 31];
}
template <typename T>
inline T shuffle_xor(T value, int mask) {
    return shuffle(value, int(lane_index()) ^ mask);
}
template <typename T>
inline T shuffle_down(T value, int delta) {
    const int source = int(lane_index()) + delta;
    return shuffle(value, source < 32 ? source : int(lane_index()));
}
template <typename T>
inline T shuffle_up(T value, int delta) {
    const int source = int(lane_index()) - delta;
    return shuffle(value, source >= 0 ? source : int(lane_index()));
}
inline uint32 ballot(bool predicate) {
    const LaneValues<bool> votes(EmulatedWarpOperation::Vote, predicate);
    uint32 lanes = 0;
    for (uint32 lane = 0; lane < 32; ++lane) lanes |= uint32(votes[lane]) << lane;
    return lanes;
}
inline bool any_lane(bool predicate) { return ballot(predicate) != 0; }
inline bool all_lanes(bool predicate) { return ballot(predicate) == 0xffffffffu; }
/// Which lane a GPU elects is not said anywhere; here it is not the first, so that a kernel that counts on it shows.
inline bool elect_lane() {
    machine->exchange(EmulatedWarpOperation::Elect, nullptr, 0);
    return lane_index() == 19;
}

}  // namespace tenon
