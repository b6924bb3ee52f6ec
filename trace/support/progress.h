// SPDX-License-Identifier: Apache-2.0
// How long-running work reports its progress and is told to stop.
#pragma once

#include <cstdint>

namespace tasklens {

class Progress {
 public:
  virtual ~Progress() = default;
  // `done` of `total` bytes of input are read. The working thread calls this every few
  // milliseconds, so it must be cheap. Returns false to stop the work, which then returns
  // ErrorCode::kCancelled.
  virtual bool Report(uint64_t done, uint64_t total) = 0;
};

}  // namespace tasklens
