// SPDX-License-Identifier: Apache-2.0
// tasklens paraver: evaluates a Paraver configuration on a trace and prints the result as text.
#include <fmt/format.h>

#include <algorithm>

#include "converters/formats.h"
#include "converters/paraver_views/evaluate.h"
#include "converters/readers/prv_lines.h"
#include "server/command_line/command.h"
#include "server/command_line/print_text.h"
#include "server/command_line/run_store.h"
#include "server/command_line/summary.h"

namespace tasklens {
namespace {

struct Options {
  std::string trace, view;
  uint32_t window = 0;
  bool timeline = false;
  bool csv = false;
  bool strict = false;
};

// Opens `path` if it is a .prv; converts any other trace to one in memory.
Result<std::unique_ptr<Source>> OpenAsPrv(const std::string& path, Diagnostics& diags) {
  auto source = OpenSource(path);
  if (source.ok()) {
    const ReaderSpec* reader = GuessReader((*source)->bytes());
    if (reader != nullptr && reader->name == "prv") return source;
  }
  const WriterSpec& writer = *FindWriter("paraver");
  const auto model = LoadPaths({&path, 1}, diags, writer.parts);
  if (!model.ok()) return model.status();
  MemoryOutputs outputs;
  if (Status s = writer.write(*model, {}, outputs); !s.ok()) return s;
  return MemorySource(path, outputs.Text("trace.prv"));
}

std::string UnitName(double ns) {
  return ns == 1 ? "ns" : ns == 1e3 ? "us" : ns == 1e6 ? "ms" : fmt::format("{} s", ns / 1e9);
}

void PrintTimeline(const ParaverRecords& records, const ViewWindow& window,
                   const std::vector<ViewRow>& rows, bool csv) {
  const double scale = static_cast<double>(records.ns_per_unit) / window.ns_per_unit;
  const ViewSpan span = SpanOf(records, window);
  const std::string unit = UnitName(window.ns_per_unit);
  if (csv)
    fmt::print("object,begin_{0},duration_{0},value\n", unit);
  else
    PrintText("{}, times in {} since the start of the trace\n{:<12} {:>16} {:>16} {:>16}\n",
              window.name, unit, window.level, "begin", "duration", "value");
  for (const ViewRow& row : rows)
    for (size_t i = 0; i < row.steps.steps().size(); ++i) {
      const int64_t begin = std::max(row.steps.steps()[i].begin, span.begin);
      const int64_t end = std::min(row.steps.EndOf(i, records.end), span.end);
      if (end <= begin) continue;
      fmt::print(fmt::runtime(csv ? "{},{},{},{}\n" : "{:<12} {:>16} {:>16} {:>16}\n"),
                 csv ? row.name : Printable(row.name), static_cast<double>(begin) * scale,
                 static_cast<double>(end - begin) * scale, row.steps.steps()[i].value);
    }
}

std::string RangeName(double begin, double end) {
  return end - begin == 1 ? fmt::format("{}", begin) : fmt::format("[{:.6g}..{:.6g})", begin, end);
}

void PrintHistogram(const ViewHistogram& histogram, const ViewTable& table, bool csv) {
  if (!csv) PrintText("{}: {}\n", histogram.name, histogram.statistic);
  if (!csv && table.columns.empty()) fmt::print("nothing falls into any column\n");
  for (const ViewTable::Plane& plane : table.planes) {
    const std::string name = table.has_planes ? RangeName(plane.begin, plane.end) : "";
    const bool is_first = &plane == &table.planes[0];
    if (!csv && table.has_planes) fmt::print("{}plane {}\n", is_first ? "" : "\n", name);
    if (is_first || !csv) {
      if (csv && table.has_planes) fmt::print("plane,");
      fmt::print(fmt::runtime(csv ? "{}" : "{:<12}"), csv ? "object" : "");
      for (const ViewTable::Column& column : table.columns)
        fmt::print(fmt::runtime(csv ? ",{}" : " {:>14}"), column.name.empty()
                                                              ? RangeName(column.begin, column.end)
                                                          : csv ? column.name
                                                                : Printable(column.name));
      fmt::print("\n");
    }
    for (size_t row = 0; row < plane.rows.size(); ++row) {
      if (csv && table.has_planes) fmt::print("{},", name);
      fmt::print(fmt::runtime(csv ? "{}" : "{:<12}"),
                 csv ? table.row_names[row] : Printable(table.row_names[row]));
      for (const double cell : plane.rows[row])
        fmt::print(fmt::runtime(csv ? ",{}" : " {:>14.6g}"), cell);
      fmt::print("\n");
    }
  }
}

Status Compute(const Options& options, Diagnostics& diags) {
  const auto text = OpenSource(options.view);
  if (!text.ok()) return text.status();
  const auto bytes = (*text)->bytes();
  auto view = ParseViewConfiguration({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                                     options.view);
  if (!view.ok()) return view.status();
  for (const std::string& note : view->notes)
    fmt::print(stderr, "note: {}: {}\n", options.view, Printable(note));
  const ViewWindow* window = &view->windows.back();
  if (options.window != 0) {
    const auto found =
        std::find_if(view->windows.begin(), view->windows.end(),
                     [&](const ViewWindow& candidate) { return candidate.id == options.window; });
    if (found == view->windows.end())
      return {ErrorCode::kNotFound, options.view + ": no window " + std::to_string(options.window)};
    window = &*found;
  }

  const auto source = OpenAsPrv(options.trace, diags);
  if (!source.ok()) return source.status();
  const auto records = ReadParaverRecords(**source, diags);
  if (!records.ok()) return records.status();

  ChooseByLabels(*view, FileBesidePrv((*source)->path(), ".pcf"));
  for (const uint32_t type : MissingEventTypes(*records, *view))
    fmt::print(stderr, "note: {} uses events of type {}, but the trace has none\n", options.view,
               type);

  const auto of_view = [&](const Status& status) {
    return Status(status.code(), options.view + ": " + std::string(status.message()));
  };
  if (!view->histograms.empty() && !options.timeline && options.window == 0) {
    const ViewHistogram& histogram = view->histograms.back();
    const auto table = EvaluateHistogram(*records, *view, histogram);
    if (!table.ok()) return of_view(table.status());
    PrintHistogram(histogram, *table, options.csv);
    return Status::Ok();
  }
  const auto rows = EvaluateWindow(*records, *view, *window);
  if (!rows.ok()) return of_view(rows.status());
  PrintTimeline(*records, *window, *rows, options.csv);
  return Status::Ok();
}

int Paraver(Options options) {
  // A single operand is the view, because the trace may be left out.
  if (options.view.empty()) std::swap(options.trace, options.view);
  if (options.view.empty()) {
    Fail({ErrorCode::kInvalidArgument,
          "name a Paraver configuration: tasklens paraver [TRACE] VIEW.cfg"});
    return kExitUsage;
  }
  const Result<std::vector<std::string>> traces = TracesOrNewest(
      options.trace.empty() ? std::vector<std::string>() : std::vector{options.trace});
  if (!traces.ok()) return Fail(traces.status());
  options.trace = traces->front();
  Diagnostics diags;
  const Status status = Compute(options, diags);
  if (!status.ok()) return Fail(status);
  return ReportDiagnostics(diags, options.strict);
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  cli.Example("tasklens paraver run.prv cfgs/states.cfg --csv");
  cli.Add("trace", options->trace, "a .prv, or any other trace (default: the newest run)");
  cli.Add("view", options->view, "a Paraver configuration (.cfg)");
  cli.Add("--window", options->window,
          "show the timeline of the window with this number, not of the last one");
  cli.Flag("--timeline", options->timeline, "show the last timeline even if there is a histogram");
  cli.Flag("--csv", options->csv, "print comma-separated values");
  cli.Flag("--strict", options->strict, "exit with status 1 if the trace is incomplete");
  return [options] { return Paraver(*options); };
}

}  // namespace

extern const CommandSpec kParaverCommand = {
    "paraver", "evaluate a Paraver configuration on a trace, as text or CSV", &Declare};

}  // namespace tasklens
