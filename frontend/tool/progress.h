#pragma once

#include <chrono>
#include <string>

namespace tenon::tool {

/// One line on stderr that counts finished steps and estimates the rest. Silent unless stderr is a terminal.
class ProgressLine {
  public:
    ProgressLine(std::string what, int total);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(int done);

    /// "compile 3/12  25 %  about 4 s left".
    static std::string text(const std::string& what, int done, int total, double seconds_so_far);

  private:
    std::string what_;
    int total_;
    bool is_terminal_;
    std::chrono::steady_clock::time_point begin_;
};

}  // namespace tenon::tool
