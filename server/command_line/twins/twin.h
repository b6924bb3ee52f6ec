// SPDX-License-Identifier: Apache-2.0
// Twins of StarPU's tools that count, list and draw: its names and options, its files, and the
// picture at once. Each is a thin face of analyses that `tasklens plot` and other commands have as
// well. Reached through links of their names to the program tasklens; twins.cc has the table.
//
// They take what StarPU's take (a file that its converter wrote), a folder with that file in it,
// and any trace that we read. What is written is whole or not there.
#pragma once

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
  std::string_view word;   // "-d"; several names of one, by spaces: "-t --time"
  std::string_view value;  // of what stands behind it, "" of a flag
  std::string_view text;
};

struct TwinArguments {
  std::map<std::string, std::string, std::less<>> given;  // by the first name; "" for flags
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
// The twin of that name ("starpu_fxt_stats", "starpu_mpi_comm_matrix.py"), nullptr: none.
const Twin* FindTwin(std::string_view name);
std::span<const Twin> Twins();

// Parses, answers --help and --version, runs. Returns the exit status.
int RunTwin(const Twin& twin, std::span<const std::string> arguments);

// One file each.
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

// --- what they share ---

// What every twin that draws takes besides: --format, --dark.
struct TwinDrawing {
  PlotFormat format;
  std::string ending;  // ".svg"
  PlotTheme theme;
};
Result<TwinDrawing> DrawingOf(const TwinArguments& arguments, std::string_view format = "pdf");

// A trace and nothing that a converter wrote of one.
bool IsTrace(const std::string& path);
// The model of one file, or of a folder of ranks; what was wrong with it is said on standard error.
Result<TraceModel> LoadTwinTrace(const std::string& path, uint32_t parts);

// The text of `file` ("distrib.data"): `path` itself, `path`/`file`, or what the writer of that
// name makes of the trace at `path`.
Result<std::string> StarpuText(const std::string& path, const std::string& file,
                               std::string_view writer);
// All files that the writers make of a trace, by name.
Result<std::map<std::string, std::string>> StarpuTexts(const std::string& trace,
                                                       std::span<const std::string_view> writers);

Result<std::string> WholeText(const std::string& path);
std::vector<std::string_view> LinesOf(std::string_view text);
std::vector<std::string_view> FieldsOf(std::string_view line, char separator);
// "12.5" milliseconds, rounded; false where it is no number or no time that fits.
bool ReadMs(std::string_view text, int64_t& time_ns);

}  // namespace tasklens
