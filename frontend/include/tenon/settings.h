#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tenon {

/// How far a long call has come.
struct Progress {
    std::string_view what;  ///< What was finished last: a kernel's name.
    int done = 0;
    int total = 0;
};

/// What the machinery around a plan may use. Nothing here changes what a plan is or what it computes.
struct Settings {
    /// Folder of compiled kernels, made if it is absent (mode 0700). Empty: kernels are remembered by the process only.
    /// A folder that cannot be used, or that others may write to, costs one line to `log` and is ignored.
    std::string cache_folder;
    int64_t cache_bytes = int64_t{256} << 20;  ///< Bound of the folder; the entries unused for longest go first.
    int memory_kernels = 1024;                 ///< Compiled kernels remembered by the process.
    int threads = 0;                           ///< Most kernels compiled at once; 0: one per core, at most 16.
    bool strict = false;                       ///< Never compile: a kernel in no plan file and no cache is NotFound.
    std::string nvrtc;                         ///< Path of libnvrtc; empty: the usual places.
    /// Takes one line about something that is not an error. May be called from any thread, one call at a time.
    std::function<void(std::string_view line)> log;
    /// Called after each kernel, one call at a time; false cancels what has not started. The call returns Cancelled.
    std::function<bool(const Progress& progress)> progress;

    /// Defaults, with `cache_folder` from the environment: TENON_CACHE_DIR (empty: none), else
    /// $XDG_CACHE_HOME/tenon, else $HOME/.cache/tenon, else none.
    static Settings from_environment();
};

}  // namespace tenon
