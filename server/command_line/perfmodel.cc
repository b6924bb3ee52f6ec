// SPDX-License-Identifier: Apache-2.0
// tasklens perfmodel: lists, shows and draws StarPU's performance models.
#include <fmt/format.h>

#include <memory>

#include "server/command_line/command.h"
#include "server/command_line/perfmodel_tools.h"
#include "server/command_line/print_text.h"
#include "server/command_line/trace_command.h"
#include "trace/support/read_number.h"

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
    if (!ReadNumber(options.footprint, footprint, 16))
      return {ErrorCode::kInvalidArgument,
              "'" + options.footprint +
                  "' is not a footprint, which is up to eight hexadecimal digits"};
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
    if (!PrintModelList())
      PrintText("no performance models found; a run with STARPU_CALIBRATE=1 measures them\n");
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
          "list the models, show or plot one, print models as records, complete a tasks.rec, or "
          "describe the machine")
      .OneOf({"list", "show", "plot", "records", "complete", "machine"})
      .ShowDefault();
  cli.Add("name", options->name, "show, plot: symbol of the model; records, complete: a tasks.rec");
  cli.Flag("--xml", options->selection.as_xml, "show: print XML");
  cli.Add("--arch NAME", options->selection.arch,
          "show: only this architecture, such as cpu or cuda0");
  cli.Add("--parameter NAME", options->selection.parameter,
          "show: only a, b, c, alpha, beta, mean or stddev");
  cli.Add("--footprint HEX", options->footprint, "show: only the measurements of this footprint");
  cli.Flag("--flops", options->curves.in_flops, "plot: GFlop/s instead of time");
  cli.Flag("--energy", options->curves.is_energy, "plot: the model is one of energy, not of time");
  cli.Add("--watts MODEL", options->energy_model,
          "plot: power in watts, from the model and this energy model of the same tasks");
  cli.Flag("--gnuplot", options->gnuplot, "plot: write files for gnuplot into the folder of -o");
  cli.Add("-o,--output FILE", options->output, "write here instead of to standard output");
  cli.Footer(
      "Models are read from STARPU_PERF_MODEL_DIR or ~/.starpu/sampling, for the host "
      "STARPU_HOSTNAME\n(default: this machine).");
  cli.Example("tasklens perfmodel plot chol_model_22 -o model.svg");
  return [options] {
    const Status status = Run(*options);
    return status.ok() ? kExitDone : Fail(status);
  };
}

}  // namespace

extern const CommandSpec kPerfmodelCommand = {
    "perfmodel", "list, show and draw StarPU's performance models", &Declare};

}  // namespace tasklens
