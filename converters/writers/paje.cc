// SPDX-License-Identifier: Apache-2.0
// paje.trace: the timeline.
//
// Read by ViTE 1.2, by pj_dump and the other tools of pajeng 1.3 (with and without -n), by StarVZ
// 0.8 (option `starvz`), and by scripts made for StarPU's files: event numbers, types, containers
// and aliases are StarPU 1.4's. The format is
// https://paje.sourceforge.net/download/publication/lang-paje.pdf
//
// Deliberate differences from StarPU's tool:
// - lines are sorted by time, as pj_dump demands (StarPU's file needs starpu_paje_sort first);
// - a state is written once: StarPU writes each task twice at its start, pj_dump counts both;
// - values are quoted and cleaned (see PajeString), so that any name is accepted;
// - priorities are signed, colours lie between 0 and 1;
// - a task with the name of a state ("C", "Idle") is not taken for the state;
// - events of threads that are not workers are on their thread, with a type that exists there;
// - variables appear when they change; GFlop/s return to 0 at the end of the work;
// - a row of a context is idle between its tasks (StarPU never writes the end of a task);
// - a task that continues after a pause is event 30, which also has the field Resumed (not in
//   files for StarVZ);
// - if the traces are runs and not ranks, the container of all has the name of runs;
// - the key of a link is the row of its table, so that copy numbers may repeat;
// - messages between known rows are links between these, named "Message";
// - states, threads and curves from another tool's file have the names of that file;
// - workers are destroyed like their threads.
#include <algorithm>

#include "converters/formats.h"
#include "converters/writers/paje_containers.h"
#include "converters/writers/paje_header.h"
#include "converters/writers/paje_streams.h"

namespace tasklens {
namespace {

// Creates containers, with the first values of their variables.
class CreateStream : public LineStream {
 public:
  explicit CreateStream(const PajeContext& context) : context_(context) {
    const auto& all = context.containers.all();
    for (uint32_t i = 0; i < all.size(); ++i) order_.push_back(i);
    // A parent is created no later than its children, and precedes them in the list.
    std::stable_sort(order_.begin(), order_.end(),
                     [&](uint32_t a, uint32_t b) { return all[a].create_ns < all[b].create_ns; });
    next_ns_ = all[order_[0]].create_ns;
  }

  void Emit() override {
    const auto& all = context_.containers.all();
    const PajeContainer& container = all[order_[next_]];
    TextBuffer& out = context_.out;
    context_.Begin(PajeId::kCreateContainer, next_ns_);
    out.Put(container.alias, '\t', container.type, '\t',
            container.parent == kNone ? "0" : all[container.parent].alias, '\t',
            PajeString{container.name}, '\n');
    static constexpr std::pair<std::string_view, std::string_view> kVariables[] = {
        {"Sc", "nsubmitted"}, {"Sc", "nready"},     {"Sc", "gft"},
        {"Mm", "use"},        {"Mm", "bwi_mm"},     {"Mm", "bwo_mm"},
        {"W", "gf"},          {"MPICt", "bwi_mpi"}, {"MPICt", "bwo_mpi"},
    };
    for (const auto& [type, variable] : kVariables) {
      if (type == container.type && IsWanted(variable))
        context_.SetVariable(next_ns_, container.alias, variable, 0);
    }
    next_ns_ = ++next_ < order_.size() ? all[order_[next_]].create_ns : kEnd;
  }

 private:
  bool IsWanted(std::string_view variable) const {
    if (variable == "gf" || variable == "gft") return context_.options.flops;
    if (variable == "nsubmitted" || variable == "nready") return context_.options.counters;
    return context_.options.bus || variable.ends_with("_mpi");
  }

  const PajeContext& context_;
  std::vector<uint32_t> order_;
  size_t next_ = 0;
};

class DestroyStream : public LineStream {
 public:
  explicit DestroyStream(const PajeContext& context) : context_(context) {
    const auto& all = context.containers.all();
    // Backwards: children are destroyed before their parents.
    for (uint32_t i = static_cast<uint32_t>(all.size()); i-- > 0;) {
      if (all[i].destroy_ns != kNever) order_.push_back(i);
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](uint32_t a, uint32_t b) { return all[a].destroy_ns < all[b].destroy_ns; });
    if (!order_.empty()) next_ns_ = all[order_[0]].destroy_ns;
  }

  void Emit() override {
    const auto& all = context_.containers.all();
    const PajeContainer& container = all[order_[next_]];
    context_.Begin(PajeId::kDestroyContainer, next_ns_);
    context_.out.Put(container.alias, '\t', container.type, '\n');
    next_ns_ = ++next_ < order_.size() ? all[order_[next_]].destroy_ns : kEnd;
  }

 private:
  const PajeContext& context_;
  std::vector<uint32_t> order_;
  size_t next_ = 0;
};

Status Write(const TraceModel& model, const WriteOptions& write_options, Outputs& outputs) {
  return WriteText(
      outputs, std::string(write_options.Get("paje-file", "paje.trace")), [&](TextBuffer& out) {
        const PajeOptions options = PajeOptionsOf(write_options);
        const PajeContainers containers(model, options);
        const PajeNames names(model, options, containers.type_of_track());
        const HandleIndex handles(model.handles);
        const PajeContext context{model, options, names, containers, out};
        names.WriteHeader(out, containers.TypesOfMessages(),
                          options.counters ? containers.TypesOfCurves() : PajeNames::Curves());
        LineStreams streams;
        streams.push_back(std::make_unique<CreateStream>(context));
        AddCounterStreams(context, streams);
        AddPointStreams(context, streams);
        AddStateStreams(context, streams);
        AddTaskStreams(context, streams);
        AddLinkStreams(context, handles, streams);
        streams.push_back(std::make_unique<DestroyStream>(context));
        MergeStreams(streams);
      });
}

constexpr std::string_view kOptions[] = {"colors",   "no-events", "no-counter",    "no-bus",
                                         "no-flops", "no-smooth", "memory-states", "use-task-color",
                                         "starvz",   "paje-file"};
constexpr PartsOfOption kPartsOfOptions[] = {{"memory-states", kPartMemoryPoints}};

}  // namespace

extern const WriterSpec kPajeWriter;
const WriterSpec kPajeWriter = {"paje",
                                "paje.trace, the timeline of workers, threads, memory and links",
                                "ViTE, pj_dump (pajeng), StarVZ",
                                /*in_starpu_set=*/true,
                                kOptions,
                                kPartStates | kPartData | kPartTransfers | kPartCounters |
                                    kPartMessages | kPartSchedulerPoints | kPartPoints,
                                &Write,
                                kPartsOfOptions};

}  // namespace tasklens
