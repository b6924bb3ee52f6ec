// SPDX-License-Identifier: Apache-2.0
// Extracts codelets, functions, macros and calls from a C or C++ source by reading its tokens. No
// compiler runs, so a file with errors or unknown macros still yields what its text shows.
//
//   static struct starpu_codelet gemm_cl = {.cpu_funcs = {gemm_cpu}, .name = "gemm"};
//
// has the variable gemm_cl, the name "gemm" and the kernel gemm_cpu. Fields that statements set
// (cl.cpu_funcs[0] = gemm_cpu; cl->name = "gemm";) belong to the variable of that name, which
// another file may define. Macros that paste tokens (cl_##x) are expanded. Each element of an array
// of codelets is a codelet. Namespaces, classes and extern "C" are searched. Comments and string
// literals are skipped. Both branches of an #if are read.
//
// Threads: pure functions. Time and memory are linear in the length of the text, whatever its
// contents.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tasklens {

// A word of a source and its position.
struct SourceWord {
  std::string text;
  uint32_t line = 0;                    // from 0
  size_t begin_byte = 0, end_byte = 0;  // within the line
};

struct SourceCodelet {
  SourceWord variable;  // "gemm_cl", at its definition; else where one of its fields is set
  std::string name;     // "gemm"; "" unknown
  std::string symbol;   // of its perfmodel, "" unknown: StarPU's traces name tasks by it
  std::string model;    // variable of the perfmodel, "" unknown
  std::vector<SourceWord> kernels;  // "gemm_cpu", "gemm_cuda", where the codelet names them
  bool is_defined = true;           // false: only declared (extern) or only filled here
  bool is_static = false;
};

struct SourceModel {
  std::string variable, symbol;
};

// The definition of a macro with parameters.
struct SourceMacro {
  std::vector<std::string> parameters;
  bool is_variadic = false;  // the last parameter takes all further arguments
  std::string body;
  bool operator==(const SourceMacro&) const = default;
};
using MacroTable = std::map<std::string, SourceMacro, std::less<>>;

// A function definition, a lambda in a variable, or a macro.
struct SourceFunction {
  SourceWord name;
  uint32_t last_line = 0;  // of its body
  bool is_macro = false;
  bool is_static = false;                    // also true for a lambda
  std::vector<std::string> parameters = {};  // not of macros: all words of the list
  std::vector<std::string> words = {};       // macros only: words of the body, each once
  SourceMacro macro = {};                    // if it has parameters

  // True if `word` is a parameter of the function or macro.
  bool HasParameter(std::string_view word) const;
};

// A use of a macro or function, and the words between its parentheses. `task->cl = &gemm_cl` counts
// as a use of a function "cl".
struct SourceCall {
  SourceWord name;
  uint32_t last_line = 0;  // of the closing parenthesis
  int32_t function = -1;   // index of the innermost enclosing function
  std::vector<std::string> words;
};

struct SourceCode {
  std::vector<SourceCodelet> codelets;
  std::vector<SourceModel> models;
  std::vector<SourceFunction> functions;
  std::vector<SourceCall> calls;       // in functions, in the order of the text
  std::vector<std::string> includes;   // "app.h" of #include "src/app.h"
  std::set<std::string> used_outside;  // names followed by a parenthesis outside of functions

  // Returns the first function of that name, or nullptr.
  const SourceFunction* FindFunction(std::string_view name) const;
};

// `macros`: definitions of other files to expand (see macro_expansion.h); those of `source` are
// always expanded.
SourceCode ReadSourceCode(std::string_view source, const MacroTable& macros = {});

// True if StarPU's function or macro `name` submits a task, or creates one for submission.
bool SubmitsTasks(std::string_view name);

// The identifier at byte `byte` of `line`, or "".
std::string_view WordAt(std::string_view line, size_t byte);

}  // namespace tasklens
