// SPDX-License-Identifier: Apache-2.0
// Replacements for StarPU's tools for performance models, with their options and texts. Each runs
// when tasklens is started through a link of its name, and does the same work as `tasklens
// perfmodel`.
//
// A deliberate difference: an unknown option or symbol is a one-line error on standard error, where
// StarPU's tools abort or print nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "perfmodel/places.h"
#include "perfmodel/text.h"
#include "server/perfmodels/curves.h"
#include "server/perfmodels/machine.h"
#include "trace/support/status.h"

namespace tasklens {

int StarpuPerfmodelDisplay(std::span<const std::string> arguments);
int StarpuPerfmodelPlot(std::span<const std::string> arguments);
int StarpuPerfmodelRecdump(std::span<const std::string> arguments);
int StarpuTasksRecComplete(std::span<const std::string> arguments);

// The functions below are shared with `tasklens perfmodel`. They print on standard output; notes go
// to standard error.

// Loads the model `symbol`. Its combinations are numbered from 0 in the order of the file.
Result<FoundPerfmodel> LoadModel(const PerfmodelPlaces& places, const std::string& symbol);
Status PrintModel(const ModelSelection& selection);
// Lists the models by folder. Returns false if there are none.
bool PrintModelList();
void PrintModelFolders();

// Loads the model `symbol` to draw it. With an energy model `energy` ("": none), returns the power
// in watts and sets `options.is_power`.
Result<Perfmodel> ModelToDraw(const std::string& symbol, const std::string& energy,
                              CurveOptions& options);

// Input of WriteGnuplot(), which writes starpu_SYMBOL.gp and starpu_SYMBOL_avg.data into `folder`
// and creates the folder if it is missing.
struct GnuplotFiles {
  std::string symbol, folder;
  std::string energy;               // an energy model, to draw watts; "": none
  std::vector<std::string> traces;  // their measured durations go to starpu_SYMBOL.data
  CurveOptions options;
};
Status WriteGnuplot(const GnuplotFiles& files);
// Writes models as records: those of the tasks in the file `tasks_rec`, or all models. A path "" is
// standard input or output.
Status DumpRecords(const std::optional<std::string>& tasks_rec, const std::string& output);
// Writes the tasks with their expected duration on each worker. Paths as above.
Status CompleteTasks(const std::string& tasks_rec, const std::string& output);
// Prints the machine that the host's bus files describe. (starpu_machine_display prints the machine
// on which it runs.)
Status PrintMachine();

}  // namespace tasklens
