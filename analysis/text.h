// SPDX-License-Identifier: Apache-2.0
// Formats numbers for people, the same in every view, lens and summary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tasklens {

// Three significant digits and a unit: "0 ns", "842 ns", "1.23 µs", "45.6 ms", "2.04 s", "95.3
// min".
std::string DurationText(int64_t ns);

// Thousands separated: "1,832,004".
std::string CountText(uint64_t count);

// "1 task", "1,832 tasks".
std::string CountText(uint64_t count, std::string_view noun);

// A share 0..1 in per cent; one decimal below 10 %, none above: "4.7 %", "37 %".
std::string ShareText(double share);

}  // namespace tasklens
