// SPDX-License-Identifier: Apache-2.0
// starpu_paje_state_stats, starpu_paje_draw_histogram, starpu_paje_sort and starpu_paje_summary.
//
// Deliberate differences from StarPU's tools:
// - The table of starpu_paje_state_stats shows 0 for a state that a trace lacks, and names traces
//   as the user did. (StarPU's script names them with ".csv", after temporary files that it leaves
//   behind.)
// - starpu_paje_draw_histogram can also print the totals, like starpu_paje_state_stats.
// - starpu_paje_sort compares times as numbers, so that 1e-05 precedes 0.5 (StarPU's sorts them as
//   versions), and writes the file completely or not at all.
// - starpu_paje_summary also writes its table to summary.csv.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "analysis/histogram.h"
#include "converters/readers/paje_file.h"
#include "server/command_line/print_text.h"
#include "server/command_line/twins/paje_states.h"
#include "server/command_line/twins/twin.h"
#include "server/command_line/whole_files.h"
#include "server/pictures/plot_pictures.h"
#include "server/pictures/plots.h"

namespace tasklens {
namespace {

struct Total {
  uint64_t events = 0;
  double duration_ms = 0;
};

// By the name of the state; one total for each trace.
using Totals = std::map<std::string, std::vector<Total>>;

Totals TotalsOf(const std::vector<PajeStates>& runs) {
  Totals totals;
  for (size_t run = 0; run < runs.size(); ++run)
    for (const PajeState& state : runs[run].states) {
      std::vector<Total>& of_value = totals[runs[run].values[state.value]];
      of_value.resize(runs.size());
      ++of_value[run].events;
      of_value[run].duration_ms += state.duration_ms();
    }
  return totals;
}

// Formats a number like R: with 15 digits.
std::string Number(double value) { return fmt::format("{:.15g}", value); }

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : Printable(text)) (c == '"' ? out += '\\' : out) += c;
  return out + '"';
}

std::string CsvOf(const Totals& totals, const std::vector<std::string>& traces) {
  std::string text = "\"Value\"";
  for (const std::string& trace : traces)
    text += ", " + Quoted("Events_" + trace) + ", " + Quoted("Duration_" + trace);
  text += '\n';
  for (const auto& [value, of_value] : totals) {
    text += Quoted(value);
    for (const Total& total : of_value)
      text += fmt::format(", {}, {}", total.events, Number(total.duration_ms));
    text += '\n';
  }
  return text;
}

// Prints the table in columns.
void PrintCsvColumns(std::string_view csv) {
  std::vector<size_t> widths;
  const auto lines = LinesOf(csv);
  for (const bool is_print : {false, true})
    for (const std::string_view line : lines) {
      const auto fields = FieldsOf(line, ',');
      for (size_t i = 0; i < fields.size(); ++i) {
        const std::string_view field =
            fields[i].substr(std::min(fields[i].find_first_not_of(' '), fields[i].size()));
        widths.resize(std::max(widths.size(), i + 1));
        widths[i] = std::max(widths[i], field.size());
        if (is_print)
          PrintText("{}", i + 1 < fields.size() ? fmt::format("{:<{}}  ", field, widths[i])
                                                : std::string(field));
      }
      if (is_print) PrintText("\n");
    }
}

struct Runs {
  std::vector<PajeStates> states;
  std::vector<std::string> traces;
};

Result<Runs> RunsOf(const TwinArguments& arguments, PajeScript script = PajeScript::kStates) {
  const auto choice = ParsePajeChoice(arguments.Get("-r", "0:-1"), arguments.Get("-n", "All"));
  if (!choice.ok()) return choice.status();
  Runs runs;
  std::set<std::string> known;
  bool is_empty = true;
  for (const std::string& path : arguments.operands) {
    const auto states = PajeStatesOf(path, script);
    if (!states.ok()) return states.status();
    known.insert(states->values.begin(), states->values.end());
    runs.states.push_back(ChosenStates(*states, *choice));
    runs.traces.push_back(path);
    is_empty &= runs.states.back().states.empty();
  }
  if (is_empty) {
    std::string some;
    for (const std::string& name : known)
      if (some.size() < 200) some += (some.empty() ? "" : ", ") + Printable(name);
    return Status(ErrorCode::kNotFound,
                  "no state in this range has one of these names; there are " + some);
  }
  return runs;
}

}  // namespace

