// SPDX-License-Identifier: Apache-2.0
// Folders and names.
#include "perfmodel/places.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "trace/support/words.h"

namespace tasklens {
namespace {

// Where Debian's starpu-examples puts the models of other people's machines.
constexpr std::string_view kShared = "/usr/share/starpu/perfmodels/sampling";

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void AddFolder(std::string folder, std::vector<std::string>& folders) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  if (!folder.empty() && std::find(folders.begin(), folders.end(), folder) == folders.end())
    folders.push_back(std::move(folder));
}

std::string HostName() {
  std::string host = Variable("STARPU_HOSTNAME");
  if (host.empty()) {
    char name[256] = "";
    (void)gethostname(name, sizeof(name) - 1);
    host = name;
    host.resize(std::min(host.find('.'), host.size()));
  }
  std::replace(host.begin(), host.end(), '/', '_');
  return host;
}

}  // namespace

PerfmodelPlaces PlacesFromEnvironment() {
  PerfmodelPlaces places;
  places.host = HostName();
  AddFolder(Variable("STARPU_PERF_MODEL_DIR"), places.folders);
  for (const char* variable : {"XDG_CACHE_HOME", "STARPU_HOME", "HOME"}) {
    const std::string home = Variable(variable);
    if (home.empty()) continue;
    AddFolder(home + "/.starpu/sampling", places.folders);
    break;
  }
  const std::string more = Variable("STARPU_PERF_MODEL_PATH");
  for (std::string_view rest = more; !rest.empty();)
    AddFolder(std::string(TakeUpTo(':', rest)), places.folders);
  if (!places.folders.empty()) AddFolder(std::string(kShared), places.folders);
  return places;
}

std::string CodeletFolder(const std::string& folder) { return folder + "/codelets/45/"; }

std::string MeasuresPath(const std::string& folder, std::string_view symbol) {
  return folder + "/codelets/tmp/" + std::string(symbol) + ".out";
}

std::string BusPath(const std::string& folder, const std::string& host, std::string_view kind) {
  return folder + "/bus/" + host + "." + std::string(kind);
}

Status CheckSymbol(std::string_view symbol) {
  if (!symbol.empty() && symbol.find('/') == std::string_view::npos && symbol[0] != '.')
    return Status::Ok();
  return {ErrorCode::kInvalidArgument, "'" + std::string(symbol) +
                                           "' cannot be the symbol of a perfmodel: it is empty, "
                                           "begins with a dot or has a slash"};
}

std::string ModelPath(const std::string& folder, std::string_view symbol, const std::string& host) {
  return CodeletFolder(folder) + std::string(symbol) + "." + host;
}

Result<FoundPerfmodel> FindPerfmodel(const PerfmodelPlaces& places, std::string_view symbol) {
  if (Status s = CheckSymbol(symbol); !s.ok()) return s;
  for (std::string_view name : {symbol, symbol.substr(0, symbol.rfind('.'))}) {
    for (const std::string& folder : places.folders) {
      const std::string path = ModelPath(folder, name, places.host);
      Result<PerfmodelFile> file = ReadPerfmodel(path);
      if (file.ok()) return FoundPerfmodel{std::move(*file), path};
      if (file.status().code() != ErrorCode::kNotFound) return file.status();
    }
  }
  return Status(ErrorCode::kNotFound,
                "there is no perfmodel of the symbol '" + std::string(symbol) + "' for host '" +
                    places.host + "' in " +
                    (places.folders.empty() ? "any folder" : CodeletFolder(places.folders[0])) +
                    "; a run with STARPU_CALIBRATE=1 measures it, STARPU_PERF_MODEL_DIR and "
                    "STARPU_HOSTNAME say where it is");
}

std::vector<std::string> ListPerfmodels(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(CodeletFolder(folder), error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tasklens
