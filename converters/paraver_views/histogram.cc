// SPDX-License-Identifier: Apache-2.0
// The values of one window select the column (and those of another the plane); the values of a
// third, or of the same, are accumulated there by a statistic, one row of a table each. They are
// accumulated in pieces: intervals between two times at which a burst of any window begins.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "converters/paraver_views/evaluate.h"
#include "converters/paraver_views/functions.h"
#include "converters/paraver_views/merge.h"

namespace tasklens {
namespace {

constexpr double kMostColumns = 20'000;
constexpr double kMostCells = 20'000'000, kMostCellsOfRow = 1'000'000;
constexpr double kDefaultColumns = 200;

// The sum of the pieces of a row in a column of a plane.
struct Cell {
  double time = 0, window_time = 0;  // in units of the control and of the data window
  double pieces = 0, time_squares = 0;
  double values = 0;     // sum of the data window's values
  double weighted = 0;   // values by time
  double magnitude = 0;  // sum of absolute values by time
  // Pieces in which the control window, or the data window, is not 0.
  double control_time = 0, data_time = 0, data_pieces = 0;
  double maximum = -std::numeric_limits<double>::infinity();
  double minimum = std::numeric_limits<double>::infinity();
};
// Sums over all columns of one row in one plane.
struct Totals {
  double time = 0, control_time = 0, pieces = 0;
  double span = 0;  // length of the evaluated time
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
    {"% Time Not Zero",
     [](const Cell& c, const Totals& row) { return Share(c.control_time, row.control_time); }},
    {"% Window Time", [](const Cell& c, const Totals& row) { return Share(c.time, row.span); }},
    {"# Bursts", [](const Cell& c, const Totals&) { return c.pieces; }},
    {"% # Bursts", [](const Cell& c, const Totals& row) { return Share(c.pieces, row.pieces); }},
    {"# Bursts != 0", [](const Cell& c, const Totals&) { return c.data_pieces; }},
    {"Integral", [](const Cell& c, const Totals&) { return c.magnitude; }},
    {"Average value",
     [](const Cell& c, const Totals&) { return Ratio(c.weighted, c.window_time); }},
    {"Average value != 0",
     [](const Cell& c, const Totals&) { return Ratio(c.weighted, c.data_time); }},
    {"Maximum", [](const Cell& c, const Totals&) { return c.pieces > 0 ? c.maximum : 0; }},
    {"Minimum", [](const Cell& c, const Totals&) { return c.pieces > 0 ? c.minimum : 0; }},
    {"Sum bursts", [](const Cell& c, const Totals&) { return c.values; }},
    {"Average per Burst", [](const Cell& c, const Totals&) { return Ratio(c.values, c.pieces); }},
    {"Average per Burst != 0",
     [](const Cell& c, const Totals&) { return Ratio(c.values, c.data_pieces); }},
    {"Average Burst Time", [](const Cell& c, const Totals&) { return Ratio(c.time, c.pieces); }},
    {"Stdev Burst Time",
     [](const Cell& c, const Totals&) {
       const double mean = Ratio(c.time, c.pieces);
       return std::sqrt(std::abs(Ratio(c.time_squares, c.pieces) - mean * mean));
     }},
};

// The messages between a row and a partner.
struct Messages {
  double count = 0, bytes = 0;
  double minimum = std::numeric_limits<double>::infinity(), maximum = 0;
};
struct MessageStatistic {
  std::string_view name;
  bool sent;  // else it is received
  double (*value)(const Messages& messages);
};
constexpr MessageStatistic kMessageStatistics[] = {
    {"#Sends", true, [](const Messages& m) { return m.count; }},
    {"#Receives", false, [](const Messages& m) { return m.count; }},
    {"Bytes sent", true, [](const Messages& m) { return m.bytes; }},
    {"Bytes received", false, [](const Messages& m) { return m.bytes; }},
    {"Average bytes sent", true, [](const Messages& m) { return Ratio(m.bytes, m.count); }},
    {"Average bytes received", false, [](const Messages& m) { return Ratio(m.bytes, m.count); }},
    {"Minimum bytes sent", true, [](const Messages& m) { return m.count > 0 ? m.minimum : 0; }},
    {"Minimum bytes received", false,
     [](const Messages& m) { return m.count > 0 ? m.minimum : 0; }},
    {"Maximum bytes sent", true, [](const Messages& m) { return m.maximum; }},
    {"Maximum bytes received", false, [](const Messages& m) { return m.maximum; }},
};

// Divides the values of a window into columns or planes.
class Scale {
 public:
  // Returns whether `value` is in range; then `at` is its column.
  bool Find(double value, size_t& at) const {
    if (!(value >= minimum_ && value <= maximum_)) return false;
    const double column = std::floor((value - minimum_) / delta_);
    at = count_ == 1 ? 0 : static_cast<size_t>(std::min(column, static_cast<double>(count_ - 1)));
    return true;
  }
  size_t count() const { return count_; }
  double Begin(size_t at) const { return minimum_ + static_cast<double>(at) * delta_; }
  double delta() const { return delta_; }

