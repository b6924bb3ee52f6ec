// SPDX-License-Identifier: Apache-2.0
// States, events and communications of Paraver's traces.
#include "converters/readers/prv_decoder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "converters/paraver_numbers.h"
#include "converters/readers/prv_lines.h"

namespace tasklens {
namespace {

constexpr int64_t kLastTime = int64_t{1} << 61;
constexpr int64_t kDeepest = UINT8_MAX;           // that states lie in each other
constexpr uint32_t kTaskFunctionLine = 60000123;  // Extrae's: where the code of a task is

// Extrae's states as the nearest of ours; those that are missing are "user defined".
constexpr std::pair<int64_t, StateKind> kExtraeStates[] = {
    {3, StateKind::kCommUserWaiting},  // Waiting a message
    {4, StateKind::kSendSubmitted},    // Blocking Send
    {5, StateKind::kParallelSync},     // Synchronization
    {6, StateKind::kCommTest},         // Test/Probe
    {8, StateKind::kCommUserWaiting},  // Wait/WaitAll
    {13, StateKind::kCommProcessing},  // Group Communication
    {14, StateKind::kNone},            // Tracing Disabled
    {16, StateKind::kCommProcessing},  // Send Receive
    {18, StateKind::kOverhead},        // Profiling
    {20, StateKind::kCommProcessing},  // Remote memory access
    {32, StateKind::kInitializing},    // Configuring accelerator
};

bool Mentions(std::string_view label, std::string_view words) {
  const auto equal = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  };
  return std::search(label.begin(), label.end(), words.begin(), words.end(), equal) != label.end();
}

WorkerArch ArchOf(std::string_view name) {
  for (const WorkerArch arch : {WorkerArch::kCuda, WorkerArch::kOpencl, WorkerArch::kHip})
    if (name.starts_with(WorkerArchName(arch))) return arch;
  return WorkerArch::kCpu;
}

// The inverse of ParaverPapiType().
int64_t PapiCodeOf(uint32_t type) {
  const bool native = type >= kParaverPapiNative;
  const uint32_t code =
      native ? 0x40000000 | (type - kParaverPapiNative) : 0x80000000 | (type - kParaverPapiPreset);
  return static_cast<int32_t>(code);
}

}  // namespace

PrvDecoder::PrvDecoder(const PrvHeader& header, const PrvLabels& labels, uint32_t first_rank,
                       std::string_view path, EventSink& sink, Diagnostics& diags)
    : header_(header),
      labels_(labels),
      first_rank_(first_rank),
      path_(path),
      sink_(sink),
      diags_(diags),
      communicators_left_(header.communicators) {
  constexpr uint64_t kAboveNumbersOfFiles = uint64_t{1} << 40;
  for (const auto& [number, type] : labels.types)
    if (RoleOf(static_cast<uint32_t>(number), &type) == Role::kTaskId)
      jobs_from_ = kAboveNumbersOfFiles;
  Tell(0, EventKind::kProgramInfo, first_rank, 0, sink.Intern("runtime"),
       sink.Intern("Paraver trace"));
  Tell(0, EventKind::kProgramInfo, first_rank, 0, sink.Intern("dependencies"),
       sink.Intern("not recorded"));
  if (header.unix_ns > 0) Tell(0, EventKind::kWallClock, first_rank, 0, header.unix_ns);
  AddRank(first_rank);
}

// A rank is there when something happens in it: headers may promise millions.
void PrvDecoder::AddRank(uint32_t rank) {
  if (!ranks_.insert(rank).second) return;
  // All have one clock.
  constexpr uint64_t kRun = 1;
  if (const size_t ranks = header_.tasks.size(); ranks > 1)
    Tell(0, EventKind::kMpiBarrier, rank, 0, rank, ranks, kRun, 0);
}

template <class... Args>
void PrvDecoder::Tell(int64_t time_ns, EventKind kind, uint32_t rank, uint64_t tid, Args... args) {
  const std::array<uint64_t, sizeof...(Args)> values{static_cast<uint64_t>(args)...};
  sink_.OnEvent({time_ns, kind, rank, tid, values});
}

