// SPDX-License-Identifier: Apache-2.0
// Replacements ("twins") for StarPU's tools that count, list and draw, with the same names, options
// and files; pictures are drawn directly. Each is a thin front end of analyses that `tasklens plot`
// and other commands use as well. A twin runs when tasklens is started through a link of its name;
// twins.cc has the table.
//
// The input is that of StarPU's tool (a file that its converter wrote), a folder with that file, or
// any trace that we read. Output files are written completely or not at all.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/pictures/plot_canvas.h"
#include "trace/model/trace_model.h"
#include "trace/support/read_number.h"
#include "trace/support/status.h"

namespace tasklens {

struct TwinOption {
  std::string_view word;   // "-d"; several names are separated by a space: "-t --time"
  std::string_view value;  // placeholder of its value; "" for a flag
  std::string_view text;
};

struct TwinArguments {
  std::map<std::string, std::string, std::less<>> given;  // values by first name; "" for flags
  std::vector<std::string> operands;
  bool Has(std::string_view word) const { return given.find(word) != given.end(); }
  std::string Get(std::string_view word, std::string_view fallback = "") const {
    const auto found = given.find(word);
    return std::string(found == given.end() ? fallback : std::string_view(found->second));
  }
};

struct Twin {
  std::string_view name;      // without ".py", which StarPU's names may have
  std::string_view operands;  // for --help
  std::string_view summary;
  std::span<const TwinOption> options;
  size_t least_operands;
  Status (*run)(const TwinArguments& arguments);
};
// Returns the twin of that name ("starpu_fxt_stats", "starpu_mpi_comm_matrix.py"), or nullptr.
const Twin* FindTwin(std::string_view name);
std::span<const Twin> Twins();

// Parses the arguments, answers --help and --version, or runs the twin. Returns the exit status.
int RunTwin(const Twin& twin, std::span<const std::string> arguments);

// The twins. A file defines those that read the same input.
Status FxtStats(const TwinArguments& arguments);
Status NumberEventsToNames(const TwinArguments& arguments);
Status FxtPrint(const TwinArguments& arguments);
Status CodeletProfile(const TwinArguments& arguments);
Status CodeletHistoProfile(const TwinArguments& arguments);
Status FxtDataTrace(const TwinArguments& arguments);
Status WorkersActivity(const TwinArguments& arguments);
Status TraceStateStats(const TwinArguments& arguments);
Status PajeStateStats(const TwinArguments& arguments);
Status PajeDrawHistogram(const TwinArguments& arguments);
Status PajeSort(const TwinArguments& arguments);
Status PajeSummary(const TwinArguments& arguments);
Status MpiCommMatrix(const TwinArguments& arguments);
Status SendRecvDataUse(const TwinArguments& arguments);

// --- shared by the twins ---

// The additional options of every twin that draws: --format, --dark.
struct TwinDrawing {
  PlotFormat format;
  std::string ending;  // ".svg"
  PlotTheme theme;
  // The file of one picture.
  std::string Text(const PlotCanvas& sheet) const { return PlotText({&sheet, 1}, format); }
};
Result<TwinDrawing> DrawingOf(const TwinArguments& arguments, std::string_view format = "pdf");

// True for a trace file or any folder, false for a file that a converter wrote from a trace.
bool IsTrace(const std::string& path);
// Reads the model of one file, or of a folder of ranks; prints its problems on standard error.
Result<TraceModel> LoadTwinTrace(const std::string& path, uint32_t parts);

// Returns the text of `file` ("distrib.data"): `path` itself, `path`/`file`, or, if `path` is a
// trace, the output of the writer of that name.
Result<std::string> StarpuText(const std::string& path, const std::string& file,
                               std::string_view writer);
// Returns all files that the writers make from a trace, by name.
Result<std::map<std::string, std::string>> StarpuTexts(const std::string& trace,
                                                       std::span<const std::string_view> writers);

Result<std::string> WholeText(const std::string& path);
// Writes all files or none, and prints their names.
Status WriteAndName(const std::map<std::string, std::string>& files);
std::vector<std::string_view> LinesOf(std::string_view text);
std::vector<std::string_view> FieldsOf(std::string_view line, char separator);
// Returns at most the first `most` words, which stand between blanks and tabs.
std::vector<std::string_view> WordsOf(std::string_view line, size_t most = SIZE_MAX);
// Parses milliseconds ("12.5") and rounds them; returns false if it is no number or does not fit.
bool ReadMs(std::string_view text, int64_t& time_ns);

}  // namespace tasklens
