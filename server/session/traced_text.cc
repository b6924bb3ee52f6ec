// SPDX-License-Identifier: Apache-2.0
// Finds the texts, and keeps them.
#include "server/session/traced_text.h"

#include <QProcess>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "server/protocol/parse_json.h"
#include "server/session/source_map.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "sources.json";
constexpr uintmax_t kMaxFileBytes = uintmax_t{64} << 20;   // of sources.json
constexpr uintmax_t kMaxSourceBytes = uintmax_t{4} << 20;  // nobody writes longer sources by hand
constexpr int kGitMs = 5000;

std::optional<std::string> ReadFile(const std::string& path, uintmax_t max_bytes) {
  std::error_code error;
  const uintmax_t bytes = fs::file_size(path, error);
  if (error || bytes > max_bytes) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text(bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  if (!file) return std::nullopt;
  return text;
}

// Whether the program was made from what the file `path` holds now.
bool IsUnchangedSince(const std::string& path, const TracedRunFacts& run) {
  const int64_t modified_ns = ModifiedNs(path);
  if (modified_ns < 0 || run.started_ns < 0 || modified_ns > run.started_ns) return false;
  const int64_t linked_ns = run.program.empty() ? -1 : ModifiedNs(run.program);
  // A program that was linked after the run says nothing about what ran.
  return linked_ns < 0 || linked_ns > run.started_ns || modified_ns <= linked_ns;
}

// The output of git; nothing when it fails, is not there, or takes too long.
std::optional<std::string> Git(const fs::path& folder, const QStringList& arguments) {
  QProcess git;
  git.setProgram("git");
  git.setWorkingDirectory(QString::fromStdString(folder.string()));
  git.setArguments(
      QStringList{"--no-pager", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false"} +
      arguments);
  git.setStandardInputFile(QProcess::nullDevice());
  git.start();
  if (!git.waitForFinished(kGitMs)) {
    git.kill();
    git.waitForFinished();
    return std::nullopt;
  }
  if (git.exitStatus() != QProcess::NormalExit || git.exitCode() != 0) return std::nullopt;
  return git.readAllStandardOutput().toStdString();
}

std::optional<std::string> FromHistory(const fs::path& path, const TracedRunFacts& run) {
  if (run.started_ns < 0 || !run.may_run_git) return std::nullopt;
  const QString name = "./" + QString::fromStdString(path.filename().string());
  const QString before = "--before=@" + QString::number(run.started_ns / 1'000'000'000);
  auto commit = Git(path.parent_path(), {"log", "-1", "--format=%H", before, "--", name});
  if (!commit) return std::nullopt;
  while (!commit->empty() && commit->back() == '\n') commit->pop_back();
  if (commit->empty()) return std::nullopt;
  return Git(path.parent_path(), {"show", QString::fromStdString(*commit) + ":" + name});
}

}  // namespace

// A file that is not as it should be has no texts.
TracedTexts ReadSavedTexts(const std::string& folder) {
  TracedTexts texts;
  const auto content = ReadFile((fs::path(folder) / kFileName).string(), kMaxFileBytes);
  if (!content) return texts;
  const json root = ParseJson(*content);
  if (!root.is_object() || !root.contains("version") || root["version"] != 1 ||
      !root.contains("files") || !root["files"].is_object())
    return texts;
  for (const auto& [path, text] : root["files"].items())
    if (text.is_string())
      texts[path] = {std::make_shared<const std::string>(text.get<std::string>()),
                     TextOrigin::kSaved};
  return texts;
}

TracedTexts FindTracedTexts(const std::vector<std::string>& paths, const TracedRunFacts& run) {
  TracedTexts texts;
  const TracedTexts saved = ReadSavedTexts(run.folder);
  for (const std::string& path : paths) {
    if (const auto it = saved.find(path); it != saved.end()) {
      texts[path] = it->second;
      continue;
    }
    const bool is_unchanged = IsUnchangedSince(path, run);
    auto text = is_unchanged ? ReadFile(path, kMaxSourceBytes) : FromHistory(path, run);
    if (text)
      texts[path] = {std::make_shared<const std::string>(std::move(*text)),
                     is_unchanged ? TextOrigin::kDisk : TextOrigin::kHistory};
  }
  return texts;
}

Status SaveTracedTexts(const TracedTexts& texts, const std::string& folder) {
  json files = json::object();
  for (const auto& [path, text] : texts)
    if (text.origin == TextOrigin::kDisk) files[path] = *text.text;
  if (files.empty()) return Status::Ok();
  const std::string path = (fs::path(folder) / kFileName).string();
  std::ofstream file(path, std::ios::binary);
  // Sources need not be UTF-8; what is not becomes U+FFFD, which moves no line.
  file << json{{"version", 1}, {"files", files}}.dump(-1, ' ', false,
                                                      json::error_handler_t::replace);
  file.close();
  if (!file) return Status(ErrorCode::kIo, path + ": cannot be written");
  return Status::Ok();
}

}  // namespace tasklens
