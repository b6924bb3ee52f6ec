// SPDX-License-Identifier: Apache-2.0
// Definitions of the Paje file: those of StarPU's tool, and further ones that the trace needs.
#include "converters/writers/paje_header.h"

#include <algorithm>
#include <ranges>

#include "converters/writers/task_graph.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

struct EventDef {
  std::string_view name;
  PajeId id;
  // Separated by blanks. A field is a string, but for "Time", "Color", and one with its type behind
  // a colon.
  std::string_view fields;
};

constexpr std::string_view kOfTaskAgain =
    "Time Container Type Value Size Params Footprint Tag JobId SubmitOrder Priority GFlop X Y "
    "Iteration Subiteration NumaNodes Resumed";
constexpr std::string_view kOfTask = kOfTaskAgain.substr(0, kOfTaskAgain.rfind(' '));

constexpr EventDef kEventDefs[] = {
    {"PajeDefineContainerType", PajeId::kDefineContainerType, "Alias Type Name"},
    {"PajeDefineEventType", PajeId::kDefineEventType, "Alias Type Name Color"},
    {"PajeDefineStateType", PajeId::kDefineStateType, "Alias Type Name"},
    {"PajeDefineVariableType", PajeId::kDefineVariableType, "Alias Type Name"},
    {"PajeDefineLinkType", PajeId::kDefineLinkType,
     "Alias Type StartContainerType EndContainerType Name"},
    {"PajeDefineEntityValue", PajeId::kDefineEntityValue, "Alias Type Name Color"},
    {"PajeCreateContainer", PajeId::kCreateContainer, "Time Alias Type Container Name"},
    {"PajeDestroyContainer", PajeId::kDestroyContainer, "Time Name Type"},
    {"PajeNewEvent", PajeId::kNewEvent, "Time Type Container Value"},
    {"PajeSetState", PajeId::kSetState, "Time Container Type Value"},
    {"PajePushState", PajeId::kPushState, "Time Container Type Value"},
    {"PajePopState", PajeId::kPopState, "Time Container Type"},
    {"PajeSetVariable", PajeId::kSetVariable, "Time Container Type Value:double"},
    {"PajeStartLink", PajeId::kStartLink, "Time Type Container Value StartContainer Key"},
    {"PajeEndLink", PajeId::kEndLink, "Time Type Container Value EndContainer Key"},
    {"PajeSetState", PajeId::kSetTaskState, kOfTask},
    {"PajeSetState", PajeId::kSetContextState,
     "Time Container Type Value Size Params Footprint Tag JobId SubmitOrder"},
    {"PajeNewEvent", PajeId::kNewMemoryEvent, "Time Type Container Value Handle Info Size Tid"},
    {"PajeStartLink", PajeId::kStartMessage,
     "Time Type Container Value StartContainer Key MPITAG MPIType Priority Handle HName X Y"},
    {"PajeStartLink", PajeId::kStartTransfer,
     "Time Type Container Value StartContainer Key Handle HName X Y"},
    {"PajeNewEvent", PajeId::kNewCheckpoint,
     "Time Type Container Value CheckpointInstance CheckpointDomain"},
    {"PajeSetState", PajeId::kSetTaskAgain, kOfTaskAgain},
};

void PutField(TextBuffer& out, std::string_view field) {
  const size_t colon = field.find(':');
  const std::string_view type = colon != field.npos ? field.substr(colon + 1)
                                : field == "Time"   ? "date"
                                : field == "Color"  ? "color"
                                                    : "string";
  out.Put("%\t", field.substr(0, colon), '\t', type, '\n');
}

// Types as "alias parent name", one per line, in StarPU's order.
constexpr std::string_view kContainerTypes =
    "1\tMPIP\t0\t\"MPI Program\"\n"
    "1\tP\tMPIP\t\"Program\"\n"
    "1\tMn\tP\t\"Memory Node\"\n"
    "1\tT\tMn\t\"Thread\"\n"
    "1\tUT\tP\t\"User Thread\"\n"
    "1\tMm\tMn\t\"Memory Manager\"\n"
    "1\tW\tT\t\"Worker\"\n"
    "1\tMPICt\tP\t\"MPI Communication Thread\"\n"
    "1\tSc\tP\t\"Scheduler State\"\n";

