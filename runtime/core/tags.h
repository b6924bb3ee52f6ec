// SPDX-License-Identifier: Apache-2.0
// Tags: names that the program gives to tasks, and dependencies between the names.
#pragma once

#include <starpu.h>

#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/jobs/job.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

// A tag is made by its first mention and stays until Remove(). A dependency between two tags stays
// as well: when a tag has fired it waits for all of them again (tasks that regenerate).
class Tags {
 public:
  // The trace tells where: ThisThread().call.
  void DeclareDeps(starpu_tag_t tag, std::span<const starpu_tag_t> deps);
  // The job owns its task's tag from now on, and starts only when the tag's dependencies are done.
  void Attach(Job* job);
  // The tag is done: releases what waits for it.
  void Done(starpu_tag_t tag);
  void Wait(std::span<const starpu_tag_t> tags);
  void Restart(starpu_tag_t tag);
  void Remove(starpu_tag_t tag);
  void Clear();
  // Adds to `jobs` those that wait for this tag, once it and the tags before are all that is
  // missing to theirs: `met` counts, by tag, how many of the missing ones were asked about.
  void WaitingFor(starpu_tag_t tag, std::unordered_map<starpu_tag_t, uint32_t>& met,
                  std::vector<Job*>& jobs);
  // The latest task that owned it, or nullptr: there was none, or it is gone.
  starpu_task* TaskOf(starpu_tag_t tag);

 private:
  struct Tag {
    bool done = false;
    bool job_waits = false;
    Job* job = nullptr;         // the latest; it may be gone
    uint64_t job_id = 0;        // and have another one then
    uint32_t dependencies = 0;  // how many tags it depends on
    uint32_t missing = 0;       // how many of them are to come
    std::vector<starpu_tag_t> successors;
  };
  Mutex lock_;
  Condition changed_;
  std::unordered_map<starpu_tag_t, Tag> tags_ GUARDED_BY(lock_);
};

}  // namespace tasklens::runtime
