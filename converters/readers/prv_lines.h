// SPDX-License-Identifier: Apache-2.0
// Reads a .prv, plain or compressed with gzip, as lines; parses a record into numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/support/diagnostics.h"
#include "trace/support/progress.h"
#include "trace/support/source.h"
#include "trace/support/status.h"

namespace tasklens {

inline constexpr std::string_view kPrvMagic = "#Paraver";

// Whether a file that begins with `head`, possibly compressed, is a .prv.
bool IsPrv(std::span<const std::byte> head);

// Calls f(line, offset) for every line; the offset is that in the uncompressed text. Damage is
// counted in `diags`; kCancelled if `progress`, which may be null, stops it.
Status ReadPrvLines(const Source& source, Progress* progress, Diagnostics& diags,
                    const std::function<void(std::string_view, uint64_t)>& f);

// Sets `fields` to the numbers between the colons of `record`; returns false if one is no number.
bool ParsePrvRecord(std::string_view record, std::vector<int64_t>& fields);

// Returns the paths of the .pcf and the .row of a trace named .prv or .prv.gz; none for other
// names.
std::vector<std::string> FilesBesidePrv(const std::string& path);

// Returns the text of the one of these files that ends in `extension`; "" if there is none.
std::string FileBesidePrv(const std::string& path, std::string_view extension);

}  // namespace tasklens
