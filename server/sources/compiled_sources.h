// SPDX-License-Identifier: Apache-2.0
// Which sources a program was compiled from, by their MD5 sums: clang leaves these in the line
// table of programs with debug information (DWARF 5, section 6.2.4). GCC does not.
//
// A program is input of a stranger: what cannot be read of it is left out.
//
// Threads: a pure function; it reads the file.
#pragma once

#include <string>
#include <vector>

namespace tasklens {

struct CompiledSource {
  std::string path;  // as the compiler had it, with the folder in which it ran
  std::string md5;   // 16 bytes
};

// Those of the 64-bit little-endian ELF file `program`, each path and sum once.
std::vector<CompiledSource> ReadCompiledSources(const std::string& program);

}  // namespace tasklens
