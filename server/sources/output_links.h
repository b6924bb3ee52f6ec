// SPDX-License-Identifier: Apache-2.0
// Places of sources in what programs and compilers write: "chol.c:12", "src/chol.c:12:7", also in
// colours (the control sequences of terminals are passed over), and where a line comes in pieces.
//
// Takes time in proportion to the text: a program may write a place on each of many lines.
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
  uint32_t begin = 0, end = 0;    // columns of the text, whose line ends are columns too
  std::string path;               // of an existing file inside the roots
  uint32_t line = 0, column = 0;  // from 1; column 0: none is said
};

// Names are relative to `directory`, or to a root.
class OutputLinks {
 public:
  OutputLinks(std::string directory, SourceRoots roots)
      : directory_(std::move(directory)), roots_(std::move(roots)) {}

  // In the order of the text. `line`: what of its first line was written before; then that of its
  // last one.
  std::vector<OutputLink> Find(std::string_view text, PositionEncoding encoding, std::string& line);

 private:
  struct Place {
    size_t begin, end;  // bytes
    std::string path;
    uint32_t line, column;
  };
  std::vector<Place> PlacesIn(std::string_view text);
  // "" when there is no such file inside the roots.
  const std::string& PathOf(std::string_view name);

  const std::string directory_;
  const SourceRoots roots_;
  std::map<std::string, std::string, std::less<>> known_;  // by name
};

}  // namespace tasklens
