// SPDX-License-Identifier: Apache-2.0
// Reads each byte once.
#include "server/sources/source_lexer.h"

namespace tasklens {
namespace {

constexpr size_t kMaxIncludes = 1000;  // of a file

}  // namespace

std::string Unescaped(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain += text[i];
  }
  return plain;
}

void Lexer::Read() {
  while (SkipBlanks(false)) {
    if (At(0) == '#' && is_line_start_) {
      ReadDirective();
    } else {
      is_line_start_ = false;
      tokens.push_back(Next());
    }
  }
}

void Lexer::ReadBody() {
  while (SkipBlanks(false)) tokens.push_back(Next());
}

void Lexer::Step() {
  if (source_[at_++] != '\n') return;
  ++line_;
  line_begin_ = at_;
  is_line_start_ = true;
}

void Lexer::StepTo(size_t end) {
  while (at_ < std::min(end, source_.size())) Step();
}

size_t Lexer::JoinedLine() const {
  if (At(0) != '\\') return 0;
  return At(1) == '\n' ? 2 : At(1) == '\r' && At(2) == '\n' ? 3 : 0;
}

bool Lexer::SkipBlanks(bool in_line) {
  while (at_ < source_.size()) {
    if (const size_t joined = JoinedLine(); joined > 0) {
      const bool was_start = is_line_start_;
      StepTo(at_ + joined);
      is_line_start_ = was_start;
    } else if (in_line && At(0) == '\n') {
      return false;
    } else if (At(0) == '/' && At(1) == '/') {
      while (at_ < source_.size() && At(0) != '\n') StepTo(at_ + std::max<size_t>(JoinedLine(), 1));
    } else if (At(0) == '/' && At(1) == '*') {
      const bool was_start = is_line_start_;
      const size_t end = source_.find("*/", at_ + 2);
      StepTo(end == source_.npos ? end : end + 2);
      is_line_start_ = is_line_start_ || was_start;
    } else if (std::isspace(static_cast<unsigned char>(At(0)))) {
      Step();
    } else {
      return true;
    }
  }
  return false;
}

void Lexer::ReadDirective() {
  is_line_start_ = false;
  const Token mark = Next();
  Token name;
  if (SkipBlanks(true)) name = Next();
  if (name.Is("define")) {
    ReadMacro();
  } else if (name.Is("include")) {
    const Token file = SkipBlanks(true) ? Next() : Token();
    if (file.kind == Token::kText && includes.size() < kMaxIncludes)
      includes.emplace_back(file.text.substr(file.text.rfind('/') + 1));
  } else if (name.kind == Token::kWord && name.text.starts_with("if")) {
    Add(Token::kIf, mark);
  } else if (name.kind == Token::kWord && name.text.starts_with("el")) {
    Add(Token::kElse, mark);
  } else if (name.Is("endif")) {
    Add(Token::kEndIf, mark);
  }
  while (SkipBlanks(true)) Next();
}

void Lexer::Add(Token::Kind kind, Token token) {
  token.kind = kind;
  tokens.push_back(token);
}

void Lexer::ReadMacro() {
  if (!SkipBlanks(true)) return;
  LexedMacro macro;
  macro.name = Next();
  macro.last_line = line_;
  if (At(0) == '(') ReadParameters(macro);  // parameters follow without a blank
  if (SkipBlanks(true)) {
    const size_t begin = at_;
    do {
      macro.body.push_back(Next());
      macro.last_line = macro.body.back().line;
      macro.text = source_.substr(begin, at_ - begin);
    } while (SkipBlanks(true));
  }
  if (macro.name.IsAName()) macros.push_back(std::move(macro));
}

// (a, b, ...) or (a, rest...)
void Lexer::ReadParameters(LexedMacro& macro) {
  Next();
  bool is_named = false;
  while (SkipBlanks(true)) {
    const Token token = Next();
    if (token.Is(")")) return;
    if (token.Is(",")) is_named = false;
    if (token.Is(".") && !macro.is_variadic) {
      macro.is_variadic = true;
      if (!is_named) macro.parameters.emplace_back("__VA_ARGS__");
    }
    if (!token.IsAName()) continue;
    macro.parameters.emplace_back(token.text);
    is_named = true;
  }
}

// R"x( ... )x": the text between the parentheses.
bool Lexer::ReadRawText(Token& token) {
  const size_t open = source_.find('(', at_ + 1);
  if (open == source_.npos || open - at_ > 17) return false;
  const std::string end = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
  const size_t close = source_.find(end, open);
  token.kind = Token::kText;
  token.text = source_.substr(open + 1, close == source_.npos ? close : close - open - 1);
  StepTo(close == source_.npos ? close : close + end.size());
  return true;
}

Token Lexer::Next() {
  Token token;
  token.line = line_;
  token.byte = at_ - line_begin_;
  const size_t begin = at_;
  const char first = At(0);
  if (first == '"' || first == '\'') {
    token.kind = Token::kText;
    Step();
    while (at_ < source_.size() && At(0) != first && At(0) != '\n')
      StepTo(at_ + (At(0) == '\\' ? 2 : 1));
    token.text = source_.substr(begin + 1, at_ - begin - 1);
    if (at_ < source_.size() && At(0) == first) Step();
    return token;
  }
  const bool is_number = std::isdigit(static_cast<unsigned char>(first));
  token.kind = IsWordByte(first) ? Token::kWord : Token::kMark;
  do Step();
  while (token.kind == Token::kWord &&
         (IsWordByte(At(0)) || (is_number && At(0) == '\'' && IsWordByte(At(1)))));
  token.text = source_.substr(begin, at_ - begin);
  token.width = token.text.size();
  if (At(0) == '"' && IsOneOf(token.text, {"R", "LR", "uR", "UR", "u8R"})) ReadRawText(token);
  if (token.Is("-") && At(0) == '>') {  // treated as a dot
    Step();
    token.text = ".";
  }
  return token;
}

}  // namespace tasklens
