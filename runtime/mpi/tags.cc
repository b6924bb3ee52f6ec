// SPDX-License-Identifier: Apache-2.0
// Ranges of tags. Allocation takes the first gap that is large enough, so all ranks get the same
// range.
#include <starpu_mpi.h>

#include <limits>
#include <map>
#include <mutex>

#include "runtime/core/communication.h"

namespace tasklens::mpi {
namespace {

struct Ranges {
  std::mutex lock;
  std::map<int64_t, int64_t> taken;  // first tag -> number of tags
};
Ranges& TheRanges() {
  static Ranges ranges;
  return ranges;
}

}  // namespace
}  // namespace tasklens::mpi

using namespace tasklens::mpi;  // NOLINT: the definitions below are all of them short

extern "C" {

int64_t starpu_mpi_tags_allocate(int64_t nbtags) {
  if (nbtags <= 0) return -1;
  Ranges& ranges = TheRanges();
  const std::lock_guard guard(ranges.lock);
  int64_t first = 0;
  for (const auto& [taken, count] : ranges.taken) {
    if (taken - first >= nbtags) break;
    first = taken + count;
  }
  if (std::numeric_limits<int64_t>::max() - first < nbtags)
    _starpu_communication_fatal("starpu_mpi_tags_allocate(%lld): no tags are left",
                                static_cast<long long>(nbtags));
  ranges.taken[first] = nbtags;
  return first;
}
void starpu_mpi_tags_free(int64_t mintag) {
  Ranges& ranges = TheRanges();
  const std::lock_guard guard(ranges.lock);
  if (ranges.taken.erase(mintag) == 0)
    _starpu_communication_fatal(
        "starpu_mpi_tags_free(%lld): starpu_mpi_tags_allocate() did not return that",
        static_cast<long long>(mintag));
}

}  // extern "C"
