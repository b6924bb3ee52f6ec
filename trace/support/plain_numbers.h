// SPDX-License-Identifier: Apache-2.0
// Numbers with a point where printf() prints them, as files and scripts want them, whatever the
// program chose by setlocale().
//
// Threads: counts for the thread that makes it, for as long as it lives.
#pragma once

#include <clocale>

namespace tasklens {

class PlainNumbers {
 public:
  // (All of "C" is one object of the system's, never freed.)
  PlainNumbers() : before_(uselocale(newlocale(LC_ALL_MASK, "C", nullptr))) {}
  ~PlainNumbers() { uselocale(before_); }
  PlainNumbers(const PlainNumbers&) = delete;
  PlainNumbers& operator=(const PlainNumbers&) = delete;

 private:
  const locale_t before_;
};

}  // namespace tasklens
