// SPDX-License-Identifier: Apache-2.0
// Macros that make words of what they are given, put in place of their uses: with
//
//   #define CL(x) cl_##x
//   #define SUBMIT(x, ...) starpu_task_insert(&CL(x), __VA_ARGS__)
//
// SUBMIT(gemm, 0) submits cl_gemm. Expanded are macros whose bodies paste words (##), use a
// parameter as a macro, or use such a macro; others say by their words what they do. All
// definitions count from the first line on, the last one of a name.
//
// Threads: pure functions. Time and memory are bounded by a constant times the tokens.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/sources/source_lexer.h"

namespace tasklens {

// Adds those of the macros `functions` that are to be expanded to `table`, and those that use them.
void AddPastingMacros(const std::vector<SourceFunction>& functions, MacroTable& table);

class MacroExpansion {
 public:
  explicit MacroExpansion(const MacroTable& macros) : macros_(macros) {}

  void Expand(const std::vector<Token>& tokens);

  // They are where they were used: words that were pasted at the argument, all others at the macro.
  std::vector<Token> tokens;
  // What was used, and at which of `tokens` its expansion begins.
  struct Use {
    size_t at;
    Token name;
    uint32_t last_line;
    std::vector<std::string> words;  // in the parentheses
  };
  std::vector<Use> uses;

 private:
  using Tokens = std::vector<Token>;
  struct Body {
    Tokens tokens;
    const SourceMacro* macro;
  };

  const Body* Find(std::string_view name);
  void Append(const Tokens& from, size_t depth, std::set<std::string_view>& active, Tokens& out);
  // The token behind the ")" of the arguments that begin behind `open`, 0: they do not end.
  static size_t ReadArguments(const Tokens& from, size_t open, std::vector<Tokens>& arguments);
  Tokens Substitute(const Body& body, const std::vector<Tokens>& arguments,
                    const std::vector<Tokens>& expanded, const Token& use);
  Token Pasted(const Token& left, const Token& right);
  Token Quoted(const Tokens& tokens, const Token& use);

  const MacroTable& macros_;
  std::map<std::string, Body, std::less<>> bodies_;
  std::deque<std::string> texts_;  // of tokens that were made
  size_t work_left_ = 0;
};

}  // namespace tasklens
