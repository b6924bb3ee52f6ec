// SPDX-License-Identifier: Apache-2.0
// What disks were asked to read and write and have not done yet.
//
// A disk may say no to a request (nullptr), or know none at all: who asks then reads and writes
// itself, and waits.
//
// Threads: one at a time.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <vector>

namespace tasklens::runtime {

class DiskRequests {
 public:
  // One value is read or written by so many at most; the rest is done at once.
  static constexpr size_t kMost = 256;

  DiskRequests() = default;
  ~DiskRequests() { Wait(); }
  DiskRequests(const DiskRequests&) = delete;
  DiskRequests& operator=(const DiskRequests&) = delete;

  static bool CanBeAsked(const starpu_disk_ops& ops) {
    return ops.wait_request && ops.test_request && ops.free_request;
  }
  // A request that the disk has accepted. REQUIRES: CanBeAsked(ops).
  void Add(const starpu_disk_ops* ops, void* request) { requests_.push_back({ops, request}); }
  size_t size() const { return requests_.size(); }

  // Whether the disks have done all of it; does not wait.
  bool AreDone();
  void Wait();
  // Whether one is known to have failed. What a program's own disks did is not known.
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

// Of the disks that are folders: whether the request, which is done, has failed.
bool HasFolderRequestFailed(const starpu_disk_ops* ops, void* request);

}  // namespace tasklens::runtime