void PrvDecoder::Skip(std::string_view kind, uint64_t offset) {
  diags_.Skip(kind, path_ + ": byte " + std::to_string(offset));
}

void PrvDecoder::Line(std::string_view line, uint64_t offset) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (communicators_left_ > 0) {
    --communicators_left_;
    if (!line.empty() && (line[0] < '0' || line[0] > '9')) return;
    communicators_left_ = 0;  // the header promised too many
  }
  if (line.empty() || line[0] == '#') return;
  if (!ParsePrvRecord(line, fields_)) return Skip("prv_bad_record", offset);
  switch (fields_[0]) {
    case 1: return State(offset);
    case 2: return Event(offset);
    case 3: return Communication(offset);
    case 4: return;  // global operations: Paraver ignores them, too
    default: return Skip("prv_bad_record", offset);
  }
}

bool PrvDecoder::Time(int64_t units, int64_t& time_ns) const {
  if (units < 0 || units > kLastTime / header_.ns_per_unit) return false;
  time_ns = units * header_.ns_per_unit;
  return true;
}

// The thread whose "cpu:application:task:thread" begins at `field`; nullptr: there is none.
PrvDecoder::Thread* PrvDecoder::ThreadAt(size_t field, int64_t time_ns) {
  const int64_t cpu = fields_[field], application = fields_[field + 1];
  const int64_t task = fields_[field + 2], number = fields_[field + 3];
  const auto& first_of = header_.first_of_application;
  if (cpu < 0 || application < 1 || static_cast<size_t>(application) >= first_of.size())
    return nullptr;
  const size_t first = first_of[static_cast<size_t>(application) - 1];
  const size_t end = first_of[static_cast<size_t>(application)];
  if (task < 1 || static_cast<uint64_t>(task) > end - first) return nullptr;
  const size_t row = first + static_cast<size_t>(task) - 1;
  constexpr int64_t kMostThreads = INT32_MAX;
  if (number < 1 || number > kMostThreads ||
      static_cast<uint64_t>(number) > header_.tasks[row].threads)
    return nullptr;
  const uint64_t key = uint64_t{row} << 32 | static_cast<uint64_t>(number);
  Known& known = known_[(row * 7 + static_cast<uint64_t>(number)) % known_.size()];
  if (known.thread != nullptr && known.key == key) return known.thread;
  Thread*& thread = thread_of_[key];
  if (thread == nullptr) {
    threads_.push_back({.rank = first_rank_ + static_cast<uint32_t>(row),
                        .number = static_cast<uint32_t>(number)});
    thread = &threads_.back();
    AddRank(thread->rank);
    thread->name = sink_.Intern(NameOf(thread->rank, thread->number));
    if (cpu > 0 || !header_.has_cpus())
      MakeWorker(*thread, time_ns, cpu);
    else
      MakeMemoryNode(*thread, time_ns);
  }
  known = {key, thread};
  return thread;
}

std::string PrvDecoder::NameOf(uint32_t rank, uint32_t number) const {
  const uint64_t row = header_.tasks[rank - first_rank_].first_thread + number - 1;
  if (row >= labels_.threads.size()) return "thread " + std::to_string(number);
  std::string_view name = labels_.threads[row];
  // Rows say the rank before the name by themselves.
  const std::string prefix = "rank " + std::to_string(rank) + ' ';
  if (header_.tasks.size() > 1 && name.starts_with(prefix)) name.remove_prefix(prefix.size());
  return std::string(name);
}

void PrvDecoder::Announce(Thread& thread, int64_t time_ns) {
  if (thread.is_known) return;
  thread.is_known = true;
  Tell(time_ns, EventKind::kThreadName, thread.rank, thread.number, thread.name);
}

