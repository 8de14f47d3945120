#include "frontend/tool/progress.h"

#include <unistd.h>

#include <cmath>
#include <iostream>

namespace tenon::tool {

ProgressLine::ProgressLine(std::string what, int total)
    : what_(std::move(what)),
      total_(total),
      is_terminal_(isatty(STDERR_FILENO) == 1),
      begin_(std::chrono::steady_clock::now()) {}

ProgressLine::~ProgressLine() {
    if (is_terminal_) std::cerr << "\r\x1b[K" << std::flush;
}

void ProgressLine::show(int done) {
    if (!is_terminal_) return;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    std::cerr << "\r\x1b[K" << text(what_, done, total_, passed.count()) << std::flush;
}

std::string ProgressLine::text(const std::string& what, int done, int total, double seconds_so_far) {
    std::string line = what + " " + std::to_string(done) + "/" + std::to_string(total);
    if (done <= 0 || total <= 0) return line;
    const double left = seconds_so_far / done * (total - done);
    return line + "  " + std::to_string(100 * done / total) + " %  about " +
           std::to_string(static_cast<int64_t>(std::ceil(left))) + " s left";
}

}  // namespace tenon::tool
