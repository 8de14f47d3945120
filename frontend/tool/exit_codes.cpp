#include "frontend/tool/exit_codes.h"

#include <iostream>

namespace tenon::tool {

int fail(const char* verb, const Status& status) {
    std::cerr << "tenon " << verb << ": " << to_string(status.code()) << ": " << status.message() << "\n";
    switch (status.code()) {
        case ErrorCode::Ok:
            return kRight;
        case ErrorCode::InvalidGraph:
        case ErrorCode::InvalidArgument:
        case ErrorCode::BadFile:
        case ErrorCode::Unsupported:
        case ErrorCode::IncompatiblePlan:
            return kBadInput;
        case ErrorCode::NotFound:
            return kAbsent;
        case ErrorCode::CompileFailed:
        case ErrorCode::DriverFailed:
        case ErrorCode::OutOfMemory:
        case ErrorCode::CaptureUnsafe:
        case ErrorCode::Cancelled:
            return kFailed;
    }
    return kFailed;
}

}  // namespace tenon::tool