void PrvDecoder::MakeWorker(Thread& thread, int64_t time_ns, int64_t cpu) {
  thread.is_worker = thread.is_known = true;
  const auto name = NameOf(thread.rank, thread.number);
  constexpr int64_t kNoDevice = -1, kMainMemory = 0, kOwnThread = 1;
  Tell(time_ns, EventKind::kWorkerNew, thread.rank, thread.number, thread.number - 1,
       static_cast<uint64_t>(ArchOf(name)), kNoDevice, kMainMemory, cpu - 1, kOwnThread,
       thread.name);
  SetState(thread, time_ns, StateKind::kNone);
}

void PrvDecoder::SetState(const Thread& thread, int64_t time_ns, StateKind kind) {
  const auto state = static_cast<uint64_t>(kind);
  if (thread.is_worker)
    Tell(time_ns, EventKind::kWorkerStateSet, thread.rank, thread.number, thread.number - 1, state);
  else
    Tell(time_ns, EventKind::kStateSet, thread.rank, thread.number, state);
}

// What ended by `now_ns` is over.
void PrvDecoder::CloseState(Thread& thread, int64_t now_ns) {
  if (thread.shown == Thread::Shown::kNothing || thread.state_end_ns > now_ns) return;
  if (thread.shown == Thread::Shown::kPushed)
    Tell(thread.state_end_ns, EventKind::kStatePop, thread.rank, thread.number);
  else if (thread.shown == Thread::Shown::kSet)
    SetState(thread, thread.state_end_ns, StateKind::kNone);
  thread.shown = Thread::Shown::kNothing;
}

// A task begins or ends: that ends what lay around the state for the sink.
void PrvDecoder::CloseAround(Thread& thread, int64_t time_ns) {
  for (const Thread::Around& state : thread.around)
    if (state.shown == Thread::Shown::kPushed)
      Tell(time_ns, EventKind::kStatePop, thread.rank, thread.number);
  thread.around.clear();
}

// From now on the state of the thread lies in `depth` others, of which the file shows nothing
// meanwhile.
void PrvDecoder::Nest(Thread& thread, int64_t time_ns, int64_t depth) {
  CloseState(thread, time_ns - 1);
  thread.depth_ns = time_ns;
  for (; thread.depth < depth; ++thread.depth) {
    thread.around.push_back({thread.shown, thread.kind});
    thread.shown = Thread::Shown::kNothing;
  }
  for (; thread.depth > depth; --thread.depth) {
    thread.state_end_ns = std::min(thread.state_end_ns, time_ns);
    CloseState(thread, time_ns);
    if (thread.around.empty()) continue;
    thread.shown = thread.around.back().shown;
    thread.kind = thread.around.back().kind;
    thread.around.pop_back();
    thread.state_end_ns = thread.restored_ns = time_ns;
  }
}

StateKind PrvDecoder::KindOf(int64_t state) {
  const auto [known, is_new] = kinds_.try_emplace(state, StateKind::kUserDefined);
  StateKind& kind = known->second;
  if (!is_new) return kind;
  // Our own files have our names, whatever their numbers are.
  if (const auto label = labels_.states.find(state); label != labels_.states.end())
    for (const StateDecl& decl : AllStates())
      if (decl.kind != StateKind::kNone && decl.name == label->second) return kind = decl.kind;
  for (const auto& [number, nearest] : kExtraeStates)
    if (number == state) return kind = nearest;
  for (const StateDecl& decl : AllStates())
    if (decl.kind != StateKind::kNone && ParaverState(decl.kind, ParaverDialect::kToday) == state)
      return kind = decl.kind;
  return kind;
}

// The row of the record begins only then.
void PrvDecoder::BeginAt(int64_t time_ns) {
  Thread* const thread = ThreadAt(1, time_ns);
  if (thread == nullptr || thread->is_known) return;
  Announce(*thread, time_ns);
  SetState(*thread, time_ns, StateKind::kNone);
}

