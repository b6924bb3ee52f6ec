// SPDX-License-Identifier: Apache-2.0
// Counters as variables, and points as events.
#include "converters/writers/paje_streams.h"

namespace tasklens {
namespace {

class CounterStream : public LineStream {
 public:
  CounterStream(const PajeContext& context, const CounterSeries& series, uint32_t container)
      : context_(context),
        series_(series),
        container_(context.containers.alias(container)),
        type_(TypeOf(series, context.containers.all()[container].type)) {
    if (!series_.time_ns.empty()) next_ns_ = series_.time_ns[0];
  }

  void Emit() override {
    // StarPU's "Used (MB)" counts in 2^20 bytes.
    const bool bytes = series_.kind == CounterKind::kMemoryUsedBytes;
    const double value = series_.value[next_];
    context_.SetVariable(next_ns_, container_, type_, bytes ? value / (1 << 20) : value);
    next_ns_ = ++next_ < series_.time_ns.size() ? series_.time_ns[next_] : kEnd;
  }

 private:
  static std::string TypeOf(const CounterSeries& series, std::string_view type_of_container) {
    switch (series.kind) {
      case CounterKind::kSubmittedTasks: return "nsubmitted";
      case CounterKind::kReadyTasks: return "nready";
      case CounterKind::kMemoryUsedBytes: return "use";
      case CounterKind::kOfFile: break;
    }
    return PajeNames::CurveAlias(type_of_container, series.name);
  }

  const PajeContext& context_;
  const CounterSeries& series_;
  const std::string& container_;
  std::string type_;
  size_t next_ = 0;
};

// The Paje type of a memory operation; "" for those that StarPU's tool does not show.
std::string_view MemoryOpType(uint64_t op, bool is_end) {
  switch (static_cast<MemoryOp>(op)) {
    case MemoryOp::kAllocate: return is_end ? "AlE" : "Al";
    case MemoryOp::kAllocateReuse: return is_end ? "AlrE" : "Alr";
    case MemoryOp::kFree: return is_end ? "FeE" : "Fe";
    case MemoryOp::kWriteBack: return is_end ? "WbE" : "Wb";
    default: return "";
  }
}

class PointStream : public LineStream {
 public:
  explicit PointStream(const PajeContext& context)
      : context_(context), points_(context.model.points) {
    FindNext();
  }

  void Emit() override {
    const uint32_t track = points_.track[next_];
    const auto args = points_.Args(next_);
    if (!EmitMemory(args)) EmitOther(track, args);
    ++next_;
    FindNext();
  }

 private:
  bool IsWanted(EventKind kind) const {
    const PajeOptions& options = context_.options;
    switch (kind) {
      case EventKind::kTaskReady:
      case EventKind::kTaskPop: return options.events && options.counters;
      case EventKind::kDataNew:
      case EventKind::kDataDelete:
      case EventKind::kMessage:
      case EventKind::kMpiBarrier:
      case EventKind::kUserEvent:
      case EventKind::kThreadMessage:
      case EventKind::kCheckpoint: return options.events;
      case EventKind::kDataState: return options.memory_states;
      case EventKind::kDataRequest:
      case EventKind::kMemoryOpStart:
      case EventKind::kMemoryOpEnd:
      case EventKind::kCopySubmitStart:
      case EventKind::kCopySubmitEnd: return options.memory_states && options.bus;
      default: return false;
    }
  }

  void FindNext() {
    while (next_ < points_.size() && !IsWanted(points_.kind[next_])) ++next_;
    next_ns_ = next_ < points_.size() ? points_.time_ns[next_] : kEnd;
  }

  uint32_t Rank() const { return points_.rank_index[next_]; }
  const std::string& Program() const {
    return context_.containers.alias(context_.containers.Program(Rank()));
  }

  // Writes an event of a memory manager: value, handle, info, size and the other node.
  void EmitMemoryEvent(std::string_view type, uint32_t container, uint64_t value, uint64_t handle,
                       uint64_t info, uint64_t size, uint32_t other) {
    context_.Begin(PajeId::kNewMemoryEvent, next_ns_);
    context_.out.Put(type, '\t', context_.containers.alias(container), '\t', Hex{value}, '\t',
                     Hex{handle}, '\t', static_cast<int64_t>(info), '\t',
                     static_cast<int64_t>(size), '\t',
                     context_.containers.alias(other == kNone ? container : other), '\n');
  }

  // Returns false if it is not a memory event.
  bool EmitMemory(std::span<const uint64_t> args) {
    const EventKind kind = points_.kind[next_];
    const int64_t node = PajeMemoryNodeOf(kind, args);
    if (node < 0) return false;
    const uint32_t rank = Rank();
    const auto memory = [&](uint64_t id) { return context_.containers.OfMemory(rank, id); };
    const uint32_t container = memory(static_cast<uint64_t>(node));
    if (container == kNone) return true;
    switch (kind) {
      case EventKind::kDataState: {
        static constexpr std::string_view kTypes[] = {"SI", "SO", "SS"};  // by DataCopyState
        context_.NewEvent(next_ns_, kTypes[args[2] < 3 ? args[2] : 0],
                          context_.containers.alias(container));
        context_.out.Put(Hex{args[0]}, '\n');
        break;
      }
      case EventKind::kDataRequest:
        EmitMemoryEvent("rc", container, args[5], args[0], args[4], args[3], memory(args[2]));
        break;
      case EventKind::kMemoryOpStart: {
        if (static_cast<MemoryOp>(args[1]) == MemoryOp::kWontUse) {
          context_.NewEvent(next_ns_, "WU", context_.containers.alias(container));
          context_.out.Put(Hex{args[3]}, '\n');
          break;
        }
        const std::string_view type = MemoryOpType(args[1], false);
        if (!type.empty()) EmitMemoryEvent(type, container, 0, args[3], args[4], args[2], kNone);
        break;
      }
      case EventKind::kMemoryOpEnd: {
        const std::string_view type = MemoryOpType(args[1], true);
        if (!type.empty()) EmitMemoryEvent(type, container, 0, args[3], args[2], 0, kNone);
        break;
      }
      default:
        EmitMemoryEvent(kind == EventKind::kCopySubmitStart ? "DCoA" : "DCoAE", container, 0, 0, 0,
                        0, memory(args[0]));
    }
    return true;
  }

