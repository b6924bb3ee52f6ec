// SPDX-License-Identifier: Apache-2.0
// Runs git so that it starts no other programs.
#include "server/sources/git.h"

#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <iterator>
#include <utility>

namespace tasklens {
namespace {

constexpr int kGitMs = 5000;

// These override the settings of a repository.
constexpr const char* kOptions[] = {
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "log.showSignature=false",  // checked by another program
};
constexpr std::pair<const char*, const char*> kVariables[] = {
    {"GIT_NO_LAZY_FETCH", "1"},  // do not fetch missing objects
    {"GIT_ALLOW_PROTOCOL", ""},  // the same for an older git
    {"GIT_TERMINAL_PROMPT", "0"},
};

}  // namespace

std::optional<std::string> Git(const std::string& folder, const QStringList& arguments,
                               const std::string& input) {
  QProcess git;
  git.setProgram("git");
  git.setWorkingDirectory(QString::fromStdString(folder));
  QStringList words(std::begin(kOptions), std::end(kOptions));
  git.setArguments(words += arguments);
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const auto& [name, value] : kVariables) environment.insert(name, value);
  git.setProcessEnvironment(environment);
  git.start();
  git.write(input.data(), static_cast<qint64>(input.size()));
  git.closeWriteChannel();
  if (!git.waitForFinished(kGitMs)) {
    git.kill();
    git.waitForFinished();
    return std::nullopt;
  }
  if (git.exitStatus() != QProcess::NormalExit || git.exitCode() != 0) return std::nullopt;
  return git.readAllStandardOutput().toStdString();
}

}  // namespace tasklens
