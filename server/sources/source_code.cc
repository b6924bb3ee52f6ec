// SPDX-License-Identifier: Apache-2.0
// Walks through the tokens and keeps track of the enclosing braces.
#include "server/sources/source_code.h"

#include <algorithm>
#include <unordered_map>

#include "server/sources/macro_expansion.h"
#include "server/sources/source_lexer.h"

namespace tasklens {
namespace {

// Limits; input beyond them is skipped. No real program comes near.
constexpr size_t kMaxWords = 64;          // remembered of one call or macro
constexpr size_t kMaxWordsPerToken = 2;   // for all calls: words in nested parentheses count often
constexpr size_t kMaxAhead = 1024;        // words searched for the end of something unfinished
constexpr size_t kMaxDepth = 256;         // of braces
constexpr size_t kMaxKernels = 64;        // of a codelet
constexpr size_t kMaxCodelets = 4096;     // of a file
constexpr size_t kMaxBehind = 32;         // words examined before a brace
constexpr size_t kMaxUsedOutside = 4096;  // names used outside of functions
constexpr size_t kMaxMacroBytes = 16384;  // of the body of a macro

bool IsNothing(std::string_view word) { return IsOneOf(word, {"NULL", "nullptr", "0"}); }

// Keywords that stand before a parenthesis without calling anything.
bool IsKeyword(std::string_view word) {
  return IsOneOf(
      word, {"if", "for", "while", "switch", "return", "sizeof", "catch", "alignof", "decltype",
             "noexcept", "static_assert", "defined", "__attribute__", "break", "continue"});
}

bool IsKernelField(std::string_view field) {
  if (!field.ends_with("_func") && !field.ends_with("_funcs")) return false;
  for (const std::string_view kind : {"cpu", "cuda", "opencl", "hip", "max_fpga", "mpi_ms"})
    if (field.starts_with(kind)) return true;
  return false;
}

bool IsCodeletField(std::string_view field) {
  return IsKernelField(field) || field == "name" || field == "model";
}

class Reader {
 public:
  Reader(std::string_view source, const MacroTable& macros) : macros_(macros), expansion_(macros_) {
    Lexer lexer(source);
    lexer.Read();
    code_.includes = std::move(lexer.includes);
    for (const LexedMacro& macro : lexer.macros) AddMacro(macro);
    AddPastingMacros(code_.functions, macros_);
    if (macros_.empty()) {
      tokens_ = std::move(lexer.tokens);
    } else {
      expansion_.Expand(lexer.tokens);
      tokens_ = std::move(expansion_.tokens);
    }
    words_left_ = kMaxWordsPerToken * tokens_.size();
    FindEnds();
  }

  SourceCode Read() {
    std::vector<std::vector<Scope>> branches;  // the open scopes at each #if
    auto use = expansion_.uses.begin();
    for (size_t i = 0; i < tokens_.size(); ++i) {
      for (; use != expansion_.uses.end() && use->at == i; ++use) AddUse(*use);
      const Token& token = tokens_[i];
      if (token.kind == Token::kIf && branches.size() < kMaxDepth) branches.push_back(scopes_);
      if (token.kind == Token::kElse && !branches.empty()) scopes_ = branches.back();
      if (token.kind == Token::kEndIf && !branches.empty()) branches.pop_back();
      if (token.Is("{")) Open(i);
      if (token.Is("}")) Close(token.line);
      if (token.IsAName()) ReadWord(i);
    }
    for (SourceCodelet& codelet : code_.codelets)
      if (const auto model = model_of_.find(codelet.model); model != model_of_.end())
        codelet.symbol = code_.models[model->second].symbol;
    // A pointer is not a codelet, unless a codelet is filled through it; nor is another variable
    // with a name.
    std::erase_if(code_.codelets, [&](const SourceCodelet& codelet) {
      return !codelet.is_defined && codelet.kernels.empty();
    });
    return std::move(code_);
  }

 private:
  // The kind of a brace: a function, a list of declarations, or another.
  struct Scope {
    enum Kind : uint8_t { kDeclarations, kFunction, kOther } kind;
    int32_t function;
  };

  // The name of a function and the parenthesis of its parameters; SIZE_MAX: none.
  struct Signature {
    size_t name = SIZE_MAX, open = SIZE_MAX;
    bool is_lambda = false;
  };

