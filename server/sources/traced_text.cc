// SPDX-License-Identifier: Apache-2.0
// Finds the texts and saves them.
#include "server/sources/traced_text.h"

#include <QByteArrayView>
#include <QCryptographicHash>
#include <QString>
#include <QStringList>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "server/protocol/parse_json.h"
#include "server/sources/compiled_sources.h"
#include "server/sources/foreign_file.h"
#include "server/sources/git.h"
#include "server/sources/source_map.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "sources.json";
constexpr uintmax_t kMaxFileBytes = uintmax_t{64} << 20;   // of sources.json
constexpr uintmax_t kMaxSourceBytes = uintmax_t{4} << 20;  // hand-written sources are shorter
constexpr size_t kMaxPairs = size_t{1} << 20;              // limit of path pairs to compare

// The time when the program of the run was linked; -1 unknown.
int64_t LinkedNs(const TracedRunFacts& run) {
  const int64_t linked_ns = run.program.empty() ? -1 : ModifiedNs(run.program);
  // A program that was linked after the run is not the one that ran.
  return linked_ns <= run.started_ns ? linked_ns : -1;
}

// Does not run external diff programs, which a repository may configure.
QStringList Log(const QStringList& arguments) {
  return QStringList{"log", "--format=%H", "--no-ext-diff", "--no-textconv"} + arguments;
}

QString NameIn(const fs::path& path) {
  return "./" + QString::fromStdString(path.filename().string());
}

QStringList Lines(const std::optional<std::string>& output) {
  return QString::fromStdString(output.value_or("")).split('\n', Qt::SkipEmptyParts);
}

// Returns the file as it was at the time `at_ns`.
std::optional<std::string> FromHistory(const fs::path& path, int64_t at_ns) {
  const std::string folder = path.parent_path().string();
  const QString name = NameIn(path);
  const QString before = "--before=@" + QString::number(at_ns / 1'000'000'000);
  const QStringList commits = Lines(Git(folder, Log({"-1", before, "--", name})));
  if (commits.isEmpty()) return std::nullopt;
  return Git(folder, {"cat-file", "blob", commits[0] + ":" + name});
}

// Finds the text that the program was built from, by times and the history. `md5`: the checksum of
// that text, "" unknown.
std::optional<TracedText> FindText(const std::string& path, const TracedRunFacts& run,
                                   const std::string& md5) {
  const int64_t modified_ns = ModifiedNs(path), linked_ns = LinkedNs(run);
  if (modified_ns < 0 || run.started_ns < 0) return std::nullopt;
  const auto is_it = [&](const std::optional<std::string>& text) {
    return text && !md5.empty() &&
           QCryptographicHash::hash(QByteArrayView(text->data(), qsizetype(text->size())),
                                    QCryptographicHash::Md5)
                   .toStdString() == md5;
  };
  const auto traced = [](std::string text, TextOrigin origin, bool is_certain) {
    return TracedText{std::make_shared<const std::string>(std::move(text)), origin, is_certain};
  };
  Result<std::string> file = ReadForeignFile(path, kMaxSourceBytes);
  std::optional<std::string> present = file.ok() ? std::optional(*std::move(file)) : std::nullopt;
  const bool is_older_than_run = modified_ns <= run.started_ns;
  const bool is_older_than_program =
      is_older_than_run && (linked_ns < 0 || modified_ns <= linked_ns ||
                            (run.built_ns >= 0 && modified_ns < run.built_ns));
  if (is_it(present) || (present && md5.empty() && is_older_than_program))
    return traced(std::move(*present), TextOrigin::kDisk, true);
  auto past = run.may_run_git ? FromHistory(path, linked_ns >= 0 ? linked_ns : run.started_ns)
                              : std::nullopt;
  if (is_it(past)) return traced(std::move(*past), TextOrigin::kHistory, true);
  if (past && present && md5.empty() && *past == *present)
    return traced(std::move(*past), TextOrigin::kDisk, true);
  if (past) return traced(std::move(*past), TextOrigin::kHistory, false);
  if (present && is_older_than_run) return traced(std::move(*present), TextOrigin::kDisk, false);
  return std::nullopt;
}

// The number of components that two paths have in common at their ends.
size_t CommonEnd(const fs::path& a, const fs::path& b) {
  auto x = a.end(), y = b.end();
  size_t common = 0;
  while (x != a.begin() && y != b.begin() && *--x == *--y) ++common;
  return common;
}

// Returns the one of `paths` whose end matches `path` best; "" if there is none or a tie.
std::string BestEnd(const std::string& path, const std::vector<std::string>& paths) {
  std::string best;
  size_t most = 0;
  for (const std::string& other : paths) {
    const size_t common = CommonEnd(path, other);
    if (common == 0 || common < most) continue;
    best = common == most ? "" : other;
    most = common;
  }
  return best;
}

}  // namespace

