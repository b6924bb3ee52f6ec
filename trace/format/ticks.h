// SPDX-License-Identifier: Apache-2.0
// The processor's time-stamp counter, the cheapest clock there is.
//
// A counter is usable only if it runs at a constant rate, whatever the processor does, and is the
// same on all cores. HasSteadyTicks() returns whether it is; if not, use MonotonicNs().
#pragma once

#include <time.h>

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tasklens::tlt {

// Returns CLOCK_MONOTONIC; a call takes about 20 ns.
inline uint64_t MonotonicNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

#if defined(__x86_64__)

// No <x86intrin.h>: for one instruction, it would take a fifth of a second to compile in each file.
// Not serialised: waiting for the instructions before it would cost more than the event.
inline uint64_t ReadTicks() { return __builtin_ia32_rdtsc(); }

// "Invariant TSC": bit 8 of EDX in leaf 0x80000007.
inline bool HasSteadyTicks() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}

#elif defined(__aarch64__)

// The generic timer has a constant rate by architecture.
inline uint64_t ReadTicks() {
  uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}
inline bool HasSteadyTicks() { return true; }

#else

inline uint64_t ReadTicks() { return MonotonicNs(); }
inline bool HasSteadyTicks() { return false; }

#endif

}  // namespace tasklens::tlt
