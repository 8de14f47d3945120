#pragma once

#include <tenon/status.h>

namespace tenon::tool {

/// What the program ends with.
enum ExitCode : int {
    kRight = 0,       ///< Done; whatever was checked is right.
    kWrong = 1,       ///< Numbers differ from the reference.
    kBadCommand = 2,  ///< The command line means nothing.
    kBadInput = 3,    ///< A file, graph or tensor cannot be used.
    kFailed = 4,      ///< Compiling, loading or running failed.
    kAbsent = 5,      ///< A GPU, its driver or NVRTC is needed and not there.
};

/// Prints the failure to stderr and returns the code of its kind.
int fail(const char* verb, const Status& status);

}  // namespace tenon::tool
