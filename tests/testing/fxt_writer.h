// SPDX-License-Identifier: Apache-2.0
// FxT files for tests: written in every width, byte order and dialect, and read by the shortest
// code that can, which shares nothing with the reader under test.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace tasklens::testing {

// A record as StarPU means it.
struct FxtEvent {
  uint64_t time_ns = 0;
  uint64_t code = 0;
  std::vector<uint64_t> params;
  bool has_text = false;
  std::string text;
  bool operator==(const FxtEvent&) const = default;
};

enum class FxtVersion { k13, k14, kMaster };

struct FxtShape {
  bool wide = true;
  bool big_endian = false;
  bool closing_nul = true;               // else strings end with the record
  bool garbage = false;                  // behind the NUL
  bool open = false;                     // the block of events has no size
  FxtVersion version = FxtVersion::k14;  // only WriteFxtAs() looks at it
};

// A whole file. Its list of processes names one "secretuser".
std::string WriteFxt(const std::vector<FxtEvent>& events, const FxtShape& shape = {});

// The records of a little-endian 64-bit file of StarPU 1.4. Aborts when it is damaged.
std::vector<FxtEvent> ParseFxt14(std::string_view bytes);

// What another version of StarPU would have written for a record of 1.4; none if it knows no such
// event.
std::vector<FxtEvent> ToVersion(const FxtEvent& event, FxtVersion version);

// A file of 1.4 in another shape. In 32-bit shapes numbers lose their upper halves.
std::string WriteFxtAs(const std::vector<FxtEvent>& events14, const FxtShape& shape);

}  // namespace tasklens::testing
