// SPDX-License-Identifier: Apache-2.0
// starpu_codelet_profile, starpu_codelet_histo_profile and starpu_fxt_data_trace: the durations of
// tasks and the sizes of their data, from distrib.data (converters/writers/distrib.cc) or a trace.
//
// The output of the first two lies beside distrib.data, or in the current folder for a trace. The
// profile is distrib.data.WORKER, distrib.data.gp and our picture distrib.data.pdf; the histograms
// are distrib.data.CODELET.WORKER.FOOTPRINT.BYTES.pdf. starpu_fxt_data_trace writes data_trace.gp,
// data_trace.pdf, codelet_list and a file for each codelet.
//
// Deliberate differences from StarPU's tools:
// - Names of workers match as a whole. (StarPU's grep also puts the lines of worker 10 into the
//   file of worker 1.)
// - Histograms are drawn only for existing tasks. StarPU's script asks for every footprint of a
//   worker with every codelet, and leaves empty files where there are none.
// - Bars and limits are those of R: 1 % of the values is left out at both ends; about 50 bars with
//   round borders. As in the handbook, the unit is ms.
// - Quotes in names are escaped for gnuplot, so that no name is run as a command.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "converters/formats.h"
#include "server/command_line/print_text.h"
#include "server/command_line/twins/twin.h"
#include "server/command_line/whole_files.h"
#include "server/pictures/plot_pictures.h"

namespace tasklens {
namespace {

// A line of distrib.data. `text` is the whole line.
struct Line {
  std::string_view name, worker, text;
  uint64_t bytes = 0, footprint = 0;
  double ms = 0;
};

Result<std::vector<Line>> ParseDistrib(std::string_view text, const std::string& path) {
  std::vector<Line> lines;
  uint64_t number = 0;
  for (const std::string_view line : LinesOf(text)) {
    ++number;
    if (line.empty()) continue;
    const auto fields = FieldsOf(line, '\t');
    Line parsed{.text = line};
    if (fields.size() != 5 || !ReadNumber(fields[2], parsed.bytes) ||
        !ReadNumber(fields[3], parsed.footprint, 16) || !ReadNumber(fields[4], parsed.ms) ||
        parsed.ms < 0 || parsed.ms > 1e12)
      return Status(ErrorCode::kCorrupt,
                    fmt::format("{}, line {}: not a line of distrib.data (codelet, worker, bytes, "
                                "footprint, ms)",
                                path, number));
    parsed.name = fields[0];
    parsed.worker = fields[1];
    lines.push_back(parsed);
  }
  return lines;
}

// Converts lines to samples, with the workers sorted by name.
TaskSamples SamplesOfLines(const std::vector<Line>& lines) {
  TaskSamples samples;
  std::map<std::string_view, uint32_t> names, workers;
  for (const Line& line : lines) workers.emplace(line.worker, 0);
  for (auto& [worker, row] : workers) {
    row = static_cast<uint32_t>(samples.workers.size());
    samples.workers.push_back("worker " + std::string(worker));
  }
  for (const Line& line : lines) {
    const auto [name, is_new] =
        names.emplace(line.name, static_cast<uint32_t>(samples.names.size()));
    if (is_new) {
      samples.names.emplace_back(line.name);
      samples.paints.push_back({NameRgb(line.name), 0});
    }
    samples.samples.push_back({name->second, workers[line.worker], kNever,
                               static_cast<int64_t>(line.ms * 1e6), line.bytes,
                               static_cast<uint32_t>(line.footprint)});
  }
  return samples;
}

// Returns the path and the first part of the name of an input's output files: those of
// distrib.data, or "distrib.data" in the current folder for a trace.
std::string FilesOf(const std::string& path) {
  const std::string inside = path + "/distrib.data";
  if (!IsTrace(path)) return path;
  return access(inside.c_str(), F_OK) == 0 ? inside : "distrib.data";
}

// Returns the text with characters replaced that a file name cannot contain.
std::string InName(std::string_view text) {
  std::string name(text);
  for (char& c : name)
    if (c == '/' || static_cast<unsigned char>(c) < 0x20) c = '_';
  return name;
}

// Escapes a string between double quotes for gnuplot; with `is_shown` also for its "enhanced" text.
std::string Gnuplot(std::string_view text, bool is_shown = false) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '`') out += '\\';
    if (is_shown && (c == '_' || c == '^' || c == '{' || c == '}' || c == '@' || c == '&'))
      out += "\\\\";
    out += c;
  }
  return out;
}

