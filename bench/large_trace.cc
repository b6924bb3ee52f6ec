// SPDX-License-Identifier: Apache-2.0
// Makes a large FxT trace of a small one: large_trace INPUT TIMES OUTPUT.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "bench/fxt_repeat.h"

int main(int count, char** arguments) {
  if (count != 4) return std::fputs("large_trace INPUT TIMES OUTPUT\n", stderr), 2;
  std::ifstream in(arguments[1], std::ios::binary);
  const std::string trace((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::ofstream out(arguments[3], std::ios::binary);
  out << tasklens::RepeatFxt(trace, std::strtoul(arguments[2], nullptr, 10));
  out.close();
  if (in && out) return 0;
  return std::perror(in ? arguments[3] : arguments[1]), 1;
}