std::map<std::string, std::string> PairMovedPaths(const std::vector<std::string>& old,
                                                  const std::vector<std::string>& now) {
  std::map<std::string, std::string> pairs;
  std::vector<std::string> rest_old, rest_now;
  const std::set<std::string> known_old(old.begin(), old.end()), known_now(now.begin(), now.end());
  for (const std::string& path : known_old)
    known_now.contains(path) ? void(pairs[path] = path) : rest_old.push_back(path);
  for (const std::string& path : known_now)
    if (!known_old.contains(path)) rest_now.push_back(path);
  // Compares all pairs; the files of one run are few.
  if (rest_old.size() > kMaxPairs ||
      rest_now.size() > kMaxPairs / std::max<size_t>(rest_old.size(), 1))
    return pairs;
  for (const std::string& path : rest_old)
    if (const std::string best = BestEnd(path, rest_now);
        !best.empty() && BestEnd(best, rest_old) == path)
      pairs[path] = best;
  return pairs;
}

// The checksums that the program contains for its sources.
std::map<std::string, std::string> SumsOf(const std::vector<std::string>& paths,
                                          const TracedRunFacts& run) {
  std::map<std::string, std::string> of_compiler, sums;  // by path
  if (LinkedNs(run) < 0) return sums;
  std::vector<std::string> compiled;
  std::set<std::string> several;  // paths with several texts: ambiguous
  for (CompiledSource& source : ReadCompiledSources(run.program)) {
    compiled.push_back(source.path);
    const auto [it, is_new] = of_compiler.emplace(std::move(source.path), std::move(source.md5));
    if (!is_new) several.insert(it->first);
  }
  for (const auto& [old, now] : PairMovedPaths(compiled, paths))
    if (!several.contains(old)) sums[now] = of_compiler.at(old);
  return sums;
}

// An invalid file has no texts.
TracedTexts ReadSavedTexts(const std::string& folder) {
  TracedTexts texts;
  const Result<std::string> content =
      ReadForeignFile((fs::path(folder) / kFileName).string(), kMaxFileBytes);
  if (!content.ok()) return texts;
  const json root = ParseJson(*content);
  if (!root.is_object() || !root.contains("version") || root["version"] != 1 ||
      !root.contains("files") || !root["files"].is_object())
    return texts;
  for (const auto& [path, text] : root["files"].items())
    if (text.is_string())
      texts[path] = {std::make_shared<const std::string>(text.get<std::string>()),
                     TextOrigin::kSaved};
  if (root.contains("uncertain") && root["uncertain"].is_array())
    for (const json& path : root["uncertain"])
      if (const auto it = path.is_string() ? texts.find(path.get<std::string>()) : texts.end();
          it != texts.end())
        it->second.is_certain = false;
  return texts;
}

TracedTexts FindTracedTexts(const std::vector<std::string>& paths, const TracedRunFacts& run) {
  TracedTexts texts;
  const TracedTexts saved = ReadSavedTexts(run.folder);
  std::vector<std::string> saved_paths;
  for (const auto& [path, text] : saved) saved_paths.push_back(path);
  for (const auto& [old, now] : PairMovedPaths(saved_paths, paths)) texts[now] = saved.at(old);
  std::map<std::string, std::string> sums;  // by path
  if (texts.size() < paths.size()) sums = SumsOf(paths, run);
  for (const std::string& path : paths) {
    if (texts.contains(path)) continue;
    const auto sum = sums.find(path);
    auto text = FindText(path, run, sum == sums.end() ? "" : sum->second);
    if (text) texts[path] = std::move(*text);
  }
  return texts;
}

std::string CommitOf(const std::string& path, const std::string& text) {
  const std::string folder = fs::path(path).parent_path().string();
  const QStringList object = Lines(Git(folder, {"hash-object", "--no-filters", "--stdin"}, text));
  if (object.isEmpty()) return "";
  // The commits that added or removed the text, the oldest last.
  const QStringList commits =
      Lines(Git(folder, Log({"--find-object=" + object[0], "--", NameIn(path)})));
  return commits.isEmpty() ? "" : commits.last().toStdString();
}

Status SaveTracedTexts(const TracedTexts& texts, const std::string& folder) {
  json files = json::object(), uncertain = json::array();
  for (const auto& [path, text] : texts) {
    if (text.origin != TextOrigin::kDisk) continue;
    files[path] = *text.text;
    if (!text.is_certain) uncertain.push_back(path);
  }
  if (files.empty()) return Status::Ok();
  const std::string path = (fs::path(folder) / kFileName).string();
  std::ofstream file(path, std::ios::binary);
  // Sources may not be UTF-8; invalid bytes become U+FFFD, which does not move lines.
  const json root = {{"version", 1}, {"files", files}, {"uncertain", uncertain}};
  file << root.dump(-1, ' ', false, json::error_handler_t::replace);
  file.close();
  if (!file) return Status(ErrorCode::kIo, path + ": cannot be written");
  return Status::Ok();
}

}  // namespace tasklens
