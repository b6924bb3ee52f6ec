// SPDX-License-Identifier: Apache-2.0
// What a C or C++ source says about tasks: codelets, functions, macros and calls, found by reading
// its words. No compiler is asked, so a file with errors, or whose macros are not known, gives what
// can be seen in it.
//
//   static struct starpu_codelet gemm_cl = {.cpu_funcs = {gemm_cpu}, .name = "gemm"};
//
// has the variable gemm_cl, the name "gemm" and the kernel gemm_cpu. Fields that are set by
// statements (cl.cpu_funcs[0] = gemm_cpu; cl->name = "gemm";) belong to the variable of that name,
// which another file may define. Macros that paste words (cl_##x) are expanded. Of an array of
// codelets each element is one. Namespaces, classes and extern "C" are looked into; comments and
// texts in quotes are no words; of #if both branches are read.
//
// Threads: pure functions. Time and memory are bounded by a constant times the text, whatever it
// holds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
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
  SourceWord variable;  // "gemm_cl", where it is defined; else where a field of it is set
  std::string name;     // "gemm"; "" when the source does not say
  std::string symbol;   // of its perfmodel, "" likewise: StarPU's traces name tasks by it
  std::string model;    // the perfmodel's variable, "" likewise
  std::vector<SourceWord> kernels;  // "gemm_cpu", "gemm_cuda", where the codelet names them
  bool is_defined = true;           // false: only declared (extern), or only filled, here
  bool is_static = false;
};

struct SourceModel {
  std::string variable, symbol;
};

// What a macro with parameters stands for.
struct SourceMacro {
  std::vector<std::string> parameters;
  bool is_variadic = false;  // the last one stands for all that follow
  std::string body;
  bool operator==(const SourceMacro&) const = default;
};
using MacroTable = std::map<std::string, SourceMacro, std::less<>>;

// A function that is defined, a lambda that a variable holds, or a macro.
struct SourceFunction {
  SourceWord name;
  uint32_t last_line = 0;  // of its body
  bool is_macro = false;
  bool is_static = false;                    // also: a lambda
  std::vector<std::string> parameters = {};  // no macro's: the words between its parentheses
  std::vector<std::string> words = {};       // of a macro: those of its body, each once
  SourceMacro macro = {};                    // of a macro with parameters

  // Whether `word` is what it was given, where it is used within.
  bool HasParameter(std::string_view word) const;
};

// A macro or function that is used, and the words between its parentheses. `task->cl = &gemm_cl` is
// the use of a function "cl".
struct SourceCall {
  SourceWord name;
  uint32_t last_line = 0;  // of the closing parenthesis
  int32_t function = -1;   // the innermost one around it, by its number
  std::vector<std::string> words;
};

struct SourceCode {
  std::vector<SourceCodelet> codelets;
  std::vector<SourceModel> models;
  std::vector<SourceFunction> functions;
  std::vector<SourceCall> calls;       // in functions, in the order of the text
  std::vector<std::string> includes;   // "app.h" of #include "src/app.h"
  std::set<std::string> used_outside;  // names before a parenthesis outside of functions

  // The first function of that name, or nullptr.
  const SourceFunction* FindFunction(std::string_view name) const;
};

// `macros`: of other files, to be expanded (see macro_expansion.h); its own are in any case.
SourceCode ReadSourceCode(std::string_view source, const MacroTable& macros = {});

// Whether StarPU's function or macro `name` submits a task, or makes one to be submitted.
bool SubmitsTasks(std::string_view name);

// The identifier at byte `byte` of `line`, or "".
std::string_view WordAt(std::string_view line, size_t byte);

}  // namespace tasklens
