// SPDX-License-Identifier: Apache-2.0
// Compares runs by the program file and by the lines of their sites.
#include "server/traces/program_texts.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace tasklens {
namespace {

namespace fs = std::filesystem;

using Lines = std::set<uint32_t>;

int64_t StartedNs(const OpenTrace& trace) { return trace.RunFacts(false).started_ns; }

bool WasLinkedBefore(const OpenTrace& trace, int64_t started_ns) {
  const int64_t linked_ns = trace.program_path.empty() ? -1 : ModifiedNs(trace.program_path);
  return linked_ns >= 0 && linked_ns <= std::min(StartedNs(trace), started_ns);
}

bool IsOneWithinTheOther(const Lines& a, const Lines& b) {
  return std::includes(a.begin(), a.end(), b.begin(), b.end()) ||
         std::includes(b.begin(), b.end(), a.begin(), a.end());
}

}  // namespace

bool IsOfSameProgram(const OpenTrace& trace, const KeptRun& other) {
  if (other.program.empty() || !WasLinkedBefore(trace, other.started_ns)) return false;
  // The command may be a script that starts the traced program.
  return other.program == trace.program_path ||
         other.program == ReadKeptRun(trace.Folder()).program;
}

bool IsOfSameProgram(const OpenTrace& trace, const OpenTrace& other) {
  return trace.program_path == other.program_path && WasLinkedBefore(trace, StartedNs(other));
}

void KeepTextsOfProgram(const OpenTrace& trace, TracedTexts& texts) {
  const std::string folder = trace.Folder();
  // Only runs that TaskLens started are kept beside each other.
  if (ReadKeptRun(folder).program.empty()) return;
  std::map<std::string, Lines> open;  // by path
  for (const std::string& path : trace.sources->Paths()) {
    const auto text = texts.find(path);
    if (text != texts.end() && text->second.origin == TextOrigin::kSaved && text->second.is_certain)
      continue;
    for (const uint32_t site : trace.sources->SitesIn(path))
      open[path].insert(trace.model->sites.line[site]);
  }
  if (open.empty()) return;
  for (const KeptRun& run : ReadKeptRuns(fs::path(folder).parent_path().string())) {
    if (run.directory == folder || !IsOfSameProgram(trace, run)) continue;
    std::map<std::string, Lines> lines;
    for (const SiteTotals& site : run.sites) lines[site.path].insert(site.line);
    for (const auto& [path, text] : ReadSavedTexts(run.directory)) {
      const auto now = open.find(path), then = lines.find(path);
      if (!text.is_certain || now == open.end() || then == lines.end() ||
          !IsOneWithinTheOther(now->second, then->second))
        continue;
      texts[path] = {text.text, TextOrigin::kDisk};
      open.erase(now);
    }
  }
}

}  // namespace tasklens
