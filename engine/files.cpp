#include "engine/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <random>
#include <system_error>

namespace tenon::engine {
namespace {

std::string error_text(int error) { return std::generic_category().message(error); }

/// Closes at the end.
class File {
  public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    ~File() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    operator int() const { return descriptor_; }

  private:
    int descriptor_;
};

bool write_all(int descriptor, const std::string& bytes) {
    for (size_t done = 0; done < bytes.size();) {
        const ssize_t written = write(descriptor, bytes.data() + done, bytes.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        done += static_cast<size_t>(written);
    }
    return true;
}

}  // namespace

std::string make_private_folder(const std::string& folder) {
    for (size_t at = 0; at != std::string::npos;) {
        at = folder.find('/', at + 1);
        const std::string part = folder.substr(0, at);
        if (mkdir(part.c_str(), 0700) == 0 || errno == EEXIST || errno == EISDIR) continue;
        struct stat found {};
        const int error = errno;
        if (stat(part.c_str(), &found) != 0) return "cannot make '" + part + "': " + error_text(error);
    }
    struct stat found {};
    if (stat(folder.c_str(), &found) != 0) return error_text(errno);
    if (!S_ISDIR(found.st_mode)) return "it is no folder";
    if (found.st_uid != geteuid()) return "it belongs to another user";
    if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "other users may write to it";
    if (access(folder.c_str(), R_OK | W_OK | X_OK) != 0) return error_text(errno);
    return {};
}

bool read_whole(const std::string& path, std::string& bytes, std::string& problem) {
    const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file < 0) {
        if (errno != ENOENT) problem = error_text(errno);
        return false;
    }
    struct stat found {};
    if (fstat(file, &found) != 0 || !S_ISREG(found.st_mode)) {
        problem = "it is no regular file";
        return false;
    }
    bytes.resize(static_cast<size_t>(found.st_size));
    size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = read(file, bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) problem = error_text(errno);
        if (count <= 0) break;
        done += static_cast<size_t>(count);
    }
    bytes.resize(done);
    return problem.empty();
}

std::string replace_file(const std::string& path, const std::string& temporary, const std::string& bytes) {
    static std::atomic<uint32_t> number{std::random_device{}()};
    const std::string name = temporary + std::to_string(getpid()) + "-" + std::to_string(number++);
    {
        const File file(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (file < 0) return error_text(errno);
        if (!write_all(file, bytes) || fsync(file) != 0) {
            const int error = errno;
            unlink(name.c_str());
            return error_text(error);
        }
    }
    if (rename(name.c_str(), path.c_str()) == 0) return {};
    // A folder in the file's place goes if it is empty.
    if (errno == EISDIR && rmdir(path.c_str()) == 0 && rename(name.c_str(), path.c_str()) == 0) return {};
    const int error = errno;
    unlink(name.c_str());
    return error_text(error);
}

}  // namespace tenon::engine
