// SPDX-License-Identifier: Apache-2.0
// Places of sources in what programs and compilers write: "chol.c:12", "src/chol.c:12:7".
//
// Threads: one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/session/source_map.h"

namespace tasklens {

struct OutputLink {
  size_t begin_byte = 0, end_byte = 0;  // in the text
  std::string path;                     // of an existing file inside the roots
  uint32_t line = 0, column = 0;        // from 1; column 0: none is said
};

// Names are relative to `directory`, or to a root.
class OutputLinks {
 public:
  OutputLinks(std::string directory, SourceRoots roots)
      : directory_(std::move(directory)), roots_(std::move(roots)) {}

  // In the order of the text, which is read line by line; a name that a line's end cuts is none.
  std::vector<OutputLink> Find(std::string_view text);

 private:
  // "" when there is no such file inside the roots.
  const std::string& PathOf(std::string_view name);

  const std::string directory_;
  const SourceRoots roots_;
  std::map<std::string, std::string, std::less<>> known_;  // by name
};

}  // namespace tasklens