Status PajeStateStats(const TwinArguments& arguments) {
  const auto runs = RunsOf(arguments);
  if (!runs.ok()) return runs.status();
  const std::string csv = CsvOf(TotalsOf(runs->states), runs->traces);
  constexpr char kFile[] = "starpu_paje_state_stats.csv";
  if (Status s = WriteWholeFiles({{kFile, csv}}); !s.ok()) return s;
  if (arguments.Has("-v"))
    PrintCsvColumns(csv);
  else
    fmt::print("{}\n", kFile);
  return Status::Ok();
}

Status PajeDrawHistogram(const TwinArguments& arguments) {
  const auto drawing = DrawingOf(arguments);
  if (!drawing.ok()) return drawing.status();
  const auto runs = RunsOf(arguments);
  if (!runs.ok()) return runs.status();
  // All bars have the same width, as in StarPU's picture: a thirtieth of the range.
  double low_ns = 1e300, high_ns = -1e300;
  for (const PajeStates& run : runs->states)
    for (const PajeState& state : run.states) {
      low_ns = std::min(low_ns, state.duration_ms() * 1e6);
      high_ns = std::max(high_ns, state.duration_ms() * 1e6);
    }
  const double width_ns = high_ns > low_ns ? (high_ns - low_ns) / 30 : std::max(high_ns, 1.) / 30;
  const Totals totals = TotalsOf(runs->states);
  std::vector<std::vector<DurationPanel>> rows;
  for (const auto& [value, of_value] : totals) {
    if (runs->states.size() > 1 || rows.empty() || rows.back().size() == 2) rows.emplace_back();
    for (size_t run = 0; run < runs->states.size(); ++run) {
      std::vector<double> durations_ns;
      const PajeStates& states = runs->states[run];
      for (const PajeState& state : states.states)
        if (states.values[state.value] == value) durations_ns.push_back(state.duration_ms() * 1e6);
      const auto ends = std::minmax_element(durations_ns.begin(), durations_ns.end());
      rows.back().push_back(
          {runs->states.size() > 1 ? value + ", " + runs->traces[run] : value,
           Paint{NameRgb(value)},
           durations_ns.empty()
               ? Histogram{}
               : CountBetween(durations_ns, CentredBorders(*ends.first, *ends.second, width_ns)),
           of_value[run].duration_ms * 1e6});
    }
  }
  const PlotCanvas sheet = DrawHistograms(rows, drawing->theme, "Durations of states",
                                          /*shares_scale=*/runs->states.size() > 1);
  const std::string path = "Rplots" + drawing->ending;
  if (Status s = WriteWholeFiles({{path, drawing->Text(sheet)}}); !s.ok()) return s;
  if (arguments.Has("-v")) PrintCsvColumns(CsvOf(totals, runs->traces));
  PrintText("{}\n", path);
  return Status::Ok();
}