  enum class Of { kColumns, kPlanes };
  // `values`: all values of the window.
  static Result<Scale> Make(Of what, const ViewScale& given, const ViewWindow& window, size_t line,
                            const std::vector<double>& values) {
    Scale scale;
    scale.minimum_ = given.minimum;
    scale.maximum_ = given.maximum;
    scale.delta_ = given.delta;
    bool fixed = given.fixed_delta || what == Of::kPlanes || (!given.computed && !given.count);
    double columns = given.count.value_or(kDefaultColumns);
    if (given.computed) {
      scale.Span(values, given.from_zero);
      const double range = scale.maximum_ - scale.minimum_;
      if (what == Of::kPlanes) {
        scale.delta_ = range == 0 || window.is_code ? 1 : range / kDefaultColumns;
      } else if (scale.maximum_ += range * kMargin; !fixed) {
        columns = kDefaultColumns;
        fixed = range == 0 || (window.is_code && range <= kMostCodes);
        if (fixed) scale.delta_ = 1;
        if (range != 0 && fixed) scale.maximum_ = std::floor(scale.maximum_);
      }
    }
    if (fixed) {
      columns = std::ceil((scale.maximum_ - scale.minimum_) / scale.delta_);
      // Whole numbers: the last value has a column of its own.
      if (scale.delta_ == 1 && scale.minimum_ + columns <= scale.maximum_) ++columns;
      columns = std::max(columns, 1.0);
    } else {
      scale.delta_ = (scale.maximum_ - scale.minimum_) / columns;
    }
    if (!(scale.delta_ > 0) || !(columns >= 1) || columns > kMostColumns)
      return Status(ErrorCode::kUnsupported,
                    "line " + std::to_string(line) +
                        ": its limits and delta make no columns, or more than " +
                        std::to_string(static_cast<int>(kMostColumns)));
    scale.count_ = static_cast<size_t>(columns);
    return scale;
  }
  // A single range that contains everything.
  static Scale Single() {
    Scale scale;
    scale.maximum_ = std::numeric_limits<double>::infinity();
    scale.minimum_ = -scale.maximum_;
    scale.count_ = 1;
    return scale;
  }

 private:
  // From the smallest value other than 0 (0 means that nothing happens) or from 0, to the largest.
  void Span(const std::vector<double>& values, bool from_zero) {
    minimum_ = maximum_ = 0;
    bool has_zero = false;
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      has_zero = has_zero || value == 0;
      maximum_ = std::max(maximum_, value);
      if (value != 0 && (minimum_ == 0 || value < minimum_)) minimum_ = value;
    }
    if (from_zero && has_zero) minimum_ = std::min(minimum_, 0.0);
  }

  static constexpr double kMargin = 0.05;       // above the largest value
  static constexpr double kMostCodes = 10'000;  // each with a column of its own
  double minimum_ = 0, maximum_ = -std::numeric_limits<double>::infinity(), delta_ = 1;
  size_t count_ = 0;
};

class Histogram {
 public:
  Histogram(const ParaverRecords& records, const ViewConfiguration& configuration,
            const ViewHistogram& histogram)
      : records_(records),
        configuration_(configuration),
        histogram_(histogram),
        control_(WindowOf(configuration, histogram.control)),
        data_(WindowOf(configuration, histogram.data)),
        span_(histogram.only_window ? SpanOf(records, control_) : ViewSpan{0, records.end}) {}