struct DeclaredType {
  std::string_view alias, parent, name;
};
constexpr DeclaredType kEventTypes[] = {
    {"prog_event", "P", "program event type"},
    {"checkpoint_begin", "P", "Checkpoint Begin"},
    {"checkpoint_end", "P", "Checkpoint End"},
    {"pu", "P", "Task Push"},
    {"po", "P", "Task Pop"},
    {"register", "P", "data registration"},
    {"unregister", "P", "data unregistration"},
    {"user_event", "P", "user event type"},
    {"thread_event", "T", "thread event type"},
    {"user_user_event", "UT", "user event type"},
    {"user_thread_event", "UT", "thread event type"},
    {"MPIev", "MPICt", "MPI event type"},
    {"SI", "Mm", "data state invalid"},
    {"SS", "Mm", "data state shared"},
    {"SO", "Mm", "data state owner"},
    {"WU", "Mm", "data wont use"},
    {"Al", "Mm", "Allocating Start"},
    {"rc", "Mm", "Request Created"},
    {"AlE", "Mm", "Allocating End"},
    {"Alr", "Mm", "Allocating Async Start"},
    {"AlrE", "Mm", "Allocating Async End"},
    {"Fe", "Mm", "Free Start"},
    {"FeE", "Mm", "Free End"},
    {"Wb", "Mm", "WritingBack Start"},
    {"WbE", "Mm", "WritingBack End"},
    {"DCo", "Mm", "DriverCopy Start"},
    {"DCoE", "Mm", "DriverCopy End"},
    {"DCoA", "Mm", "DriverCopyAsync Start"},
    {"DCoAE", "Mm", "DriverCopyAsync End"},
};

constexpr std::string_view kVariableTypes =
    "4\tnsubmitted\tSc\t\"Number of Submitted Uncompleted Tasks\"\n"
    "4\tnready\tSc\t\"Number of Ready Tasks\"\n"
    "4\tgft\tSc\t\"Total GFlop/s\"\n"
    "4\tuse\tMm\t\"Used (MB)\"\n"
    "4\tbwi_mm\tMm\t\"Bandwidth In (MB/s)\"\n"
    "4\tbwo_mm\tMm\t\"Bandwidth Out (MB/s)\"\n"
    "4\tbwi_mpi\tMPICt\t\"Bandwidth In (MB/s)\"\n"
    "4\tbwo_mpi\tMPICt\t\"Bandwidth Out (MB/s)\"\n"
    "4\tgf\tW\t\"GFlop/s\"\n";

constexpr std::string_view kLinkTypes =
    "5\tMPIL\tMPIP\tMPICt\tMPICt\t\"MPI communication\"\n"
    "5\tF\tP\tMm\tMm\t\"Intra-node data Fetch\"\n"
    "5\tTF\tP\tMm\tMm\t\"Intra-node data TaskPreFetch\"\n"
    "5\tPF\tP\tMm\tMm\t\"Intra-node data PreFetch\"\n"
    "5\tIF\tP\tMm\tMm\t\"Intra-node data IdleFetch\"\n"
    "5\tWSL\tP\tW\tW\t\"Work steal\"\n";

constexpr DeclaredType kStateTypes[] = {
    {"S", "T", "Thread State"},        {"WS", "W", "Worker State"},
    {"US", "UT", "User Thread State"}, {"CtS", "MPICt", "Communication Thread State"},
    {"MS", "Mm", "Memory Node State"},
};

// StarPU's alias of each state, and the types (bit: PajeStateType) that declare it in every file.
constexpr unsigned kT = 1 << 0, kW = 1 << 1, kU = 1 << 2, kC = 1 << 3, kM = 1 << 4;
struct StateAlias {
  StateKind kind;
  std::string_view alias;
  unsigned types;
};
constexpr StateAlias kStateAliases[] = {
    {StateKind::kIdle, "I", kT | kW},
    {StateKind::kInitializing, "In", kT | kW},
    {StateKind::kDeinitializing, "D", kT | kW},
    {StateKind::kFetchingInput, "Fi", kT | kW},
    {StateKind::kPushingOutput, "Po", kT | kW},
    {StateKind::kCallback, "C", kT | kW | kU | kC},
    {StateKind::kOverhead, "B", kT | kW},
    {StateKind::kParallelSync, "Ps", kT | kW},
    {StateKind::kExecuting, "E", kT | kW},
    {StateKind::kScheduling, "Sc", kT | kW | kU},
    {StateKind::kSleeping, "Sl", kT | kW | kC},
    {StateKind::kProgressing, "P", kT | kW},
    {StateKind::kUnpartitioning, "U", kT | kW},
    {StateKind::kHypervisor, "H", kT | kW},
    {StateKind::kBuildingTask, "Bu", kT | kW | kU | kC},
    {StateKind::kSubmittingTask, "Su", kT | kW | kU | kC},
    {StateKind::kThrottling, "Th", kT | kW | kU | kC},
    {StateKind::kMpiDecoding, "MD", kT | kU},
    {StateKind::kMpiPreparing, "MPr", kT | kU},
    {StateKind::kMpiPostprocessing, "MPo", kT | kU},
    {StateKind::kWaitingTask, "W", kU},
    {StateKind::kWaitingAllTasks, "WA", kU},
    {StateKind::kNone, "No", kU | kM},
    {StateKind::kCommProcessing, "P", kC},
    {StateKind::kCommPolling, "Pl", kC},
    {StateKind::kCommDriverRun, "Dr", kC},
    {StateKind::kCommUserTesting, "UT", kC},
    {StateKind::kCommUserWaiting, "UW", kC},
    {StateKind::kSendSubmitted, "SdS", kC},
    {StateKind::kReceiveSubmitted, "RvS", kC},
    {StateKind::kSendCompleted, "SdC", kC},
    {StateKind::kReceiveCompleted, "RvC", kC},
    {StateKind::kCommTestingDetached, "TD", kC},
    {StateKind::kCommTest, "MT", kC},
    {StateKind::kAllocating, "A", kM},
    {StateKind::kAllocatingReuse, "Ar", kM},
    {StateKind::kFreeing, "F", kM},
    {StateKind::kWritingBack, "W", kM},
    {StateKind::kWritingBackAsync, "Wa", kM},
    {StateKind::kReclaiming, "R", kM},
    {StateKind::kDriverCopy, "Co", kM},
    {StateKind::kDriverCopyAsync, "CoA", kM},
};

