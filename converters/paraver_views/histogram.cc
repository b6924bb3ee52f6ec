// SPDX-License-Identifier: Apache-2.0
// The values of one window decide about the column, those of another (or the same) are summed up
// in it by a statistic, one row of a table each.
#include <algorithm>
#include <cmath>
#include <limits>

#include "converters/paraver_views/evaluate.h"

namespace tasklens {
namespace {

constexpr double kMostColumns = 10'000;
constexpr int kDefaultColumns = 20;

// What happened while the control window had a value of one column.
struct Cell {
  double time = 0;      // in units of the data window
  double integral = 0;  // value times time
  double bursts = 0;    // of the data window that begin then
  double burst_values = 0;
  double burst_time = 0, burst_time_squares = 0;
  double maximum = -std::numeric_limits<double>::infinity();
  double minimum = std::numeric_limits<double>::infinity();
};
// Of one row, all columns together.
struct Totals {
  double time = 0, bursts = 0;
  double span = 0;  // of the whole trace
};

double Share(double part, double whole) { return whole == 0 ? 0 : 100 * part / whole; }
double Ratio(double a, double b) { return b == 0 ? 0 : a / b; }

struct Statistic {
  std::string_view name;
  double (*value)(const Cell& cell, const Totals& row);
};
constexpr Statistic kStatistics[] = {
    {"Time", [](const Cell& c, const Totals&) { return c.time; }},
    {"% Time", [](const Cell& c, const Totals& row) { return Share(c.time, row.time); }},
    {"% Window Time", [](const Cell& c, const Totals& row) { return Share(c.time, row.span); }},
    {"# Bursts", [](const Cell& c, const Totals&) { return c.bursts; }},
    {"% # Bursts", [](const Cell& c, const Totals& row) { return Share(c.bursts, row.bursts); }},
    {"Integral", [](const Cell& c, const Totals&) { return c.integral; }},
    {"Average value", [](const Cell& c, const Totals&) { return Ratio(c.integral, c.time); }},
    {"Maximum", [](const Cell& c, const Totals&) { return c.time > 0 ? c.maximum : 0; }},
    {"Minimum", [](const Cell& c, const Totals&) { return c.time > 0 ? c.minimum : 0; }},
    {"Sum bursts", [](const Cell& c, const Totals&) { return c.burst_values; }},
    {"Average per Burst",
     [](const Cell& c, const Totals&) { return Ratio(c.burst_values, c.bursts); }},
    {"Average Burst Time",
     [](const Cell& c, const Totals&) { return Ratio(c.burst_time, c.bursts); }},
    {"Stdev Burst Time",
     [](const Cell& c, const Totals&) {
       const double mean = Ratio(c.burst_time, c.bursts);
       return std::sqrt(std::max(0.0, Ratio(c.burst_time_squares, c.bursts) - mean * mean));
     }},
};

// Sets the columns of `table`; the values are those of the control window.
Status ChooseColumns(const ViewHistogram& histogram, const std::vector<ViewRow>& control,
                     ViewTable& table) {
  double minimum = histogram.minimum.value_or(0), maximum = histogram.maximum.value_or(0);
  bool all_whole = true;
  if (!histogram.minimum || !histogram.maximum) {
    minimum = std::numeric_limits<double>::infinity();
    maximum = -minimum;
    for (const ViewRow& row : control)
      for (const Step& step : row.steps.steps()) {
        if (step.value == 0) continue;  // nothing happens
        minimum = std::min(minimum, step.value);
        maximum = std::max(maximum, step.value);
        all_whole = all_whole && step.value == std::floor(step.value);
      }
    if (minimum > maximum) return Status::Ok();  // no column
  }
  table.delta = histogram.delta.value_or(
      all_whole && maximum - minimum < 1000
          ? 1
          : std::max((maximum - minimum) / kDefaultColumns, std::numeric_limits<double>::min()));
  const double count = std::floor((maximum - minimum) / table.delta) + 1;
  if (!(table.delta > 0) || !(count >= 1) || count > kMostColumns)
    return {ErrorCode::kUnsupported, "line " + std::to_string(histogram.line) +
                                         ": its limits and delta make no columns, or more than " +
                                         std::to_string(static_cast<int>(kMostColumns))};
  for (double column = 0; column < count; ++column)
    table.columns.push_back(minimum + column * table.delta);
  return Status::Ok();
}

class RowOfHistogram {
 public:
  RowOfHistogram(const ViewTable& table, int64_t end, double scale)
      : table_(table), end_(end), scale_(scale), cells_(table.columns.size()) {}