void PrvDecoder::State(uint64_t offset) {
  if (fields_.size() != 8) return Skip("prv_bad_record", offset);
  int64_t begin_ns = 0, end_ns = 0;
  const int64_t end = fields_[6] == -1 ? header_.duration : fields_[6];  // -1: still open
  if (!Time(fields_[5], begin_ns) || !Time(end, end_ns) || begin_ns > end_ns)
    return Skip("prv_bad_record", offset);
  if (fields_[7] == kParaverNotCreated) {
    if (begin_ns == 0 && end < header_.duration) BeginAt(end_ns);
    return;
  }
  Thread* const found = ThreadAt(1, begin_ns);
  if (found == nullptr) return Skip("prv_bad_object", offset);
  Thread& thread = *found;
  Announce(thread, begin_ns);
  StartTask(thread);
  const StateKind kind = KindOf(fields_[7]);
  if (thread.shown != Thread::Shown::kNothing && thread.restored_ns == begin_ns &&
      thread.kind == kind) {
    thread.state_end_ns = end_ns;  // it goes on
    thread.restored_ns = -1;
    return;
  }
  CloseState(thread, begin_ns);
  if (thread.shown == Thread::Shown::kPushed)  // it was to last longer
    Tell(begin_ns, EventKind::kStatePop, thread.rank, thread.number);
  thread.kind = kind;
  thread.state_end_ns = end_ns;
  if (thread.job != 0 && thread.kind == StateKind::kTask) {
    thread.shown = Thread::Shown::kHidden;
  } else if (thread.job != 0 || !thread.around.empty() || thread.node >= 0) {
    // Of nodes alike ones in a row stay apart.
    thread.shown = Thread::Shown::kPushed;
    Tell(begin_ns, EventKind::kStatePush, thread.rank, thread.number,
         static_cast<uint64_t>(thread.kind));
  } else {
    thread.shown = Thread::Shown::kSet;
    // Work of which no task is known.
    SetState(thread, begin_ns,
             thread.kind == StateKind::kTask ? StateKind::kExecuting : thread.kind);
  }
}

void PrvDecoder::Event(uint64_t offset) {
  if (fields_.size() < 8) return Skip("prv_bad_record", offset);
  if (fields_.size() % 2 != 0) Skip("prv_bad_record", offset);  // all but its last field is good
  int64_t time_ns = 0;
  if (!Time(fields_[5], time_ns)) return Skip("prv_bad_record", offset);
  // Of the run, wherever it stands: no row begins by it.
  if (fields_.size() == 8 && fields_[6] == kParaverApplication) return;
  Thread* const thread = ThreadAt(1, time_ns);
  if (thread == nullptr) return Skip("prv_bad_object", offset);
  if (thread->start_ns >= 0 && thread->start_ns < time_ns) StartTask(*thread);
  CloseState(*thread, time_ns - 1);  // what ends now may go on, see Nest()
  for (size_t i = 6; i + 1 < fields_.size(); i += 2) {
    if (fields_[i] < 0 || fields_[i] > UINT32_MAX) {
      Skip("prv_bad_record", offset);
      continue;
    }
    Pair(*thread, time_ns, static_cast<uint32_t>(fields_[i]), fields_[i + 1]);
  }
}

PrvDecoder::Role PrvDecoder::RoleOf(uint32_t number, const PrvType* labels) const {
  constexpr uint32_t kEndOfCounters = 43000000;
  switch (number) {
    case kParaverApplication:
    case kParaverSubmittedTasks:
    case kParaverReadyTasks: return Role::kIgnored;
    case kParaverTaskType: return Role::kTaskType;
    case kParaverTaskId: return Role::kTaskId;
    case kParaverIteration: return Role::kIteration;
    case kParaverSubiteration: return Role::kSubiteration;
    case kParaverSubmitted: return Role::kSubmitted;
    case kParaverDepth: return Role::kDepth;
    case kParaverSiteLine: return Role::kSiteLine;
    case kTaskFunctionLine: return Role::kTaskLine;
    case kParaverSiteFunction: return Role::kSiteFunction;
    case kParaverMemoryUsed: return Role::kMemoryUsed;
    case kParaverUserEvent: return Role::kUserEvent;
    default: break;
  }
  if (number >= kParaverPapiPreset && number < kEndOfCounters) return Role::kHardwareCounter;
  if (labels != nullptr && Mentions(labels->label, "task type")) return Role::kTaskType;
  if (labels != nullptr && Mentions(labels->label, "task id")) return Role::kTaskId;
  return Role::kOther;
}

