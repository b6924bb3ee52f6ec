// SPDX-License-Identifier: Apache-2.0
// Real devices, as the library that is loaded for them gives them to the runtime: memory, streams
// that do one thing after the other, copies in them, and marks that tell when a stream got so far.
// What is copied when, and which task runs where, is the runtime's affair (drivers/device/).
//
// Threads: any; a stream belongs to one thread at a time. What cannot be mended ends the program
// through Host::fail() with a line that names the call and what it said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/data/rows.h"

namespace tasklens::runtime {

class Accelerators {
 public:
  // What the library needs of the runtime, of which it links nothing.
  struct Host {
    void (*fail)(const char* line);  // does not return
    void (*warn)(const char* line);
    uint64_t (*now_ns)();  // CLOCK_MONOTONIC
  };
  struct Stream;  // of the implementation
  struct Mark;
  // Numbers of devices.
  static constexpr int kMainMemory = -1;
  struct Way {
    int source, target;
  };

  virtual ~Accelerators() = default;
  virtual int count() const = 0;                 // also those that could not start
  virtual bool is_usable(int device) const = 0;  // only then it can be asked for more than this
  virtual std::string Describe(int device) const = 0;  // "NVIDIA H200 139.7 GiB 01:00.0"
  // Makes it the device of the calling thread, for calls of the program's own; what was so before,
  // for Return().
  virtual void* Enter(int device) = 0;
  virtual void Return(void* before) = 0;
  // The library's name and text of an error number.
  virtual std::string ErrorText(int error) const = 0;

  virtual size_t FreeBytes(int device) = 0;
  virtual void* Allocate(int device, size_t bytes) = 0;  // nullptr: there is no such room
  virtual void Release(int device, void* memory) = 0;
  // Keeps pages of the main memory where they are, so that devices reach them by themselves; "" or
  // what was in the way.
  virtual std::string Pin(void* memory, size_t bytes) = 0;
  virtual std::string Unpin(void* memory) = 0;

  enum class Use { kKernels, kCopies };
  virtual Stream* Open(int device, Use use) = 0;
  virtual void Close(Stream* stream) = 0;  // when it has done all
  virtual void* NativeOf(Stream* stream) = 0;
  virtual void Finish(Stream* stream) = 0;  // returns when it has done all
  virtual void Copy(Stream* stream, Way way, const Rows& rows) = 0;
  // The same in a stream that the program made on a device.
  virtual void CopyInto(void* native, int device, Way way, const Rows& rows) = 0;

  // A place in a stream. Belongs to the caller until Forget().
  virtual Mark* Put(Stream* stream) = 0;
  virtual void Forget(Mark* mark) = 0;
  // What follows in the stream comes after the mark.
  virtual void Await(Stream* stream, Mark* mark) = 0;
  enum class State { kAhead, kPassed, kFailed };
  // kFailed: something before it could not be done; `why` says what.
  virtual State Look(Mark* mark, std::string& why) = 0;
  virtual State WaitFor(Mark* mark, std::string& why) = 0;
  // When the device got there, by the host's clock. REQUIRES: it passed.
  virtual uint64_t PassedNs(Mark* mark) = 0;
  // How long it took the device from one to the other, by its own clock. REQUIRES: both passed, of
  // one device.
  virtual uint64_t BetweenNs(Mark* begun, Mark* ended) = 0;
};

// The one function of the library: nullptr, and why, where there is no device to use. Devices that
// cannot start beside others are told of by Host::warn().
using OpenAccelerators = Accelerators*(const Accelerators::Host& host, std::string& why);
inline constexpr const char* kOpenCuda = "tasklens_open_cuda_3";  // 3: of this header

}  // namespace tasklens::runtime
