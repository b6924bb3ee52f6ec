// SPDX-License-Identifier: Apache-2.0
// Edits a text file and keeps what people have written into it.
#include "server/session/silenced_rules.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "server/sources/foreign_file.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxBytes = uintmax_t{64} << 10;

void AddRules(const std::string& text, RuleSet& rules) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    if (std::string rule; words >> rule) rules.insert(std::move(rule));
  }
}

}  // namespace

std::string SilencedRulesFile(const std::string& folder) {
  return (fs::path(folder) / ".tasklens" / "silenced-rules").string();
}

RuleSet ReadSilencedRules(const std::vector<std::string>& folders) {
  RuleSet rules;
  for (const std::string& folder : folders)
    AddRules(ReadForeignFile(SilencedRulesFile(folder), kMaxBytes).value_or(""), rules);
  return rules;
}

Status SilenceRule(const std::string& folder, std::string_view rule) {
  const std::string path = SilencedRulesFile(folder);
  std::error_code error;
  const fs::path real = fs::weakly_canonical(folder, error);
  if (fs::weakly_canonical(path, error) != real / ".tasklens" / "silenced-rules")
    return {ErrorCode::kUnsupported, path + ": is a symbolic link, which is not followed; add '" +
                                         std::string(rule) + "' to it yourself"};
  RuleSet rules;
  const std::string text = ReadForeignFile(path, kMaxBytes).value_or("");
  AddRules(text, rules);
  if (rules.contains(rule)) return Status::Ok();
  fs::create_directories(fs::path(path).parent_path(), error);
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file << (text.empty() || text.ends_with('\n') ? "" : "\n") << rule << '\n';
  file.close();
  if (!file) return {ErrorCode::kIo, path + ": cannot be written: " + std::strerror(errno)};
  return Status::Ok();
}

}  // namespace tasklens