const PrvDecoder::Type& PrvDecoder::TypeOf(uint32_t number) {
  const auto [known, is_new] = types_.try_emplace(number, Type{Role::kOther, nullptr});
  Type& type = known->second;
  if (!is_new) return type;
  if (const auto found = labels_.types.find(number); found != labels_.types.end())
    type.labels = &found->second;
  type.role = RoleOf(number, type.labels);
  return type;
}

void PrvDecoder::Pair(Thread& thread, int64_t time_ns, uint32_t number, int64_t value) {
  const Type& type = TypeOf(number);
  const Thread::Latest latest{time_ns, value};
  switch (type.role) {
    case Role::kIgnored: return;
    case Role::kTaskType: return TaskType(thread, time_ns, type, value);
    case Role::kTaskId:
      if (value != 0) thread.id = latest;
      return;
    // 0 is said of these, too, when a task ends; then nobody asks.
    case Role::kIteration: thread.iteration = latest; return;
    case Role::kSubiteration: thread.subiteration = latest; return;
    case Role::kSubmitted: thread.submitted = latest; return;
    case Role::kDepth: return Nest(thread, time_ns, std::clamp(value, int64_t{0}, kDeepest));
    case Role::kSiteLine:
      if (value != 0) thread.line = latest;
      return;
    case Role::kTaskLine:
      if (value != 0) thread.task_line = latest;
      return;
    case Role::kSiteFunction:
      if (value != 0) thread.function = latest;
      return;
    case Role::kMemoryUsed:
      return Tell(time_ns, EventKind::kMemoryUsed, thread.rank, 0, MemoryNode(thread, time_ns),
                  value);
    case Role::kUserEvent:
      Announce(thread, time_ns);
      return Tell(time_ns, EventKind::kUserEvent, thread.rank, thread.number, value);
    case Role::kHardwareCounter: return HardwareCounter(thread, time_ns, number, value);
    case Role::kOther: return Other(thread, time_ns, number, type, value);
  }
}

void PrvDecoder::HardwareCounter(const Thread& thread, int64_t time_ns, uint32_t type,
                                 int64_t value) {
  if (thread.ended_job == 0 || thread.ended_ns != time_ns)
    return diags_.Skip("prv_hardware_counter", path_);
  Tell(time_ns, EventKind::kTaskPapi, thread.rank, thread.number, thread.ended_job,
       PapiCodeOf(type), value);
}

// "label of the type: label of the value".
void PrvDecoder::Other(const Thread& thread, int64_t time_ns, uint32_t number, const Type& type,
                       int64_t value) {
  const auto [text, is_new] = texts_[number].try_emplace(value, 0);
  if (is_new) {
    std::string words;
    const std::string* label = type.labels != nullptr ? type.labels->LabelOf(value) : nullptr;
    if (number != kParaverMessage) {
      words = type.labels != nullptr ? type.labels->label : "event " + std::to_string(number);
      words += ": ";
    }
    words += label != nullptr ? *label : std::to_string(value);
    text->second = sink_.Intern(words);
  }
  Tell(time_ns, EventKind::kThreadMessage, thread.rank, thread.number, text->second);
}

void PrvDecoder::TaskType(Thread& thread, int64_t time_ns, const Type& type, int64_t value) {
  CloseState(thread, time_ns);
  StartTask(thread);
  if (thread.job != 0) EndTask(thread, time_ns);
  if (value == 0) return;
  thread.start_ns = time_ns;
  // What was said of the task before, at its end.
  thread.iteration = thread.subiteration = thread.submitted = {};
  thread.task_type = value;
  thread.task_labels = type.labels;
}