  const Token& At(size_t index) const {
    static const Token kNothing;
    return index < tokens_.size() ? tokens_[index] : kNothing;
  }
  int32_t Function() const { return scopes_.empty() ? -1 : scopes_.back().function; }
  bool IsAmongDeclarations() const {
    return scopes_.empty() || scopes_.back().kind == Scope::kDeclarations;
  }

  // Maps each opening bracket to its closing one and back; an unmatched bracket to itself.
  void FindEnds() {
    other_.resize(tokens_.size());
    std::vector<size_t> open;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      other_[i] = i;
      if (tokens_[i].Is("(") || tokens_[i].Is("{") || tokens_[i].Is("[")) open.push_back(i);
      const char* begin = tokens_[i].Is(")") ? "(" : tokens_[i].Is("}") ? "{" : "[";
      if (!tokens_[i].Is(")") && !tokens_[i].Is("}") && !tokens_[i].Is("]")) continue;
      // Drops unmatched brackets, so that one mistake does not spoil the rest. A closing brace ends
      // all open parentheses, but not the other way round.
      size_t at = open.size();
      while (at > 0 && open.size() - at < kMaxDepth && !tokens_[open[at - 1]].Is(begin) &&
             (begin[0] == '{' || !tokens_[open[at - 1]].Is("{")))
        --at;
      if (at == 0 || !tokens_[open[at - 1]].Is(begin)) continue;
      other_[i] = open[at - 1];
      other_[open[at - 1]] = i;
      open.resize(at - 1);
    }
  }

  void Open(size_t i) {
    if (scopes_.size() >= kMaxDepth) return void(++too_deep_);
    Scope scope{Scope::kOther, Function()};
    if (IsAmongDeclarations() && IsDeclarationList(i)) {
      scope.kind = Scope::kDeclarations;
    } else if (const Signature signature = SignatureBefore(i);
               signature.name != SIZE_MAX && (signature.is_lambda || IsAmongDeclarations())) {
      scope = {Scope::kFunction, static_cast<int32_t>(code_.functions.size())};
      AddFunction(signature, i);
    }
    scopes_.push_back(scope);
  }

  void AddFunction(const Signature& signature, size_t brace) {
    SourceFunction function{tokens_[signature.name].Word(), tokens_[other_[brace]].line};
    function.is_static = signature.is_lambda;
    for (size_t i = signature.name; i > 0 && signature.name - i < kMaxBehind; --i) {
      const Token& token = tokens_[i - 1];
      if (token.Is(";") || token.Is("{") || token.Is("}")) break;
      function.is_static = function.is_static || token.Is("static");
    }
    if (signature.open != SIZE_MAX)
      AddWords(signature.open + 1, other_[signature.open], function.parameters);
    code_.functions.push_back(std::move(function));
  }

  void Close(uint32_t line) {
    if (too_deep_ > 0) return void(--too_deep_);
    if (scopes_.empty()) return;
    const Scope scope = scopes_.back();
    scopes_.pop_back();
    if (scope.kind == Scope::kFunction)
      code_.functions[static_cast<size_t>(scope.function)].last_line = line;
  }

  // namespace a::b {, class c : d {, extern "C" {
  bool IsDeclarationList(size_t brace) const {
    if (brace > 1 && tokens_[brace - 1].kind == Token::kText && tokens_[brace - 2].Is("extern"))
      return true;
    for (size_t i = brace; i > 0 && brace - i < kMaxBehind; --i) {
      const Token& token = tokens_[i - 1];
      if (token.Is(";") || token.Is("{") || token.Is("}") || token.Is("=") || token.Is(")"))
        return false;
      if (token.kind == Token::kWord &&
          IsOneOf(token.text, {"namespace", "class", "struct", "union"}))
        return true;
    }
    return false;
  }

