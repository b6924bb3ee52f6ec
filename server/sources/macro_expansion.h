// SPDX-License-Identifier: Apache-2.0
// Expands macros that build identifiers from their arguments. With
//
//   #define CL(x) cl_##x
//   #define SUBMIT(x, ...) starpu_task_insert(&CL(x), __VA_ARGS__)
//
// SUBMIT(gemm, 0) submits cl_gemm. Expanded are macros whose bodies paste tokens (##), use a
// parameter as a macro, or use such a macro; the bodies of other macros can be read as they are.
// All definitions count from the first line on; the last definition of a name wins.
//
// Threads: pure functions. Time and memory are linear in the number of tokens.
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

// Adds to `table` those of the macros `functions` that have to be expanded, and the macros that use
// them.
void AddPastingMacros(const std::vector<SourceFunction>& functions, MacroTable& table);

class MacroExpansion {
 public:
  explicit MacroExpansion(const MacroTable& macros) : macros_(macros) {}

  void Expand(const std::vector<Token>& tokens);

  // The expanded tokens. A token that was pasted has the position of the argument, all others that
  // of the macro's use.
  std::vector<Token> tokens;
  // A macro that was expanded, and the index in `tokens` where its expansion begins.
  struct Use {
    size_t at;
    Token name;
    uint32_t last_line;
    std::vector<std::string> words;  // the arguments
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
  // Returns the token after the ")" of the arguments, which begin after `open`; 0 if there is no
  // ")".
  static size_t ReadArguments(const Tokens& from, size_t open, std::vector<Tokens>& arguments);
  Tokens Substitute(const Body& body, const std::vector<Tokens>& arguments,
                    const std::vector<Tokens>& expanded, const Token& use);
  Token Pasted(const Token& left, const Token& right);
  Token Quoted(const Tokens& tokens, const Token& use);

  const MacroTable& macros_;
  std::map<std::string, Body, std::less<>> bodies_;
  std::deque<std::string> texts_;  // owns the texts of tokens that were made
  size_t work_left_ = 0;
};

}  // namespace tasklens
