// SPDX-License-Identifier: Apache-2.0
// Runs pkg-config.
#include "server/runs/runtimes.h"

#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <optional>
#include <sstream>

#include "server/runs/home.h"
#include "server/sources/foreign_file.h"

extern char** environ;

namespace tasklens {
namespace {

namespace fs = std::filesystem;

// The newest first; older versions were called "libstarpu".
constexpr const char* kPackages[] = {"starpu-1.4", "starpu-1.3", "starpu-1.2", "libstarpu"};
constexpr int kPatienceMs = 5000;
constexpr uint64_t kMaxHeaderBytes = uint64_t{1} << 20;

class PkgConfig {
 public:
  explicit PkgConfig(const std::map<std::string, std::string>& environment) {
    for (const auto& [name, value] : environment)
      environment_.insert(QString::fromStdString(name), QString::fromStdString(value));
  }

  // Returns pkg-config's output without the line end; nullopt if it fails or is not installed.
  std::optional<std::string> Ask(const char* what, const char* package) const {
    QProcess process;
    process.setProgram("pkg-config");
    process.setArguments({what, package});
    process.setProcessEnvironment(environment_);
    process.setStandardInputFile(QProcess::nullDevice());
    process.start();
    if (!process.waitForFinished(kPatienceMs)) {
      process.kill();
      process.waitForFinished();
      return std::nullopt;
    }
    if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
      return std::nullopt;
    return process.readAllStandardOutput().trimmed().toStdString();
  }

 private:
  QProcessEnvironment environment_;
};

// True if the starpu_config.h that these flags lead to defines STARPU_USE_FXT.
bool HasFxt(const std::string& compile_flags) {
  std::istringstream words(compile_flags);
  for (std::string word; words >> word;) {
    if (!word.starts_with("-I")) continue;
    const std::string path = (fs::path(word.substr(2)) / "starpu_config.h").string();
    const std::string header = "\n" + ReadForeignFile(path, kMaxHeaderBytes).value_or("");
    if (header.find("\n#define STARPU_USE_FXT") != header.npos) return true;
  }
  return false;
}

RuntimeChoice Ours() {
  RuntimeChoice ours{"tasklens", "", "", "", "", "", ""};
  const Result<Home> home = FindHome();
  if (!home.ok()) {
    ours.problem = home.status().message();
    return ours;
  }
  ours.library_directory = home->library_dir;
  ours.compile_flags = "-I" + home->include_dir;
  ours.link_flags = "-L" + home->library_dir + " -Wl,-rpath," + home->library_dir + " -lstarpu";
  return ours;
}

}  // namespace

std::map<std::string, std::string> OwnEnvironment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (const size_t equals = text.find('='); equals != text.npos)
      variables[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  return variables;
}

std::vector<RuntimeChoice> FindRuntimes(const std::map<std::string, std::string>& environment,
                                        bool may_ask) {
  std::vector<RuntimeChoice> runtimes = {Ours()};
  if (!may_ask) {
    runtimes.push_back({"starpu", "", "", "", "", "",
                        "the workspace is not trusted, so pkg-config is not asked for StarPU"});
    return runtimes;
  }
  const PkgConfig pkg_config(environment);
  for (const char* package : kPackages) {
    const auto version = pkg_config.Ask("--modversion", package);
    if (!version) continue;
    RuntimeChoice starpu{"starpu", *version, package, "", "", "", ""};
    starpu.compile_flags = pkg_config.Ask("--cflags", package).value_or("");
    starpu.link_flags = pkg_config.Ask("--libs", package).value_or("");
    starpu.library_directory = pkg_config.Ask("--variable=libdir", package).value_or("");
    if (!HasFxt(starpu.compile_flags))
      starpu.problem =
          "StarPU " + *version + " (pkg-config " + package +
          ") was built without FxT and leaves no trace; build one with "
          "--with-fxt and name its folder in PKG_CONFIG_PATH, or use TaskLens' runtime";
    runtimes.push_back(std::move(starpu));
  }
  if (runtimes.size() == 1)
    runtimes.push_back({"starpu", "", "", "", "", "",
                        "pkg-config finds no StarPU; name the folder of its .pc file in "
                        "PKG_CONFIG_PATH, or use TaskLens' runtime"});
  return runtimes;
}

}  // namespace tasklens
