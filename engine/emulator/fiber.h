#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace tenon::engine {

/// A stack of its own on which a function runs until it switches to another fiber. All fibers that switch to each other
/// belong to one thread of the operating system.
class Fiber {
  public:
    /// The stack the program is on already.
    Fiber() = default;
    /// A new stack; `body` starts at the first switch and never returns. Stays invalid where there is no memory.
    explicit Fiber(void (*body)());
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    bool is_valid() const { return stack_ != nullptr; }
    /// Forgets where it was: the next switch starts the body anew. Nothing on its stack is destroyed.
    void restart() { is_new_ = true; }

    /// Leaves `from`, which runs now, for `to`; comes back when somebody switches to `from`.
    static void switch_to(Fiber& from, Fiber& to);

  private:
    static void enter();

    void (*body_)() = nullptr;
    std::byte* stack_ = nullptr;
    bool is_new_ = false;
    jmp_buf registers_;
    ucontext_t start_;
    // What the address sanitizer must be told of a switch.
    void* fake_stack_ = nullptr;
    const void* bottom_ = nullptr;
    size_t size_ = 0;
};

/// Fibers that are not in use, kept because making one costs more than a switch.
class FiberPool {
  public:
    explicit FiberPool(void (*body)()) : body_(body) {}
    /// Null where there is no memory for a stack.
    Fiber* take();
    void give_back(Fiber* fiber) { idle_.push_back(fiber); }

  private:
    void (*body_)();
    std::vector<std::unique_ptr<Fiber>> all_;
    std::vector<Fiber*> idle_;
};

}  // namespace tenon::engine
