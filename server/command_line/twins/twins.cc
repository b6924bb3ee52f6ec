// SPDX-License-Identifier: Apache-2.0
// The table of twins; parses their command lines, and reads their inputs.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "converters/formats.h"
#include "server/command_line/command.h"
#include "server/command_line/print_text.h"
#include "server/command_line/summary.h"
#include "server/command_line/twins/twin.h"
#include "server/command_line/whole_files.h"
#include "server/version.h"
#include "trace/support/printable.h"
#include "trace/support/read_number.h"
#include "trace/support/words.h"

namespace tasklens {
namespace {

constexpr TwinOption kFormat = {"--format", "FORMAT", "format of the pictures: svg, pdf or png"};
constexpr TwinOption kDark = {"--dark", "", "use a dark background"};
constexpr TwinOption kRange = {"-r", "FROM:TO", "only states within these ms; -1 means no end"};
constexpr TwinOption kNames = {"-n", "NAMES", "only these states, separated by commas"};

constexpr TwinOption kFxtStats[] = {{"-i", "TRACE", "the trace"},
                                    {"-o", "FILE", "write here instead of to standard output"}};
constexpr TwinOption kFxtPrint[] = {{"-f", "TRACE", "the trace; else $TRACE_FILE, else trace_file"},
                                    {"-o", "", "times since the first event"},
                                    {"-x", "", "times since the previous event"},
                                    {"-d", "", "print numbers instead of names"}};
constexpr TwinOption kDraw[] = {kFormat, kDark};
constexpr TwinOption kDrawInto[] = {
    {"-d", "FOLDER", "folder to write to (default: the current folder)"}, kFormat, kDark};
constexpr TwinOption kTraceStats[] = {
    {"-t --time", "", "write times.csv: in tasks, in the runtime, scheduling, idle"},
    {"-e --efficiency", "", "write efficiencies.csv, and draw efficiencies.pdf"},
    {"-s --seq_task_time", "MS", "duration of all tasks one after the other, for -e"},
    kFormat,
    kDark};
constexpr TwinOption kStates[] = {kRange, kNames, {"-v", "", "print the table"}};
constexpr TwinOption kHistogram[] = {
    kRange, kNames, {"-v", "", "print the totals"}, kFormat, kDark};
constexpr TwinOption kMatrix[] = {{"-png", "", "the same as --format png"}, kFormat, kDark};

constexpr Twin kTwins[] = {
    {"starpu_fxt_stats", "-i TRACE [-o FILE]", "Counts tasks, steals and bytes copied in a trace.",
     kFxtStats, 0, &FxtStats},
    {"starpu_fxt_number_events_to_names",
     "NUMBER_EVENTS_DATA | TRACE",
     "Prints the names of the events that starpu_fxt_tool -number-events counted.",
     {},
     1,
     &NumberEventsToNames},
    {"fxt_print", "[-o | -x] [-d] [-f TRACE]", "Prints the events of an FxT trace, one per line.",
     kFxtPrint, 0, &FxtPrint},
    {"starpu_codelet_profile", "DISTRIB_DATA|TRACE... CODELET",
     "Draws the durations of the tasks of a codelet over the size of their data.", kDraw, 2,
     &CodeletProfile},
    {"starpu_codelet_histo_profile", "DISTRIB_DATA|TRACE...",
     "Draws a histogram of durations for each codelet, worker and size of data.", kDraw, 1,
     &CodeletHistoProfile},
    {"starpu_fxt_data_trace", "[-d FOLDER] TRACE [CODELET...]",
     "Writes the length and the data of each task, and draws them.", kDrawInto, 1, &FxtDataTrace},
    {"starpu_workers_activity", "[-d FOLDER] ACTIVITY_DATA|TRACE... [FROM_S TO_S]",
     "Draws how busy each worker was, and how many tasks there were.", kDrawInto, 1,
     &WorkersActivity},
    {"starpu_trace_state_stats", "TRACE_REC|TRACE",
     "Adds up the time that workers spent in each state, and computes their efficiencies.",
     kTraceStats, 1, &TraceStateStats},
    {"starpu_paje_state_stats", "PAJE_TRACE|TRACE...",
     "Adds up the time in each state of one or several traces: starpu_paje_state_stats.csv.",
     kStates, 1, &PajeStateStats},
    {"starpu_paje_draw_histogram", "PAJE_TRACE|TRACE...",
     "Draws histograms of the durations of states: Rplots.pdf.", kHistogram, 1, &PajeDrawHistogram},
    {"starpu_paje_summary", "TRACE...", "Draws a summary of one or several traces: summary.html.",
     kDraw, 1, &PajeSummary},
    {"starpu_paje_sort", "PAJE_TRACE...", "Sorts Paje files by time, in place.", {}, 1, &PajeSort},
    {"starpu_mpi_comm_matrix", "OUTPUT|TRACE",
     "Draws the traffic between ranks, from the output of STARPU_MPI_STATS=1 or from a trace.",
     kMatrix, 1, &MpiCommMatrix},
    {"starpu_send_recv_data_use", "FOLDER|TRACE...",
     "Draws the time from reception, and from sending, of data to its use by a task.", kDraw, 1,
     &SendRecvDataUse},
};

Status Usage(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

std::string_view FirstName(std::string_view words) { return words.substr(0, words.find(' ')); }

bool IsNamed(const TwinOption& option, std::string_view word) {
  const auto names = FieldsOf(option.word, ' ');
  return std::find(names.begin(), names.end(), word) != names.end();
}

// Parses the words after the name of the twin. A word may contain a value: "-r100:300", "--time=3".
Result<TwinArguments> Parse(const Twin& twin, std::span<const std::string> words) {
  TwinArguments arguments;
  bool only_operands = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    // A negative number is an operand.
    double number = 0;
    if (only_operands || !word.starts_with('-') || word == "-" || ReadNumber(word, number)) {
      arguments.operands.push_back(word);
      continue;
    }
    if (word == "--") {
      only_operands = true;
      continue;
    }
    const size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
    const TwinOption* found = nullptr;
    for (const TwinOption& option : twin.options)
      if (IsNamed(option, std::string_view(word).substr(0, equals))) found = &option;
    std::string value;
    if (found && found->value.empty() && equals != word.npos)
      return Usage("'" + Printable(word) + "': the option takes no value");
    if (found && !found->value.empty()) {
      if (equals != word.npos)
        value = word.substr(equals + 1);
      else if (i + 1 < words.size())
        value = words[++i];
      else
        return Usage(word + " needs a value: " + std::string(found->value));
    }
    for (const TwinOption& option : twin.options)
      if (!found && !option.value.empty() && !word.starts_with("--") && word.size() > 2 &&
          IsNamed(option, std::string_view(word).substr(0, 2))) {
        found = &option;
        value = word.substr(word[2] == '=' ? 3 : 2);
      }
    // Flags of one letter may share a word: "-te".
    if (!found && word.size() > 2 && !word.starts_with("--") &&
        std::all_of(word.begin() + 1, word.end(), [&](char c) {
          return std::any_of(twin.options.begin(), twin.options.end(), [&](const TwinOption& o) {
            return o.value.empty() && IsNamed(o, std::string("-") + c);
          });
        })) {
      for (const char c : word.substr(1))
        for (const TwinOption& option : twin.options)
          if (IsNamed(option, std::string("-") + c))
            arguments.given[std::string(FirstName(option.word))];
      continue;
    }
    if (!found) return Usage("unknown option '" + Printable(word) + "'; -h lists them");
    arguments.given[std::string(FirstName(found->word))] = value;
  }
  if (arguments.operands.size() < twin.least_operands)
    return Usage(fmt::format("an operand is missing; usage: {} {}", twin.name, twin.operands));
  return arguments;
}

void PrintHelp(const Twin& twin) {
  fmt::print("usage: {} {}\n{}\n", twin.name, twin.operands, twin.summary);
  for (const TwinOption& option : twin.options)
    fmt::print("  {:<24} {}\n", fmt::format("{} {}", option.word, option.value), option.text);
  fmt::print("  {:<24} {}\n", "-h, --version", "print this help, print the version");
}

}  // namespace

std::span<const Twin> Twins() { return kTwins; }

const Twin* FindTwin(std::string_view name) {
  if (name.ends_with(".py")) name.remove_suffix(3);
  for (const Twin& twin : kTwins)
    if (twin.name == name) return &twin;
  return nullptr;
}

int RunTwin(const Twin& twin, std::span<const std::string> words) {
  const auto is_own = [&](std::string_view word) {  // for some twins, "-v" is not --version
    return std::any_of(twin.options.begin(), twin.options.end(),
                       [&](const TwinOption& option) { return IsNamed(option, word); });
  };
  if (!words.empty() && (words[0] == "-h" || words[0] == "--help")) {
    PrintHelp(twin);
    return kExitDone;
  }
  if (!words.empty() && (words[0] == "--version" || (words[0] == "-v" && !is_own("-v")))) {
    fmt::print("{} (TaskLens) {}\n", twin.name, kVersion);
    return kExitDone;
  }
  const Result<TwinArguments> arguments = Parse(twin, words);
  if (!arguments.ok()) return Fail(arguments.status());
  const Status status = twin.run(*arguments);
  return status.ok() ? kExitDone : Fail(status);
}

Result<TwinDrawing> DrawingOf(const TwinArguments& arguments, std::string_view format) {
  const std::string name = arguments.Get("--format", format);
  const auto parsed = ParsePlotFormat(name);
  if (!parsed) return Usage("--format is svg, pdf or png, not '" + Printable(name) + "'");
  return TwinDrawing{*parsed, "." + name, arguments.Has("--dark") ? kDarkPlot : kLightPlot};
}

Result<std::string> WholeText(const std::string& path) {
  const auto source = OpenSource(path);
  if (!source.ok()) return source.status();
  const auto bytes = (*source)->bytes();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Status WriteAndName(const std::map<std::string, std::string>& files) {
  if (Status s = WriteWholeFiles(files); !s.ok()) return s;
  for (const auto& [name, text] : files) PrintText("{}\n", name);
  return Status::Ok();
}

bool IsTrace(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return true;
  const auto source = OpenSource(path);
  return source.ok() && GuessReader((*source)->bytes()) != nullptr;
}

Result<TraceModel> LoadTwinTrace(const std::string& path, uint32_t parts) {
  Diagnostics diags;
  Result<TraceModel> model = LoadWithProgress(std::vector{path}, diags, parts);
  ReportDiagnostics(diags, /*strict=*/false);
  return model;
}

Result<std::map<std::string, std::string>> StarpuTexts(const std::string& trace,
                                                       std::span<const std::string_view> writers) {
  uint32_t parts = 0;
  for (const std::string_view name : writers) parts |= FindWriter(name)->parts;
  const auto model = LoadTwinTrace(trace, parts);
  if (!model.ok()) return model.status();
  MemoryOutputs outputs;
  for (const std::string_view name : writers)
    if (Status s = FindWriter(name)->write(*model, {}, outputs); !s.ok()) return s;
  if (Status s = outputs.Commit(); !s.ok()) return s;
  std::map<std::string, std::string> texts;
  for (const std::string& name : outputs.Names()) texts[name] = outputs.Text(name);
  return texts;
}

Result<std::string> StarpuText(const std::string& path, const std::string& file,
                               std::string_view writer) {
  const std::string inside = path + "/" + file;
  if (access(inside.c_str(), F_OK) == 0) return WholeText(inside);
  if (!IsTrace(path)) return WholeText(path);
  auto texts = StarpuTexts(path, std::span(&writer, 1));
  if (!texts.ok()) return texts.status();
  return std::move((*texts)[file]);
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(TakeUpTo('\n', text));
    if (lines.back().ends_with('\r')) lines.back().remove_suffix(1);
  }
  return lines;
}

std::vector<std::string_view> FieldsOf(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  while (true) {
    const size_t end = line.find(separator);
    fields.push_back(line.substr(0, end));
    if (end == line.npos) return fields;
    line.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> WordsOf(std::string_view line, size_t most) {
  std::vector<std::string_view> words;
  for (std::string_view word; words.size() < most && !(word = TakeWord(line)).empty();)
    words.push_back(word);
  return words;
}

bool ReadMs(std::string_view text, int64_t& time_ns) {
  double ms = 0;
  if (!ReadNumber(text, ms) || std::fabs(ms) > 1e12) return false;
  time_ns = std::llround(ms * 1e6);
  return true;
}

}  // namespace tasklens
