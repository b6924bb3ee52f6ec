// SPDX-License-Identifier: Apache-2.0
// Expands macros like a preprocessor, as far as sources with tasks need it.
#include "server/sources/macro_expansion.h"

#include <utility>

namespace tasklens {
namespace {

constexpr size_t kMaxDepth = 8;       // depth of nested macros
constexpr size_t kMaxAhead = 4096;    // tokens between the parentheses of a use
constexpr size_t kMaxArguments = 64;  // of a use
constexpr size_t kMaxWords = 64;      // words kept for each use
constexpr size_t kWorkPerToken = 16;  // limit of tokens visited, for each token of the source
constexpr size_t kWork = 16384;       // and at least this many
constexpr size_t kMaxMacroTokens = 4096;

bool IsPaste(const std::vector<Token>& tokens, size_t i) {
  return i + 1 < tokens.size() && tokens[i].Is("#") && tokens[i + 1].Is("#");
}

size_t ParameterOf(const SourceMacro& macro, const Token& token) {
  if (!token.IsAName()) return SIZE_MAX;
  const auto& names = macro.parameters;
  const auto it = std::find(names.begin(), names.end(), token.text);
  if (it != names.end()) return static_cast<size_t>(it - names.begin());
  return SIZE_MAX;
}

// True if `body` uses `parameter` before a parenthesis.
bool IsUsedAsMacro(std::string_view body, std::string_view parameter) {
  for (size_t at = body.find(parameter); at != body.npos; at = body.find(parameter, at + 1)) {
    const size_t end = at + parameter.size();
    if ((at == 0 || !IsWordByte(body[at - 1])) && end < body.size() && body[end] == '(')
      return true;
  }
  return false;
}

// ", ##__VA_ARGS__" does not paste words.
bool PastesWords(std::string_view body) {
  for (size_t at = body.find("##"); at != body.npos; at = body.find("##", at + 2)) {
    const size_t before = body.find_last_not_of(' ', at == 0 ? 0 : at - 1);
    if (at == 0 || before == body.npos || body[before] != ',') return true;
  }
  return false;
}

// Searches the text without splitting it, because this runs for all macros of a workspace.
bool MakesWords(const SourceFunction& function, const MacroTable& table) {
  const SourceMacro& macro = function.macro;
  if (PastesWords(macro.body)) return true;
  const auto is_used = [&](const std::string& name) { return IsUsedAsMacro(macro.body, name); };
  const auto is_one = [&](const std::string& word) { return table.contains(word); };
  return std::any_of(macro.parameters.begin(), macro.parameters.end(), is_used) ||
         std::any_of(function.words.begin(), function.words.end(), is_one);
}

}  // namespace

void AddPastingMacros(const std::vector<SourceFunction>& functions, MacroTable& table) {
  bool is_new = true;
  for (size_t round = 0; round < kMaxDepth && is_new; ++round) {
    is_new = false;
    for (const SourceFunction& function : functions) {
      if (!function.is_macro || function.macro.parameters.empty()) continue;
      const auto known = table.find(function.name.text);
      if (known != table.end() && known->second == function.macro) continue;
      if (!MakesWords(function, table)) continue;
      table[function.name.text] = function.macro;
      is_new = true;
    }
  }
}

void MacroExpansion::Expand(const Tokens& from) {
  work_left_ = kWork + kWorkPerToken * from.size();
  std::set<std::string_view> active;
  Append(from, 0, active, tokens);
}

const MacroExpansion::Body* MacroExpansion::Find(std::string_view name) {
  const auto macro = macros_.find(name);
  if (macro == macros_.end()) return nullptr;
  const auto [it, is_new] = bodies_.try_emplace(std::string(name));
  if (is_new) {
    Lexer lexer(macro->second.body);
    lexer.ReadBody();
    it->second = {std::move(lexer.tokens), &macro->second};
  }
  return &it->second;
}

void MacroExpansion::Append(const Tokens& from, size_t depth, std::set<std::string_view>& active,
                            Tokens& out) {
  for (size_t i = 0; i < from.size(); ++i) {
    const Token& token = from[i];
    const Body* body = nullptr;
    if (token.IsAName() && i + 1 < from.size() && from[i + 1].Is("(") && depth < kMaxDepth &&
        !active.contains(token.text))
      body = Find(token.text);
    std::vector<Tokens> arguments;
    const size_t end = body ? ReadArguments(from, i + 1, arguments) : 0;
    const size_t cost = body ? body->tokens.size() + (end - std::min(end, i)) : 1;
    if (end == 0 || cost > work_left_) {
      if (depth > 0 && work_left_ == 0) return;
      work_left_ -= std::min<size_t>(work_left_, depth > 0 ? 1 : 0);
      out.push_back(token);
      continue;
    }
    work_left_ -= cost;
    if (depth == 0) {
      Use use{out.size(), token, from[end - 1].line, {}};
      for (const Tokens& argument : arguments)
        for (const Token& word : argument)
          if (word.IsAName() && use.words.size() < kMaxWords) use.words.emplace_back(word.text);
      uses.push_back(std::move(use));
    }
    std::vector<Tokens> expanded(arguments.size());
    for (size_t k = 0; k < arguments.size(); ++k)
      Append(arguments[k], depth + 1, active, expanded[k]);
    const Tokens made = Substitute(*body, arguments, expanded, token);
    active.insert(token.text);
    Append(made, depth + 1, active, out);
    active.erase(token.text);
    i = end - 1;
  }
}

size_t MacroExpansion::ReadArguments(const Tokens& from, size_t open,
                                     std::vector<Tokens>& arguments) {
  arguments.emplace_back();
  size_t inside = 0;
  for (size_t i = open + 1; i < std::min(from.size(), open + kMaxAhead); ++i) {
    const Token& token = from[i];
    if (token.Is(")") && inside-- == 0) return i + 1;
    if (token.Is("(")) ++inside;
    if (token.Is(",") && inside == 0 && arguments.size() < kMaxArguments) {
      arguments.emplace_back();
    } else if (token.kind == Token::kWord || token.kind == Token::kText ||
               token.kind == Token::kMark) {
      arguments.back().push_back(token);
    }
  }
  return 0;
}

MacroExpansion::Tokens MacroExpansion::Substitute(const Body& body,
                                                  const std::vector<Tokens>& arguments,
                                                  const std::vector<Tokens>& expanded,
                                                  const Token& use) {
  const SourceMacro& macro = *body.macro;
  const auto value = [&](const std::vector<Tokens>& of, size_t parameter) {
    Tokens all;
    const bool is_rest = macro.is_variadic && parameter + 1 == macro.parameters.size();
    for (size_t k = parameter; k < of.size(); ++k) {
      if (k > parameter) all.push_back({Token::kMark, ",", use.line, use.byte, 1});
      all.insert(all.end(), of[k].begin(), of[k].end());
      if (!is_rest) break;
    }
    return all;
  };
  Tokens made;
  bool is_pasting = false;
  for (size_t i = 0; i < body.tokens.size() && made.size() < kMaxMacroTokens; ++i) {
    if (IsPaste(body.tokens, i)) {
      is_pasting = true;
      ++i;
      continue;
    }
    Tokens next;
    const size_t parameter = ParameterOf(macro, body.tokens[i]);
    if (parameter != SIZE_MAX) {
      next = value(is_pasting || IsPaste(body.tokens, i + 1) ? arguments : expanded, parameter);
    } else if (const size_t quoted = body.tokens[i].Is("#") && i + 1 < body.tokens.size()
                                         ? ParameterOf(macro, body.tokens[i + 1])
                                         : SIZE_MAX;
               quoted != SIZE_MAX) {
      next = {Quoted(value(arguments, quoted), use)};
      ++i;
    } else {
      next = {body.tokens[i]};
      next[0].line = use.line;
      next[0].byte = use.byte;
      next[0].width = use.width;
    }
    const bool is_comma = !made.empty() && made.back().Is(",");
    if (is_pasting && is_comma) {  // , ## __VA_ARGS__
      if (next.empty()) made.pop_back();
    } else if (is_pasting && !made.empty() && !next.empty()) {
      // The pasted token has the position of the argument.
      const Token left = made.back();
      made.back() = Pasted(left, next[0]);
      const Token& place = parameter != SIZE_MAX ? next[0] : left;
      made.back().line = place.line;
      made.back().byte = place.byte;
      made.back().width = place.width;
      next.erase(next.begin());
    }
    is_pasting = false;
    made.insert(made.end(), next.begin(), next.end());
  }
  return made;
}

Token MacroExpansion::Pasted(const Token& left, const Token& right) {
  Token token = left;
  token.text = texts_.emplace_back(std::string(left.text) + std::string(right.text));
  return token;
}

Token MacroExpansion::Quoted(const Tokens& tokens, const Token& use) {
  std::string text;
  for (const Token& token : tokens) {
    if (!text.empty()) text += ' ';
    text += token.text;
  }
  return {Token::kText, texts_.emplace_back(std::move(text)), use.line, use.byte, use.width};
}

}  // namespace tasklens
