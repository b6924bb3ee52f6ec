// SPDX-License-Identifier: Apache-2.0
// Stacks, and switches between them.
#include "runtime/core/fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "runtime/support/message.h"

// Functions of the sanitizers; nullptr if the program is built without.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom,
                                                  size_t bytes);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom,
                                                   size_t* bytes);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}

namespace tasklens::runtime {
namespace {

// The layout of __cxa_eh_globals, which the C++ ABI keeps per thread.
struct Exceptions {
  void* caught;
  unsigned uncaught;
};
Exceptions& ExceptionsOfThisThread() {
  return *reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
}

size_t ToPages(size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

Fiber::Fiber(size_t stack_bytes) : stack_bytes_(stack_bytes) {
  const size_t guard = ToPages(1);
  memory_bytes_ = ToPages(stack_bytes) + guard;
  void* const memory = mmap(nullptr, memory_bytes_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, guard, PROT_NONE) != 0) {
    Fatal(
        "no memory for one more stack of %zu KiB (%s): let fewer tasks wait at once, or make "
        "OMP_STACKSIZE smaller",
        stack_bytes >> 10, strerror(errno));
  }
  // (A huge page would cost far more memory than a small task touches.)
  madvise(memory, memory_bytes_, MADV_NOHUGEPAGE);
  memory_ = static_cast<char*>(memory);
  own_.bottom = memory_ + guard;
  own_.bytes = memory_bytes_ - guard;
  if (__tsan_create_fiber) own_.tsan_fiber = __tsan_create_fiber(0);
  getcontext(&own_.context);
  own_.context.uc_stack.ss_sp = memory_ + guard;
  own_.context.uc_stack.ss_size = own_.bytes;
  own_.context.uc_link = nullptr;
  const auto self = reinterpret_cast<uintptr_t>(this);
  makecontext(&own_.context, reinterpret_cast<void (*)()>(&Fiber::Enter), 2,
              static_cast<unsigned>(uint64_t{self} >> 32), static_cast<unsigned>(self));
}

Fiber::~Fiber() {
  if (__tsan_destroy_fiber) __tsan_destroy_fiber(own_.tsan_fiber);
  munmap(memory_, memory_bytes_);
}

void Fiber::Switch(Side& from, Side& to) {
  Exceptions& exceptions = ExceptionsOfThisThread();
  const Exceptions own = exceptions;
  const int error = errno;
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(&from.fake_stack, to.bottom, to.bytes);
  if (__tsan_switch_to_fiber) __tsan_switch_to_fiber(to.tsan_fiber, 0);
  swapcontext(&from.context, &to.context);
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(from.fake_stack, &to.bottom, &to.bytes);
  exceptions = own;
  errno = error;
}

void Fiber::Enter(unsigned high, unsigned low) {
  // (makecontext() passes ints.)
  auto* const self = reinterpret_cast<Fiber*>(static_cast<uintptr_t>((uint64_t{high} << 32) | low));
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(nullptr, &self->caller_.bottom, &self->caller_.bytes);
  self->Loop();
}

// Runs one function after the other on this stack.
void Fiber::Loop() {
  for (;;) {
    ExceptionsOfThisThread() = {};
    function_(argument_);
    has_returned_ = true;
    Switch(own_, caller_);
  }
}

bool Fiber::Run(void (*function)(void*), void* argument) {
  function_ = function;
  argument_ = argument;
  has_returned_ = false;
  return Continue();
}

bool Fiber::Continue() {
  if (__tsan_get_current_fiber) caller_.tsan_fiber = __tsan_get_current_fiber();
  Switch(caller_, own_);
  return has_returned_;
}

void Fiber::Pause() { Switch(own_, caller_); }

}  // namespace tasklens::runtime
