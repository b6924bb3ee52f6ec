// SPDX-License-Identifier: Apache-2.0
// Files that the client has open.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "server/protocol/text.h"
#include "server/sources/line_map.h"

namespace tasklens {

// An earlier text of a document, and the present places of its lines, updated by each change.
struct PastText {
  std::shared_ptr<const std::string> text;
  LineMap to_now;
};

// A file that the client has open. Its text may differ from the file on the disk.
struct Document {
  std::string uri;   // as the client wrote it
  std::string path;  // links resolved; "" if it is not a file
  int64_t version = 0;
  Text text;
  std::vector<PastText> past;  // the text when opened, then at each save, the latest last
};

}  // namespace tasklens
