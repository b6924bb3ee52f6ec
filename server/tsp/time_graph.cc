// SPDX-License-Identifier: Apache-2.0
// The timeline as a TIME_GRAPH: rows, states, arrows, tooltips, events.
//
// Entry 0 is the run, 1 + r is the rank in row r (if there are several); then come the rows of
// TimelineRows in their order.
#include <algorithm>

#include "analysis/colours.h"
#include "analysis/task_details.h"
#include "analysis/timeline.h"
#include "analysis/timeline_arrows.h"
#include "analysis/timeline_flags.h"
#include "analysis/timeline_rows.h"
#include "converters/rank_word.h"
#include "server/tsp/outputs.h"
#include "trace/support/words.h"

namespace tasklens::tsp {
namespace {

constexpr int kDimmed = 1, kExcluded = 4;  // tags of states

int64_t FirstRow(const TraceModel& model) {
  return 1 + (model.ranks.size() > 1 ? static_cast<int64_t>(model.ranks.size()) : 0);
}

// The requested entries that are rows, in their order; all rows if none was requested.
std::vector<uint32_t> RequestedRows(const Asked& asked, const TimelineRows& rows) {
  std::vector<uint32_t> wanted;
  const int64_t first = FirstRow(asked.model());
  for (const int64_t item : asked.parameters.items)
    if (item >= first && item - first < static_cast<int64_t>(rows.rows.size()))
      wanted.push_back(static_cast<uint32_t>(item - first));
  if (asked.parameters.items.empty())
    for (uint32_t row = 0; row < rows.rows.size(); ++row) wanted.push_back(row);
  return wanted;
}

Result<json> Tree(const Asked& asked) {
  const auto rows = asked.trace.views->Rows(asked.stop);
  if (!rows) return Cancelled();
  const TraceModel& model = asked.model();
  const int64_t begin_ns = asked.origin_ns(), end_ns = begin_ns + model.duration_ns;
  json entries = json::array();
  const auto add = [&](int64_t id, int64_t parent, std::vector<std::string> labels, bool has_data) {
    json entry = Entry(id, parent, std::move(labels), has_data);
    entry["start"] = begin_ns;
    entry["end"] = end_ns;
    entries.push_back(std::move(entry));
  };
  add(0, -1, {asked.trace.title, ""}, false);
  const int64_t first = FirstRow(model);
  for (int64_t rank = 1; rank < first; ++rank)
    add(rank, 0,
        {std::string(RankWord(model)) + " " +
             std::to_string(model.ranks.rank[static_cast<size_t>(rank - 1)]),
         ""},
        false);
  for (uint32_t row = 0; row < rows->rows.size(); ++row) {
    const TimelineRow& shown = rows->rows[row];
    add(first + row, first > 1 ? 1 + int64_t{shown.rank_index} : 0,
        {shown.name, std::string(TimelineRowKindName(shown.kind))}, shown.track != kNone);
  }
  return json{{"headers",
               {{{"name", "Row"}, {"tooltip", "worker, memory node or thread"}},
                {{"name", "Kind"}, {"tooltip", "what the row is"}}}},
              {"autoExpandLevel", -1},
              {"entries", std::move(entries)}};
}

// Puts deeper states over the states that they interrupt.
std::vector<TimelineSlice> Over(const std::vector<TimelineSlice>& below,
                                const std::vector<TimelineSlice>& above) {
  std::vector<TimelineSlice> out;
  size_t next = 0;
  for (TimelineSlice slice : below) {
    for (; next < above.size() && above[next].start_ns < slice.end_ns; ++next) {
      if (!out.empty()) slice.start_ns = std::max(slice.start_ns, out.back().end_ns);
      if (above[next].start_ns > slice.start_ns) {
        out.push_back(slice);
        out.back().end_ns = above[next].start_ns;
      }
      out.push_back(above[next]);
    }
    if (!out.empty()) slice.start_ns = std::max(slice.start_ns, out.back().end_ns);
    if (slice.start_ns < slice.end_ns) out.push_back(slice);
  }
  out.insert(out.end(), above.begin() + static_cast<ptrdiff_t>(next), above.end());
  return out;
}

// Replaces slices of pixels by the complete states they show, each once: viewers compare the times
// of states with those of arrows and of other states.
std::vector<TimelineSlice> Whole(const StateTable& states, std::vector<TimelineSlice> slices) {
  const auto same = [](const TimelineSlice& a, const TimelineSlice& b) {
    return a.state == b.state;
  };
  slices.erase(std::unique(slices.begin(), slices.end(), same), slices.end());
  for (TimelineSlice& slice : slices) {
    slice.start_ns = states.start_ns[slice.state];
    slice.end_ns = states.end_ns[slice.state];
  }
  return slices;
}

bool Matches(const std::string& label, const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string& word) { return ContainsIgnoringCase(label, word); });
}

