// SPDX-License-Identifier: Apache-2.0
// Where perfmodels lie: StarPU's folders, its environment variables, its file names.
//
//   SAMPLING/codelets/45/SYMBOL.HOST   models         SAMPLING/bus/HOST.{bandwidth,latency,...}
//   SAMPLING/codelets/tmp/SYMBOL.out   measures of multiple regressions
//
// Threads: the environment is read when asked; nothing is kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/file.h"

namespace tasklens {

struct PerfmodelPlaces {
  // Folders called SAMPLING above, without a slash at the end; models are looked for in this order
  // and written into the first. Empty where a user without a home has named none.
  std::vector<std::string> folders;
  std::string host;
};

// folders: $STARPU_PERF_MODEL_DIR; .starpu/sampling below $XDG_CACHE_HOME, $STARPU_HOME or $HOME;
// those of $STARPU_PERF_MODEL_PATH, separated by ':'; StarPU's own in /usr/share.
// host: $STARPU_HOSTNAME, or the machine's name up to the first dot.
PerfmodelPlaces PlacesFromEnvironment();

std::string CodeletFolder(const std::string& folder);  // with a slash at the end
std::string MeasuresPath(const std::string& folder, std::string_view symbol);
std::string BusPath(const std::string& folder, const std::string& host, std::string_view kind);

// A symbol becomes a file name: it may not be empty, hold a slash, or begin with a dot.
Status CheckSymbol(std::string_view symbol);
std::string ModelPath(const std::string& folder, std::string_view symbol, const std::string& host);

struct FoundPerfmodel {
  PerfmodelFile file;
  std::string path;
};
// The first model of that symbol; where there is none, that of the symbol up to its last dot.
// kNotFound when there is none at all; kCorrupt when the first one cannot be read.
Result<FoundPerfmodel> FindPerfmodel(const PerfmodelPlaces& places, std::string_view symbol);

// The files of models, in the order of their names: "SYMBOL.HOST". Empty where there is no folder.
std::vector<std::string> ListPerfmodels(const std::string& folder);

}  // namespace tasklens
