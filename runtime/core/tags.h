// SPDX-License-Identifier: Apache-2.0
// Tags: numbers that the program gives to tasks, and dependencies between the tags.
#pragma once

#include <starpu.h>

#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/jobs/job.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

// A tag is created on first use and stays until Remove(). Its dependencies on other tags stay as
// well: after it has fired, it waits for all of them again (for tasks that regenerate).
class Tags {
 public:
  // Makes `tag` wait for `deps`. The trace records the source line of the call, ThisThread().call.
  void DeclareDeps(starpu_tag_t tag, std::span<const starpu_tag_t> deps);
  // Makes the job the owner of its task's tag; it starts only when the tag's dependencies are done.
  void Attach(Job* job);
  // Marks the tag as done and releases the jobs that wait for it.
  void Done(starpu_tag_t tag);
  void Wait(std::span<const starpu_tag_t> tags);
  void Restart(starpu_tag_t tag);
  void Remove(starpu_tag_t tag);
  void Clear();
  // Adds to `jobs` the jobs whose tags wait only for this tag and tags passed in earlier calls.
  // `met` counts, by waiting tag, how many of its missing tags were passed so far.
  void WaitingFor(starpu_tag_t tag, std::unordered_map<starpu_tag_t, uint32_t>& met,
                  std::vector<Job*>& jobs);
  // The latest task that owned the tag; nullptr if there was none or it is gone.
  starpu_task* TaskOf(starpu_tag_t tag);

 private:
  struct Tag {
    bool done = false;
    bool job_waits = false;
    Job* job = nullptr;         // the latest owner; it may be gone
    uint64_t job_id = 0;        // the owner's id; differs from job->id if the owner is gone
    uint32_t dependencies = 0;  // number of tags that this tag depends on
    uint32_t missing = 0;       // number of these that are not done
    std::vector<starpu_tag_t> successors;
  };
  Mutex lock_;
  Condition changed_;
  std::unordered_map<starpu_tag_t, Tag> tags_ GUARDED_BY(lock_);
};

}  // namespace tasklens::runtime