// Tells of the task that waits for its number and site, if there is one.
void PrvDecoder::StartTask(Thread& thread) {
  if (thread.start_ns < 0) return;
  has_tasks_ = true;
  const int64_t start_ns = thread.start_ns;
  CloseAround(thread, start_ns);
  if (!thread.is_worker) {
    if (thread.shown == Thread::Shown::kSet) SetState(thread, start_ns, StateKind::kNone);
    MakeWorker(thread, start_ns, 0);
  }
  thread.job = thread.id.time_ns == start_ns ? static_cast<uint64_t>(thread.id.value)
                                             : jobs_from_ + ++last_job_[thread.rank];
  std::string name = "task type " + std::to_string(thread.task_type);
  if (thread.task_labels != nullptr)
    if (const std::string* label = thread.task_labels->LabelOf(thread.task_type)) name = *label;
  Tell(start_ns, EventKind::kTaskName, thread.rank, thread.number, thread.job, sink_.Intern(name));
  TellSite(thread);
  TellSubmission(thread);
  Tell(start_ns, EventKind::kTaskStart, thread.rank, thread.number, thread.job, thread.number - 1,
       0, 0);
  thread.start_ns = -1;
  if (thread.shown == Thread::Shown::kNothing || thread.state_end_ns <= start_ns) return;
  thread.shown = Thread::Shown::kHidden;
  if (thread.kind == StateKind::kTask) return;
  thread.shown = Thread::Shown::kPushed;
  Tell(start_ns, EventKind::kStatePush, thread.rank, thread.number,
       static_cast<uint64_t>(thread.kind));
}

void PrvDecoder::TellSite(const Thread& thread) {
  const auto label_of = [&](uint32_t type, const Thread::Latest& latest) -> std::string_view {
    if (latest.time_ns != thread.start_ns) return "";
    const PrvType* labels = TypeOf(type).labels;
    if (labels == nullptr) return "";
    const std::string* label = labels->LabelOf(latest.value);
    return label == nullptr ? std::string_view() : std::string_view(*label);
  };
  auto place = PlaceOfLabel(label_of(kParaverSiteLine, thread.line));
  if (!place) place = PlaceOfLabel(label_of(kTaskFunctionLine, thread.task_line));
  if (!place) return;
  Tell(thread.start_ns, EventKind::kTaskSite, thread.rank, thread.number, thread.job, place->line,
       sink_.Intern(place->file), sink_.Intern(label_of(kParaverSiteFunction, thread.function)));
}

// When it was submitted, which only our own files say, and its iterations.
void PrvDecoder::TellSubmission(const Thread& thread) {
  int64_t before_ns = 0;
  if (thread.submitted.time_ns != thread.start_ns || !Time(thread.submitted.value, before_ns) ||
      before_ns > thread.start_ns)
    return;
  const auto iteration = [&](const Thread::Latest& latest) {
    const bool is_known = latest.time_ns == thread.start_ns && latest.value <= INT32_MAX;
    return is_known ? std::max<int64_t>(latest.value, -1) : -1;
  };
  constexpr uint64_t kNoOrder = 0, kNoPriority = 0, kNoType = 0;
  Tell(thread.start_ns - before_ns, EventKind::kTaskSubmit, thread.rank, 0, thread.job, kNoOrder,
       iteration(thread.iteration), iteration(thread.subiteration), kNoPriority, kNoType);
}

void PrvDecoder::EndTask(Thread& thread, int64_t time_ns) {
  CloseAround(thread, time_ns);
  constexpr uint64_t kNoBytes = 0, kNoFootprint = 0;
  Tell(time_ns, EventKind::kTaskEnd, thread.rank, thread.number, thread.job, thread.number - 1,
       kNoBytes, kNoFootprint, sink_.Intern(""));
  thread.ended_job = thread.job;
  thread.ended_ns = time_ns;
  thread.job = 0;
  if (thread.shown == Thread::Shown::kNothing || thread.state_end_ns <= time_ns)
    return SetState(thread, time_ns, StateKind::kNone);
  thread.shown = Thread::Shown::kSet;
  SetState(thread, time_ns, thread.kind == StateKind::kTask ? StateKind::kExecuting : thread.kind);
}

