// SPDX-License-Identifier: Apache-2.0
// Splits a C or C++ source into words, string literals and punctuation. Skips comments and joins
// continued lines.
//
// Of the directives, macros and includes are collected separately; #if, #else and #endif are
// tokens; others are dropped. Tokens are views of the source, which must outlive them.
//
// Threads: a value.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "server/sources/source_code.h"

namespace tasklens {

inline bool IsWordByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

inline bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Removes the backslashes before quotes and backslashes: the value of a C string literal, and of a
// name in DOT.
std::string Unescaped(std::string_view text);

struct Token {
  enum Kind { kWord, kText, kMark, kIf, kElse, kEndIf, kEnd } kind = kEnd;
  std::string_view text;  // kText: without the quotes
  uint32_t line = 0;
  size_t byte = 0, width = 0;  // within the line

  bool Is(std::string_view other) const {
    return (kind == kWord || kind == kMark) && text == other;
  }
  bool IsAName() const {
    return kind == kWord && !std::isdigit(static_cast<unsigned char>(text[0]));
  }
  SourceWord Word() const { return {std::string(text), line, byte, byte + width}; }
};

struct LexedMacro {
  Token name;
  uint32_t last_line = 0;
  std::vector<std::string> parameters;
  bool is_variadic = false;  // the last parameter takes all further arguments
  std::vector<Token> body;
  std::string_view text;  // of the body
};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  void Read();
  // Reads the body of a macro, in which # begins no directive.
  void ReadBody();

  std::vector<Token> tokens;
  std::vector<LexedMacro> macros;
  std::vector<std::string> includes;

 private:
  char At(size_t offset) const {
    return at_ + offset < source_.size() ? source_[at_ + offset] : '\0';
  }
  void Step();
  void StepTo(size_t end);
  // The length of a backslash and line end that join two lines, or 0.
  size_t JoinedLine() const;
  // Skips blanks and comments. Returns false at the end of the text or, with `in_line`, of the
  // line.
  bool SkipBlanks(bool in_line);
  void ReadDirective();
  void Add(Token::Kind kind, Token token);
  void ReadMacro();
  void ReadParameters(LexedMacro& macro);
  bool ReadRawText(Token& token);
  Token Next();

  const std::string_view source_;
  size_t at_ = 0, line_begin_ = 0;
  uint32_t line_ = 0;
  bool is_line_start_ = true;
};

}  // namespace tasklens