constexpr std::string_view kContextColors[] = {
    "0.0 0.6 0.4", "1.0 0.39 1.0", "0.0 1.0 0.0",    "0.87 0.87 0.0", "0.0 0.95 1.0",
    "0.0 0.0 0.0", "0.0 0.0 0.5",  "0.41 0.41 0.41", "1.0 0.0 1.0",   "0.0 0.0 1.0"};

constexpr uint32_t kMostContexts = 1000;  // more contexts than in any sane trace are not drawn

// Red, green and blue from 0 to 1.
std::string Color(double red, double green, double blue) {
  std::string text;
  for (const double part : {red, green, blue}) {
    char digits[32];
    const char* end = std::to_chars(digits, digits + 32, part, std::chars_format::fixed, 6).ptr;
    if (!text.empty()) text += ' ';
    text.append(digits, static_cast<size_t>(end - digits));
  }
  return text;
}

std::string Color(uint32_t rgb) {
  return Color((rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
}

bool NeedsPajeEscape(std::string_view text) {
  return text.empty() || text.find('"') != std::string_view::npos || !IsCleanText(text);
}

}  // namespace

PajeOptions PajeOptionsOf(const WriteOptions& options) {
  PajeOptions paje;
  paje.color_by_name = options.Has("colors");
  paje.events = !options.Has("no-events");
  paje.counters = !options.Has("no-counter");
  paje.bus = !options.Has("no-bus");
  paje.flops = !options.Has("no-flops");
  paje.smooth = !options.Has("no-smooth");
  paje.memory_states = options.Has("memory-states") && paje.events;
  paje.use_task_color = options.Has("use-task-color");
  paje.starvz = options.Has("starvz");
  return paje;
}

std::string PajeText(std::string_view text) {
  if (text.empty()) return " ";
  std::string clean = CleanText(text);
  for (size_t at = 0; (at = clean.find('"', at)) != std::string::npos;)
    clean.replace(at, 1, "\xE2\x80\x9D");  // the right double quotation mark
  return clean;
}

void PajeString::operator()(TextBuffer& out) const {
  out.Put('"');
  if (NeedsPajeEscape(text)) {
    out.Put(PajeText(text));
  } else {
    out.Put(text);
  }
  out.Put('"');
}

PajeNames::PajeNames(const TraceModel& model, const PajeOptions& options,
                     const std::vector<PajeStateType>& type_of_track)
    : model_(model), options_(options) {
  const TaskTable& tasks = model.tasks;
  for (uint32_t task = 0; task < tasks.size(); ++task)
    contexts_ = std::max(contexts_, std::min(tasks.ctx[task], kMostContexts));
  FindUsedNames(type_of_track);
  ChooseAliases();
  if (tasks.rgb.AllDefault()) return;
  rgb_of_name_.assign(model.strings.size(), kNone);
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    uint32_t& rgb = rgb_of_name_[tasks.name[task]];
    if (rgb == kNone) rgb = tasks.rgb[task];
  }
}