Status PajeSort(const TwinArguments& arguments) {
  std::map<std::string, std::string> files;
  for (const std::string& path : arguments.operands) {
    const auto text = WholeText(path);
    if (!text.ok()) return text.status();
    if (!IsPaje(*text))
      return {ErrorCode::kCorrupt, path + ": not a Paje file, which begins with %EventDef"};
    // The event numbers of lines that stay at the front: they define something or create a
    // container.
    std::set<std::string_view> in_front;
    constexpr std::string_view kInFront[] = {"PajeDefineContainerType", "PajeDefineEventType",
                                             "PajeDefineStateType",     "PajeDefineVariableType",
                                             "PajeDefineLinkType",      "PajeDefineEntityValue",
                                             "PajeCreateContainer",     "PajeAddVariable"};
    struct Line {
      double time;
      std::string_view text;
    };
    std::vector<Line> sorted;
    std::string out;
    const auto lines = LinesOf(*text);
    for (const std::string_view line : lines) {
      const auto words = WordsOf(line, 3);
      if (words.size() >= 3 && words[0] == "%EventDef" &&
          std::find(std::begin(kInFront), std::end(kInFront), words[1]) != std::end(kInFront))
        in_front.insert(words[2]);
    }
    uint64_t number = 0;
    for (const std::string_view line : lines) {
      ++number;
      const auto words = WordsOf(line, 3);
      if (words.empty() || line.starts_with('%') || line.starts_with('#') ||
          in_front.contains(words[0])) {
        (out += line) += '\n';
        continue;
      }
      double time = 0;
      if (words.size() < 2 || !ReadNumber(words[1], time))
        return {ErrorCode::kCorrupt,
                fmt::format("{}, line {}: no time after the number of the event", path, number)};
      sorted.push_back({time, line});
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Line& a, const Line& b) { return a.time < b.time; });
    for (const Line& line : sorted) (out += line.text) += '\n';
    files[path] = std::move(out);
  }
  return WriteWholeFiles(files);
}

namespace {

double MedianOf(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : QuantileBetween(values, 0.5);
}

// The table of StarPU's summary: a row for each state and trace.
std::string SummaryCsv(const Runs& runs) {
  std::string text =
      "\"Value\",\"Origin\",\"OverallDuration\",\"Count\",\"Mean\",\"Median\","
      "\"StandDev\"\n";
  for (const auto& [value, of_value] : TotalsOf(runs.states))
    for (size_t run = 0; run < runs.states.size(); ++run) {
      std::vector<double> durations;
      for (const PajeState& state : runs.states[run].states)
        if (runs.states[run].values[state.value] == value) durations.push_back(state.duration_ms());
      if (durations.empty()) continue;
      double sum = 0, squares = 0;
      for (const double ms : durations) sum += ms;
      const double mean = sum / static_cast<double>(durations.size());
      for (const double ms : durations) squares += (ms - mean) * (ms - mean);
      const std::string deviation =
          durations.size() < 2
              ? "NA"
              : Number(std::sqrt(squares / static_cast<double>(durations.size() - 1)));
      text += fmt::format("{},{},{},{},{},{},{}\n", Quoted(value), Quoted(runs.traces[run]),
                          Number(sum), durations.size(), Number(mean), Number(MedianOf(durations)),
                          deviation);
    }
  return text;
}

// Draws the states as bars; each container is a row.
PlotCanvas DrawGantt(const PajeStates& run, const std::string& name, const PlotTheme& theme) {
  PlotCanvas canvas(kPlotWidth, 0, theme, "States of " + name);
  constexpr double kLeft = 110, kRow = 20, kTop = 44;
  canvas.Text(18, 24, 14, PlotTextThatFits("States over time: " + name, kPlotWidth - 36, 14),
              theme.ink, TextAnchor::kStart, true);
  std::map<std::string, uint32_t> rows;
  double first_ms = 1e300, last_ms = -1e300;
  for (const PajeState& state : run.states) {
    rows.emplace(run.containers[state.container], 0);
    first_ms = std::min(first_ms, state.start_ms);
    last_ms = std::max(last_ms, state.end_ms);
  }
  uint32_t next = 0;
  for (auto& [container, row] : rows) row = next++;
  const PlotChart chart(
      canvas, {kLeft, kTop, kPlotWidth - kLeft - 18, kRow * next},
      {PlotQuantity::kTimeNs, "time", 0, std::max((last_ms - first_ms) * 1e6, 1.), false, true},
      {PlotQuantity::kCount, "", 0, 1, false, false});
  for (const auto& [container, row] : rows)
    canvas.Text(kLeft - 6, kTop + kRow * row + 14, 10, PlotTextThatFits(container, kLeft - 12, 10),
                theme.ink, TextAnchor::kEnd);
  std::set<std::tuple<long, long, uint32_t, uint32_t>> drawn;
  std::vector<bool> is_used(run.values.size());
  for (const PajeState& state : run.states) {
    const uint32_t row = rows[run.containers[state.container]];
    const double left = chart.X((state.start_ms - first_ms) * 1e6),
                 right = chart.X((state.end_ms - first_ms) * 1e6);
    is_used[state.value] = true;
    if (drawn.emplace(std::lround(4 * left), std::lround(4 * right), row, state.value).second)
      canvas.Rect(left, kTop + kRow * row + 2, std::max(right - left, 0.25), kRow - 4,
                  NameRgb(run.values[state.value]));
  }
  std::vector<PlotLegendEntry> legend;
  for (uint32_t value = 0; value < run.values.size(); ++value)
    if (is_used[value]) legend.push_back({run.values[value], Paint{NameRgb(run.values[value])}});
  const double below = kTop + kRow * next + 44;
  canvas.set_height(below + DrawPlotLegend(canvas, kLeft, below, kPlotWidth - kLeft - 18, legend) +
                    8);
  return canvas;
}

// Draws the rows of `csv` as a table.
PlotCanvas DrawTable(const std::string& csv, const PlotTheme& theme) {
  PlotCanvas canvas(kPlotWidth, 0, theme, "States");
  constexpr double kColumns[] = {18, 210, 520, 590, 690, 790, 885};
  canvas.Text(18, 24, 14, "Time in each state, in ms", theme.ink, TextAnchor::kStart, true);
  double y = 48;
  bool is_head = true;
  for (const std::string_view line : LinesOf(csv)) {
    const auto fields = FieldsOf(line, ',');
    for (size_t i = 0; i < std::min(fields.size(), std::size(kColumns)); ++i) {
      std::string_view field = fields[i];
      if (field.size() >= 2 && field.front() == '"') field = field.substr(1, field.size() - 2);
      double number = 0;
      const bool is_number = !is_head && i >= 2 && i != 3 && ReadNumber(field, number);
      canvas.Text(kColumns[i], y, 9,
                  is_number ? fmt::format("{:.6g}", number)
                            : PlotTextThatFits(field,
                                               i == 0   ? 185
                                               : i == 1 ? 210
                                                        : 90,
                                               9),
                  theme.ink, i < 2 ? TextAnchor::kStart : TextAnchor::kEnd, is_head);
    }
    is_head = false;
    y += 13;
  }
  canvas.set_height(y + 8);
  return canvas;
}

}  // namespace