  void EmitOther(uint32_t track, std::span<const uint64_t> args) {
    TextBuffer& out = context_.out;
    switch (points_.kind[next_]) {
      case EventKind::kTaskReady:
      case EventKind::kTaskPop:
        context_.NewEvent(next_ns_, points_.kind[next_] == EventKind::kTaskReady ? "pu" : "po",
                          Program());
        out.PutInteger(args[0]);
        break;
      case EventKind::kDataNew:
      case EventKind::kDataDelete:
        context_.NewEvent(next_ns_,
                          points_.kind[next_] == EventKind::kDataNew ? "register" : "unregister",
                          Program());
        out.PutHex(args[0]);
        break;
      case EventKind::kMessage:
        context_.NewEvent(next_ns_, "prog_event", Program());
        PutText(args[0]);
        break;
      case EventKind::kMpiBarrier:
        context_.NewEvent(next_ns_, "prog_event", Program());
        out.Put("\"end of MPI_Barrier, rank ", args[0], '"');
        break;
      case EventKind::kUserEvent:
        EmitThreadEvent(track, "user_event", "user_user_event", args[0]);
        break;
      case EventKind::kThreadMessage:
        EmitThreadMessage(track, static_cast<StringId>(args[0]));
        break;
      case EventKind::kCheckpoint:
        context_.Begin(PajeId::kNewCheckpoint, next_ns_);
        out.Put(args[0] ? "checkpoint_end\t" : "checkpoint_begin\t", Program(),
                args[0] ? "\t\"checkpoint end\"\t" : "\t\"checkpoint begin\"\t", args[1], '\t',
                args[2]);
        break;
      default: return;
    }
    out.Put('\n');
  }

  void PutText(uint64_t id) {
    const std::string_view text = context_.model.str(static_cast<StringId>(id));
    context_.out.Put(PajeString{context_.options.Shortened(text)});
  }

  // As in StarPU's tool, a worker's own event stands on the program. An event of any other thread
  // stands on the thread, where its type belongs (StarPU's tool puts it on the program, which makes
  // the file unreadable).
  void EmitThreadEvent(uint32_t track, std::string_view worker_type, std::string_view user_type,
                       uint64_t code) {
    const bool user = track < context_.model.tracks.size() &&
                      context_.containers.type_of_track()[track] == PajeStateType::kUserThread;
    if (user && IsUserThread(track)) {
      context_.NewEvent(next_ns_, user_type,
                        context_.containers.alias(context_.containers.OfTrack(track)));
    } else {
      context_.NewEvent(next_ns_, worker_type, Program());
    }
    context_.out.PutInteger(code);
  }

  void EmitThreadMessage(uint32_t track, StringId text) {
    const auto& all = context_.containers.all();
    uint32_t container = kNone;
    if (track < context_.model.tracks.size()) container = context_.containers.OfTrack(track);
    if (container != kNone && all[container].type == "W") container = all[container].parent;
    if (container != kNone && all[container].type == "T") {
      context_.NewEvent(next_ns_, "thread_event", all[container].alias);
    } else if (container != kNone && all[container].type == "UT") {
      context_.NewEvent(next_ns_, "user_thread_event", all[container].alias);
    } else {
      context_.NewEvent(next_ns_, "prog_event", Program());
    }
    PutText(text);
  }

  bool IsUserThread(uint32_t track) const {
    return context_.containers.all()[context_.containers.OfTrack(track)].type == "UT";
  }

  const PajeContext& context_;
  const PointTable& points_;
  size_t next_ = 0;
};

}  // namespace

void AddCounterStreams(const PajeContext& context, LineStreams& streams) {
  for (const CounterSeries& series : context.model.counters) {
    uint32_t container = kNone;
    if (series.kind == CounterKind::kMemoryUsedBytes) {
      if (!context.options.bus || series.track >= context.model.tracks.size()) continue;
      container = context.containers.OfTrack(series.track);
      if (context.containers.all()[container].type != "Mm") continue;
    } else {
      if (!context.options.counters) continue;
      container = context.containers.Scheduler(series.rank_index);
      if (series.kind == CounterKind::kOfFile) {
        if (series.track >= context.model.tracks.size()) continue;
        container = context.containers.OfTrack(series.track);
      }
    }
    streams.push_back(std::make_unique<CounterStream>(context, series, container));
  }
}

void AddPointStreams(const PajeContext& context, LineStreams& streams) {
  streams.push_back(std::make_unique<PointStream>(context));
}

}  // namespace tasklens
