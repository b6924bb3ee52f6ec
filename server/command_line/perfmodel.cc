// SPDX-License-Identifier: Apache-2.0
// tasklens perfmodel: StarPU's performance models, shown and drawn.
#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "server/command_line/command.h"
#include "server/command_line/perfmodel_tools.h"
#include "server/command_line/print_text.h"
#include "server/command_line/trace_command.h"

namespace tasklens {
namespace {

struct Options {
  std::string action = "list", name, output, footprint;
  ModelSelection selection;
  CurveOptions curves;
  std::string energy_model;
  bool gnuplot = false;
};

Status Plot(const Options& options) {
  if (options.gnuplot)
    return WriteGnuplot({.symbol = options.name,
                         .folder = options.output.empty() ? "." : options.output,
                         .energy = options.energy_model,
                         .options = options.curves});
  CurveOptions curves = options.curves;
  const auto model = ModelToDraw(options.name, options.energy_model, curves);
  if (!model.ok()) return model.status();
  const std::string svg = CurvesSvg(*model, options.name, PlacesFromEnvironment().host, curves);
  if (!options.output.empty()) return WriteFile(options.output, svg);
  PrintLines(svg);
  return Status::Ok();
}

Status Show(Options options) {
  options.selection.symbol = options.name;
  if (!options.footprint.empty()) {
    uint32_t footprint = 0;
    const char* end = options.footprint.data() + options.footprint.size();
    if (std::from_chars(options.footprint.data(), end, footprint, 16).ptr != end)
      return {ErrorCode::kInvalidArgument, "'" + options.footprint + "' is not a footprint"};
    options.selection.footprint = footprint;
  }
  return PrintModel(options.selection);
}

Status Run(const Options& options) {
  const bool wants_name = options.action == "show" || options.action == "plot";
  if (wants_name && options.name.empty())
    return {ErrorCode::kInvalidArgument,
            options.action + ": name a model; `tasklens perfmodel list` lists them"};
  if (options.action == "list") {
    PrintModelList();
    return Status::Ok();
  }
  if (options.action == "show") return Show(options);
  if (options.action == "plot") return Plot(options);
  if (options.action == "machine") return PrintMachine();
  if (options.action == "complete") return CompleteTasks(options.name, options.output);
  return DumpRecords(options.name.empty() ? std::nullopt : std::optional(options.name),
                     options.output);
}

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  cli.Add("action", options->action,
          "list the models, show or plot one, its records, complete a tasks.rec, the machine")
      .OneOf({"list", "show", "plot", "records", "complete", "machine"})
      .ShowDefault();
  cli.Add("name", options->name, "symbol of a model; records, complete: a tasks.rec");
  cli.Flag("--xml", options->selection.as_xml, "show: as XML");
  cli.Add("--arch", options->selection.arch, "show: this architecture alone, as cpu or cuda0");
  cli.Add("--parameter", options->selection.parameter,
          "show: a, b, c, alpha, beta, mean or stddev alone");
  cli.Add("--footprint", options->footprint, "show: the measures of this footprint alone");
  cli.Flag("--flops", options->curves.in_flops, "plot: GFlop/s instead of time");
  cli.Flag("--energy", options->curves.is_energy, "plot: the model is one of energy");
  cli.Add("--watts", options->energy_model,
          "plot: watts, of the model and this one of the same tasks' energy");
  cli.Flag("--gnuplot", options->gnuplot, "plot: files for gnuplot, into the folder of -o");
  cli.Add("-o,--output", options->output, "write there, not to standard output");
  cli.Footer(
      "Models are those of STARPU_HOSTNAME (default: this machine) below STARPU_PERF_MODEL_DIR or\n"
      "~/.starpu/sampling.");
  cli.Example("tasklens perfmodel plot chol_model_22 -o model.svg");
  return [options] {
    const Status status = Run(*options);
    return status.ok() ? kExitDone : Fail(status);
  };
}

}  // namespace

extern const CommandSpec kPerfmodelCommand = {
    "perfmodel", "StarPU's performance models: list, show, draw", &Declare};

}  // namespace tasklens
