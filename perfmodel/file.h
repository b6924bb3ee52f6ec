// SPDX-License-Identifier: Apache-2.0
// StarPU's files of perfmodels, "codelets/45/SYMBOL.HOST": version 45 of the format, which
// StarPU 1.2 to 1.4 write. Numbers separated by blanks; lines that begin with '#' are comments,
// which changed from release to release. What StarPU wrote is written again byte for byte. What
// follows the last combination that a file announces is left out, as StarPU does.
//
// A file is input from a stranger: memory is bounded by its size, and a message names the line.
#pragma once

#include <string>
#include <string_view>

#include "perfmodel/model.h"
#include "trace/support/status.h"

namespace tasklens {

inline constexpr int kPerfmodelVersion = 45;

// How a release of StarPU words its comments and pads its numbers.
struct PerfmodelDialect {
  std::string_view device_kinds;  // what it knows, in the comment above a device
  std::string_view unit;          // above the entries
  bool is_padded;                 // fields padded to 15 characters
};
// The newest first.
std::span<const PerfmodelDialect> PerfmodelDialects();

struct PerfmodelFile {
  Perfmodel model;
  const PerfmodelDialect* dialect = &PerfmodelDialects().front();
};

// `name` stands in front of messages.
Result<PerfmodelFile> ParsePerfmodel(std::string_view text, std::string_view name);
std::string PerfmodelText(const PerfmodelFile& file);

// Whole files. Reading waits until nobody writes, and writing until nobody else reads or writes, by
// the same lock (fcntl) as StarPU. Missing folders are made.
Result<PerfmodelFile> ReadPerfmodel(const std::string& path);
Status WritePerfmodel(const std::string& path, const PerfmodelFile& file);

// The same for any file of StarPU's folder.
Result<std::string> ReadLocked(const std::string& path);
Status WriteLocked(const std::string& path, std::string_view text);

}  // namespace tasklens
