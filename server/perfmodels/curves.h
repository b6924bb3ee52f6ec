// SPDX-License-Identifier: Apache-2.0
// A perfmodel as curves over the size of the data: for gnuplot, in the files of
// starpu_perfmodel_plot, and as SVG. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "perfmodel/model.h"
#include "trace/model/trace_model.h"

namespace tasklens {

struct CurveOptions {
  bool in_flops = false;   // GFlop/s (of an energy model GFlop/J), which no regression tells
  bool is_energy = false;  // joules instead of milliseconds
  bool is_power = false;   // watts: of PowerModel()
  std::optional<int> combination;  // only that one
  bool has_measures = false;       // beside the averages, those of SYMBOL.data; not in_flops
};

// For each architecture and footprint that a model of time and one of energy both know, watts.
Perfmodel PowerModel(const Perfmodel& time, const Perfmodel& energy);

// What the tasks of that name or model took in a trace, in the order of their ends: the
// architecture, bytes of data, milliseconds.
std::string MeasuresText(const TraceModel& trace, std::string_view symbol);

// The file of averages: a line for each size, two columns for each architecture.
std::string AveragesText(const Perfmodel& model, const CurveOptions& options);

// The script for gnuplot. `folder`: of the file of averages, as the script is to name it.
std::string GnuplotText(const Perfmodel& model, std::string_view symbol, std::string_view host,
                        std::string_view folder, const CurveOptions& options);

// "starpu_SYMBOL.gp", "starpu_gflops_SYMBOL_avg.data".
std::string CurveFileName(std::string_view symbol, const CurveOptions& options,
                          std::string_view ending);

// Both axes logarithmic, a mark with its deviation for each footprint, a line for each regression.
std::string CurvesSvg(const Perfmodel& model, std::string_view symbol, std::string_view host,
                      const CurveOptions& options);

}  // namespace tasklens