  // Finds the signature of the body that begins at `brace`: the word before its parameters, or the
  // variable in `name = [](...) {`.
  Signature SignatureBefore(size_t brace) const {
    const Signature none;
    for (size_t i = brace; i > 0 && brace - i < kMaxBehind;) {
      const Token& token = tokens_[i - 1];
      if (token.Is("]")) return LambdaBefore(i - 1, SIZE_MAX);
      if (token.Is(")")) {
        const size_t open = other_[i - 1];
        if (open == i - 1 || open == 0) return none;
        const Token& before = tokens_[open - 1];
        if (before.Is("]")) return LambdaBefore(open - 1, open);
        if (before.IsAName() && !IsKeyword(before.text)) return {open - 1, open};
        i = open - 1;  // noexcept(...), __attribute__((...))
        if (!before.IsAName()) return none;
      } else if (token.kind == Token::kWord || token.Is(".") || token.Is(":") || token.Is("*") ||
                 token.Is("&") || token.Is("<") || token.Is(">")) {
        --i;  // const, override, -> int
      } else {
        return none;
      }
    }
    return none;
  }
  // `captures`: the closing bracket of the captures; `open`: the parenthesis of the parameters.
  Signature LambdaBefore(size_t captures, size_t open) const {
    const size_t begin = other_[captures];
    if (begin == captures || begin < 2 || !tokens_[begin - 1].Is("=") ||
        !tokens_[begin - 2].IsAName())
      return {};
    return {begin - 2, open, /*is_lambda=*/true};
  }

  void ReadWord(size_t i) {
    const Token& token = tokens_[i];
    if (token.text == "starpu_codelet") {
      ReadCodelets(i);
    } else if (token.text == "starpu_perfmodel" && At(i + 1).IsAName()) {
      model_of_[std::string(At(i + 1).text)] = code_.models.size();
      code_.models.push_back({std::string(At(i + 1).text), SymbolBehind(i + 2)});
    } else if (size_t dot = BehindIndex(i + 1); At(dot).Is(".") && At(dot + 1).IsAName()) {
      ReadAssignment(i, dot + 1);
    }
    const bool is_used = At(i + 1).Is("(") || (At(i + 1).Is(";") && i > 0 &&
                                               (tokens_[i - 1].Is(";") || tokens_[i - 1].Is("{") ||
                                                tokens_[i - 1].Is("}") || tokens_[i - 1].Is(")")));
    if (is_used && Function() >= 0 && !IsKeyword(token.text)) AddCall(i, i + 1);
    if (is_used && Function() < 0 && code_.used_outside.size() < kMaxUsedOutside)
      code_.used_outside.emplace(token.text);
  }

  // Skips the indices [..][..] that follow.
  size_t BehindIndex(size_t i) const {
    while (At(i).Is("[") && other_[i] > i) i = other_[i] + 1;
    return i;
  }

  void AddCall(size_t name, size_t open) {
    SourceCall call{tokens_[name].Word(), tokens_[name].line, Function(), {}};
    if (At(open).Is("(")) {
      const size_t end = other_[open] > open ? other_[open] : open;
      call.last_line = tokens_[end].line;
      AddWords(open + 1, end, call.words);
    }
    code_.calls.push_back(std::move(call));
  }

  void AddWords(size_t begin, size_t end, std::vector<std::string>& words) {
    for (size_t i = begin; i < end && words.size() < kMaxWords && words_left_ > 0; ++i) {
      if (!tokens_[i].IsAName()) continue;
      words.emplace_back(tokens_[i].text);
      --words_left_;
    }
  }

  // Adds the use of a macro that was expanded.
  void AddUse(const MacroExpansion::Use& use) {
    if (Function() >= 0)
      code_.calls.push_back({use.name.Word(), use.last_line, Function(), use.words});
    else if (code_.used_outside.size() < kMaxUsedOutside)
      code_.used_outside.emplace(use.name.text);
  }

  void AddMacro(const LexedMacro& macro) {
    SourceFunction function{macro.name.Word(), macro.last_line, true};
    if (!macro.parameters.empty())
      function.macro = {macro.parameters, macro.is_variadic,
                        std::string(macro.text.substr(0, kMaxMacroBytes))};
    for (const Token& token : macro.body)
      if (token.IsAName() && function.words.size() < kMaxWords &&
          std::find(function.words.begin(), function.words.end(), token.text) ==
              function.words.end())
        function.words.emplace_back(token.text);
    code_.functions.push_back(std::move(function));
  }

