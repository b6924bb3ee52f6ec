// SPDX-License-Identifier: Apache-2.0
// Fiber: a stack on which a function runs until it pauses, and later continues where it paused.
//
// Implemented with ucontext, which the C library has for each processor; a switch takes some 0.5
// us, as it saves the signal mask. A thread per function would cost ten times as much, and the
// function would no longer run on its worker's thread, which thread-local variables, OpenMP's
// threadprivate and "only the main thread" of MPI depend on.
//
// A fiber belongs to the thread that made it, and only that thread runs it: compilers keep
// addresses of thread-local storage across calls, so a function that continued on another thread
// would use the storage of the first.
//
// A switch saves and restores errno and the exceptions being handled. Sanitizers, if the program
// has any, are told of each switch.
#pragma once

#include <ucontext.h>

#include <cstddef>

namespace tasklens::runtime {

class Fiber {
 public:
  // Reserves a stack of at least `stack_bytes` with a guard page below; pages are allocated as they
  // are touched. Aborts with a message if there is no memory for it.
  explicit Fiber(size_t stack_bytes);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs function(argument), which must not throw, until it returns (true) or calls Pause()
  // (false).
  bool Run(void (*function)(void*), void* argument);
  // Continues the function; returns as Run() does. REQUIRES: the function has paused.
  bool Continue();
  // Called by the function: returns when Continue() is called.
  void Pause();

  size_t stack_bytes() const { return stack_bytes_; }

 private:
  // One side of a switch, with the facts about its stack that sanitizers need.
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
  char* memory_ = nullptr;  // including the guard page
  size_t memory_bytes_ = 0;
  Side own_, caller_;
  void (*function_)(void*) = nullptr;
  void* argument_ = nullptr;
  bool has_returned_ = false;
};

}  // namespace tasklens::runtime