  Result<ViewTable> Compute() {
    if (Status s = FindStatistic(); !s.ok()) return s;
    if (Status s = EvaluateWindows(); !s.ok()) return s;
    if (Status s = MakePlanes(); !s.ok()) return s;
    return messages_ == nullptr ? OfPieces() : OfMessages();
  }

 private:
  std::string Line() const { return "line " + std::to_string(histogram_.line) + ": "; }

  Status FindStatistic() {
    pieces_ = FindFunction<Statistic>(kStatistics, histogram_.statistic);
    messages_ = FindFunction<MessageStatistic>(kMessageStatistics, histogram_.statistic);
    if (pieces_ != nullptr || messages_ != nullptr) return Status::Ok();
    std::string message = "line " + std::to_string(histogram_.statistic_line) +
                          ": no statistic is called '" + histogram_.statistic + "'; known are";
    for (const Statistic& statistic : kStatistics)
      message += (&statistic == kStatistics ? " " : ", ") + std::string(statistic.name);
    for (const MessageStatistic& statistic : kMessageStatistics)
      message += ", " + std::string(statistic.name);
    return {ErrorCode::kUnsupported, std::move(message)};
  }

  Status EvaluateWindows() {
    auto rows = EvaluateAllRows(records_, configuration_, control_);
    if (!rows.ok()) return rows.status();
    control_rows_ = std::move(*rows);
    shown_ = ShownRows(records_, *LevelOf(control_),
                       histogram_.selections.empty() ? control_.selections : histogram_.selections);
    if (histogram_.rows) {
      std::vector<bool> chosen(shown_.size(), false);
      for (const uint32_t row : *histogram_.rows)
        if (row < chosen.size()) chosen[row] = shown_[row];
      shown_ = std::move(chosen);
    }
    return messages_ == nullptr ? EvaluateData() : Status::Ok();
  }

  // The data of each row of the control window: those of the row that contains it, or of all rows
  // in it.
  Status EvaluateData() {
    const auto rows = EvaluateAllRows(records_, configuration_, data_);
    if (!rows.ok()) return rows.status();
    const Level level = *LevelOf(control_), data_level = *LevelOf(data_);
    if (IsResource(level) != IsResource(data_level))
      return {ErrorCode::kUnsupported,
              Line() + "one of its windows is of processes, the other of CPUs"};
    data_rows_.resize(control_rows_.size());
    const std::vector<uint32_t> above =
        RowsAbove(records_, std::min(level, data_level), std::max(level, data_level));
    for (uint32_t row = 0; row < above.size(); ++row) {
      const bool finer = data_level < level;
      data_rows_[finer ? above[row] : row].push_back((*rows)[finer ? row : above[row]].steps);
    }
    return Status::Ok();
  }

  // The rows of the third window, one for each of the control window's.
  Status MakePlanes() {
    if (!histogram_.planes) {
      planes_ = Scale::Single();
      plane_rows_.resize(control_rows_.size());
      return Status::Ok();
    }
    const ViewWindow& window = WindowOf(configuration_, *histogram_.planes);
    auto rows = EvaluateAllRows(records_, configuration_, window);
    if (!rows.ok()) return rows.status();
    const Level level = *LevelOf(control_), above = *LevelOf(window);
    if (IsResource(level) != IsResource(above) || above < level)
      return {ErrorCode::kUnsupported, Line() + "its third window's level '" + window.level +
                                           "' is not above '" + control_.level + "'"};
    for (const uint32_t row : RowsAbove(records_, level, above))
      plane_rows_.push_back((*rows)[row].steps);
    auto scale = Scale::Make(Scale::Of::kPlanes, histogram_.plane_scale, window, histogram_.line,
                             ValuesOf(*rows, window));
    if (!scale.ok()) return scale.status();
    planes_ = *scale;
    return Status::Ok();
  }

  // The values of the rows that the window shows, in its time, whatever the histogram shows.
  std::vector<double> ValuesOf(const std::vector<ViewRow>& rows, const ViewWindow& window) const {
    const std::vector<bool> shown = ShownRows(records_, *LevelOf(window), window.selections);
    std::vector<double> values;
    for (size_t row = 0; row < rows.size(); ++row) {
      const std::vector<Step>& steps = rows[row].steps.steps();
      for (size_t i = 0; shown[row] && i < steps.size(); ++i)
        if (steps[i].begin < span_.end && rows[row].steps.EndOf(i, records_.end) > span_.begin)
          values.push_back(steps[i].value);
    }
    return values;
  }

