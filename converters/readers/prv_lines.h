// SPDX-License-Identifier: Apache-2.0
// A .prv, compressed with gzip or not, as lines; and a record as numbers.
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

// Whether a file that begins with `head`, perhaps compressed, is a .prv.
bool IsPrv(std::span<const std::byte> head);

// Calls f(line, offset) for every line; the offset is that in the text. Damage is counted in
// `diags`; kCancelled when `progress`, which may be null, says so.
Status ReadPrvLines(const Source& source, Progress* progress, Diagnostics& diags,
                    const std::function<void(std::string_view, uint64_t)>& f);

// Sets `fields` to the numbers between the colons of `record`; false: something in it is none.
bool ParsePrvRecord(std::string_view record, std::vector<int64_t>& fields);

// The paths of the .pcf and the .row of a trace called .prv or .prv.gz; none of any other.
std::vector<std::string> FilesBesidePrv(const std::string& path);

// The whole text of that of them that ends in `extension`; "" when there is none.
std::string FileBesidePrv(const std::string& path, std::string_view extension);

}  // namespace tasklens
