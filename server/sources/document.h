// SPDX-License-Identifier: Apache-2.0
// A file that the client has open.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "server/protocol/text.h"
#include "server/sources/line_map.h"

namespace tasklens {

// A text that a document had, and where its lines are now: followed through each change.
struct PastText {
  std::shared_ptr<const std::string> text;
  LineMap to_now;
};

// A file that the client has open; its text may differ from the disk's.
struct Document {
  std::string uri;   // as the client wrote it
  std::string path;  // links resolved; "" when it is no file
  int64_t version = 0;
  Text text;
  std::vector<PastText> past;  // as it was opened, then as it was saved, the last time last
};

}  // namespace tasklens
