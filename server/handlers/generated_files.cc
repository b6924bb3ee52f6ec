// SPDX-License-Identifier: Apache-2.0
// Reads records and hrefs, a line at a time.
#include "server/handlers/generated_files.h"

#include <charconv>
#include <filesystem>

#include "server/protocol/uri.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

uint32_t NumberOf(std::string_view text) {
  uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The value of "Name: value", or "" for any other line.
std::string_view ValueOf(std::string_view line, std::string_view name) {
  if (!line.starts_with(name) || line.substr(name.size(), 2) != ": ") return "";
  return line.substr(name.size() + 2);
}

// Names in DOT escape quotes and backslashes.
std::string Unescaped(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain += text[i];
  }
  return plain;
}

class Finder {
 public:
  Finder(const Text& text, PositionEncoding encoding, size_t most)
      : text_(text), encoding_(encoding), most_(most) {}

  std::vector<SourceMention> Find() {
    // A file waits for the line number of its record, which stands below it.
    bool is_waiting = false;
    for (uint32_t row = 0; row < text_.line_count(); ++row) {
      if (mentions_.size() == most_ && !is_waiting) break;
      const std::string_view line = text_.Line(row);
      if (line.empty()) is_waiting = false;
      if (const std::string_view file = ValueOf(line, "File"); !file.empty()) {
        if (mentions_.size() == most_) break;
        Add(row, 6, line.size(), std::string(file), 0);
        is_waiting = true;
      } else if (const std::string_view number = ValueOf(line, "Line");
                 !number.empty() && is_waiting) {
        mentions_.back().line = NumberOf(number);
        is_waiting = false;
      } else if (const size_t at = line.find("href=\""); at != line.npos) {
        AddHref(row, line, at + 6);
      }
    }
    return std::move(mentions_);
  }

 private:
  void AddHref(uint32_t row, std::string_view line, size_t begin) {
    size_t end = begin;
    while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
    const std::string target = Unescaped(line.substr(begin, std::min(end, line.size()) - begin));
    const size_t hash = target.rfind('#');
    if (hash == target.npos || end > line.size()) return;
    Add(row, begin, end, target.substr(0, hash), NumberOf(target.substr(hash + 1)));
  }

  void Add(uint32_t row, size_t begin, size_t end, std::string file, uint32_t number) {
    const std::string_view line = text_.Line(row);
    mentions_.push_back({{{row, ColumnsOf(line.substr(0, begin), encoding_)},
                          {row, ColumnsOf(line.substr(0, end), encoding_)}},
                         std::move(file),
                         number});
  }

  const Text& text_;
  const PositionEncoding encoding_;
  const size_t most_;
  std::vector<SourceMention> mentions_;
};

}  // namespace

bool IsGenerated(const std::string& path) {
  const fs::path extension = fs::path(path).extension();
  return extension == ".rec" || extension == ".dot";
}

std::vector<SourceMention> FindMentions(const Text& text, PositionEncoding encoding, size_t most) {
  return Finder(text, encoding, most).Find();
}

Result<Location> LocateMention(const Session& session, const std::string& generated,
                               const SourceMention& mention) {
  std::vector<fs::path> candidates = {fs::path(generated).parent_path() / mention.file};
  for (const std::string& root : session.roots.folders)
    candidates.push_back(fs::path(root) / mention.file);
  for (const fs::path& candidate : candidates) {
    std::error_code error;
    const fs::path real = fs::canonical(candidate, error);
    if (error || !fs::is_regular_file(real, error) || !session.roots.Contains(real.string()))
      continue;
    const uint32_t line = mention.line > 0 ? mention.line - 1 : 0;
    return Location{UriOfPath(real.string()), RangeOfLine(session, real.string(), line)};
  }
  return Status(ErrorCode::kNotFound, mention.file + ": no such file in the workspace");
}

Result<Location> SourceNamedAt(const Session& session, const std::string& path, uint32_t line) {
  const auto text = TextOf(session, path);
  if (!text.ok()) return text.status();
  // A record is what stands between two empty lines; a node of a graph is one line.
  uint32_t begin = line, end = line;
  const bool is_records = fs::path(path).extension() == ".rec";
  while (is_records && begin > 0 && !(*text)->Line(begin - 1).empty()) --begin;
  while (is_records && end + 1 < (*text)->line_count() && !(*text)->Line(end + 1).empty()) ++end;
  std::string record;
  for (uint32_t row = begin; row <= end; ++row) record += std::string((*text)->Line(row)) + "\n";
  const auto mentions = FindMentions(Text(record), session.encoding, 1);
  if (mentions.empty()) return Status(ErrorCode::kNotFound, path + ": no source is named here");
  return LocateMention(session, path, mentions[0]);
}

}  // namespace tasklens
