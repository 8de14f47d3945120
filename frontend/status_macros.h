#pragma once

/// Returns the Status of `expression` if it failed.
#define TENON_TRY(expression)                                          \
    do {                                                               \
        if (auto tenon_status = (expression); !tenon_status.is_ok()) { \
            return tenon_status;                                       \
        }                                                              \
    } while (false)

#define TENON_CONCATENATE_(a, b) a##b
#define TENON_CONCATENATE(a, b) TENON_CONCATENATE_(a, b)

/// Declares or assigns `target` from a Result, or returns its Status.
#define TENON_ASSIGN(target, expression) TENON_ASSIGN_(TENON_CONCATENATE(tenon_result_, __LINE__), target, expression)
#define TENON_ASSIGN_(result, target, expression) \
    auto result = (expression);                   \
    if (!result.is_ok()) return result.status();  \
    target = std::move(*result)
