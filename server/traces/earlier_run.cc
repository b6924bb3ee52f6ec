// SPDX-License-Identifier: Apache-2.0
// Chooses the earlier run, and matches its files and lines with those of this one.
#include "server/traces/earlier_run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "server/runs/kept_runs.h"
#include "server/sources/line_map.h"
#include "server/traces/open_trace.h"
#include "server/traces/program_texts.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

struct Candidate {
  std::string title, program;
  int64_t ended_ns = -1;
  std::vector<SiteTotals> sites;
  TracedTexts texts;
  bool is_same_program = false;
};

bool MayBeSameProgram(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() || a == b;
}

bool SharesAFile(const std::vector<SiteTotals>& sites, const std::set<std::string>& files) {
  return std::any_of(sites.begin(), sites.end(),
                     [&](const SiteTotals& site) { return files.contains(site.path); });
}

// Maps the files of a kept run to those of this trace. If the tree was moved since, files of the
// same program are matched by the ends of their paths.
std::map<std::string, std::string> PathsNow(const KeptRun& run, const std::set<std::string>& files,
                                            const std::string& program) {
  std::set<std::string> old;
  for (const SiteTotals& site : run.sites) old.insert(site.path);
  auto pairs = PairMovedPaths({old.begin(), old.end()}, {files.begin(), files.end()});
  if (program.empty() || fs::path(run.program).filename() != program)
    std::erase_if(pairs, [](const auto& pair) { return pair.first != pair.second; });
  return pairs;
}

using Place = std::tuple<std::string, uint32_t, std::string>;  // path, line, function

// How the lines of a file in two runs are matched: through the texts if both are certain; else by
// line number if the program is the same or neither text is known. Otherwise they are not matched,
// because different sites would be compared.
struct Pairing {
  bool is_known = false;
  std::optional<LineMap> map;  // nullopt: match by line number
};
Pairing PairLines(const std::string& path, const Candidate& before, const TracedTexts& texts) {
  const auto old_text = before.texts.find(path), text = texts.find(path);
  const bool was_known = old_text != before.texts.end(), is_known = text != texts.end();
  if (was_known && is_known && old_text->second.is_certain && text->second.is_certain)
    return {true, LineMap::Between(*old_text->second.text, *text->second.text)};
  return {before.is_same_program || (!was_known && !is_known), std::nullopt};
}

// Returns the sites of `before` at their lines in `texts`.
std::map<Place, SiteTotals> Moved(const Candidate& before, const TracedTexts& texts) {
  std::map<std::string, Pairing> pairings;
  std::map<Place, SiteTotals> moved;
  for (const SiteTotals& site : before.sites) {
    auto [it, is_new] = pairings.try_emplace(site.path);
    Pairing& pairing = it->second;
    if (is_new) pairing = PairLines(site.path, before, texts);
    if (!pairing.is_known) continue;
    uint32_t line = site.line;
    if (pairing.map && line > 0) {
      const uint32_t after = pairing.map->After(line - 1);
      if (after == LineMap::kRewritten) continue;
      line = after + 1;
    }
    SiteTotals& sum = moved[{site.path, line, site.function}];
    const uint64_t tasks = sum.tasks + site.tasks, ran = sum.ran + site.ran;
    const int64_t total_ns = sum.total_ns + site.total_ns;
    sum = {site.path, line, site.function, tasks, ran, total_ns};
  }
  return moved;
}

}  // namespace

std::vector<SiteTotals> SiteTotalsOf(const OpenTrace& trace) {
  std::vector<SiteTotals> sites;
  const TraceModel& model = *trace.model;
  for (const SiteCost& cost : trace.costs) {
    if (cost.site >= model.sites.size()) continue;
    const Result<std::string> path = trace.sources->PathOf(model, cost.site);
    sites.push_back({path.ok() ? *path : std::string(model.str(model.sites.file[cost.site])),
                     model.sites.line[cost.site],
                     std::string(model.str(model.sites.function[cost.site])), cost.tasks, cost.runs,
                     cost.total_ns});
  }
  return sites;
}

std::shared_ptr<const EarlierRun> FindEarlierRun(
    const OpenTrace& trace, const std::vector<std::shared_ptr<const OpenTrace>>& open,
    const std::vector<KeptRun>& kept) {
  const std::vector<SiteTotals> sites = SiteTotalsOf(trace);
  std::set<std::string> files;
  for (const SiteTotals& site : sites) files.insert(site.path);
  Candidate best;
  bool is_found = false;
  auto is_better = [&](int64_t ended_ns, const std::string& program) {
    if (!MayBeSameProgram(program, trace.program)) return false;
    if (trace.recorded_ns >= 0 && ended_ns >= trace.recorded_ns) return false;
    return !is_found || ended_ns > best.ended_ns;
  };
  for (const auto& other : open) {
    if (!other->IsWhole() || other->paths == trace.paths ||
        !is_better(other->recorded_ns, other->program))
      continue;
    Candidate candidate{other->title,         other->program, other->recorded_ns,
                        SiteTotalsOf(*other), *other->texts,  IsOfSameProgram(trace, *other)};
    if (!SharesAFile(candidate.sites, files)) continue;
    best = std::move(candidate);
    is_found = true;
  }
  for (const KeptRun& run : kept) {
    if (run.directory == trace.Folder() ||
        !is_better(run.ended_ns, fs::path(run.program).filename().string()))
      continue;
    const std::map<std::string, std::string> now = PathsNow(run, files, trace.program);
    if (now.empty()) continue;
    best = {run.Title(),
            run.program,
            run.ended_ns,
            run.sites,
            ReadSavedTexts(run.directory),
            IsOfSameProgram(trace, run)};
    for (SiteTotals& site : best.sites)
      if (const auto it = now.find(site.path); it != now.end()) site.path = it->second;
    for (const auto& [old, path] : now)
      if (auto text = best.texts.extract(old)) {
        text.key() = path;
        best.texts.insert(std::move(text));
      }
    is_found = true;
  }
  if (!is_found) return nullptr;

  const std::map<Place, SiteTotals> before = Moved(best, *trace.texts);
  auto earlier = std::make_shared<EarlierRun>();
  earlier->title = best.title;
  earlier->sites.resize(trace.model->sites.size());
  for (size_t row = 0, at = 0; row < trace.costs.size(); ++row) {
    const uint32_t site = trace.costs[row].site;
    if (site >= earlier->sites.size()) continue;
    const SiteTotals& now = sites[at++];
    const auto found = before.find({now.path, now.line, now.function});
    if (found != before.end()) earlier->sites[site] = found->second;
  }
  return earlier;
}

}  // namespace tasklens