void PajeNames::FindUsedNames(const std::vector<PajeStateType>& type_of_track) {
  const StateTable& states = model_.states;
  const bool has_names = !states.name.AllDefault();
  for (auto& names : task_names_) names.assign(model_.strings.size(), false);
  for (size_t track = 0; track < type_of_track.size(); ++track) {
    const size_t type = static_cast<size_t>(type_of_track[track]);
    for (const uint32_t row : StatesOf(states, static_cast<uint32_t>(track))) {
      if (has_names && states.name[row] != 0) {
        named_states_[type].try_emplace(states.name[row], states.kind[row]);
      } else if (states.kind[row] != StateKind::kTask) {
        declared_[type][static_cast<size_t>(states.kind[row])] = true;
      } else if (states.task[row] == kNone) {
        task_names_[type][0] = true;
      } else {
        task_names_[type][model_.tasks.name[states.task[row]]] = true;
      }
    }
  }
  const TaskTable& tasks = model_.tasks;
  for (uint32_t task = 0; task < tasks.size(); ++task) {
    const uint32_t context = tasks.ctx[task];
    if (context == 0 || context > contexts_ || tasks.start_ns[task] == kNever) continue;
    names_of_context_.insert({context, tasks.name[task]});
  }
}

void PajeNames::ChooseAliases() {
  std::set<std::string, std::less<>> used;  // texts of tasks
  state_of_name_.assign(model_.strings.size(), 0);
  const auto use = [&](StringId name) {
    const std::string text = PajeText(Text(name));
    for (const StateDecl& state : AllStates()) {
      if (state.name == text)
        state_of_name_[name] = static_cast<uint8_t>(static_cast<uint8_t>(state.kind) + 1);
    }
    used.insert(text);
  };
  for (StringId name = 0; name < model_.strings.size(); ++name) {
    bool is_used = false;
    for (const auto& names : task_names_) is_used |= names[name];
    for (const auto& named : named_states_) is_used |= named.contains(name);
    if (is_used) use(name);
  }
  for (const auto& [context, name] : names_of_context_) use(name);
  for (size_t type = 0; type < kTypes; ++type) {
    std::set<std::string, std::less<>> taken = used;
    const auto choose = [&](StateKind kind, std::string alias) {
      std::string& chosen = aliases_[type][static_cast<size_t>(kind)];
      if (chosen.empty() && taken.insert(alias).second) chosen = std::move(alias);
    };
    for (const StateAlias& state : kStateAliases) {
      if (!(state.types & (1u << type))) continue;
      declared_[type][static_cast<size_t>(state.kind)] = true;
      choose(state.kind, std::string(state.alias));
    }
    // States that StarPU does not declare for this type of row are declared if the trace has them.
    for (const StateAlias& state : kStateAliases) choose(state.kind, std::string(state.alias));
    for (const StateDecl& state : AllStates()) {
      std::string alias = "x" + std::to_string(static_cast<int>(state.kind));
      while (aliases_[type][static_cast<size_t>(state.kind)].empty())
        choose(state.kind, alias += 'x');
    }
  }
  while (used.contains(context_idle_)) context_idle_ += 'x';
}

std::string_view PajeNames::Alias(PajeStateType type) {
  return kStateTypes[static_cast<size_t>(type)].alias;
}

void PajeNames::PutTask(TextBuffer& out, PajeStateType type, StringId name) const {
  const uint8_t state = state_of_name_[name];
  if (state == 0 || !declared_[static_cast<size_t>(type)][state - 1])
    return out.Put(PajeString{Text(name)});
  out.Put(PajeString{aliases_[static_cast<size_t>(type)][state - 1]});
}

void PajeNames::PutContextTask(TextBuffer& out, StringId name) const {
  const bool idle = state_of_name_[name] == static_cast<uint8_t>(StateKind::kIdle) + 1;
  out.Put(PajeString{idle ? std::string_view(context_idle_) : Text(name)});
}

std::string PajeNames::MessageAlias(std::string_view from, std::string_view to) {
  return "ML_" + std::string(from) + '_' + std::string(to);
}

std::string PajeNames::CurveAlias(std::string_view type, StringId name) {
  return "V_" + std::string(type) + '_' + std::to_string(name);
}

void PajeNames::WriteHeader(TextBuffer& out, const TypePairs& messages,
                            const Curves& curves) const {
  for (const EventDef& def : kEventDefs) {
    if (def.id == PajeId::kNewMemoryEvent && !options_.memory_states) continue;
    if (def.id == PajeId::kSetTaskAgain && (model_.stretches.size() == 0 || options_.starvz))
      continue;
    out.Put("%EventDef\t", def.name, '\t', static_cast<int>(def.id), '\n');
    for (const auto field : std::views::split(def.fields, ' ')) {
      const std::string_view name(field.begin(), field.end());
      const bool task = def.id == PajeId::kSetTaskState;
      if (!task || !options_.starvz || name != "Priority") PutField(out, name);
    }
    out.Put("%EndEventDef\n");
  }
  WriteTypes(out, messages, curves);
  WriteStates(out);
  WriteTasks(out);
}

