// SPDX-License-Identifier: Apache-2.0
// Names that break careless writers: of tasks, files, data, messages.
#pragma once

#include <string>
#include <vector>

namespace tasklens::testing {

inline const std::vector<std::string>& HardNames() {
  static const std::vector<std::string> kNames = {
      "two words",
      "quo\"te",
      "apo'strophe",
      "back\\slash",
      "ends with \\",
      "line\nbreak",
      "\nfirst line empty",
      "tab\tand\rreturn",
      "std::vector<int>& <b>bold</b> &amp; &lt;",
      "50% {a|b} $HOME `id`",
      "Größe 矩阵 \xF0\x9F\x98\x80",
      "broken \xC3( UTF-8 \xFF",
      "control \x01\x1b[31m",
      "#comment",
      "%rec: Name",
      "+ continued",
      "Name: value",
      "Name",
      "Value",
      "Key",
      "Time",
      "Idle",  // StarPU's names and aliases of states
      "C",
      "task C",
      "I",
      "0",
      " ",
      "]]>",
      "<!--",
      "\\N\\G\\l",
      std::string(300, 'x'),
  };
  return kNames;
}

}  // namespace tasklens::testing
