// SPDX-License-Identifier: Apache-2.0
// The table of plots, for `tasklens plot`, the server's request and the page.
//
// Threads: pure functions, except that a PlotRun keeps what it computes: one thread at a time uses
// it and its copies.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/activity.h"
#include "analysis/statistics.h"
#include "analysis/task_samples.h"
#include "server/pictures/plot_canvas.h"
#include "trace/model/trace_model.h"
#include "trace/support/status.h"

namespace tasklens {

// A run, with the analyses that several plots read: each is computed once, when first asked for,
// and shared with copies of the run. Moments count from the zero of RunClock.
class PlotRun {
 public:
  // `name`: of its file, for people. REQUIRES: the model lives as long as the run.
  PlotRun(std::string name, const TraceModel* model);

  std::string name;
  const TraceModel& model() const { return *model_; }
  const TaskSamples& samples() const;
  const Activity& activity() const;
  // As Statistics() has them, without the runtime's own tasks.
  const std::vector<StatisticsRow>& statistics(StatisticsBy by) const;

 private:
  struct Kept;
  const TraceModel* model_;
  std::shared_ptr<Kept> kept_;
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
