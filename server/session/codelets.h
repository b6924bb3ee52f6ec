// SPDX-License-Identifier: Apache-2.0
// The codelets that a C or C++ source defines, found by reading its words: no compiler is asked, so
// a file with errors, or whose macros are not known, gives what can be seen in it.
//
//   static struct starpu_codelet gemm_cl = {.cpu_funcs = {gemm_cpu}, .name = "gemm"};
//
// has the variable gemm_cl, the name "gemm" and the kernel gemm_cpu. Fields that are set by
// statements (cl.name = "gemm";) are found in the same file. Comments and texts in quotes are no
// words.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tasklens {

// A word of a source and where it stands.
struct SourceWord {
  std::string text;
  uint32_t line = 0;                    // from 0
  size_t begin_byte = 0, end_byte = 0;  // within the line
};

struct SourceCodelet {
  SourceWord variable;  // "gemm_cl", where it is defined
  std::string name;     // "gemm"; "" when the source does not say
  std::string symbol;   // of its perfmodel, "" likewise: StarPU's traces name tasks by it
  std::vector<SourceWord> kernels;  // "gemm_cpu", "gemm_cuda", where the codelet names them
};

std::vector<SourceCodelet> FindCodelets(std::string_view source);

// The identifier at byte `byte` of `line`, or "".
std::string_view WordAt(std::string_view line, size_t byte);

// Where the function or variable `word` is defined in `source`: its first occurrence outside of any
// braces that is followed by "(" ... ")" "{", or nothing. `line` UINT32_MAX: none.
SourceWord FindFunction(std::string_view source, std::string_view word);

}  // namespace tasklens
