// SPDX-License-Identifier: Apache-2.0
// While it lives, printf() prints numbers with a decimal point, as files and scripts need them,
// whatever locale the program chose by setlocale().
//
// Threads: applies to the thread that created it.
#pragma once

#include <clocale>

namespace tasklens {

class PlainNumbers {
 public:
  // (The "C" locale is one object of the C library, never freed.)
  PlainNumbers() : before_(uselocale(newlocale(LC_ALL_MASK, "C", nullptr))) {}
  ~PlainNumbers() { uselocale(before_); }
  PlainNumbers(const PlainNumbers&) = delete;
  PlainNumbers& operator=(const PlainNumbers&) = delete;

 private:
  const locale_t before_;
};

}  // namespace tasklens
