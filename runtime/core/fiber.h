// SPDX-License-Identifier: Apache-2.0
// A stack on which a function runs until it pauses, and goes on later where it was.
//
// Made of ucontext, which the C library has for each processor; a switch takes some 0.5 us, as it
// saves the mask of signals. A thread for each function would cost ten times as much, and would
// take the function away from the thread whose worker it is: what a program keeps by thread, what
// OpenMP calls threadprivate, and "only the main thread" of MPI, are the worker's here.
//
// A fiber belongs to the thread that made it, and only that thread runs it. Compilers keep
// addresses of thread storage across calls, so that a function that went on in another thread would
// use storage of the first.
//
// The exceptions that are being handled and errno are the function's. Sanitizers are told of each
// switch, where the program has them.
#pragma once

#include <ucontext.h>

#include <cstddef>

namespace tasklens::runtime {

class Fiber {
 public:
  // With a stack of at least so many bytes, of which pages are used as they are needed, and one
  // that must not be touched below. Aborts with a line when there is no memory for it.
  explicit Fiber(size_t stack_bytes);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs function(argument), which must not throw, until it returns (true) or calls Pause()
  // (false).
  bool Run(void (*function)(void*), void* argument);
  // Goes on with it, in the same way. REQUIRES: it paused.
  bool Continue();
  // By the function: returns when somebody continues it.
  void Pause();

  size_t stack_bytes() const { return stack_bytes_; }

 private:
  // One end of a switch, and what sanitizers want to know of its stack.
  struct Side {
    ucontext_t context;
    const void* bottom = nullptr;
    size_t bytes = 0;
    void* fake_stack = nullptr;
    void* tsan_fiber = nullptr;
  };
  static void Switch(Side& from, Side& to);
  static void Enter(unsigned high, unsigned low);
  void Loop();

  const size_t stack_bytes_;
  char* memory_ = nullptr;  // with the page that must not be touched
  size_t memory_bytes_ = 0;
  Side own_, caller_;
  void (*function_)(void*) = nullptr;
  void* argument_ = nullptr;
  bool has_returned_ = false;
};

}  // namespace tasklens::runtime
