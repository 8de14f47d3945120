#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace tenon {

/// What kind of thing went wrong. The numbers are stable: programs and saved reports may rely on them.
enum class ErrorCode {
    Ok = 0,
    InvalidGraph = 1,      ///< The graph contradicts itself; the message names node and tensor.
    InvalidArgument = 2,   ///< A call was given something it cannot use (missing binding, bad pointer).
    Unsupported = 3,       ///< Valid, but not on this target or with these limits.
    NotFound = 4,          ///< A file, library or device is absent.
    BadFile = 5,           ///< A file exists but is damaged, foreign, or of another version.
    IncompatiblePlan = 6,  ///< A plan file was made for another device or library version.
    CompileFailed = 7,     ///< NVRTC or the host compiler refused a kernel; the message has its first error.
    DriverFailed = 8,      ///< The CUDA driver reported an error.
    OutOfMemory = 9,       ///< A workspace or an allocation is too small.
    CaptureUnsafe = 10,    ///< The call would load or allocate while a stream is being captured.
    Cancelled = 11,        ///< A progress callback asked to stop.
};

/// Stable upper-case name of a code, for logs and JSON.
const char* to_string(ErrorCode code);

/// Success, or a code and a sentence that names node, tensor, found and needed.
class [[nodiscard]] Status {
  public:
    Status() = default;
    Status(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

    bool is_ok() const { return code_ == ErrorCode::Ok; }
    ErrorCode code() const { return code_; }
    const std::string& message() const { return message_; }

  private:
    ErrorCode code_ = ErrorCode::Ok;
    std::string message_;
};

/// A value, or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
  public:
    Result(T value) : value_(std::move(value)) {}
    Result(Status status) : status_(std::move(status)) {
        assert(!status_.is_ok() && "a Result without a value needs a failed Status");
    }

    bool is_ok() const { return value_.has_value(); }
    const Status& status() const { return status_; }

    T& value() { return *value_; }
    const T& value() const { return *value_; }
    T& operator*() { return *value_; }
    const T& operator*() const { return *value_; }
    T* operator->() { return &*value_; }
    const T* operator->() const { return &*value_; }

  private:
    std::optional<T> value_;
    Status status_;
};

}  // namespace tenon
