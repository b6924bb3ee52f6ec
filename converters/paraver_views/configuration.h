// SPDX-License-Identifier: Apache-2.0
// A configuration file of Paraver (.cfg): its timelines ("windows") and its histogram. Fields about
// looks only (sizes, colours, positions) are ignored.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

// A function by name with its parameters, each a list of numbers.
struct ViewFunction {
  std::string name;
  std::vector<std::vector<double>> parameters;
  size_t line = 0;                    // of the file, for messages
  std::vector<std::string> labels{};  // of a filter: the file's name for each of the numbers
  // The first number of parameter `i`, or `fallback`.
  double First(size_t i, double fallback) const {
    return i < parameters.size() && !parameters[i].empty() ? parameters[i][0] : fallback;
  }
  // Whether the first parameter contains `value`. A function without parameters contains 1, as in
  // Paraver.
  bool Names(double value) const {
    return parameters.empty() ? value == 1
                              : std::find(parameters[0].begin(), parameters[0].end(), value) !=
                                    parameters[0].end();
  }
};

// The objects to show among those with the same parents: one line "window_object".
struct ViewSelection {
  std::string level;              // "appl", "task", "thread", "node", "cpu"
  std::vector<uint32_t> parents;  // numbers from 1: application, task; or node
  std::vector<bool> chosen;       // the first, the second, ...
};

struct ViewWindow {
  uint32_t id = 0;
  std::string name;
  size_t line = 0;
  std::string level = "thread";  // level of its rows: workload, appl, ..., cpu, node, system
  double ns_per_unit = 1e3;      // of window_units; microseconds by default
  // By level or kind: "thread", "task", "compose_thread", "topcompose1", "evt_type", ...
  std::map<std::string, ViewFunction, std::less<>> functions;
  // Applied after all others, in this order.
  std::vector<ViewFunction> extra_compositions;
  bool logical = true, physical = false;           // which times of communications count
  bool within_nodes = true, between_nodes = true;  // which communications count
  // Whether both conditions of a pair must hold, or one is enough.
  bool both_from_to = true, both_tag_size = true, both_type_value = true;
  std::vector<ViewSelection> selections;
  bool is_code = true;                  // values are codes, each with its own colour
  double begin_part = 0, end_part = 1;  // of the trace's time
  std::optional<double> begin, end;     // the same in the units of the trace
  // The operation and its operands, for a window derived from two others; "" for others.
  std::string operation;
  uint32_t operands[2] = {0, 0};
  double factors[2] = {1, 1};
  int shifts[2] = {0, 0};  // burst i has the value of burst i + shift

  // Returns the function chosen at `level`, or `fallback` if none is.
  ViewFunction Function(std::string_view level, std::string_view fallback) const {
    const auto found = functions.find(level);
    return found == functions.end() ? ViewFunction{std::string(fallback), {}, line} : found->second;
  }
};

// How the values of a window are divided into columns or planes.
struct ViewScale {
  double minimum = 0, maximum = 1, delta = 1;
  bool computed = true;    // compute minimum, maximum and (unless `fixed_delta`) delta from the
                           // values
  bool from_zero = false;  // compute from 0 on, if 0 is a value
  bool fixed_delta = false;
  std::optional<double> count;  // instead of a delta
};

struct ViewHistogram {
  std::string name;
  size_t line = 0;
  uint32_t control = 0, data = 0;  // ids of windows
  std::optional<uint32_t> planes;  // id of the window of the third dimension
  std::string statistic = "Time";
  size_t statistic_line = 0;
  ViewScale columns, plane_scale;
  bool hide_empty_columns = false;
  std::optional<std::vector<uint32_t>> rows;  // of the control window, from 0; else all
  bool only_window = false;  // only the part of the trace that the control window shows; else all
                             // of it
  std::vector<ViewSelection> selections;
};

struct ViewConfiguration {
  std::vector<ViewWindow> windows;  // operands stand before windows that are derived from them
  std::vector<ViewHistogram> histograms;
  // One sentence each, with its line: fields of the file that have no effect here, although they
  // may be meant to.
  std::vector<std::string> notes;
};

// `path` is for messages. kCorrupt: not a configuration file, or a contradictory one; the message
// names the line.
Result<ViewConfiguration> ParseViewConfiguration(std::string_view text, const std::string& path);

// Replaces the numbers of filters that give names by the numbers with these names in the trace's
// labels (its .pcf), whatever numbers the file has: like Paraver, all types or values of a name.
// Numbers without a name in the trace stay.
void ChooseByLabels(ViewConfiguration& configuration, std::string_view pcf);

}  // namespace tasklens
