// SPDX-License-Identifier: Apache-2.0
// The command lines of StarPU's tools for performance models.
#include "server/command_line/perfmodel_tools.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>

#include "server/command_line/command.h"
#include "server/command_line/print_text.h"
#include "server/command_line/summary.h"
#include "server/command_line/trace_command.h"
#include "server/perfmodels/records.h"
#include "server/version.h"
#include "trace/support/diagnostics.h"
#include "trace/support/read_number.h"
#include "trace/support/source.h"

extern char** environ;

namespace tasklens {
namespace {

Status Usage(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

Result<std::string> TextOf(const std::string& path) {
  const auto source = OpenSource(path.empty() ? "-" : path);
  if (!source.ok()) return source.status();
  const auto bytes = (*source)->bytes();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Status Output(const std::string& path, const std::string& text) {
  if (!path.empty()) return WriteFile(path, text);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return Status::Ok();
}

// The words of a command line, taken one after the other.
class Words {
 public:
  explicit Words(std::span<const std::string> words) : words_(words) {}
  bool done() const { return at_ == words_.size(); }
  const std::string& Next() { return words_[at_++]; }
  Status Value(const std::string& option, std::string& value) {
    if (done()) return Usage(option + " needs a value");
    value = Next();
    return Status::Ok();
  }

 private:
  std::span<const std::string> words_;
  size_t at_ = 0;
};

Status ParseFootprint(const std::string& text, std::optional<uint32_t>& footprint) {
  uint32_t value = 0;
  if (!ReadNumber(text, value, 16))
    return Usage("'" + text + "' is not a footprint, which is up to eight hexadecimal digits");
  footprint = value;
  return Status::Ok();
}

// Answers -h and -v. Returns whether `word` is one of them.
bool IsHelpOrVersion(const std::string& word, std::string_view name, std::string_view usage) {
  if (word == "-v" || word == "--version") {
    fmt::print("{} (TaskLens) {}\n", name, kVersion);
  } else if (word == "-h" || word == "--help") {
    fmt::print("usage: {} {}", name, usage);
  } else {
    return false;
  }
  return true;
}

Status UnknownOption(const std::string& word) {
  return Usage("unknown option '" + word + "'; -h lists them");
}

int Exit(const Status& status) {
  if (status.ok()) return kExitDone;
  return Fail(status);
}

}  // namespace

Result<FoundPerfmodel> LoadModel(const PerfmodelPlaces& places, const std::string& symbol) {
  Result<FoundPerfmodel> found = FindPerfmodel(places, symbol);
  if (!found.ok()) return found;
  int number = 0;
  for (PerfmodelCombination& combination : found->file.model.combinations)
    combination.number = number++;
  return found;
}

Status PrintModel(const ModelSelection& selection) {
  const PerfmodelPlaces places = PlacesFromEnvironment();
  const auto found = LoadModel(places, selection.symbol);
  if (!found.ok()) return found.status();
  const Perfmodel& model = found->file.model;
  if (selection.as_xml) {
    PrintLines(PerfmodelXml(model, selection.symbol));
    return Status::Ok();
  }
  const std::string debug =
      places.folders[0] + "/debug/" + selection.symbol + "." + places.host + ".";
  const auto text = ModelText(model, selection, debug, found->path);
  if (!text.ok()) return text.status();
  PrintLines(*text);
  return Status::Ok();
}

bool PrintModelList() {
  bool is_any = false;
  for (const std::string& folder : PlacesFromEnvironment().folders) {
    const std::vector<std::string> names = ListPerfmodels(folder);
    if (names.empty()) continue;
    is_any = true;
    PrintText("codelet directory: <{}>\n", CodeletFolder(folder));
    for (const std::string& name : names) PrintText("file: <{}>\n", name);
  }
  return is_any;
}

void PrintModelFolders() {
  for (const std::string& folder : PlacesFromEnvironment().folders)
    if (access(CodeletFolder(folder).c_str(), R_OK) == 0)
      PrintText("directory: <{}>\n", CodeletFolder(folder));
}

Result<Perfmodel> ModelToDraw(const std::string& symbol, const std::string& energy,
                              CurveOptions& options) {
  const PerfmodelPlaces places = PlacesFromEnvironment();
  auto found = LoadModel(places, symbol);
  if (!found.ok()) return found.status();
  if (energy.empty()) return std::move(found->file.model);
  const auto joules = LoadModel(places, energy);
  if (!joules.ok()) return joules.status();
  options.is_power = true;
  return PowerModel(found->file.model, joules->file.model);
}

// Makes a file executable for everyone who may read it.
void MakeExecutable(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0)
    chmod(path.c_str(), (status.st_mode & 0777) | (status.st_mode & 0444) >> 2);
}

Status WriteGnuplot(const GnuplotFiles& files) {
  CurveOptions options = files.options;
  options.has_measures = !files.traces.empty();
  const auto model = ModelToDraw(files.symbol, files.energy, options);
  if (!model.ok()) return model.status();
  const auto in_folder = [&](std::string_view ending) {
    return files.folder + "/" + CurveFileName(files.symbol, options, ending);
  };
  mkdir(files.folder.c_str(), 0777);
  if (options.has_measures) {
    Diagnostics diags;
    const auto trace = LoadWithProgress(files.traces, diags, 0);
    ReportDiagnostics(diags, /*strict=*/false);
    if (!trace.ok()) return trace.status();
    if (Status s = WriteFile(in_folder(".data"), MeasuresText(*trace, files.symbol)); !s.ok())
      return s;
  }
  if (Status s = WriteFile(in_folder("_avg.data"), AveragesText(*model, options)); !s.ok())
    return s;
  const std::string script = in_folder(".gp");
  if (Status s = WriteFile(script, GnuplotText(*model, files.symbol, PlacesFromEnvironment().host,
                                               files.folder + "/", options));
      !s.ok())
    return s;
  MakeExecutable(script);  // its first line names gnuplot as its interpreter
  fmt::print(stderr, "wrote {}; run gnuplot on it to draw the picture\n", script);
  return Status::Ok();
}

Status DumpRecords(const std::optional<std::string>& tasks_rec, const std::string& output) {
  std::optional<std::string> tasks;
  if (tasks_rec) {
    Result<std::string> text = TextOf(*tasks_rec);
    if (!text.ok()) return text.status();
    tasks = std::move(*text);
  }
  const PerfmodelPlaces places = PlacesFromEnvironment();
  const auto machine = FindMachine(places);
  if (!machine.ok()) return machine.status();
  size_t unreadable = 0;
  const std::string text =
      PerfmodelRecords(places, *machine, tasks ? &*tasks : nullptr, unreadable);
  if (unreadable > 0)
    fmt::print(stderr,
               "tasklens: {} model{} could not be read; `tasklens perfmodel show` says why\n",
               unreadable, unreadable == 1 ? "" : "s");
  return Output(output, text);
}

Status CompleteTasks(const std::string& tasks_rec, const std::string& output) {
  const auto tasks = TextOf(tasks_rec);
  if (!tasks.ok()) return tasks.status();
  const PerfmodelPlaces places = PlacesFromEnvironment();
  const auto machine = FindMachine(places);
  if (!machine.ok()) return machine.status();
  std::vector<std::string> missing;
  const std::string text = CompletedTasks(places, *machine, *tasks, missing);
  if (!missing.empty())
    fmt::print(stderr, "tasklens: no estimates for tasks without a model: {}\n",
               Printable(fmt::format("{}", fmt::join(missing, ", "))));
  return Output(output, text);
}

Status PrintMachine() {
  const auto machine = FindMachine(PlacesFromEnvironment());
  if (!machine.ok()) return machine.status();
  std::vector<std::string> variables;
  for (char** at = environ; *at; ++at)
    if (std::string_view(*at).starts_with("STARPU_")) variables.push_back(Printable(*at));
  PrintLines(MachineText(*machine, variables));
  return Status::Ok();
}

namespace {

// The options -l and -d: lists of all models, and of their folders.
struct Listing {
  bool models = false, folders = false;
  bool Take(std::string_view word) {
    if (word == "-l") return models = true;
    return word == "-d" && (folders = true);
  }
  bool IsAny() const { return models || folders; }
  void Print() const {
    if (models) PrintModelList();
    if (folders) PrintModelFolders();
  }
};

}  // namespace

int StarpuPerfmodelDisplay(std::span<const std::string> arguments) {
  constexpr std::string_view kUsage =
      "-l | -d | -s SYMBOL [-x] [-p PARAMETER] [-a ARCH] [-f FOOTPRINT]\n"
      "Prints performance models.\n"
      "  -l             list the models\n"
      "  -d             list the folders of the models\n"
      "  -s SYMBOL      print this model\n"
      "  -x             print XML\n"
      "  -p PARAMETER   only a, b, c, alpha, beta, mean, stddev or path-file-debug\n"
      "  -a ARCH        only cpu, cpu:CORES, cuda, cudaN, or one implementation, such as "
      "cpu0_impl0\n"
      "  -f FOOTPRINT   only the measurements of this footprint\n"
      "  -h, -v         print this help, print the version\n";
  ModelSelection selection;
  Listing listing;
  for (Words words(arguments); !words.done();) {
    const std::string& word = words.Next();
    if (IsHelpOrVersion(word, "starpu_perfmodel_display", kUsage)) return kExitDone;
    std::string footprint;
    Status status;
    if (listing.Take(word)) continue;
    if (word == "-x") {
      selection.as_xml = true;
    } else if (word == "-s") {
      status = words.Value(word, selection.symbol);
    } else if (word == "-p") {
      status = words.Value(word, selection.parameter);
    } else if (word == "-a") {
      status = words.Value(word, selection.arch);
    } else if (word == "-f") {
      status = words.Value(word, footprint);
      if (status.ok()) status = ParseFootprint(footprint, selection.footprint);
    } else {
      status = UnknownOption(word);
    }
    if (!status.ok()) return Fail(status);
  }
  if (!listing.IsAny() && selection.symbol.empty())
    return Fail(Usage("one of -l, -d and -s SYMBOL is needed"));
  listing.Print();
  return selection.symbol.empty() ? kExitDone : Exit(PrintModel(selection));
}

namespace {

Status PrintCombinations(const std::string& symbol) {
  const auto found = LoadModel(PlacesFromEnvironment(), symbol);
  if (!found.ok()) return found.status();
  PrintLines(CombinationsText(found->file.model, symbol));
  return Status::Ok();
}

constexpr std::string_view kPlotUsage =
    "-l | -d | -s SYMBOL | -se TIME ENERGY [-e] [-f] [-lc | -c COMBINATION] [-i TRACE...] "
    "[-o FOLDER]\n"
    "Writes a performance model as curves for gnuplot; `tasklens perfmodel plot` draws them "
    "itself.\n"
    "  -l, -d           list the models, list their folders\n"
    "  -s SYMBOL        draw this model\n"
    "  -se TIME ENERGY  power in watts, from a model of time and one of energy\n"
    "  -e               the model is one of energy, not of time\n"
    "  -f               GFlop/s instead of time, without the measurements of traces\n"
    "  -i TRACE...      add the measured durations of the model's tasks in a run\n"
    "  -lc              list the combinations of devices of the model\n"
    "  -c COMBINATION   only this combination\n"
    "  -o FOLDER        folder to write to (default: the current folder)\n"
    "  -h, -v           print this help, print the version\n";

struct PlotRequest {
  GnuplotFiles files{.folder = "."};
  Listing listing;
  bool combinations = false;
  bool in_traces = false;  // the next word may be another trace