json StateJson(const Asked& asked, const TaskColours& colours, const TimelineSlice& slice) {
  const TraceModel& model = asked.model();
  const uint32_t task = model.states.task[slice.state];
  const StateKind kind = model.states.kind[slice.state];
  const bool is_task = task < model.tasks.size() && Decl(kind).group == StateGroup::kTask;
  const std::string label(is_task ? model.TaskNameOf(task) : model.StateNameOf(slice.state));
  const std::string style = is_task ? "task" + std::to_string(colours.EntryOf(task))
                                    : "state" + std::to_string(static_cast<uint32_t>(kind));
  json own = json::object();  // what differs from the style
  if (is_task && colours.PaintOf(task).rgb != colours.legend().entries[colours.EntryOf(task)].rgb)
    own["background-color"] = ColourText(colours.PaintOf(task).rgb);
  const Parameters& parameters = asked.parameters;
  const int tags = (Matches(label, parameters.dim) ? 0 : kDimmed) |
                   (Matches(label, parameters.exclude) ? 0 : kExcluded);
  return {{"start", asked.origin_ns() + slice.start_ns},
          {"end", asked.origin_ns() + slice.end_ns},
          {"label", label},
          {"tags", tags},
          {"style", {{"parentKey", style}, {"values", std::move(own)}}}};
}

Result<json> States(const Asked& asked) {
  const auto rows = asked.trace.views->Rows(asked.stop);
  const auto index = asked.trace.views->Timeline(asked.stop);
  const auto colours = asked.trace.views->Colours(ColourBy::kCodelet, asked.stop);
  if (!rows || !index || !colours) return Cancelled();
  const std::vector<uint32_t> wanted = RequestedRows(asked, *rows);
  const Result<Samples> range = asked.RequestedSamples(wanted.size());
  if (!range.ok()) return range.status();
  json shown = json::array();
  for (const uint32_t row : wanted) {
    if (Stopped(asked.stop)) return Cancelled();
    const uint32_t track = rows->rows[row].track;
    std::vector<TimelineSlice> slices;
    for (uint32_t depth = 0; track != kNone && depth < index->Depths(track); ++depth) {
      std::vector<TimelineSlice> layer =
          Whole(asked.model().states,
                index->Slices(track, depth, range->begin_ns, range->end_ns, range->count));
      // Idle states are dropped if they would hide another state.
      if (depth > 0)
        std::erase_if(layer, [&](const TimelineSlice& slice) {
          return Decl(asked.model().states.kind[slice.state]).group == StateGroup::kOther;
        });
      slices = depth == 0 ? std::move(layer) : Over(slices, layer);
    }
    json states = json::array();
    for (const TimelineSlice& slice : slices) states.push_back(StateJson(asked, *colours, slice));
    shown.push_back({{"entryId", FirstRow(asked.model()) + row}, {"states", std::move(states)}});
  }
  return json{{"rows", std::move(shown)}};
}

Result<json> Arrows(const Asked& asked) {
  const Result<Samples> range = asked.RequestedSamples(4);
  if (!range.ok()) return range.status();
  const int64_t first = FirstRow(asked.model());
  json shown = json::array();
  for (const ArrowKind kind : kArrowKinds) {
    const auto arrows = asked.trace.views->Arrows(kind, asked.stop);
    if (!arrows) return Cancelled();
    for (const TimelineArrow& arrow :
         arrows->View(range->begin_ns, range->end_ns, range->count).arrows)
      shown.push_back(
          {{"sourceId", first + arrow.from_row},
           {"targetId", first + arrow.to_row},
           {"start", asked.origin_ns() + arrow.start_ns},
           {"end", asked.origin_ns() + arrow.end_ns},
           {"style", {{"parentKey", ArrowKindName(kind)}, {"values", json::object()}}}});
  }
  return shown;
}

// The state at a mouse click, the deepest first; kNone if there is none.
uint32_t StateAt(const TraceModel& model, const TimelineIndex& index, uint32_t track,
                 int64_t time_ns) {
  for (uint32_t depth = index.Depths(track); depth-- > 0;)
    for (const uint32_t state : index.StatesIn(track, depth, time_ns, time_ns + 1))
      if (depth == 0 || Decl(model.states.kind[state]).group != StateGroup::kOther) return state;
  return kNone;
}