void PajeNames::WriteTypes(TextBuffer& out, const TypePairs& messages, const Curves& curves) const {
  out.Put(kContainerTypes);
  for (const DeclaredType& type : kEventTypes) {
    out.Put("2\t", type.alias, '\t', type.parent, "\t\"", type.name, "\"\t");
    const bool begin = type.alias == "checkpoint_begin", end = type.alias == "checkpoint_end";
    out.Put(begin ? "\"0.0 1.0 0.0\"\n" : end ? "\"0.0 0.0 1.0\"\n" : "\"1.0 1.0 1.0\"\n");
  }
  for (const DeclaredType& type : kStateTypes) {
    out.Put("3\t", type.alias, '\t', type.parent, "\t\"", type.name, "\"\n");
  }
  for (uint32_t context = 1; context <= contexts_; ++context) {
    out.Put("3\tCtx", context, "\tW\t\"InCtx", context, "\"\n");
  }
  out.Put(kVariableTypes);
  for (const auto& [type, name] : curves) {
    out.Put("4\t", CurveAlias(type, name), '\t', type, '\t', PajeString{Text(name)}, '\n');
  }
  out.Put(kLinkTypes);
  for (const auto& [from, to] : messages) {
    out.Put("5\t", MessageAlias(from, to));
    for (const std::string_view type : {std::string_view("MPIP"), from, to}) {
      out.Put('\t', type);
    }
    out.Put("\t\"Message\"\n");
  }
}

void PajeNames::WriteStates(TextBuffer& out) const {
  const auto write = [&](std::string_view alias, std::string_view type, const StateDecl& state) {
    out.Put("6\t\"", alias, "\"\t", type, "\t\"", state.name, "\"\t\"", Color(state.rgb), "\"\n");
  };
  for (size_t type = 0; type < kTypes; ++type) {
    for (const StateDecl& state : AllStates()) {
      const size_t kind = static_cast<size_t>(state.kind);
      if (declared_[type][kind]) write(aliases_[type][kind], kStateTypes[type].alias, state);
    }
  }
  // Rows of contexts show tasks and, between them, an idle state.
  for (uint32_t context = 1; context <= contexts_; ++context)
    write(context_idle_, "Ctx" + std::to_string(context), Decl(StateKind::kIdle));
}

std::string PajeNames::TaskColor(StringId name) const {
  if (!rgb_of_name_.empty() && rgb_of_name_[name] != kNone) return Color(rgb_of_name_[name]);
  if (!options_.color_by_name) return "0.000000 0.600000 0.400000";
  const NameColor color = ColorOfName(Text(name));
  const double sum = std::max(1u, color.red + color.green + color.blue);
  return Color(color.red / sum, color.green / sum, color.blue / sum);
}

void PajeNames::WriteTasks(TextBuffer& out) const {
  std::set<std::string> done;  // names that differ only in characters that Paje cannot express
  const auto write = [&](StringId name, std::string_view type, std::string_view color) {
    const std::string text = PajeText(Text(name));
    if (!done.insert(std::string(type) + '\t' + text).second) return;
    out.Put("6\t\"", text, "\"\t", type, "\t\"", text, "\"\t\"", color, "\"\n");
  };
  for (size_t type = 0; type < kTypes; ++type) {
    for (StringId name = 0; name < task_names_[type].size(); ++name) {
      const uint8_t state = task_names_[type][name] ? state_of_name_[name] : 0;
      if (!task_names_[type][name] || (state != 0 && declared_[type][state - 1])) continue;
      write(name, kStateTypes[type].alias, TaskColor(name));
    }
    for (const auto& [name, kind] : named_states_[type]) {
      const uint8_t state = state_of_name_[name];
      if (state == 0 || !declared_[type][state - 1])
        write(name, kStateTypes[type].alias, Color(Decl(kind).rgb));
    }
  }
  for (const auto& [context, name] : names_of_context_) {
    if (state_of_name_[name] == static_cast<uint8_t>(StateKind::kIdle) + 1) continue;
    const std::string type = "Ctx" + std::to_string(context);
    const bool own = options_.use_task_color;
    write(name, type, own ? TaskColor(name) : std::string(kContextColors[context % 10]));
  }
}

}  // namespace tasklens