  void Add(const Steps& control, const Steps& data) {
    size_t at = 0;
    for (size_t i = 0; i < control.steps().size(); ++i) {
      const int64_t begin = control.steps()[i].begin, end = control.EndOf(i, end_);
      while (at + 1 < data.steps().size() && data.steps()[at + 1].begin <= begin) ++at;
      const double column =
          std::floor((control.steps()[i].value - table_.columns[0]) / table_.delta);
      if (!(column >= 0) || column >= static_cast<double>(cells_.size())) continue;
      Cell& cell = cells_[static_cast<size_t>(column)];
      for (size_t burst = at; burst < data.steps().size(); ++burst) {
        const auto& [from, value] = data.steps()[burst];
        if (from >= end) break;
        const int64_t until = data.EndOf(burst, end_);
        AddBurst(cell, value, std::max(from, begin), std::min(until, end));
        if (from >= begin) BeginBurst(cell, value, until - from);
      }
    }
  }
  std::vector<double> Values(const Statistic& statistic) const {
    Totals totals;
    totals.span = static_cast<double>(end_) * scale_;
    for (const Cell& cell : cells_) {
      totals.time += cell.time;
      totals.bursts += cell.bursts;
    }
    std::vector<double> values;
    for (const Cell& cell : cells_) values.push_back(statistic.value(cell, totals));
    return values;
  }

 private:
  void AddBurst(Cell& cell, double value, int64_t begin, int64_t end) const {
    if (end <= begin) return;
    const double time = static_cast<double>(end - begin) * scale_;
    cell.time += time;
    cell.integral += value * time;
    cell.maximum = std::max(cell.maximum, value);
    cell.minimum = std::min(cell.minimum, value);
  }
  void BeginBurst(Cell& cell, double value, int64_t length) const {
    const double time = static_cast<double>(length) * scale_;
    ++cell.bursts;
    cell.burst_values += value;
    cell.burst_time += time;
    cell.burst_time_squares += time * time;
  }

  const ViewTable& table_;
  const int64_t end_;
  const double scale_;
  std::vector<Cell> cells_;
};

Result<const Statistic*> FindStatistic(const ViewHistogram& histogram) {
  for (const Statistic& statistic : kStatistics)
    if (statistic.name == histogram.statistic) return &statistic;
  std::string message = "line " + std::to_string(histogram.statistic_line) +
                        ": no statistic is called '" + histogram.statistic + "'; known are";
  for (const Statistic& statistic : kStatistics)
    message += (&statistic == kStatistics ? " " : ", ") + std::string(statistic.name);
  return Status(ErrorCode::kUnsupported, std::move(message));
}

}  // namespace

Result<ViewTable> EvaluateHistogram(const ParaverRecords& records,
                                    const ViewConfiguration& configuration,
                                    const ViewHistogram& histogram) {
  const auto statistic = FindStatistic(histogram);
  if (!statistic.ok()) return statistic.status();
  const ViewWindow& data_window = WindowOf(configuration, histogram.data);
  const ViewWindow& control_window = WindowOf(configuration, histogram.control);
  if (data_window.level != control_window.level)
    return Status(ErrorCode::kUnsupported, "line " + std::to_string(histogram.line) +
                                               ": its two windows have different levels");
  const auto control = EvaluateWindow(records, configuration, control_window);
  if (!control.ok()) return control.status();
  const auto data = EvaluateWindow(records, configuration, data_window);
  if (!data.ok()) return data.status();

  ViewTable table;
  if (Status s = ChooseColumns(histogram, *control, table); !s.ok()) return s;
  const double scale = static_cast<double>(records.ns_per_unit) / data_window.ns_per_unit;
  for (size_t i = 0; i < control->size(); ++i) {
    table.rows.push_back({(*control)[i].name, {}});
    if (table.columns.empty()) continue;
    RowOfHistogram row(table, records.end, scale);
    row.Add((*control)[i].steps, (*data)[i].steps);
    table.rows.back().cells = row.Values(**statistic);
  }
  return table;
}

}  // namespace tasklens
