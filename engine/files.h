#pragma once

#include <string>

namespace tenon::engine {

/// Makes the folder and its parents, mode 0700. Empty, or why it cannot be used: another user owns it or may write to
/// it.
std::string make_private_folder(const std::string& folder);

/// The whole file. False without a `problem` if there is none.
bool read_whole(const std::string& path, std::string& bytes, std::string& problem);

/// Writes the bytes to a new file named `temporary` and something of its own, syncs it and renames it to `path`, so
/// that others see the old file or the new one, never a part. Empty, or what went wrong.
std::string replace_file(const std::string& path, const std::string& temporary, const std::string& bytes);

}  // namespace tenon::engine