Result<std::vector<Line>> LinesOfInput(const std::string& path, std::string& text) {
  Result<std::string> read = StarpuText(path, "distrib.data", "distrib");
  if (!read.ok()) return read.status();
  text = std::move(*read);
  return ParseDistrib(text, path);
}

Status NoCodelet(std::string_view codelet, const std::set<std::string>& names) {
  std::string some;
  size_t count = 0;
  for (const std::string& name : names)
    if (++count <= 10) some += (some.empty() ? "" : ", ") + Printable(name);
  return {ErrorCode::kNotFound,
          fmt::format("no task has the codelet '{}'; there are {}{}", Printable(codelet),
                      some.empty() ? "none" : some, count > 10 ? ", ..." : "")};
}

}  // namespace

Status CodeletProfile(const TwinArguments& arguments) {
  const auto drawing = DrawingOf(arguments);
  if (!drawing.ok()) return drawing.status();
  const std::string& codelet = arguments.operands.back();
  const std::span inputs(arguments.operands.data(), arguments.operands.size() - 1);
  std::map<std::string, std::string> files;
  std::vector<SamplesOfRun> runs;
  std::set<std::string> names;
  bool has_any = false;
  std::string picture;
  for (const std::string& input : inputs) {
    std::string text;
    auto lines = LinesOfInput(input, text);
    if (!lines.ok()) return lines.status();
    for (const Line& line : *lines) names.emplace(line.name);
    std::erase_if(*lines, [&](const Line& line) { return line.name != codelet; });
    has_any |= !lines->empty();
    const std::string base = FilesOf(input);
    if (files.contains(base + ".gp"))
      return {ErrorCode::kInvalidArgument, input +
                                               ": its output would overwrite that of another "
                                               "input; convert both first, and name their folders"};
    if (picture.empty()) picture = base + drawing->ending;
    std::string script = fmt::format(
        "#!/usr/bin/gnuplot -persist\nset term postscript eps enhanced color\nset logscale x\nset "
        "logscale y\nset output \"{}.eps\"\nset key top left\nset xlabel \"Total data size\"\nset "
        "ylabel \"Execution time (ms)\"\nplot\t",
        Gnuplot(base));
    std::map<std::string_view, std::string> by_worker;
    for (const Line& line : *lines) (by_worker[line.worker] += line.text) += '\n';
    bool is_first = true;
    for (const auto& [worker, of_worker] : by_worker) {
      const std::string name = base + "." + InName(worker);
      files[name] = of_worker;
      fmt::format_to(std::back_inserter(script), "{}\"{}\" using 3:5  title \"{} arch {}\"",
                     is_first ? " " : "  ,  ", Gnuplot(name), Gnuplot(codelet, true),
                     Gnuplot(worker, true));
      is_first = false;
    }
    files[base + ".gp"] = script + "\n";
    runs.push_back({inputs.size() > 1 ? input : "", SamplesOfLines(*lines)});
  }
  if (!has_any) return NoCodelet(codelet, names);
  files[picture] =
      drawing->Text(DrawLengthOverSize(runs, drawing->theme, /*by_worker=*/true,
                                       "Duration of " + codelet + " by the size of its data"));
  return WriteAndName(files);
}

