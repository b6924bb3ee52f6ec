// SPDX-License-Identifier: Apache-2.0
// A small lexer, and two patterns over its words.
#include "server/session/codelets.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace tasklens {
namespace {

bool IsWordByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

struct Token {
  enum Kind { kWord, kText, kMark, kEnd } kind = kEnd;
  SourceWord word;  // of kText: without the quotes
  bool Is(std::string_view text) const { return kind != kText && word.text == text; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> All() {
    std::vector<Token> tokens;
    while (SkipBlanks()) tokens.push_back(Next());
    return tokens;
  }

 private:
  char At(size_t offset) const {
    return at_ + offset < source_.size() ? source_[at_ + offset] : '\0';
  }
  void Step() {
    if (source_[at_++] != '\n') return;
    ++line_;
    line_begin_ = at_;
  }
  void StepTo(size_t end) {
    while (at_ < std::min(end, source_.size())) Step();
  }

  // False at the end.
  bool SkipBlanks() {
    while (at_ < source_.size()) {
      if (At(0) == '/' && At(1) == '/') {
        StepTo(source_.find('\n', at_));
      } else if (At(0) == '/' && At(1) == '*') {
        const size_t end = source_.find("*/", at_ + 2);
        StepTo(end == source_.npos ? end : end + 2);
      } else if (std::isspace(static_cast<unsigned char>(At(0)))) {
        Step();
      } else {
        return true;
      }
    }
    return false;
  }

  Token Next() {
    Token token;
    token.word.line = line_;
    token.word.begin_byte = at_ - line_begin_;
    const size_t begin = at_;
    const char first = At(0);
    if (first == '"' || first == '\'') {
      token.kind = Token::kText;
      Step();
      while (at_ < source_.size() && At(0) != first && At(0) != '\n') {
        if (At(0) == '\\' && at_ + 1 < source_.size()) Step();
        token.word.text += At(0);
        Step();
      }
      if (at_ < source_.size() && At(0) == first) Step();
    } else {
      token.kind = IsWordByte(first) ? Token::kWord : Token::kMark;
      do Step();
      while (token.kind == Token::kWord && IsWordByte(At(0)));
      token.word.text = source_.substr(begin, at_ - begin);
    }
    token.word.end_byte = token.word.begin_byte + (at_ - begin);
    return token;
  }

  std::string_view source_;
  size_t at_ = 0, line_begin_ = 0;
  uint32_t line_ = 0;
};

bool IsKernelField(std::string_view field) {
  for (const std::string_view kind : {"cpu", "cuda", "opencl", "hip", "max_fpga", "mpi_ms"})
    if (field.starts_with(kind) && (field.ends_with("_func") || field.ends_with("_funcs")))
      return true;
  return false;
}

class Finder {
 public:
  explicit Finder(std::string_view source) : tokens_(Lexer(source).All()) {}

  std::vector<SourceCodelet> Codelets() {
    for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (tokens_[i].Is("starpu_codelet") && tokens_[i + 1].kind == Token::kWord) {
        SourceCodelet& codelet = codelets_.emplace_back();
        codelet.variable = tokens_[i + 1].word;
        if (At(i + 2).Is("=") && At(i + 3).Is("{")) ReadInitializer(i + 4, codelet);
      } else if (tokens_[i].Is("starpu_perfmodel") && tokens_[i + 1].kind == Token::kWord) {
        symbols_.emplace(tokens_[i + 1].word.text, SymbolBehind(i + 2));
      } else if (tokens_[i].kind == Token::kWord && tokens_[i + 1].Is(".")) {
        ReadAssignment(i);
      }
    }
    for (SourceCodelet& codelet : codelets_)
      if (const auto it = symbols_.find(model_of_[codelet.variable.text]); it != symbols_.end())
        codelet.symbol = it->second;
    return std::move(codelets_);
  }

  SourceWord Function(std::string_view name) const {
    int depth = 0;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].Is("{")) ++depth;
      if (tokens_[i].Is("}")) depth = std::max(depth - 1, 0);
      if (depth > 0 || !tokens_[i].Is(name) || !At(i + 1).Is("(")) continue;
      size_t end = i + 1;
      for (int open = 0; end < tokens_.size(); ++end) {
        if (tokens_[end].Is("(")) ++open;
        if (tokens_[end].Is(")") && --open == 0) break;
      }
      if (At(end + 1).Is("{")) return tokens_[i].word;
    }
    SourceWord none;
    none.line = UINT32_MAX;
    return none;
  }

 private:
  const Token& At(size_t index) const {
    static const Token kNothing;
    return index < tokens_.size() ? tokens_[index] : kNothing;
  }

  // The perfmodel's symbol in `= {.symbol = "..."}`, or "".
  std::string SymbolBehind(size_t i) const {
    for (; i < tokens_.size() && !tokens_[i].Is("}") && !tokens_[i].Is(";"); ++i)
      if (tokens_[i].Is("symbol") && At(i + 1).Is("=") && At(i + 2).kind == Token::kText)
        return At(i + 2).word.text;
    return "";
  }

  // From behind the "{" to its "}".
  void ReadInitializer(size_t i, SourceCodelet& codelet) {
    for (int depth = 1; i < tokens_.size() && depth > 0; ++i) {
      if (tokens_[i].Is("{")) ++depth;
      if (tokens_[i].Is("}")) --depth;
      if (depth == 1 && tokens_[i].Is(".") && At(i + 2).Is("="))
        ReadField(At(i + 1).word.text, i + 3, codelet);
    }
  }

  // variable.field = value; and variable.field[0] = value;
  void ReadAssignment(size_t i) {
    const auto codelet = std::find_if(codelets_.begin(), codelets_.end(), [&](const auto& known) {
      return known.variable.text == tokens_[i].word.text;
    });
    if (codelet == codelets_.end()) return;
    size_t value = i + 3;
    if (At(value).Is("[")) value += 3;
    if (At(value).Is("=")) ReadField(At(i + 2).word.text, value + 1, *codelet);
  }

  void ReadField(const std::string& field, size_t value, SourceCodelet& codelet) {
    if (field == "model" && At(value).Is("&"))
      model_of_[codelet.variable.text] = At(value + 1).word.text;
    if (field == "name" && At(value).kind == Token::kText) codelet.name = At(value).word.text;
    if (!IsKernelField(field)) return;
    const bool is_list = At(value).Is("{");
    for (size_t i = value + (is_list ? 1 : 0); i < tokens_.size(); ++i) {
      if (tokens_[i].kind == Token::kWord && tokens_[i].word.text != "NULL")
        codelet.kernels.push_back(tokens_[i].word);
      if (tokens_[i].Is("}") || tokens_[i].Is(";") || (!is_list && tokens_[i].Is(","))) return;
    }
  }

  std::vector<Token> tokens_;
  std::vector<SourceCodelet> codelets_;
  std::map<std::string, std::string> model_of_;  // by codelet's variable: the perfmodel's
  std::map<std::string, std::string> symbols_;   // by perfmodel's variable
};

}  // namespace

std::vector<SourceCodelet> FindCodelets(std::string_view source) {
  return Finder(source).Codelets();
}

std::string_view WordAt(std::string_view line, size_t byte) {
  size_t begin = std::min(byte, line.size()), end = begin;
  while (begin > 0 && IsWordByte(line[begin - 1])) --begin;
  while (end < line.size() && IsWordByte(line[end])) ++end;
  return line.substr(begin, end - begin);
}

SourceWord FindFunction(std::string_view source, std::string_view word) {
  return Finder(source).Function(word);
}

}  // namespace tasklens
