// SPDX-License-Identifier: Apache-2.0
// An answer whose packed columns (server/handlers/columns.h) are raw bytes, so that a web page can
// use them as typed arrays without parsing.
//
// Layout: the length of the header (4 bytes, little endian); the header, which is the answer as
// JSON padded with blanks; then the columns, each aligned to 8 bytes from the start. A column
// {"i16": "AQACAA=="} becomes {"i16": [offset, count]} in the header: `count` values from byte
// `offset` on.
//
// Threads: a pure function.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tasklens {

std::string ByteAnswer(nlohmann::json answer);

}  // namespace tasklens
