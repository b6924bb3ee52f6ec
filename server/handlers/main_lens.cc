// SPDX-License-Identifier: Apache-2.0
// Finds the programs that can be run from a source.
#include "server/handlers/main_lens.h"

#include <algorithm>
#include <filesystem>

#include "server/handlers/handlers.h"
#include "server/runs/launch_file.h"
#include "server/sources/source_code.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxWordsBytes = 60;

bool IsFor(const Session& session, const LaunchConfiguration& launch, const fs::path& path) {
  if (!launch.source.empty()) {
    std::error_code error;
    const fs::path source =
        fs::weakly_canonical(session.workspace_folder() / fs::path(launch.source), error);
    return !error && source == path;
  }
  return !launch.program.empty() && fs::path(launch.program).stem() == path.stem();
}

// "cholesky 8": without the folder, which would use the space of the arguments.
std::string WordsOf(const LaunchConfiguration& launch) {
  std::string words = fs::path(launch.program).filename();
  for (const std::string& argument : launch.arguments) {
    if (words.size() > kMaxWordsBytes) return words + " ...";
    words += " " + argument;
  }
  return words;
}

json Lens(const Range& range, const std::string& title, const json& run) {
  return {{"range", ToJson(range)},
          {"command",
           {{"title", title}, {"command", "tasklens.run"}, {"arguments", json::array({run})}}}};
}

}  // namespace

json MainLenses(const Session& session, const std::string& path, const Text& text) {
  json lenses = json::array();
  const fs::path file = path;
  if (!session.settings->trusted || text.text().find("starpu") == std::string::npos) return lenses;
  const SourceCode code = ReadSourceCode(text.text());
  const SourceFunction* main = code.FindFunction("main");
  if (!main || main->is_macro) return lenses;
  const Range range = RangeOfLine(session, path, main->name.line);

  std::string last_name;
  for (const KeptRun& run : *session.runs) {
    const bool is_from_here =
        std::any_of(run.sites.begin(), run.sites.end(),
                    [&](const SiteTotals& site) { return site.path == path; }) ||
        IsFor(session, run.configuration, file);
    if (!is_from_here || run.configuration.program.empty()) continue;
    last_name = run.configuration.name;
    lenses.push_back(
        Lens(range, "run traced: " + WordsOf(run.configuration), LaunchJson(run.configuration)));
    break;
  }
  const LaunchConfigurations known =
      ReadLaunchConfigurations(session.workspace_folders, session.settings->configurations);
  for (const NamedLaunch& launch : known.found) {
    const std::string& name = launch.configuration.name;
    if (!launch.problem.empty() || name == last_name || !IsFor(session, launch.configuration, file))
      continue;
    lenses.push_back(Lens(range, "run traced: " + name, {{"configuration", name}}));
  }
  if (lenses.empty())
    lenses.push_back(Lens(range, "run traced",
                          {{"program", "./" + file.stem().string()},
                           {"workingDirectory", file.parent_path().string()}}));
  return lenses;
}

}  // namespace tasklens
