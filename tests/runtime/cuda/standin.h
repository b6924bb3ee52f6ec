// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVIDIA's libcuda.so.1: it stands in for the device that a build machine lacks, so
// that the driver's own code runs in every build. Where there is a device the same tests use that
// (cuda_machine.h chooses, and says which).
//
// It is strict where a device is: the host cannot read or write device memory, a stream does one
// thing after the other in a thread of its own, memory that is not pinned is copied while the
// caller waits, and an access outside of allocated memory fails all that follows. Two devices, with
// the kernels of kernels.ptx.
//
// These functions are its own, found by dlsym(): what tests say to it.
#pragma once

#include <cstdint>

extern "C" {
// The next so many calls of a function return the error.
using StandinFail = void(const char* symbol, int error, int times);
// Bytes that a device has. Before the first allocation.
using StandinMemory = void(uint64_t bytes);
// What a copy takes besides: nanoseconds.
using StandinCopyNs = void(uint64_t ns);
// Copies to and from devices begin only when this is 0 again.
using StandinCopiesStand = void(int whether);
// The next so many waits for an event return so much later.
using StandinHeldUp = void(uint64_t ns, int times);
// How often a function was called.
using StandinCalls = uint64_t(const char* symbol);
// Of the main memory that is pinned now, and of device memory that is allocated.
using StandinBytes = uint64_t(void);
}
