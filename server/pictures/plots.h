// SPDX-License-Identifier: Apache-2.0
// The plots that there are: a table, for `tasklens plot`, the request of the server and the page.
//
// Pure functions; any thread. A model must outlive what is drawn of it no longer than the call.
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
  std::string name;  // for people: of its file
  const TraceModel* model;
};

struct PlotOptions {
  PlotTheme theme = kLightPlot;
  std::string by = "codelet";         // groups of histograms, colours of dots: as PlotKind::by
  std::vector<std::string> codelets;  // these alone; none: all
};

struct PlotKind {
  std::string_view name, summary;
  uint32_t parts;                        // bits of ModelParts that it reads
  std::span<const std::string_view> by;  // the choices of PlotOptions::by; none: it has no groups
  bool has_codelets;                     // whether it can be of some codelets alone
  // kNotFound where there is nothing to draw: the message says what is missing.
  Result<std::vector<PlotCanvas>> (*draw)(std::span<const PlotRun> runs,
                                          const PlotOptions& options);
};
std::span<const PlotKind> PlotKinds();
// kInvalidArgument names those that there are.
Result<const PlotKind*> FindPlotKind(std::string_view name);
// kInvalidArgument for options that the kind has not; says which it has.
Status CheckPlotOptions(const PlotKind& kind, const PlotOptions& options);

// kNotFound where no run has a task of one of the names; says which names there are.
Status CheckCodelets(std::span<const PlotRun> runs, const std::vector<std::string>& codelets);

}  // namespace tasklens
