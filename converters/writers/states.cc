// SPDX-License-Identifier: Apache-2.0
// trace.rec: one record for each change of state of a worker or thread, and for each event.
//
// Read by starpu_trace_state_stats.py of StarPU 1.4 and by GNU recutils 1.9. Fields: E the kind of
// change, N the state or event, C its category, W the worker (-1: none), T the thread, S the time
// in ms. Deliberate differences from StarPU's tool:
// - records are in order of time, rank after rank, because the script identifies workers by their
//   numbers alone; a state is set when it changes;
// - if nothing is known of a row after a state that was set, "Nothing" is set;
// - T is the worker's thread in every record of a worker (StarPU: -1 in some);
// - with several ranks each record has its rank in R;
// - a state with a name of another tool's file has this name in N.
#include <array>
#include <string>

#include "converters/formats.h"
#include "converters/writers/line_streams.h"
#include "converters/writers/records.h"

namespace tasklens {
namespace {

constexpr std::string_view kHeader =
    "#\n"
    "# E: Event type\n"
    "# N: Event name\n"
    "# C: Event category\n"
    "# W: Worker ID\n"
    "# T: Thread ID\n"
    "# S: Start time\n"
    "#\n\n";

struct Context {
  const TraceModel& model;
  TextBuffer& out;

  // Returns the fields W, T and R, and the name of the last field, S.
  std::string Row(uint32_t rank_index, int64_t worker, uint64_t tid) const {
    std::string text = "W: " + std::to_string(worker) + "\nT: " + std::to_string(tid) + '\n';
    if (model.ranks.size() > 1) text += "R: " + std::to_string(model.ranks.rank[rank_index]) + '\n';
    return text + "S: ";
  }
};

std::string_view CategoryOf(TrackKind track, StateKind kind) {
  if (track == TrackKind::kThread) return "User";
  if (track == TrackKind::kComm) return "MPI";
  switch (Decl(kind).group) {
    case StateGroup::kTask: return "Task";
    case StateGroup::kRuntime: return "Runtime";
    case StateGroup::kOther: return "Other";
    case StateGroup::kUser: return "User";
    case StateGroup::kMpi: return "MPI";
    case StateGroup::kMemory: return "UNK";
  }
  return "UNK";
}

class StateStream : public LineStream {
 public:
  // `worker`: the worker of the row, or kNone for the row of a thread.
  StateStream(const Context& context, uint32_t track, uint32_t worker)
      : context_(context),
        cursor_(context.model, track),
        track_(track),
        has_names_(!context.model.states.name.AllDefault()),
        is_worker_(worker != kNone),
        row_(is_worker_
                 ? context.Row(context.model.tracks.rank_index[track],
                               context.model.workers.id[worker], context.model.workers.tid[worker])
                 : context.Row(context.model.tracks.rank_index[track], -1,
                               context.model.tracks.id[track])) {
    next_ns_ = cursor_.time_ns();
  }

  void Emit() override {
    TextBuffer& out = context_.out;
    if (cursor_.action() == StateCursor::Action::kPop) {
      PutEnd();
    } else {
      out.Put(cursor_.action() == StateCursor::Action::kSet ? "E: SetState\n" : "E: PushState\n");
      const StateTable& states = context_.model.states;
      const StateKind kind = states.kind[cursor_.row()];
      if (kind == StateKind::kTask) {
        const uint32_t task = states.task[cursor_.row()];
        PutRecordText(out, "N", task == kNone ? "unknown" : context_.model.TaskNameOf(task));
      }
      if (const StringId name = has_names_ ? states.name[cursor_.row()] : 0; name != 0) {
        PutRecordText(out, "N", context_.model.str(name));
        out.Put(Category(kind));
      } else {
        out.Put(NameAndCategory(kind));
      }
    }
    out.Put(row_, Ms{next_ns_}, "\n\n");
    cursor_.Next();
    next_ns_ = cursor_.time_ns();
  }

