// SPDX-License-Identifier: Apache-2.0
// The times at which the pixels of a view begin, and the search for rows within a pixel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tasklens {

// The pixels between two times. REQUIRES: begin_ns < end_ns, pixels > 0.
struct Pixels {
  int64_t begin_ns, end_ns;
  uint32_t pixels;

  // Returns the start of pixel `pixel`, or of the one after the last; correct for any times.
  int64_t Start(uint64_t pixel) const {
    const uint64_t width = static_cast<uint64_t>(end_ns) - static_cast<uint64_t>(begin_ns);
    // For all but years and very many pixels; a division of 128 bits takes several times as long.
    if ((width | pixel) >> 32 == 0 || (width >> 48 == 0 && pixel >> 16 == 0))
      return begin_ns + static_cast<int64_t>(width * pixel / pixels);
    return begin_ns + static_cast<int64_t>(static_cast<unsigned __int128>(width) * pixel / pixels);
  }

  // Returns the last pixel that begins at or before `time_ns`. REQUIRES: begin_ns <= time_ns <
  // end_ns.
  uint64_t Of(int64_t time_ns) const {
    const uint64_t width = static_cast<uint64_t>(end_ns) - static_cast<uint64_t>(begin_ns);
    const uint64_t at = static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(begin_ns);
    auto pixel = static_cast<uint64_t>(static_cast<unsigned __int128>(at) * pixels / width);
    while (pixel + 1 < pixels && Start(pixel + 1) <= time_ns) ++pixel;
    return pixel;
  }
};

// Returns the first index in [from, size) for which `holds` is false; it must be true before it and
// false after it. Cheap if the result is near from + `guess`, as from one pixel to the next.
template <class Holds>
size_t FirstNot(size_t from, size_t size, const Holds& holds, size_t guess = 0) {
  size_t low = from, high = size;  // the result is in [low, high]
  const size_t probe = from + std::min(guess, size - from);
  if (probe > from && !holds(probe - 1)) {
    high = probe - 1;
    for (size_t step = 1; step <= high - low; step *= 2) {
      if (holds(high - step)) {
        low = high - step + 1;
        break;
      }
      high -= step;
    }
  } else {
    low = probe;
    for (size_t step = 1; step <= high - low; step *= 2) {
      if (!holds(low + step - 1)) {
        high = low + step - 1;
        break;
      }
      low += step;
    }
  }
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
