#pragma once

#include <string>
#include <utility>

namespace tenon::codegen {

/// Yes, or no with a stable code and the values that clash.
class [[nodiscard]] Verdict {
  public:
    static Verdict yes() { return Verdict(); }
    static Verdict no(std::string code, std::string reason) {
        Verdict verdict;
        verdict.code_ = std::move(code);
        verdict.reason_ = std::move(reason);
        return verdict;
    }

    explicit operator bool() const { return code_.empty(); }
    const std::string& code() const { return code_; }
    const std::string& reason() const { return reason_; }

  private:
    std::string code_;
    std::string reason_;
};

}  // namespace tenon::codegen