  Status CheckSize(size_t columns) const {
    const double of_row = static_cast<double>(columns) * static_cast<double>(planes_.count());
    if (of_row <= kMostCellsOfRow &&
        of_row * static_cast<double>(control_rows_.size()) <= kMostCells)
      return Status::Ok();
    return {ErrorCode::kUnsupported,
            Line() + "more than " + std::to_string(static_cast<int>(kMostCells)) + " cells, or " +
                std::to_string(static_cast<int>(kMostCellsOfRow)) + " of one row"};
  }

  ViewTable EmptyTable() const {
    ViewTable table;
    table.has_planes = histogram_.planes.has_value();
    for (size_t plane = 0; plane < planes_.count(); ++plane)
      table.planes.push_back({planes_.Begin(plane), planes_.Begin(plane) + planes_.delta(), {}});
    for (size_t row = 0; row < control_rows_.size(); ++row)
      if (shown_[row]) table.row_names.push_back(control_rows_[row].name);
    return table;
  }

  // Removes empty columns if the configuration says so.
  void HideColumns(ViewTable& table, const std::vector<bool>& used) const {
    if (!histogram_.hide_empty_columns) return;
    const auto hide = [&](auto& cells) {
      std::remove_reference_t<decltype(cells)> left;
      for (size_t i = 0; i < used.size(); ++i)
        if (used[i]) left.push_back(std::move(cells[i]));
      cells = std::move(left);
    };
    hide(table.columns);
    for (ViewTable::Plane& plane : table.planes)
      for (std::vector<double>& cells : plane.rows) hide(cells);
  }

  Result<ViewTable> OfPieces() const {
    const auto columns = Scale::Make(Scale::Of::kColumns, histogram_.columns, control_,
                                     histogram_.line, ValuesOf(control_rows_, control_));
    if (!columns.ok()) return columns.status();
    if (Status s = CheckSize(columns->count()); !s.ok()) return s;
    ViewTable table = EmptyTable();
    for (size_t i = 0; i < columns->count(); ++i)
      table.columns.push_back({"", columns->Begin(i), columns->Begin(i) + columns->delta()});
    std::vector<bool> used(columns->count(), false);
    for (size_t row = 0; row < control_rows_.size(); ++row) {
      if (!shown_[row]) continue;
      std::vector<std::vector<Cell>> cells(planes_.count(), std::vector<Cell>(columns->count()));
      for (const Steps& data : data_rows_[row]) AddPieces(*columns, row, data, cells);
      for (size_t plane = 0; plane < cells.size(); ++plane) {
        Totals totals;
        totals.span = static_cast<double>(span_.end - span_.begin) * TimeScale(control_);
        for (size_t i = 0; i < used.size(); ++i) {
          const Cell& cell = cells[plane][i];
          totals.time += cell.time;
          totals.control_time += cell.control_time;
          totals.pieces += cell.pieces;
          used[i] = used[i] || cell.pieces > 0;
        }
        std::vector<double>& values = table.planes[plane].rows.emplace_back();
        for (const Cell& cell : cells[plane]) values.push_back(pieces_->value(cell, totals));
      }
    }
    HideColumns(table, used);
    return table;
  }

  void AddPieces(const Scale& columns, size_t row, const Steps& data,
                 std::vector<std::vector<Cell>>& cells) const {
    const Steps* const windows[] = {&control_rows_[row].steps, &plane_rows_[row], &data};
    int64_t begin = 0;
    std::vector<double> values(std::size(windows), 0);
    const auto end_piece = [&](int64_t time) {
      AddPiece(columns, values, std::max(begin, span_.begin), std::min(time, span_.end), cells);
    };
    ForMerged(windows, [&](int64_t time, const std::vector<double>& next, size_t) {
      end_piece(time);
      begin = time;
      values = next;
    });
    end_piece(records_.end);
  }

