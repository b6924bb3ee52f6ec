// SPDX-License-Identifier: Apache-2.0
// Where the pixels of a view begin, and how to find what lies beneath them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tasklens {

// The pixels between two times. REQUIRES: begin_ns < end_ns, pixels > 0.
struct Pixels {
  int64_t begin_ns, end_ns;
  uint32_t pixels;

  // The start of pixel `pixel`, also of the one behind the last; right for any times.
  int64_t Start(uint64_t pixel) const {
    const auto width =
        static_cast<unsigned __int128>(end_ns) - static_cast<unsigned __int128>(begin_ns);
    return begin_ns + static_cast<int64_t>(width * pixel / pixels);
  }
};

// The first index in [from, size) for which `holds` is false, where it is true before and false
// after. Cheap when that is near `from`, as from one pixel to the next.
template <class Holds>
size_t FirstNot(size_t from, size_t size, const Holds& holds) {
  size_t low = from, step = 1;
  while (low + step <= size && holds(low + step - 1)) {
    low += step;
    step *= 2;
  }
  size_t high = std::min(size, low + step);
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (holds(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace tasklens
