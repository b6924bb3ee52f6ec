// SPDX-License-Identifier: Apache-2.0
// Accelerators: real devices, as a driver library offers them to the runtime: memory, streams that
// run their operations in order, copies in streams, and marks that tell how far a stream has got.
// The runtime decides what to copy when, and which task runs where (drivers/device/).
//
// Threads: any; a stream is used by one thread at a time. Errors that cannot be handled end the
// program through Host::fail() with a message that names the failed call and its error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/data/rows.h"

namespace tasklens::runtime {

class Accelerators {
 public:
  // The functions of the runtime that the library calls; it links nothing of the runtime.
  struct Host {
    void (*fail)(const char* line);  // does not return
    void (*warn)(const char* line);
    uint64_t (*now_ns)();  // CLOCK_MONOTONIC
  };
  struct Stream;  // defined by the implementation
  struct Mark;
  // A copy between two devices, by number.
  static constexpr int kMainMemory = -1;
  struct Way {
    int source, target;
  };

  virtual ~Accelerators() = default;
  virtual int count() const = 0;                 // includes devices that failed to start
  virtual bool is_usable(int device) const = 0;  // required before any other use of the device
  virtual std::string Describe(int device) const = 0;  // "NVIDIA H200 139.7 GiB 01:00.0"
  // Enter() makes `device` the current device of the calling thread, also for the program's own
  // calls, and returns the previous one for Return().
  virtual void* Enter(int device) = 0;
  virtual void Return(void* before) = 0;
  // Returns the library's name and text for an error number.
  virtual std::string ErrorText(int error) const = 0;

  virtual size_t FreeBytes(int device) = 0;
  virtual void* Allocate(int device, size_t bytes) = 0;  // nullptr: not enough memory
  virtual void Release(int device, void* memory) = 0;
  // Pin pages of the main memory, so that devices can access them, and unpin them. Return "" or an
  // error message.
  virtual std::string Pin(void* memory, size_t bytes) = 0;
  virtual std::string Unpin(void* memory) = 0;

  enum class Use { kKernels, kCopies };
  virtual Stream* Open(int device, Use use) = 0;
  // Waits for all operations first.
  virtual void Close(Stream* stream) = 0;
  virtual void* NativeOf(Stream* stream) = 0;
  // Waits for all operations.
  virtual void Finish(Stream* stream) = 0;
  virtual void Copy(Stream* stream, Way way, const Rows& rows) = 0;
  // The same in a native stream that the program created on a device.
  virtual void CopyInto(void* native, int device, Way way, const Rows& rows) = 0;

  // Puts a mark into the stream. The caller owns it until Forget().
  virtual Mark* Put(Stream* stream) = 0;
  virtual void Forget(Mark* mark) = 0;
  // Operations that are enqueued later wait for the mark.
  virtual void Await(Stream* stream, Mark* mark) = 0;
  enum class State { kAhead, kPassed, kFailed };
  // kFailed: an operation before the mark failed; `why` is set to an error message.
  virtual State Look(Mark* mark, std::string& why) = 0;
  virtual State WaitFor(Mark* mark, std::string& why) = 0;
  // Returns when the device passed the mark, by the host's clock. REQUIRES: it has passed.
  virtual uint64_t PassedNs(Mark* mark) = 0;
  // Returns the time between two marks, by the device's own clock. REQUIRES: both have passed, and
  // belong to the same device.
  virtual uint64_t BetweenNs(Mark* begun, Mark* ended) = 0;
};

// The library's only function. Returns nullptr, and sets `why`, if no device is usable. If only
// some devices cannot start, reports these through Host::warn().
using OpenAccelerators = Accelerators*(const Accelerators::Host& host, std::string& why);
inline constexpr const char* kOpenCuda = "tasklens_open_cuda_3";  // 3: the version of this header

}  // namespace tasklens::runtime
