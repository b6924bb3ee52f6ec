// SPDX-License-Identifier: Apache-2.0
// The sources that a program was compiled from, with their MD5 sums. clang stores the sums in the
// line table of the debug information (DWARF 5, section 6.2.4); GCC does not.
//
// The program is untrusted input: entries that cannot be read are skipped.
//
// Threads: a pure function; it reads the file.
#pragma once

#include <string>
#include <vector>

namespace tasklens {

struct CompiledSource {
  std::string path;  // as recorded by the compiler, below its working directory
  std::string md5;   // 16 bytes
};

// Returns the sources of the 64-bit little-endian ELF file `program`; each pair of path and sum
// once.
std::vector<CompiledSource> ReadCompiledSources(const std::string& program);

}  // namespace tasklens