// If its row says so. Its states are all that the node did.
void PrvDecoder::MakeMemoryNode(Thread& thread, int64_t time_ns) {
  const std::string row = NameOf(thread.rank, thread.number);
  std::string_view name = row;
  if (!name.starts_with(kParaverMemoryNode)) return;
  name.remove_prefix(kParaverMemoryNode.size());
  uint32_t node = 0;
  const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), node);
  if (error != std::errc()) return;
  name.remove_prefix(static_cast<size_t>(rest - name.data()));
  constexpr std::string_view kColon = ": ";
  if (name.starts_with(kColon))
    name.remove_prefix(kColon.size());
  else if (!name.empty())
    return;
  if (!nodes_.insert(uint64_t{thread.rank} << 32 | node).second) return;
  thread.node = node;
  thread.is_known = true;
  Tell(time_ns, EventKind::kMemoryNodeNew, thread.rank, 0, node, sink_.Intern(name));
  Tell(time_ns, EventKind::kMemoryNodeThread, thread.rank, thread.number, node);
}

// Its number.
uint32_t PrvDecoder::MemoryNode(const Thread& thread, int64_t time_ns) {
  if (thread.node >= 0) return static_cast<uint32_t>(thread.node);
  if (nodes_.insert(uint64_t{thread.rank} << 32 | thread.number).second)
    Tell(time_ns, EventKind::kMemoryNodeNew, thread.rank, 0, thread.number, thread.name);
  return thread.number;
}

void PrvDecoder::Communication(uint64_t offset) {
  if (fields_.size() != 15) return Skip("prv_bad_record", offset);
  int64_t logical_send_ns = 0, send_ns = 0, logical_receive_ns = 0, receive_ns = 0;
  if (!Time(fields_[5], logical_send_ns) || !Time(fields_[6], send_ns) ||
      !Time(fields_[11], logical_receive_ns) || !Time(fields_[12], receive_ns) || fields_[13] < 0)
    return Skip("prv_bad_record", offset);
  const Thread* sender = ThreadAt(1, logical_send_ns);
  const Thread* receiver = ThreadAt(7, logical_send_ns);
  if (sender == nullptr || receiver == nullptr) return Skip("prv_bad_object", offset);
  const int64_t size = fields_[13], tag = fields_[14];
  constexpr uint64_t kNone64 = 0;
  // Of no thread, as the two ends of one record are not in the order of time.
  if (sender->rank != receiver->rank || sender == receiver) {
    Tell(logical_send_ns, EventKind::kMpiSend, sender->rank, 0, receiver->rank, tag, size,
         static_cast<uint64_t>(MessageType::kPointToPoint), kNone64, kNone64, kNone64);
    Tell(receive_ns, EventKind::kMpiReceived, receiver->rank, 0, sender->rank, tag, kNone64,
         kNone64);
    return;
  }
  constexpr int64_t kReasons = 4;  // our own tags: enum CopyReason, and 1
  const int64_t reason = tag >= 1 && tag <= kReasons ? tag - 1 : 0;
  const uint32_t source = MemoryNode(*sender, send_ns), target = MemoryNode(*receiver, send_ns);
  ++copies_;
  Tell(send_ns, EventKind::kCopyStart, sender->rank, 0, source, target, size, copies_, reason,
       kNone64);
  Tell(std::max(send_ns, receive_ns), EventKind::kCopyEnd, sender->rank, 0, source, target, size,
       copies_, reason);
}

void PrvDecoder::Finish() {
  for (Thread& thread : threads_) {
    StartTask(thread);
    Nest(thread, std::max(thread.state_end_ns, thread.depth_ns), 0);
    CloseState(thread, kLastTime);
  }
  if (!has_tasks_) diags_.Skip("prv_no_tasks", path_);
  int64_t end_ns = 0;
  if (!Time(header_.duration, end_ns)) return;
  Tell(end_ns, EventKind::kProgramInfo, first_rank_, 0, sink_.Intern("trace_end_ns"),
       sink_.Intern(std::to_string(end_ns)));
}

}  // namespace tasklens