 private:
  // Ends a state that was set, before the next one: StarPU's "End" of a worker, else "Nothing".
  void PutEnd() {
    if (!cursor_.EndsSet()) return context_.out.Put("E: PopState\n");
    context_.out.Put("E: SetState\n");
    if (is_worker_ && cursor_.IsLast()) return context_.out.Put("N: End\n");
    context_.out.Put(NameAndCategory(StateKind::kNone));
  }

  // For a task, which has its own name, only the category.
  const std::string& NameAndCategory(StateKind kind) {
    std::string& text = name_and_category_[static_cast<size_t>(kind)];
    if (!text.empty()) return text;
    if (kind != StateKind::kTask) text = "N: " + std::string(Decl(kind).name) + "\n";
    text += Category(kind);
    return text;
  }
  std::string Category(StateKind kind) const {
    return "C: " + std::string(CategoryOf(context_.model.tracks.kind[track_], kind)) + '\n';
  }

  const Context& context_;
  StateCursor cursor_;
  uint32_t track_;
  bool has_names_;  // some states have a name of their file's own
  bool is_worker_;
  std::string row_;  // the fields that identify the row
  std::array<std::string, static_cast<size_t>(StateKind::kCount)> name_and_category_;
};

// The events of one rank.
class EventStream : public LineStream {
 public:
  EventStream(const Context& context, uint32_t rank_index)
      : context_(context), rank_index_(rank_index) {
    Find();
  }

  void Emit() override {
    const PointTable& points = context_.model.points;
    context_.out.Put("E: ProgEvent\n");
    const auto args = points.Args(next_);
    PutRecordText(context_.out, "N", context_.model.str(static_cast<StringId>(args[0])));
    context_.out.Put("C: Program\n", context_.Row(points.rank_index[next_], -1, 0), Ms{next_ns_},
                     "\n\n");
    ++next_;
    Find();
  }

 private:
  void Find() {
    const PointTable& points = context_.model.points;
    const auto is_one = [&] {
      return points.kind[next_] == EventKind::kMessage && points.rank_index[next_] == rank_index_;
    };
    while (next_ < points.size() && !is_one()) ++next_;
    next_ns_ = next_ < points.size() ? points.time_ns[next_] : kEnd;
  }

  const Context& context_;
  const uint32_t rank_index_;
  size_t next_ = 0;
};

Status Write(const TraceModel& model, const WriteOptions& options, Outputs& outputs) {
  return WriteText(outputs, "trace.rec", [&](TextBuffer& out) {
    out.Put(kHeader);
    const Context context{model, out};
    std::vector<uint32_t> worker_of_track(model.tracks.size(), kNone);
    for (uint32_t worker = 0; worker < model.workers.size(); ++worker)
      worker_of_track[model.workers.track[worker]] = worker;
    // Rank after rank, each in order of time: readers identify workers by their numbers alone.
    for (uint32_t rank = 0; rank < model.ranks.size(); ++rank) {
      LineStreams streams;
      if (!options.Has("no-events"))
        streams.push_back(std::make_unique<EventStream>(context, rank));
      for (uint32_t track = 0; track < model.tracks.size(); ++track) {
        if (model.tracks.rank_index[track] != rank) continue;
        if (model.tracks.kind[track] == TrackKind::kMemoryNode) continue;
        streams.push_back(std::make_unique<StateStream>(context, track, worker_of_track[track]));
      }
      MergeStreams(streams);
    }
  });
}

constexpr std::string_view kOptions[] = {"no-events"};

}  // namespace

extern const WriterSpec kStatesWriter;
const WriterSpec kStatesWriter = {"states",
                                  "trace.rec, one record for each change of state",
                                  "starpu_trace_state_stats.py, GNU recutils",
                                  /*in_starpu_set=*/true,
                                  kOptions,
                                  kPartStates | kPartPoints,
                                  &Write};

}  // namespace tasklens