  // Parses the option or trace `word`, and takes the values of an option from `words`.
  Status Take(const std::string& word, Words& words) {
    CurveOptions& options = files.options;
    Status status;
    if (listing.Take(word)) {
      // Nothing more to read.
    } else if (word == "-lc") {
      combinations = true;
    } else if (word == "-e") {
      options.is_energy = true;
    } else if (word == "-f") {
      options.in_flops = true;
    } else if (word == "-s") {
      status = words.Value(word, files.symbol);
    } else if (word == "-se") {
      status = words.Value(word, files.symbol);
      if (status.ok()) status = words.Value(word, files.energy);
    } else if (word == "-i") {
      status = words.Value(word, files.traces.emplace_back());
    } else if (word == "-o") {
      status = words.Value(word, files.folder);
    } else if (word == "-c") {
      std::string combination;
      status = words.Value(word, combination);
      if (status.ok() && !ReadNumber(combination, options.combination.emplace()))
        status = Usage("-c takes the number of a combination, not '" + combination + "'");
    } else if (in_traces && !word.starts_with('-')) {
      files.traces.push_back(word);
    } else {
      status = UnknownOption(word);
    }
    in_traces = word == "-i" || (in_traces && !word.starts_with('-'));
    return status;
  }
};

}  // namespace

int StarpuPerfmodelPlot(std::span<const std::string> arguments) {
  PlotRequest request;
  for (Words words(arguments); !words.done();) {
    const std::string& word = words.Next();
    if (IsHelpOrVersion(word, "starpu_perfmodel_plot", kPlotUsage)) return kExitDone;
    if (Status s = request.Take(word, words); !s.ok()) return Fail(s);
  }
  GnuplotFiles& files = request.files;
  if (!request.listing.IsAny() && files.symbol.empty())
    return Fail(Usage("no model is named; use -s SYMBOL, or -l to list the models"));
  request.listing.Print();
  if (files.symbol.empty()) return kExitDone;
  if (files.options.in_flops && !files.energy.empty())
    return Fail(Usage("-f draws GFlop/s and -se draws watts; use one of them"));
  if (files.options.in_flops) files.traces.clear();
  return Exit(request.combinations ? PrintCombinations(files.symbol) : WriteGnuplot(files));
}

int StarpuPerfmodelRecdump(std::span<const std::string> arguments) {
  constexpr std::string_view kUsage =
      "[TASKS_REC] [-o FILE]\n"
      "Writes performance models as records: all of them, or those of the tasks in TASKS_REC.\n";
  std::optional<std::string> input;
  std::string output;
  for (Words words(arguments); !words.done();) {
    const std::string& word = words.Next();
    if (IsHelpOrVersion(word, "starpu_perfmodel_recdump", kUsage)) return kExitDone;
    Status status;
    if (word == "-o") {
      status = words.Value(word, output);
    } else if (word.starts_with('-') && word != "-") {
      status = UnknownOption(word);
    } else if (input) {
      status = Usage("too many arguments: at most one TASKS_REC can be named");
    } else {
      input = word;
    }
    if (!status.ok()) return Fail(status);
  }
  return Exit(DumpRecords(input, output));
}

int StarpuTasksRecComplete(std::span<const std::string> arguments) {
  constexpr std::string_view kUsage =
      "[TASKS_REC [FILE]]\n"
      "Adds to each task its expected duration on each worker.\n";
  std::vector<std::string> files;
  for (const std::string& word : arguments) {
    if (IsHelpOrVersion(word, "starpu_tasks_rec_complete", kUsage)) return kExitDone;
    if (word.starts_with('-') && word != "-") return Fail(UnknownOption(word));
    files.push_back(word);
  }
  if (files.size() > 2)
    return Fail(Usage("too many arguments: only TASKS_REC and FILE can be named"));
  files.resize(2);
  return Exit(CompleteTasks(files[0], files[1]));
}

}  // namespace tasklens
