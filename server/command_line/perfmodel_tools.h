// SPDX-License-Identifier: Apache-2.0
// The twins of StarPU's tools on perfmodels: their options, their texts. Reached through links of
// their names to the program tasklens; the same work as `tasklens perfmodel` does.
//
// They differ on purpose where StarPU's abort or say nothing: an option or a symbol that is not
// known is one line on standard error.
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

// What they share with `tasklens perfmodel`. All print on standard output.

// The model of the symbol, with its combinations counted from 0 as they come.
Result<FoundPerfmodel> LoadModel(const PerfmodelPlaces& places, const std::string& symbol);
Status PrintModel(const ModelSelection& selection);
// Whether there are any.
bool PrintModelList();
void PrintModelFolders();

// The model of the symbol; with that of `energy`, unless it is "", as watts.
Result<Perfmodel> ModelToDraw(const std::string& symbol, const std::string& energy,
                              CurveOptions& options);

// What is drawn for gnuplot, into the files starpu_SYMBOL.gp and starpu_SYMBOL_avg.data of
// `folder`.
struct GnuplotFiles {
  std::string symbol, folder;
  std::string energy;               // "", or a model of energy: drawn are watts
  std::vector<std::string> traces;  // what the tasks took in them, too: starpu_SYMBOL.data
  CurveOptions options;
};
Status WriteGnuplot(const GnuplotFiles& files);
// "": standard input and output.
Status DumpRecords(const std::optional<std::string>& tasks_rec, const std::string& output);
Status CompleteTasks(const std::string& tasks_rec, const std::string& output);
// Of the host, as its files tell; starpu_machine_display prints what the runtime has here.
Status PrintMachine();

}  // namespace tasklens
