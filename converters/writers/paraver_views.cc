// SPDX-License-Identifier: Apache-2.0
// A table of views and the text around it, with the fields that Paraver 4.11 reads.
#include "converters/writers/paraver_views.h"

#include <string>
#include <string_view>

#include "converters/writers/text.h"

namespace tasklens {
namespace {

enum class Draw : uint8_t { kCodes, kCurve };

struct View {
  std::string_view file;
  std::string_view name;
  std::string_view function;  // Paraver's name of a function of threads
  uint32_t event_type;        // the events to show; 0: none
  Draw draw;
  bool lines = false;  // communications
};

constexpr View kViews[] = {
    {"paraver_states.cfg", "States", "State As Is", 0, Draw::kCodes},
    {"paraver_task_types.cfg", "Tasks", "Last Evt Val", kParaverTaskType, Draw::kCodes},
    {"paraver_submission_sites.cfg", "Submission sites", "Last Evt Val", kParaverSiteLine,
     Draw::kCodes},
    {"paraver_ready_tasks.cfg", "Ready tasks", "Last Evt Val", kParaverReadyTasks, Draw::kCurve},
    {"paraver_transfers.cfg", "Transfers", "State As Is", 0, Draw::kCodes, true},
};
constexpr View kUsefulDuration = {"paraver_useful_duration.cfg", "Useful duration",
                                  "State Record Dur.", 0, Draw::kCurve};
constexpr uint32_t kRunning = 1;

class ViewFile {
 public:
  ViewFile(TextBuffer& out, ParaverDialect dialect) : out_(out), dialect_(dialect) {}

  void Begin() {
    out_.Put("#ParaverCFG\n");
    Field("ConfigFile.Version:", "3.4");
    Field("ConfigFile.NumWindows:", "1");
    out_.Put("\n\n");
  }

  void Window(const View& view) {
    out_.Put("< NEW DISPLAYING WINDOW ", view.name, " >\n");
    Field("window_name", view.name);
    Field("window_type", "single");
    Field("window_id", "1");
    Field("window_position_x", "100");
    Field("window_position_y", "100");
    Field("window_width", "900");
    Field("window_height", "300");
    Field("window_comm_lines_enabled", view.lines ? "true" : "false");
    Field("window_flags_enabled", "false");
    Field("window_noncolor_mode", view.draw == Draw::kCodes ? "true" : "false");
    Field("window_logical_filtered", "true");
    Field("window_physical_filtered", "true");
    Field("window_units", dialect_ == ParaverDialect::kToday ? "Nanoseconds" : "Microseconds");
    Field("window_maximum_y", "255.000000000000");
    Field("window_minimum_y", "0.000000000000");
    Field("window_compute_y_max", "true");
    Field("window_level", "thread");
    Field("window_scale_relative", "1.000000000000");
    Field("window_end_time_relative", "1.000000000000");
    Field("window_object", "appl { 1, { All } }");
    Field("window_begin_time_relative", "0.000000000000");
    Field("window_open", "true");
    Field("window_drawmode", "draw_maximum");
    Field("window_drawmode_rows", "draw_maximum");
    Field("window_pixel_size", "1");
    Field("window_labels_to_draw", "1");
    Field("window_selected_functions",
          "{ 14, { {cpu, Active Thd}, {appl, Adding}, {task, Adding}, {thread, " +
              std::string(view.function) +
              "}, {node, Adding}, {system, Adding}, {workload, Adding}, {from_obj, All}, {to_obj, "
              "All}, {tag_msg, All}, {size_msg, All}, {bw_msg, All}, {evt_type, " +
              (view.event_type != 0 ? "=" : "All") + "}, {evt_value, All} } }");
    Field("window_compose_functions",
          "{ 9, { {compose_cpu, As Is}, {compose_appl, As Is}, {compose_task, As Is}, "
          "{compose_thread, As Is}, {compose_node, As Is}, {compose_system, As Is}, "
          "{compose_workload, As Is}, {topcompose1, As Is}, {topcompose2, As Is} } }");
    if (view.event_type != 0)
      Field("window_filter_module", "evt_type 1 " + std::to_string(view.event_type));
  }

  // The lengths of the periods in which a thread runs tasks without a gap.
  void UsefulDuration() {
    Window(kUsefulDuration);
    Field("window_semantic_module",
          "thread State Record Dur. { 1, { 1 " + std::to_string(kRunning) + ".000000000000 } }");
    out_.Put("\n< NEW ANALYZER2D >\n");
    Field("Analyzer2D.Name:", "Useful duration");
    Field("Analyzer2D.X:", "100");
    Field("Analyzer2D.Y:", "450");
    Field("Analyzer2D.Width:", "900");
    Field("Analyzer2D.Height:", "300");
    Field("Analyzer2D.ControlWindow:", "1");
    Field("Analyzer2D.DataWindow:", "1");
    Field("Analyzer2D.Accumulator:", "Semantic");
    Field("Analyzer2D.Statistic:", "# Bursts");
    Field("Analyzer2D.CalculateAll:", "True");
    Field("Analyzer2D.HideCols:", "False");
    Field("Analyzer2D.HorizVert:", "Horizontal");
    Field("Analyzer2D.Color:", "True");
    Field("Analyzer2D.Zoom:", "Enabled");
    Field("Analyzer2D.SortCols:", "False");
    Field("Analyzer2D.SortCriteria:", "Average");
    Field("Analyzer2D.AnalysisLimits:", "Alltrace");
    Field("Analyzer2D.ComputeYScale:", "True");
    Field("Analyzer2D.ComputeGradient:", "True");
    Field("Analyzer2D.PixelSize:", "1");
    Field("Analyzer2D.ColorMode:", "window_in_gradient_mode");
    Field("Analyzer2D.ShowOnlyTotals:", "False");
    Field("Analyzer2D.ShortHeaderLabels:", "False");
  }

 private:
  void Field(std::string_view name, std::string_view value) { out_.Put(name, ' ', value, '\n'); }

  TextBuffer& out_;
  const ParaverDialect dialect_;
};

Status WriteView(const View& view, ParaverDialect dialect, Outputs& outputs) {
  return WriteText(outputs, std::string(view.file), [&](TextBuffer& out) {
    ViewFile text(out, dialect);
    text.Begin();
    if (&view == &kUsefulDuration)
      text.UsefulDuration();
    else
      text.Window(view);
  });
}

}  // namespace

Status WriteParaverViews(ParaverDialect dialect, Outputs& outputs) {
  for (const View& view : kViews)
    if (Status s = WriteView(view, dialect, outputs); !s.ok()) return s;
  return WriteView(kUsefulDuration, dialect, outputs);
}

}  // namespace tasklens
