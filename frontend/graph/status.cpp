#include <tenon/status.h>

namespace tenon {

const char* to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::Ok:
            return "OK";
        case ErrorCode::InvalidGraph:
            return "INVALID_GRAPH";
        case ErrorCode::InvalidArgument:
            return "INVALID_ARGUMENT";
        case ErrorCode::Unsupported:
            return "UNSUPPORTED";
        case ErrorCode::NotFound:
            return "NOT_FOUND";
        case ErrorCode::BadFile:
            return "BAD_FILE";
        case ErrorCode::IncompatiblePlan:
            return "INCOMPATIBLE_PLAN";
        case ErrorCode::CompileFailed:
            return "COMPILE_FAILED";
        case ErrorCode::DriverFailed:
            return "DRIVER_FAILED";
        case ErrorCode::OutOfMemory:
            return "OUT_OF_MEMORY";
        case ErrorCode::CaptureUnsafe:
            return "CAPTURE_UNSAFE";
        case ErrorCode::Cancelled:
            return "CANCELLED";
    }
    return "UNKNOWN";
}

}  // namespace tenon