Status CodeletHistoProfile(const TwinArguments& arguments) {
  const auto drawing = DrawingOf(arguments);
  if (!drawing.ok()) return drawing.status();
  std::map<std::string, std::string> files;
  for (const std::string& input : arguments.operands) {
    std::string text;
    const auto lines = LinesOfInput(input, text);
    if (!lines.ok()) return lines.status();
    using Group = std::tuple<std::string_view, std::string_view, uint64_t, uint64_t>;
    std::map<Group, std::vector<double>> groups;
    for (const Line& line : *lines)
      groups[{line.name, line.worker, line.footprint, line.bytes}].push_back(line.ms * 1e6);
    const std::string base = FilesOf(input);
    for (auto& [group, values] : groups) {
      const auto& [codelet, worker, footprint, bytes] = group;
      std::sort(values.begin(), values.end());
      const double low = QuantileBetween(values, 0.01), high = QuantileBetween(values, 0.99);
      std::vector<double> within;
      for (const double ns : values)
        if (ns > low && ns < high) within.push_back(ns);
      if (within.empty()) within = values;  // the limits leave nothing: draw all values
      // Computed in ms like R: for a single value, the round borders depend on the unit.
      std::vector<double> borders = RoundBorders(within.front() / 1e6, within.back() / 1e6, 50);
      for (double& border : borders) border *= 1e6;
      DurationPanel panel{
          fmt::format("{}, worker {}, {} ({:x})", codelet, worker,
                      PlotValueText(static_cast<double>(bytes), PlotQuantity::kBytes), footprint),
          Paint{NameRgb(codelet)}, CountBetween(within, std::move(borders)),
          std::accumulate(within.begin(), within.end(), 0.)};
      files[fmt::format("{}.{}.{}.{:x}.{}{}", base, InName(codelet), InName(worker), footprint,
                        bytes, drawing->ending)] =
          drawing->Text(DrawHistogram(panel, drawing->theme));
    }
  }
  if (files.empty()) return {ErrorCode::kNotFound, "no task ran to its end: nothing to draw"};
  return WriteAndName(files);
}

Status FxtDataTrace(const TwinArguments& arguments) {
  const auto drawing = DrawingOf(arguments);
  if (!drawing.ok()) return drawing.status();
  const std::string folder = arguments.Get("-d", ".");
  const std::string& trace = arguments.operands[0];
  const std::set<std::string> wanted(arguments.operands.begin() + 1, arguments.operands.end());
  const WriterSpec* writer = FindWriter("data-trace");
  const auto model = LoadTwinTrace(trace, writer->parts);
  if (!model.ok()) return model.status();
  TaskSamples samples = SamplesOf(*model);
  if (samples.samples.empty())
    return {ErrorCode::kNotFound, trace + ": no task ran to its end: nothing to draw"};
  const std::set<std::string> names(samples.names.begin(), samples.names.end());
  for (const std::string& name : wanted)
    if (!names.contains(name)) return NoCodelet(name, names);
  if (!wanted.empty())
    samples = SamplesOfNames(samples, std::vector<std::string>(wanted.begin(), wanted.end()));
  MemoryOutputs outputs;
  if (Status s = writer->write(*model, {}, outputs); !s.ok()) return s;
  std::string script = fmt::format(
      "#!/usr/bin/gnuplot -persist\n\nset term postscript eps enhanced color\nset output "
      "\"{}/data_trace.eps\"\nset title \"Data trace\"\nset logscale x\nset logscale y\nset xlabel "
      "\"data size (B)\"\nset ylabel \"tasks size (ms)\"\nplot ",
      Gnuplot(folder));
  bool is_first = true;
  for (const std::string_view name : LinesOf(outputs.Text("codelet_list"))) {
    if (!wanted.empty() && !wanted.contains(std::string(name))) continue;
    fmt::format_to(std::back_inserter(script), "{}\"{}/{}\" using 2:1 with dots lw 1 title \"{}\"",
                   is_first ? "" : ", ", Gnuplot(folder), Gnuplot(name), Gnuplot(name));
    is_first = false;
  }
  std::map<std::string, std::string> files;
  for (const std::string& name : outputs.Names()) files[folder + "/" + name] = outputs.Text(name);
  files[folder + "/data_trace.gp"] = script + "\n";
  const std::vector<SamplesOfRun> runs{{"", std::move(samples)}};
  const std::string picture = folder + "/data_trace" + drawing->ending;
  files[picture] = drawing->Text(DrawLengthOverSize(runs, drawing->theme, /*by_worker=*/false,
                                                    "Duration of tasks by the size of their data"));
  if (Status s = WriteWholeFiles(files); !s.ok()) return s;
  struct stat status {};
  const std::string path = folder + "/data_trace.gp";
  if (stat(path.c_str(), &status) == 0)  // its first line names gnuplot as its interpreter
    chmod(path.c_str(), (status.st_mode & 0777) | (status.st_mode & 0444) >> 2);
  PrintText("{}\n{}\n", path, picture);
  return Status::Ok();
}

}  // namespace tasklens
