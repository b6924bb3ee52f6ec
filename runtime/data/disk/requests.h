// SPDX-License-Identifier: Apache-2.0
// DiskRequests: asynchronous disk reads and writes that have not ended yet.
//
// A disk may refuse a request (it returns nullptr) or have no asynchronous operations at all: the
// caller then reads or writes synchronously.
//
// Threads: one at a time.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <vector>

namespace tasklens::runtime {

class DiskRequests {
 public:
  // The most requests for one value; the rest of the value is copied synchronously.
  static constexpr size_t kMost = 256;

  DiskRequests() = default;
  ~DiskRequests() { Wait(); }
  DiskRequests(const DiskRequests&) = delete;
  DiskRequests& operator=(const DiskRequests&) = delete;

  static bool CanBeAsked(const starpu_disk_ops& ops) {
    return ops.wait_request && ops.test_request && ops.free_request;
  }
  // Adds a request that the disk has accepted. REQUIRES: CanBeAsked(ops).
  void Add(const starpu_disk_ops* ops, void* request) { requests_.push_back({ops, request}); }
  size_t size() const { return requests_.size(); }

  // Whether all requests have ended; does not wait.
  bool AreDone();
  void Wait();
  // Whether a request failed. For the program's own disks that is unknown: always false.
  bool have_failed() const { return have_failed_; }

 private:
  struct Request {
    const starpu_disk_ops* ops;
    void* request;
  };
  void End(const Request& one);
  std::vector<Request> requests_;
  bool have_failed_ = false;
};

// For disks that are folders: whether a finished request has failed.
bool HasFolderRequestFailed(const starpu_disk_ops* ops, void* request);

}  // namespace tasklens::runtime