// Viewers open "Source" with "PATH:LINE" in their editor.
Result<json> Tooltip(const Asked& asked) {
  const auto rows = asked.trace.views->Rows(asked.stop);
  const auto index = asked.trace.views->Timeline(asked.stop);
  if (!rows || !index) return Cancelled();
  const TraceModel& model = asked.model();
  const std::vector<uint32_t> wanted = RequestedRows(asked, *rows);
  if (wanted.size() != 1 || asked.parameters.times.size() != 1)
    return Status(ErrorCode::kInvalidArgument,
                  "a tooltip is of one of requested_items at one of requested_times");
  const uint32_t track = rows->rows[wanted[0]].track;
  const int64_t time_ns = std::clamp(asked.parameters.times[0], asked.origin_ns(),
                                     asked.origin_ns() + model.duration_ns) -
                          asked.origin_ns();
  const uint32_t state = track == kNone ? kNone : StateAt(model, *index, track, time_ns);
  if (state == kNone) return json::object();
  const uint32_t task = model.states.task[state];
  if (task >= model.tasks.size()) return json{{"State", model.StateNameOf(state)}};
  json tip = {{"Task", model.TaskNameOf(task)}};
  for (const auto& [name, text] : TaskFields(model, DescribeTask(model, task)))
    tip[std::string(name)] = text;
  const uint32_t site = model.tasks.site[task];
  if (site < model.sites.size()) {
    const Result<std::string> path = asked.trace.sources->PathOf(model, site);
    tip["Source"] = (path.ok() ? *path : std::string(model.str(model.sites.file[site]))) + ":" +
                    std::to_string(model.sites.line[site]);
  }
  return tip;
}

Result<json> Style(const Asked& asked) {
  const auto colours = asked.trace.views->Colours(ColourBy::kCodelet, asked.stop);
  if (!colours) return Cancelled();
  json styles = json::object();
  const std::vector<LegendEntry>& entries = colours->legend().entries;
  for (size_t i = 0; i < entries.size(); ++i)
    styles["task" + std::to_string(i)] = {
        {"values", {{"background-color", ColourText(entries[i].rgb)}, {"height", 1.0}}}};
  for (const StateDecl& state : AllStates())
    styles["state" + std::to_string(static_cast<uint32_t>(state.kind))] = {
        {"values",
         {{"background-color", ColourText(StateRgb(state.kind))},
          {"height", state.group == StateGroup::kTask ? 1.0 : 0.5}}}};
  uint32_t colour = 0;
  for (const ArrowKind kind : kArrowKinds)
    styles[std::string(ArrowKindName(kind))] = {
        {"values", {{"color", ColourText(PaletteRgb(colour++))}, {"width", 1}}}};
  styles["event"] = {
      {"values", {{"color", "#c62a3c"}, {"symbol-type", "inverted-triangle"}, {"height", 0.5}}}};
  return json{{"styles", std::move(styles)}};
}

Result<json> Annotations(const Asked& asked) {
  const auto rows = asked.trace.views->Rows(asked.stop);
  const auto flags = asked.trace.views->Flags(false, asked.stop);
  if (!rows || !flags) return Cancelled();
  const std::vector<uint32_t> wanted = RequestedRows(asked, *rows);
  const Result<Samples> range = asked.RequestedSamples(wanted.size());
  if (!range.ok()) return range.status();
  json events = json::array();
  for (const uint32_t row : wanted)
    for (const TimelineFlag& flag : flags->Flags(row, range->begin_ns, range->end_ns, range->count))
      events.push_back({{"time", asked.origin_ns() + flag.time_ns},
                        {"duration", 0},
                        {"entryId", FirstRow(asked.model()) + row},
                        {"type", "CHART"},
                        {"label", FlagText(asked.model(), flag.point)},
                        {"style", {{"parentKey", "event"}, {"values", json::object()}}}});
  return json{{"annotations", {{"Events", std::move(events)}}}};
}

constexpr OutputSpec::Question kQuestions[] = {{"tree", &Tree},     {"states", &States},
                                               {"arrows", &Arrows}, {"tooltip", &Tooltip},
                                               {"style", &Style},   {"annotations", &Annotations}};

}  // namespace

extern constexpr OutputSpec kTimeline = {
    "timeline",   "Timeline",  "What each worker, thread and memory did when",
    "TIME_GRAPH", "timeGraph", kQuestions};

}  // namespace tasklens::tsp
