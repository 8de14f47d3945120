// A checked longjmp refuses to go to another stack.
#undef _FORTIFY_SOURCE

#include "engine/emulator/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace tenon::engine {
namespace {

constexpr size_t kStackBytes = 256 << 10;
/// Below the stack, so that one that grows too long does not run into its neighbour.
constexpr size_t kGuardBytes = 64 << 10;

/// The switch that is going on, for the side that arrives.
thread_local Fiber* leaving = nullptr;
thread_local Fiber* arriving = nullptr;

}  // namespace

Fiber::Fiber(void (*body)()) : body_(body), is_new_(true) {
    void* memory = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    stack_ = static_cast<std::byte*>(memory);
    mprotect(stack_, kGuardBytes, PROT_NONE);
    bottom_ = stack_ + kGuardBytes;
    size_ = kStackBytes;
}

Fiber::~Fiber() {
    if (stack_ != nullptr) munmap(stack_, kGuardBytes + kStackBytes);
}

void Fiber::enter() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &leaving->bottom_, &leaving->size_);
#endif
    arriving->body_();
}

// setjmp and longjmp cost a tenth of swapcontext, which asks the kernel for the signal mask each time; a stack is only
// entered through a context.
void Fiber::switch_to(Fiber& from, Fiber& to) {
    leaving = &from;
    arriving = &to;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&from.fake_stack_, to.bottom_, to.size_);
#endif
    if (_setjmp(from.registers_) == 0) {
        if (!to.is_new_) _longjmp(to.registers_, 1);
        to.is_new_ = false;
        getcontext(&to.start_);
        to.start_.uc_stack.ss_sp = to.stack_ + kGuardBytes;
        to.start_.uc_stack.ss_size = kStackBytes;
        to.start_.uc_link = nullptr;
        makecontext(&to.start_, &Fiber::enter, 0);
        setcontext(&to.start_);
    }
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(from.fake_stack_, &leaving->bottom_, &leaving->size_);
#endif
}

Fiber* FiberPool::take() {
    if (idle_.empty()) {
        all_.push_back(std::make_unique<Fiber>(body_));
        if (!all_.back()->is_valid()) {
            all_.pop_back();
            return nullptr;
        }
        return all_.back().get();
    }
    Fiber* fiber = idle_.back();
    idle_.pop_back();
    return fiber;
}

}  // namespace tenon::engine
