// SPDX-License-Identifier: Apache-2.0
// How long work says how far it is, and is told to stop.
#pragma once

#include <cstdint>

namespace tasklens {

class Progress {
 public:
  virtual ~Progress() = default;
  // `done` of `total` bytes of input are read. Called every few milliseconds of work by the thread
  // that works; cheap. False asks it to stop: it then returns ErrorCode::kCancelled.
  virtual bool Report(uint64_t done, uint64_t total) = 0;
};

}  // namespace tasklens
