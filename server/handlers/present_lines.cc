// SPDX-License-Identifier: Apache-2.0
// Maps lines by the client's edits if they are known, else by comparing the texts.
#include "server/handlers/present_lines.h"

#include <algorithm>

#include "server/handlers/client_uri.h"
#include "server/sources/foreign_file.h"
#include "server/sources/source_lexer.h"

namespace tasklens {
namespace {

bool HasUnsavedChanges(const Session& session, const std::string& path) {
  const auto document = session.FindDocument(path);
  if (!document) return false;
  const std::string& text = document->text.text();
  const Result<std::string> on_disk = ReadForeignFile(path, text.size());
  return !on_disk.ok() || *on_disk != text;
}

// Invalid UTF-8 is read differently from the disk, from sources.json and by an editor, so each
// invalid sequence becomes one U+FFFD.
std::string Comparable(const std::string& text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return text;
  constexpr std::string_view kMark = "\xef\xbf\xbd";
  std::string bytes = text, one;
  const std::string whole = TakeUtf8(bytes, true);
  for (size_t at = 0; at < whole.size();) {
    const size_t mark = std::min(whole.find(kMark, at), whole.size());
    one.append(whole, at, mark - at);
    for (at = mark; whole.compare(at, kMark.size(), kMark) == 0;) at += kMark.size();
    if (at > mark) one += kMark;
  }
  return one;
}

// Maps the traced text to the present one; if the document is open, with the help of its edits.
LineMap MapOf(const std::string& traced_bytes, const Text& now, const Document* document) {
  const std::string traced = Comparable(traced_bytes), text = Comparable(now.text());
  if (!document || document->past.empty()) return LineMap::Between(traced, text);
  const auto& past = document->past;
  for (auto it = past.rbegin(); it != past.rend(); ++it)
    if (Comparable(*it->text) == traced) return LineMap::Between(traced, text, it->to_now);
  const PastText& first = past.front();
  return LineMap::Between(traced, text,
                          LineMap::Between(traced, Comparable(*first.text)).Then(first.to_now));
}

// The text from line `line` on that may belong to its call.
std::string_view CallAt(const Text& text, uint32_t line) {
  const std::string_view first = text.Line(line);
  const std::string_view last =
      text.Line(std::min(line + PresentLines::kMaxCallLines, text.line_count()) - 1);
  return {first.data(), static_cast<size_t>(last.data() + last.size() - first.data())};
}

// The tokens of the first line, and of the following lines while a parenthesis is open.
std::vector<Token> TokensOfCall(const Text& text, uint32_t line) {
  const std::string_view first = text.Line(line);
  Lexer lexer(CallAt(text, line));
  lexer.ReadBody();
  size_t count = 0;
  int open = 0;
  for (const Token& token : lexer.tokens) {
    if (open <= 0 && token.text.data() >= first.data() + first.size()) break;
    if (token.Is("(")) ++open;
    if (token.Is(")")) --open;
    ++count;
  }
  lexer.tokens.resize(count);
  return std::move(lexer.tokens);
}

}  // namespace

PresentLines::PresentLines(const Session& session, const OpenTrace& trace,
                           const std::string& path) {
  const auto traced = trace.texts->find(path);
  const auto text = TextOf(session, path);
  if (traced != trace.texts->end() && text.ok()) {
    is_certain_ = traced->second.is_certain;
    map_ = MapOf(*traced->second.text, **text, session.FindDocument(path).get());
    if (map_->is_identity()) return;
    text_ = *text;
    traced_ = std::make_shared<const Text>(*traced->second.text);
    rewritten_.emplace(*traced_, *text_, *map_);
    return;
  }
  const int64_t started_ns = trace.RunFacts(/*may_run_git=*/false).started_ns;
  is_older_ =
      started_ns >= 0 && (ModifiedNs(path) > started_ns || HasUnsavedChanges(session, path));
}

PresentLines::Line PresentLines::Of(uint32_t traced) const {
  if (!map_) return {traced, is_older_ ? State::kUnknown : State::kExact};
  const uint32_t line = map_->After(traced);
  if (line == LineMap::kRewritten) {
    const std::optional<uint32_t> place = rewritten_ ? rewritten_->Of(traced) : std::nullopt;
    return place ? Line{*place, State::kRewritten} : Line{map_->Near(traced), State::kGone};
  }
  if (text_ && !IsSameCall(traced, line)) return {line, State::kRewritten};
  return {line, is_certain_ ? State::kExact : State::kUncertain};
}

bool PresentLines::IsSameCall(uint32_t traced, uint32_t present) const {
  if (traced >= traced_->line_count() || present >= text_->line_count()) return true;
  const std::string_view first = traced_->Line(traced);
  // Most lines close all the parentheses that they open.
  if (std::count(first.begin(), first.end(), '(') <= std::count(first.begin(), first.end(), ')'))
    return true;
  const auto is_same = [](const Token& a, const Token& b) {
    return a.kind == b.kind && a.text == b.text;
  };
  const auto before = TokensOfCall(*traced_, traced);
  const auto now = TokensOfCall(*text_, present);
  return std::equal(before.begin(), before.end(), now.begin(), now.end(), is_same);
}

std::optional<uint32_t> PresentLines::TracedAt(uint32_t present) const {
  if (!map_) return present;
  const uint32_t line = map_->Before(present);
  if (line == LineMap::kRewritten) return std::nullopt;
  return line;
}

const PresentLines& LinesOfTrace::In(const std::string& path) {
  const auto it = files_.find(path);
  if (it != files_.end()) return it->second;
  return files_.emplace(path, PresentLines(session_, trace_, path)).first->second;
}

Result<LinesOfTrace::Place> LinesOfTrace::Locate(uint32_t site) {
  const Result<std::string> path = trace_.sources->PathOf(*trace_.model, site);
  if (!path.ok()) return path.status();
  const uint32_t line = std::max(trace_.model->sites.line[site], 1u) - 1;
  const PresentLines::Line now = In(*path).Of(line);
  return Place{{ClientUri(session_, *path), RangeOfLine(session_, *path, now.line)}, now.state};
}

std::string_view PresentLines::Remark(State state) {
  switch (state) {
    case State::kExact: return "";
    case State::kUncertain: return " · perhaps older than the file";
    case State::kRewritten: return " · the line was changed since";
    case State::kGone: return " · the line is not there any more";
    case State::kUnknown: return " · older than the file";
  }
  return "";
}

}  // namespace tasklens
