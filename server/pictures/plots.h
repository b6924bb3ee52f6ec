// SPDX-License-Identifier: Apache-2.0
// The table of plots, for `tasklens plot`, the server's request and the page.
//
// Threads: pure functions. The models need to live only during the call.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/pictures/plot_canvas.h"
#include "trace/model/trace_model.h"
#include "trace/support/status.h"

namespace tasklens {

struct PlotRun {
  std::string name;  // name of its file, for people
  const TraceModel* model;
};

struct PlotOptions {
  PlotTheme theme = kLightPlot;
  std::string by = "codelet";         // groups of histograms, colours of dots: from PlotKind::by
  std::vector<std::string> codelets;  // only these; empty: all
};

struct PlotKind {
  std::string_view name, summary;
  uint32_t parts;                        // bits of the ModelParts that it reads
  std::span<const std::string_view> by;  // values of PlotOptions::by; empty: no groups
  bool has_codelets;                     // whether it can be limited to some codelets
  // Returns kNotFound if there is nothing to draw; the message says what is missing.
  Result<std::vector<PlotCanvas>> (*draw)(std::span<const PlotRun> runs,
                                          const PlotOptions& options);
};
std::span<const PlotKind> PlotKinds();
// Returns kInvalidArgument with the list of kinds if `name` is unknown.
Result<const PlotKind*> FindPlotKind(std::string_view name);
// Returns kInvalidArgument for options that the kind does not have; the message lists those it has.
Status CheckPlotOptions(const PlotKind& kind, const PlotOptions& options);

// Returns kNotFound if no run has a task with one of the names; the message lists the names.
Status CheckCodelets(std::span<const PlotRun> runs, const std::vector<std::string>& codelets);

}  // namespace tasklens
