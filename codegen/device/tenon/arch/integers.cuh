// Integers of fixed width, the same for NVRTC and the host's compiler; no header of either is needed.
#pragma once

namespace tenon {

typedef signed char int8;
typedef unsigned char uint8;
typedef unsigned short uint16;
typedef int int32;
typedef unsigned int uint32;
typedef long long int64;
typedef unsigned long long uint64;

}  // namespace tenon
