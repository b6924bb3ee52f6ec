// SPDX-License-Identifier: Apache-2.0
// Parses lines "field value" by one table of fields.
#include "converters/paraver_views/configuration.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "trace/support/read_number.h"
#include "trace/support/words.h"

namespace tasklens {
namespace {

// Takes the next word off `text`, and the blanks around the rest.
std::string_view Word(std::string_view& text) {
  const std::string_view word = TakeWord(text);
  text = Trimmed(text);
  return word;
}

std::optional<double> NumberOf(std::string_view word) {
  double value = 0;
  return ReadNumber(word, value) ? std::optional(value) : std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  Result<ViewConfiguration> Parse() {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
    if (!IsConfiguration(rest_))
      return Status(ErrorCode::kCorrupt, path_ +
                                             ": line 1: not a Paraver configuration (neither "
                                             "'#ParaverCFG' nor a version and number of windows)");
    while (!rest_.empty() && fault_.ok()) {
      ++line_;
      Line(Trimmed(TakeUpTo('\n', rest_)));
    }
    if (!fault_.ok()) return fault_;
    if (configuration_.windows.empty())
      return Status(ErrorCode::kCorrupt, path_ + ": no window ('< NEW DISPLAYING WINDOW ... >')");
    CheckIds();
    if (!fault_.ok()) return fault_;
    return std::move(configuration_);
  }

 private:
  void Fault(const std::string& what) {
    if (fault_.ok())
      fault_ = {ErrorCode::kCorrupt, path_ + ": line " + std::to_string(line_) + ": " + what};
  }

  // What Paraver accepts as a configuration: these lines may stand anywhere.
  static bool IsConfiguration(std::string_view text) {
    bool shebang = false, version = false, count = false, old_version = false, old_count = false;
    while (!text.empty()) {
      std::string_view line = TakeUpTo('\n', text);
      const std::string_view tag = TakeWord(line);
      shebang |= tag == "#ParaverCFG";
      version |= tag == "ConfigFile.Version:";
      count |= tag == "ConfigFile.NumWindows:";
      old_version |= tag == "version";
      old_count |= tag == "number_of_windows";
    }
    return shebang || (version && count) || (old_version && old_count);
  }

  void NewWindow() {
    constexpr size_t kMostWindows = 1000;
    if (configuration_.windows.size() == kMostWindows) return Fault("more than 1,000 windows");
    configuration_.windows.emplace_back();
    Window().line = line_;
    Window().id = static_cast<uint32_t>(configuration_.windows.size());
    in_histogram_ = false;
    has_name_ = has_type_ = false;
    extra_parameters_ = 0;
  }

  void Line(std::string_view line) {
    if (line.starts_with("< NEW DISPLAYING WINDOW")) {
      NewWindow();
    } else if (line.starts_with("< NEW ANALYZER2D")) {
      configuration_.histograms.emplace_back();
      configuration_.histograms.back().line = line_;
      in_histogram_ = true;
    } else if (!line.empty() && line[0] != '#') {
      std::string_view value = line;
      const std::string_view field = Word(value);
      // A line "< NEW DISPLAYING WINDOW" is a comment to Paraver: a name or type starts a window.
      const bool again = configuration_.windows.empty() || in_histogram_;
      if ((field == "window_name" && (again || has_name_)) ||
          (field == "window_type" && (again || has_type_)))
        NewWindow();
      if (in_histogram_)
        HistogramField(field, value);
      else if (!configuration_.windows.empty())
        WindowField(field, value);
    }
  }

  ViewWindow& Window() { return configuration_.windows.back(); }

  double Number(std::string_view word) {
    const auto value = NumberOf(word);
    if (!value) Fault("'" + std::string(word) + "' is not a number");
    return value.value_or(0);
  }
  uint32_t Id(std::string_view word) {
    const double value = Number(word);
    if (value < 0 || value > 1e9 || value != std::floor(value)) Fault("not a window's number");
    return fault_.ok() ? static_cast<uint32_t>(value) : 0;
  }

  struct WindowFieldSpec {
    std::string_view name;
    void (Parser::*read)(std::string_view value);
  };
  static constexpr std::string_view kExtra = "extratopcompose1";
  static constexpr double kMostShift = 32767;  // as Paraver has it
  static constexpr int kWindowFieldCount = 28;
  static const WindowFieldSpec kWindowFields[kWindowFieldCount];

  void WindowField(std::string_view field, std::string_view value) {
    for (const WindowFieldSpec& spec : kWindowFields)
      if (spec.name == field) return (this->*spec.read)(value);
    if (!IsOneOf(field, kLooks)) Note("'" + std::string(field) + "' is not known and was ignored");
  }

  // Adds one note per sort, with the line of the first.
  void Note(const std::string& what) {
    if (noted_.insert(what).second)
      configuration_.notes.push_back("line " + std::to_string(line_) + ": " + what);
  }
  template <size_t n>
  static bool IsOneOf(std::string_view field, const std::string_view (&fields)[n]) {
    return std::find(std::begin(fields), std::end(fields), field) != std::end(fields);
  }
  // Sizes, colours, positions, and display settings of a window: they change no number.
  static constexpr std::string_view kLooks[] = {
      "window_position_x",
      "window_position_y",
      "window_width",
      "window_height",
      "window_open",
      "window_comm_lines_enabled",
      "window_flags_enabled",
      "window_gradient_function",
      "window_custom_color_enabled",
      "window_custom_color_palette",
      "window_custom_background_as_zero",
      "window_semantic_scale_min_at_zero",
      "window_maximum_y",
      "window_minimum_y",
      "window_compute_y_max",
      "window_zoom_objects",
      "window_number_of_row",
      "window_selected_objects",
      "window_drawmode",
      "window_drawmode_rows",
      "window_pixel_size",
      "window_labels_to_draw",
      "window_object_axis_position",
      "window_punctual_color_window",
      "window_synchronize",
      "window_scale",
      "window_current_time",
      "window_end_time",
      "window_pos_to_disp",
      "window_pos_of_x_scale",
      "window_pos_of_y_scale",
      "window_expanded",
      "window_click_options",
      "window_click_info",
      "window_analyzer_info",
      "window_analyzer_executed",
      "window_send_icon_enabled",
      "window_recv_icon_enabled",
      "window_scrollbar",
      "cfg4d",
      "cfg4dparam",
      "cfg4dlink",
      "cfg4dstatistic",
      "CFG4D_ENABLED",
  };

  void Name(std::string_view value) {
    Window().name = value;
    has_name_ = true;
  }
  void WindowId(std::string_view value) { Window().id = Id(value); }
  void Type(std::string_view value) {
    if (value != "single" && value != "composed") Fault("window_type is single or composed");
    has_type_ = true;
  }
  void Factors(std::string_view value) {
    for (double& factor : Window().factors) factor = Number(Word(value));
  }
  void Operation(std::string_view value) { Window().operation = value; }
  void Identifiers(std::string_view value) {
    for (uint32_t& id : Window().operands) id = Id(Word(value));
  }
  void Units(std::string_view value) {
    constexpr std::pair<std::string_view, double> kUnits[] = {
        {"Nanoseconds", 1}, {"Microseconds", 1e3}, {"Milliseconds", 1e6}, {"Seconds", 1e9},
        {"Minutes", 60e9},  {"Hours", 3600e9},     {"Days", 86400e9}};
    for (const auto& [name, ns] : kUnits)
      if (name == value) Window().ns_per_unit = ns;
  }
  void Level(std::string_view value) {
    Window().level = value == "ptask" ? "appl" : value;
    levelled_.insert(configuration_.windows.size() - 1);
  }
  void Object(std::string_view value) { AddSelection(value, Window().selections); }
  void Logical(std::string_view value) { Window().logical = value == "true"; }
  void Physical(std::string_view value) { Window().physical = value == "true"; }
  void WithinNodes(std::string_view value) { Window().within_nodes = value == "true"; }
  void BetweenNodes(std::string_view value) { Window().between_nodes = value == "true"; }
  void FromTo(std::string_view value) { Window().both_from_to = value == "true"; }
  void TagSize(std::string_view value) { Window().both_tag_size = value == "true"; }
  void TypeValue(std::string_view value) { Window().both_type_value = value == "true"; }
  void ColourMode(std::string_view value) {
    Window().is_code = Window().is_code && value == "window_in_code_mode";
  }
  void Coloured(std::string_view value) { Window().is_code = Window().is_code && value == "true"; }
  void BeginPart(std::string_view value) { Window().begin_part = Number(value); }
  void EndPart(std::string_view value) { Window().end_part = Number(value); }
  void Begin(std::string_view value) { Window().begin = Number(value); }
  void End(std::string_view value) { Window().end = Number(value); }
  void Shifts(std::string_view value) {
    for (int& shift : Window().shifts) {
      const double bursts = Number(Word(value));
      if (!(bursts >= 0 && bursts <= kMostShift) || bursts != std::floor(bursts))
        return Fault("window_shifts: only whole numbers of bursts, 0 or more, are supported");
      shift = static_cast<int>(bursts);
    }
  }

  // "thread { 0, 1, 4, { 1, 0, 0, All } }": the four threads of task 2 of application 1.
  void AddSelection(std::string_view value, std::vector<ViewSelection>& selections) {
    std::string_view level = Word(value);
    if (level == "ptask") level = "appl";
    ViewSelection selection{std::string(level), {}, {}};
    const size_t outer = value.find('{'),
                 inner = value.find('{', std::min(outer, value.size()) + 1);
    const size_t close = value.find('}', std::min(inner, value.size()));
    if (close == value.npos) return Fault("expected LEVEL { PARENTS, COUNT, { OBJECTS } }");
    for (const std::string_view number : List(value.substr(outer + 1, inner - outer - 1)))
      selection.parents.push_back(Id(number) + 1);
    for (const std::string_view object : List(value.substr(inner + 1, close - inner - 1)))
      selection.chosen.push_back(object != "0" && object != "None");
    if (!selection.parents.empty()) selection.parents.pop_back();  // their number
    constexpr std::pair<std::string_view, size_t> kParents[] = {
        {"appl", 0}, {"task", 1}, {"thread", 2}, {"node", 0}, {"cpu", 1}};
    for (const auto& [name, count] : kParents)
      if (name == level && count != selection.parents.size())
        return Fault("objects of level " + std::string(level) + " have " + std::to_string(count) +
                     " parents");
    selections.push_back(std::move(selection));
  }
  // Splits at commas.
  static std::vector<std::string_view> List(std::string_view text) {
    std::vector<std::string_view> parts;
    while (!text.empty())
      if (const auto part = Trimmed(TakeUpTo(',', text)); !part.empty()) parts.push_back(part);
    return parts;
  }

  // Old files have other names for the two compositions on top.
  static std::string LevelName(std::string_view name) {
    if (name == "compose1" || name == "topcompose") return "topcompose1";
    if (name == "compose2") return "topcompose2";
    return std::string(name == "ptask" ? "appl" : name);
  }

  void Selected(std::string_view value) { Functions(value, false); }
  void Composed(std::string_view value) { Functions(value, true); }
  // "{ 14, { {cpu, Active Thd}, {appl, Adding}, ... } }". In old files the compositions of a level
  // have the name of the level; newer files may have several "extratopcompose1", which come on top.
  void Functions(std::string_view value, bool composed) {
    for (size_t open = value.find('{', value.find('{', 1)); open != value.npos;) {
      const size_t inner = value.find('{', open + 1);
      if (inner == value.npos) return;
      const size_t comma = value.find(',', inner), close = value.find('}', inner);
      if (close == value.npos || comma > close) return Fault("expected {level, function}");
      std::string level = LevelName(Trimmed(value.substr(inner + 1, comma - inner - 1)));
      if (composed && level.find("compose") == level.npos) level = "compose_" + level;
      ViewFunction& function =
          level == kExtra ? Window().extra_compositions.emplace_back() : Window().functions[level];
      function.name = Trimmed(value.substr(comma + 1, close - comma - 1));
      function.line = line_;
      open = close;
    }
  }

  // "thread State Record Dur. { 1, { 1 1.000000000000 } }"
  void Parameters(std::string_view value) {
    const std::string level = LevelName(Word(value));
    const size_t open = value.find('{');
    const size_t comma = open == value.npos ? open : value.find(',', open);
    const size_t inner = comma == value.npos ? comma : value.find('{', comma);
    if (inner == value.npos) return Fault("expected LEVEL FUNCTION { COUNT, { PARAMETERS } }");
    const std::string_view name = Trimmed(value.substr(0, open));
    ViewFunction* function = nullptr;
    if (level == kExtra) {  // one line each, in their order
      if (extra_parameters_ < Window().extra_compositions.size())
        function = &Window().extra_compositions[extra_parameters_++];
    } else if (const auto found = Window().functions.find(level);
               found != Window().functions.end()) {
      function = &found->second;
    }
    // Parameters of a function that is not chosen are ignored.
    if (function == nullptr || function->name != name) return;
    function->parameters.clear();
    const std::string_view list = value.substr(inner + 1);
    for (std::string_view part : List(list.substr(0, list.find('}')))) {
      (void)Word(part);  // their number
      std::vector<double>& numbers = function->parameters.emplace_back();
      while (!part.empty()) numbers.push_back(Number(Word(part)));
    }
  }

  // "evt_type 2 60000023 60000024"
  void Filter(std::string_view value) {
    const std::string_view what = Word(value);
    constexpr std::string_view kLabel = "_label";
    const bool is_label = what.ends_with(kLabel);
    const auto function =
        Window().functions.find(is_label ? what.substr(0, what.size() - kLabel.size()) : what);
    if (function == Window().functions.end()) return;
    (void)Word(value);  // their number
    if (is_label) return Labels(value, function->second.labels);
    // Several lines of one condition are combined.
    std::vector<std::vector<double>>& parameters = function->second.parameters;
    if (parameters.empty()) parameters.emplace_back();
    while (!value.empty()) parameters[0].push_back(Number(Word(value)));
  }
  // Reads the texts between quotes.
  static void Labels(std::string_view value, std::vector<std::string>& labels) {
    while (true) {
      const size_t begin = value.find('"');
      if (begin == value.npos) return;
      const size_t end = value.find('"', begin + 1);
      if (end == value.npos) return;
      labels.emplace_back(value.substr(begin + 1, end - begin - 1));
      value.remove_prefix(end + 1);
    }
  }

  void HistogramField(std::string_view field, std::string_view value) {
    ViewHistogram& histogram = configuration_.histograms.back();
    if (field == "Analyzer2D.Name:") histogram.name = value;
    if (field == "Analyzer2D.ControlWindow:") histogram.control = Id(value);
    if (field == "Analyzer2D.DataWindow:") histogram.data = Id(value);
    if (field == "Analyzer2D.3D_ControlWindow:") histogram.planes = Id(value);
    if (field == "Analyzer2D.Minimum:") histogram.columns.minimum = Number(value);
    if (field == "Analyzer2D.Maximum:") histogram.columns.maximum = Number(value);
    if (field == "Analyzer2D.Delta:") histogram.columns.delta = Number(value);
    if (field == "Analyzer2D.3D_Minimum:") histogram.plane_scale.minimum = Number(value);
    if (field == "Analyzer2D.3D_Maximum:") histogram.plane_scale.maximum = Number(value);
    if (field == "Analyzer2D.3D_Delta:") histogram.plane_scale.delta = Number(value);
    if (field == "Analyzer2D.NumColumns:") histogram.columns.count = Number(value);
    if (field == "Analyzer2D.HideCols:") histogram.hide_empty_columns = value == "True";
    if (field == "Analyzer2D.AnalysisLimits:") histogram.only_window = value == "Allwindow";
    if (field == "Analyzer2D.Object:") AddSelection(value, histogram.selections);
    if (field == "Analyzer2D.Statistic:") {
      histogram.statistic = value;
      histogram.statistic_line = line_;
    }
    if (field == "Analyzer2D.ComputeYScale:") histogram.columns.computed = value == "True";
    if (field == "Analyzer3D.ComputeYScale:") histogram.plane_scale.computed = value == "True";
    if (field == "Analyzer2D.Parameters:") Limits(value);
    if (field == "Analyzer2D.Objects:") Rows(value, histogram);
    if (field == "Analyzer2D.ComputeYScaleZero:") histogram.columns.from_zero = value == "True";
    if (field == "Analyzer2D.UseFixedDelta:") histogram.columns.fixed_delta = value == "True";
    if (field == "Analyzer2D.AnalysisLimits:" && value == "Region")
      Note("the file does not hold the region: the whole trace counts");
    if (!IsOneOf(field, kHistogramFields) && !IsOneOf(field, kHistogramLooks) &&
        !IsOneOf(field, kLooks))
      Note("'" + std::string(field) + "' is not known and was ignored");
  }
  // "4 MIN MAX MIN MAX", for values and for lengths of bursts: Paraver stores but does not apply
  // them.
  void Limits(std::string_view value) {
    constexpr double kAny = 1e300;  // also for limits that a double cannot hold
    (void)Word(value);              // their number
    while (!value.empty())
      if (const double limit = NumberOf(Word(value)).value_or(kAny);
          limit != 0 && std::abs(limit) < kAny)
        Note("limits of values and bursts are ignored, as Paraver does not apply them");
  }
  void Rows(std::string_view value, ViewHistogram& histogram) {
    if (value == "All") return;
    std::vector<uint32_t>& rows = histogram.rows.emplace();
    for (const std::string_view row : List(value)) rows.push_back(Id(row));
  }
  static constexpr std::string_view kHistogramFields[] = {
      "Analyzer2D.Name:",           "Analyzer2D.ControlWindow:",
      "Analyzer2D.DataWindow:",     "Analyzer2D.3D_ControlWindow:",
      "Analyzer2D.Minimum:",        "Analyzer2D.Maximum:",
      "Analyzer2D.Delta:",          "Analyzer2D.3D_Minimum:",
      "Analyzer2D.3D_Maximum:",     "Analyzer2D.3D_Delta:",
      "Analyzer2D.NumColumns:",     "Analyzer2D.HideCols:",
      "Analyzer2D.AnalysisLimits:", "Analyzer2D.Object:",
      "Analyzer2D.Statistic:",      "Analyzer2D.ComputeYScale:",
      "Analyzer3D.ComputeYScale:",  "Analyzer2D.Parameters:",
      "Analyzer2D.Objects:",        "Analyzer2D.ComputeYScaleZero:",
      "Analyzer2D.UseFixedDelta:",  "Analyzer2D.UseCustomDelta:",
  };
  // This includes which statistic is shown and in which order: all are printed, in columns.
  static constexpr std::string_view kHistogramLooks[] = {
      "Analyzer2D.X:",
      "Analyzer2D.Y:",
      "Analyzer2D.Width:",
      "Analyzer2D.Height:",
      "Analyzer2D.CalculateAll:",
      "Analyzer2D.HorizVert:",
      "Analyzer2D.Color:",
      "Analyzer2D.SemanticColor:",
      "Analyzer2D.Zoom:",
      "Analyzer2D.Accumulator:",
      "Analyzer2D.AccumulateByControlWindow:",
      "Analyzer2D.SortCols:",
      "Analyzer2D.SortCriteria:",
      "Analyzer2D.SortReverse:",
      "Analyzer2D.RelativeTime:",
      "Analyzer2D.RelativeXScale:",
      "Analyzer2D.ComputeGradient:",
      "Analyzer2D.MinimumGradient:",
      "Analyzer2D.MaximumGradient:",
      "Analyzer2D.DrawModeObjects:",
      "Analyzer2D.DrawModeColumns:",
      "Analyzer2D.PixelSize:",
      "Analyzer2D.CodeColor:",
      "Analyzer2D.ColorMode:",
      "Analyzer2D.ShowOnlyTotals:",
      "Analyzer2D.ShortHeaderLabels:",
      "Analyzer2D.Synchronize:",
      "Analyzer2D.TextMode:",
      "Analyzer2D.Expanded:",
      "Analyzer2D.ShowWindows:",
      "Analyzer2D.3D_FixedValue:",
      "Analyzer2D.num_columns:",
      "Analyzer2D.scientific_notation:",
      "Analyzer2D.num_decimals:",
      "Analyzer2D.thousandsep:",
      "Analyzer2D.units:",
      "Analyzer2D.hide_empty_cols:",
      "Analyzer2D.expanded:",
  };

  bool IsKnownBefore(uint32_t id, size_t end) const {
    for (size_t i = 0; i < end; ++i)
      if (configuration_.windows[i].id == id) return true;
    return false;
  }
  // The level of a window derived from two others, if the file has none: that of the finer one.
  void InheritLevel(ViewWindow& window) const {
    constexpr std::string_view kFinestFirst[] = {"thread", "cpu",    "task",    "node",
                                                 "appl",   "system", "workload"};
    for (const std::string_view level : kFinestFirst)
      for (const ViewWindow& part : configuration_.windows)
        if ((part.id == window.operands[0] || part.id == window.operands[1]) &&
            part.level == level) {
          window.level = level;
          return;
        }
  }
  void CheckIds() {
    std::vector<ViewWindow>& windows = configuration_.windows;
    for (size_t i = 0; i < windows.size(); ++i) {
      line_ = windows[i].line;
      if (IsKnownBefore(windows[i].id, i)) Fault("two windows have the same number");
      if (windows[i].operation.empty()) continue;
      for (const uint32_t id : windows[i].operands)
        if (!IsKnownBefore(id, i)) Fault("no window " + std::to_string(id) + " before this one");
      if (!levelled_.contains(i)) InheritLevel(windows[i]);
    }
    for (ViewHistogram& histogram : configuration_.histograms) {
      line_ = histogram.line;
      if (histogram.data == 0) histogram.data = histogram.control;
      for (const uint32_t id :
           {histogram.control, histogram.data, histogram.planes.value_or(histogram.control)})
        if (!IsKnownBefore(id, windows.size())) Fault("no window " + std::to_string(id));
    }
  }

  std::string_view rest_;
  const std::string& path_;
  size_t line_ = 0;
  bool in_histogram_ = false;
  size_t extra_parameters_ = 0;               // lines of them, of the window
  bool has_name_ = false, has_type_ = false;  // the window
  Status fault_;
  std::set<std::string> noted_;
  std::set<size_t> levelled_;  // windows whose level is in the file
  ViewConfiguration configuration_;
};

const Parser::WindowFieldSpec Parser::kWindowFields[kWindowFieldCount] = {
    {"window_name", &Parser::Name},
    {"window_id", &Parser::WindowId},
    {"window_type", &Parser::Type},
    {"window_factors", &Parser::Factors},
    {"window_operation", &Parser::Operation},
    {"window_identifiers", &Parser::Identifiers},
    {"window_units", &Parser::Units},
    {"window_level", &Parser::Level},
    {"window_object", &Parser::Object},
    {"window_logical_filtered", &Parser::Logical},
    {"window_physical_filtered", &Parser::Physical},
    {"window_intracomms_enabled", &Parser::WithinNodes},
    {"window_intercomms_enabled", &Parser::BetweenNodes},
    {"window_comm_fromto", &Parser::FromTo},
    {"window_comm_tagsize", &Parser::TagSize},
    {"window_comm_typeval", &Parser::TypeValue},
    {"window_color_mode", &Parser::ColourMode},
    {"window_noncolor_mode", &Parser::Coloured},
    {"window_shifts", &Parser::Shifts},
    {"window_begin_time_relative", &Parser::BeginPart},
    {"window_scale_relative", &Parser::EndPart},
    {"window_end_time_relative", &Parser::EndPart},
    {"window_begin_time", &Parser::Begin},
    {"window_stop_time", &Parser::End},
    {"window_selected_functions", &Parser::Selected},
    {"window_compose_functions", &Parser::Composed},
    {"window_semantic_module", &Parser::Parameters},
    {"window_filter_module", &Parser::Filter},
};

}  // namespace

Result<ViewConfiguration> ParseViewConfiguration(std::string_view text, const std::string& path) {
  return Parser(text, path).Parse();
}

}  // namespace tasklens
