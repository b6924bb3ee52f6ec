// SPDX-License-Identifier: Apache-2.0
// Performance models as curves over the size of the data: for gnuplot, in the files of
// starpu_perfmodel_plot, and as SVG. Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "perfmodel/model.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct CurveOptions {
  bool in_flops = false;           // GFlop/s (GFlop/J for energy models); has no regressions
  bool is_energy = false;          // joules instead of milliseconds
  bool is_power = false;           // watts: of PowerModel()
  std::optional<int> combination;  // only this one
  bool has_measures = false;       // the averages and the measurements of SYMBOL.data; not in_flops
};

// Returns the power in watts for each architecture and footprint that both models have.
Perfmodel PowerModel(const Perfmodel& time, const Perfmodel& energy);

// The measurements in a trace of tasks with that name or model, ordered by their ends:
// architecture, bytes of data, milliseconds.
std::string MeasuresText(const TraceModel& trace, std::string_view symbol);

// The data file of averages: one line for each size, two columns for each architecture.
std::string AveragesText(const Perfmodel& model, const CurveOptions& options);

// The gnuplot script. `folder`: the folder of the data file, as written in the script.
std::string GnuplotText(const Perfmodel& model, std::string_view symbol, std::string_view host,
                        std::string_view folder, const CurveOptions& options);

// "starpu_SYMBOL.gp", "starpu_gflops_SYMBOL_avg.data".
std::string CurveFileName(std::string_view symbol, const CurveOptions& options,
                          std::string_view ending);

// Both axes are logarithmic. A mark with its deviation for each footprint, a line for each
// regression.
std::string CurvesSvg(const Perfmodel& model, std::string_view symbol, std::string_view host,
                      const CurveOptions& options);

}  // namespace tasklens
