// SPDX-License-Identifier: Apache-2.0
// Finds source locations in the output of programs and compilers: "chol.c:12", "src/chol.c:12:7".
// Skips the control sequences of terminals (colours), and handles lines that arrive in pieces.
//
// Linear in the length of the text: a program may print a location on each of many lines.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/protocol/text.h"
#include "server/sources/source_map.h"

namespace tasklens {

struct OutputLink {
  uint32_t begin = 0, end = 0;    // columns of the text; line ends count as columns
  std::string path;               // of an existing file inside the roots
  uint32_t line = 0, column = 0;  // from 1; column 0: not given
};

// Relative names are resolved below `directory` or a root.
class OutputLinks {
 public:
  OutputLinks(std::string directory, SourceRoots roots)
      : directory_(std::move(directory)), roots_(std::move(roots)) {}

  // Returns links in the order of the text. `line` is the part of the first line that was already
  // written; on return it is that of the last line.
  std::vector<OutputLink> Find(std::string_view text, PositionEncoding encoding, std::string& line);

 private:
  struct Place {
    size_t begin, end;  // bytes
    std::string path;
    uint32_t line, column;
  };
  std::vector<Place> PlacesIn(std::string_view text);
  // Returns "" if no such file exists inside the roots.
  const std::string& PathOf(std::string_view name);

  const std::string directory_;
  const SourceRoots roots_;
  std::map<std::string, std::string, std::less<>> known_;  // by name
};

}  // namespace tasklens
