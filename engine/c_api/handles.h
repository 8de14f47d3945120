#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include <tenon/c.h>
#include <tenon/tenon.h>

struct tenon_graph {
    tenon::Graph graph;
};
struct tenon_target {
    tenon::Target target;
};
struct tenon_compiler {
    tenon::Compiler compiler;
};
struct tenon_plan {
    tenon::Plan plan;
};
struct tenon_ready {
    tenon::ReadyPlan ready;
};
struct tenon_blob {
    std::string bytes;
};

namespace tenon::c_api {

/// Keeps the sentence for tenon_last_error and gives the code.
tenon_status report(tenon_status code, const std::string& message) noexcept;

inline Status missing(const char* what) { return Status(ErrorCode::InvalidArgument, std::string(what) + " is NULL"); }

/// Calls `body` (a Status() function); nothing it throws gets out.
template <typename Body>
tenon_status guarded(const Body& body) noexcept {
    try {
        const Status status = body();
        return status.is_ok() ? TENON_OK : report(static_cast<tenon_status>(status.code()), status.message());
    } catch (const std::bad_alloc&) {
        return report(TENON_OUT_OF_MEMORY, "the host has no memory left");
    } catch (const std::exception& fault) {
        return report(TENON_INTERNAL, fault.what());
    } catch (...) {
        return report(TENON_INTERNAL, "unknown fault");
    }
}

/// Copies a caller's struct of any age: what it lacks is zero, and what this library does not know must be zero.
template <typename Struct>
Status read_struct(const Struct* given, Struct& known) {
    known = Struct{};
    if (given == nullptr) return {};
    const size_t size = given->struct_size;
    if (size < sizeof(given->struct_size)) return Status(ErrorCode::InvalidArgument, "struct_size is not set");
    std::memcpy(&known, given, std::min(size, sizeof(Struct)));
    const char* bytes = reinterpret_cast<const char*>(given);
    for (size_t i = sizeof(Struct); i < size; ++i) {
        if (bytes[i] != 0)
            return Status(ErrorCode::Unsupported, "a struct has a field that this library does not know");
    }
    return {};
}

/// Fills as much of a caller's struct as it has room for.
template <typename Struct>
Status write_struct(Struct known, Struct* wanted) {
    if (wanted == nullptr) return missing("info");
    const size_t size = wanted->struct_size;
    if (size < sizeof(wanted->struct_size)) return Status(ErrorCode::InvalidArgument, "struct_size is not set");
    known.struct_size = wanted->struct_size;
    std::memcpy(wanted, &known, std::min(size, sizeof(Struct)));
    return {};
}

inline std::string text_of(const char* text) { return text != nullptr ? text : ""; }

Status give_blob(std::string bytes, tenon_blob** blob);
/// A value the caller gave for an enumeration whose last one is `last`.
template <typename Enum>
Status read_enum(int32_t value, Enum last, Enum& result) {
    if (value < 0 || value > static_cast<int32_t>(last))
        return Status(ErrorCode::InvalidArgument, "there is no enumerator " + std::to_string(value) + "; the last is " +
                                                      std::to_string(static_cast<int32_t>(last)));
    result = static_cast<Enum>(value);
    return {};
}

/// The compiler of a handle, or the shared one.
inline const Compiler& compiler_of(const tenon_compiler* handle) {
    return handle != nullptr ? handle->compiler : Compiler::shared();
}

}  // namespace tenon::c_api