Status PajeSummary(const TwinArguments& arguments) {
  const auto drawing = DrawingOf(arguments, "html");
  if (!drawing.ok()) return drawing.status();
  const auto runs = RunsOf(arguments, PajeScript::kSummary);
  if (!runs.ok()) return runs.status();
  std::vector<PlotCanvas> sheets;
  for (size_t i = 0; i < runs->states.size(); ++i)
    sheets.push_back(DrawGantt(runs->states[i], runs->traces[i], drawing->theme));
  const std::string csv = SummaryCsv(*runs);
  sheets.push_back(DrawTable(csv, drawing->theme));
  std::vector<TraceModel> models;
  models.reserve(runs->traces.size());
  std::vector<PlotRun> plots;
  for (const std::string& trace : runs->traces) {
    auto model = LoadTwinTrace(trace, kAnalysisParts);
    if (!model.ok()) return model.status();
    models.push_back(std::move(*model));
    plots.emplace_back(trace, &models.back());
  }
  PlotOptions options;
  options.theme = drawing->theme;
  auto more = (*FindPlotKind("summary"))->draw(plots, options);
  if (!more.ok()) return more.status();
  for (PlotCanvas& sheet : *more) sheets.push_back(std::move(sheet));
  const std::string path = "summary" + drawing->ending;
  if (Status s = WriteWholeFiles({{path, PlotText(sheets, drawing->format)}, {"summary.csv", csv}});
      !s.ok())
    return s;
  PrintText("{}\nsummary.csv\n", path);
  return Status::Ok();
}

}  // namespace tasklens