  // struct starpu_codelet a = {...}, b[2] = {{...}, {...}}, *c = &a;
  void ReadCodelets(size_t type) {
    bool is_static = false, is_extern = false;
    for (size_t i = type; i > 0 && type - i < kMaxBehind; --i) {
      const Token& token = tokens_[i - 1];
      if (token.kind != Token::kWord && token.kind != Token::kText) break;
      is_static = is_static || token.Is("static");
      is_extern = is_extern || token.Is("extern");
    }
    size_t i = type + 1;
    while (true) {
      bool is_pointer = false;
      for (; At(i).Is("*") || At(i).Is("&") || At(i).Is("const"); ++i)
        is_pointer = is_pointer || !At(i).Is("const");
      if (!At(i).IsAName() || code_.codelets.size() >= kMaxCodelets) return;
      const Token name = tokens_[i];
      i = BehindIndex(i + 1);
      // A function, or the type of the next parameter, follows.
      if (At(i).Is("(") || At(i).IsAName() || At(i).Is("*")) return;
      SourceCodelet codelet;
      codelet.variable = name.Word();
      codelet.is_static = is_static;
      const bool is_initialized = At(i).Is("=") || At(i).Is("{");
      codelet.is_defined = !is_pointer && (!is_extern || is_initialized);
      if (At(i).Is("=")) ++i;
      if (At(i).Is("{") && other_[i] > i) {
        ReadInitializer(i + 1, other_[i], codelet);
        i = other_[i] + 1;
      } else {
        // The text may be unfinished: reads the part that is there.
        if (At(i).Is("{"))
          return ReadInitializer(i + 1, std::min(tokens_.size(), i + kMaxAhead), codelet);
        Add(std::move(codelet));
        if (is_initialized) i = EndOfValue(i);
      }
      if (!At(i).Is(",") || At(i + 1).Is("struct")) return;
      ++i;
    }
  }

  // Returns the ",", ";" or closing bracket after the expression at `i`.
  size_t EndOfValue(size_t i) const {
    for (const size_t limit = i + kMaxAhead; i < std::min(tokens_.size(), limit); ++i) {
      if (tokens_[i].Is(",") || tokens_[i].Is(";") || tokens_[i].Is(")") || tokens_[i].Is("}"))
        return i;
      if (other_[i] > i) i = other_[i];
    }
    return i;
  }

  // Reads the initializer of a codelet or of an array of codelets.
  void ReadInitializer(size_t begin, size_t end, const SourceCodelet& empty) {
    SourceCodelet own = empty;
    bool is_array = false;
    for (size_t i = begin; i < end; ++i) {
      if (tokens_[i].Is(".") && At(i + 1).IsAName() && At(i + 2).Is("=")) {
        ReadField(At(i + 1).text, i + 3, own);
      } else if (tokens_[i].Is("{") && other_[i] > i && other_[i] <= end &&
                 (i == begin || tokens_[i - 1].Is(",") || tokens_[i - 1].Is("=")) &&
                 (At(i + 1).Is(".") || At(i + 1).Is("}")) && !IsFieldValue(i)) {
        SourceCodelet element = empty;
        for (size_t k = i + 1; k < other_[i]; ++k) {
          if (tokens_[k].Is(".") && At(k + 1).IsAName() && At(k + 2).Is("="))
            ReadField(At(k + 1).text, k + 3, element);
          else if (other_[k] > k)
            k = other_[k];
        }
        is_array = true;
        if (code_.codelets.size() < kMaxCodelets) Add(std::move(element));
      }
      if (other_[i] > i) i = std::min(other_[i], end);
    }
    if (!is_array) Add(std::move(own));
  }
  void Add(SourceCodelet codelet) {
    codelet_of_[codelet.variable.text] = code_.codelets.size();
    code_.codelets.push_back(std::move(codelet));
  }
  // True if the brace at `i` is the value of a field: ".field = {".
  bool IsFieldValue(size_t i) const {
    return i >= 3 && tokens_[i - 1].Is("=") && tokens_[i - 3].Is(".");
  }

  // cl.field = value; cl[0].cpu_funcs[1] = value; task->cl = &codelet; model.symbol = "name";
  void ReadAssignment(size_t variable, size_t field) {
    const size_t equals = BehindIndex(field + 1);
    if (!At(equals).Is("=") || At(equals + 1).Is("=")) return;
    const size_t value = equals + 1;
    const std::string_view name = tokens_[field].text;
    if (name == "cl" && At(value).Is("&") && Function() >= 0) {
      SourceCall call{tokens_[field].Word(), tokens_[field].line, Function(), {}};
      call.words.emplace_back(At(value + 1).text);
      code_.calls.push_back(std::move(call));
    } else if (name == "symbol" && At(value).kind == Token::kText) {
      const auto model = model_of_.find(std::string(tokens_[variable].text));
      if (model != model_of_.end()) code_.models[model->second].symbol = TextAt(value);
    } else if (IsCodeletField(name)) {
      const auto known = codelet_of_.find(std::string(tokens_[variable].text));
      if (known != codelet_of_.end()) return ReadField(name, value, code_.codelets[known->second]);
      if (code_.codelets.size() >= kMaxCodelets) return;
      SourceCodelet codelet;
      codelet.variable = tokens_[variable].Word();
      codelet.is_defined = false;
      ReadField(name, value, codelet);
      Add(std::move(codelet));
    }
  }

