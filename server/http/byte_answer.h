// SPDX-License-Identifier: Apache-2.0
// An answer whose packed columns (server/handlers/columns.h) are bytes rather than text, so that a
// page can look at them without reading them.
//
// Layout: the length of the header (4 bytes, little endian), the header, which is the answer as
// JSON with blanks at its end, then the columns, each beginning at a multiple of 8 bytes from the
// start. A column {"i16": "AQACAA=="} is {"i16": [offset, count]} in the header: `count` values
// from byte `offset` on.
//
// Pure; any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tasklens {

std::string ByteAnswer(nlohmann::json answer);

}  // namespace tasklens