  void AddPiece(const Scale& columns, const std::vector<double>& values, int64_t begin, int64_t end,
                std::vector<std::vector<Cell>>& cells) const {
    size_t plane = 0, column = 0;
    if (end <= begin || !columns.Find(values[0], column) || !planes_.Find(values[1], plane)) return;
    Cell& cell = cells[plane][column];
    const auto units = static_cast<double>(end - begin);
    const double time = units * TimeScale(control_), data_time = units * TimeScale(data_);
    const double value = values[2];
    cell.time += time;
    cell.time_squares += time * time;
    cell.window_time += data_time;
    ++cell.pieces;
    cell.values += value;
    cell.weighted += value * data_time;
    cell.magnitude += std::abs(value) * data_time;
    if (values[0] != 0) cell.control_time += time;
    if (value != 0) cell.data_time += data_time;
    if (value != 0) ++cell.data_pieces;
    cell.maximum = std::max(cell.maximum, value);
    cell.minimum = std::min(cell.minimum, value);
  }

  // The columns are the partners: rows of the control window's level.
  Result<ViewTable> OfMessages() const {
    const Level level = *LevelOf(control_);
    const auto filter = RecordFilter::Of(records_, control_, level);
    if (!filter.ok()) return filter.status();
    const size_t count = control_rows_.size();
    if (Status s = CheckSize(count); !s.ok()) return s;
    ViewTable table = EmptyTable();
    for (const ViewRow& row : control_rows_) table.columns.push_back({row.name, 0, 0});
    std::vector<std::vector<Messages>> cells(planes_.count(), std::vector<Messages>(count * count));
    for (const ParaverRecords::Communication& message : records_.communications) {
      if (!filter->Passes(message)) continue;
      uint32_t row = RowOfRecord(records_, level, message.from, message.from_cpu);
      uint32_t partner = RowOfRecord(records_, level, message.to, message.to_cpu);
      int64_t time = control_.logical ? message.logical_send : message.physical_send;
      if (!messages_->sent) {
        std::swap(row, partner);
        time = control_.logical ? std::max(message.logical_receive, message.physical_receive)
                                : message.physical_receive;
      }
      size_t plane = 0;
      if (row == kNoRow || partner == kNoRow || time < span_.begin || time > span_.end ||
          !planes_.Find(ValueAt(plane_rows_[row], time), plane))
        continue;
      Messages& cell = cells[plane][row * count + partner];
      const auto bytes = static_cast<double>(message.size);
      ++cell.count;
      cell.bytes += bytes;
      cell.minimum = std::min(cell.minimum, bytes);
      cell.maximum = std::max(cell.maximum, bytes);
    }
    std::vector<bool> used(count, false);
    for (size_t plane = 0; plane < cells.size(); ++plane)
      for (size_t row = 0; row < count; ++row) {
        if (!shown_[row]) continue;
        std::vector<double>& values = table.planes[plane].rows.emplace_back();
        for (size_t i = 0; i < count; ++i) {
          const Messages& cell = cells[plane][row * count + i];
          values.push_back(messages_->value(cell));
          used[i] = used[i] || cell.count > 0;
        }
      }
    HideColumns(table, used);
    return table;
  }

  static double ValueAt(const Steps& steps, int64_t time) {
    const auto after =
        std::upper_bound(steps.steps().begin(), steps.steps().end(), time,
                         [](int64_t at, const Step& step) { return at < step.begin; });
    return after == steps.steps().begin() ? 0 : (after - 1)->value;
  }

  double TimeScale(const ViewWindow& window) const {
    return static_cast<double>(records_.ns_per_unit) / window.ns_per_unit;
  }

  const ParaverRecords& records_;
  const ViewConfiguration& configuration_;
  const ViewHistogram& histogram_;
  const ViewWindow &control_, &data_;
  const ViewSpan span_;
  const Statistic* pieces_ = nullptr;
  const MessageStatistic* messages_ = nullptr;
  Scale planes_;
  std::vector<ViewRow> control_rows_;
  std::vector<std::vector<Steps>> data_rows_;  // by row of the control window
  std::vector<Steps> plane_rows_;              // one row per row of the control window
  std::vector<bool> shown_;
};

}  // namespace

Result<ViewTable> EvaluateHistogram(const ParaverRecords& records,
                                    const ViewConfiguration& configuration,
                                    const ViewHistogram& histogram) {
  return Histogram(records, configuration, histogram).Compute();
}

}  // namespace tasklens