  // Returns the symbol of the perfmodel in `= {.symbol = "..."}`, or "".
  std::string SymbolBehind(size_t i) const {
    for (const size_t limit = i + kMaxAhead;
         i < std::min(tokens_.size(), limit) && !tokens_[i].Is("}") && !tokens_[i].Is(";"); ++i)
      if (tokens_[i].Is("symbol") && At(i + 1).Is("=")) return TextAt(i + 2);
    return "";
  }

  // Adjacent string literals are joined.
  std::string TextAt(size_t i) const {
    std::string text;
    for (; At(i).kind == Token::kText; ++i) text += Unescaped(At(i).text);
    return text;
  }

  void ReadField(std::string_view field, size_t value, SourceCodelet& codelet) const {
    if (field == "model" && At(value).Is("&")) codelet.model = At(value + 1).text;
    if (field == "name" && At(value).kind == Token::kText) codelet.name = TextAt(value);
    if (!IsKernelField(field)) return;
    if (!At(value).Is("{")) return AddKernel(value, EndOfValue(value), codelet);
    const size_t end =
        other_[value] > value ? other_[value] : std::min(tokens_.size(), value + kMaxAhead);
    for (size_t i = value + 1; i < end && codelet.kernels.size() < kMaxKernels; ++i) {
      const size_t next = std::min(EndOfValue(i), end);
      AddKernel(i, next, codelet);
      i = next;
    }
  }

  // Adds the function that an expression names: gemm, &ns::gemm, (type)gemm,
  // static_cast<type>(gemm), gemm<double>.
  void AddKernel(size_t begin, size_t end, SourceCodelet& codelet) const {
    const Token* name = nullptr;
    for (size_t i = begin; i < end; ++i) {
      if (tokens_[i].Is("(") && !name && other_[i] > i && other_[i] + 1 < end) {
        i = other_[i];  // a cast
      } else if (tokens_[i].IsAName() && tokens_[i].text.ends_with("_cast")) {
        while (i + 1 < end && !tokens_[i + 1].Is("(")) ++i;
      } else if (tokens_[i].Is("<") && name) {
        break;
      } else if (tokens_[i].IsAName()) {
        name = &tokens_[i];
      }
    }
    if (name && !IsNothing(name->text) && codelet.kernels.size() < kMaxKernels)
      codelet.kernels.push_back(name->Word());
  }

  MacroTable macros_;
  MacroExpansion expansion_;  // owns texts of tokens_
  std::vector<Token> tokens_;
  std::vector<size_t> other_;  // by token: the matching bracket
  std::vector<Scope> scopes_;
  size_t too_deep_ = 0, words_left_ = 0;
  std::unordered_map<std::string, size_t> codelet_of_, model_of_;  // the last one, by variable
  SourceCode code_;
};

}  // namespace

bool SourceFunction::HasParameter(std::string_view word) const {
  const std::vector<std::string>& names = is_macro ? macro.parameters : parameters;
  return std::find(names.begin(), names.end(), word) != names.end();
}

const SourceFunction* SourceCode::FindFunction(std::string_view name) const {
  for (const SourceFunction& function : functions)
    if (function.name.text == name) return &function;
  return nullptr;
}

SourceCode ReadSourceCode(std::string_view source, const MacroTable& macros) {
  return Reader(source, macros).Read();
}

bool SubmitsTasks(std::string_view name) {
  if (!name.starts_with("starpu_")) return false;
  for (const std::string_view part : {"task_insert", "insert_task", "task_submit", "task_build"})
    if (name.find(part) != name.npos) return true;
  return false;
}

std::string_view WordAt(std::string_view line, size_t byte) {
  size_t begin = std::min(byte, line.size()), end = begin;
  while (begin > 0 && IsWordByte(line[begin - 1])) --begin;
  while (end < line.size() && IsWordByte(line[end])) ++end;
  return line.substr(begin, end - begin);
}

}  // namespace tasklens
