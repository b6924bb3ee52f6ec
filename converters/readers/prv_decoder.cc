// SPDX-License-Identifier: Apache-2.0
// States, events and communications of Paraver's traces.
#include "converters/readers/prv_decoder.h"

#include <algorithm>
#include <array>

#include "converters/paraver_numbers.h"
#include "converters/rank_word.h"
#include "converters/readers/prv_lines.h"
#include "trace/support/words.h"

namespace tasklens {
namespace {

constexpr int64_t kLastTime = int64_t{1} << 61;
constexpr int64_t kDeepest = UINT8_MAX;           // limit on nested states
constexpr uint32_t kTaskFunctionLine = 60000123;  // Extrae's: where the code of a task is
constexpr uint32_t kUserFunctions = 60000019;     // Extrae's
// OmpSs: the running task's number, its function, and the place of that.
constexpr uint32_t kOmpssTaskId = 9200002, kOmpssFunction = 9200011, kOmpssLine = 9200021;

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
    : RowEvents(path, sink, diags),
      header_(header),
      labels_(labels),
      first_rank_(first_rank),
      communicators_left_(header.communicators) {
  is_ours_ = labels.types.contains(kParaverTaskId);
  if (is_ours_ && header.tasks.size() > 1) NumberRanks();
  const uint32_t rank = RankOf(0);
  TellOfRun(rank, 0, "runtime", "Paraver trace");
  TellOfRun(rank, 0, "dependencies", "not recorded");
  if (header.unix_ns > 0) Tell(0, EventKind::kWallClock, rank, 0, header.unix_ns);
  AddRank(rank);
}

// Ranks are added at their first event: headers may announce millions.
void PrvDecoder::AddRank(uint32_t rank) {
  if (!ranks_.insert(rank).second) return;
  // Programs of one task each are runs, not ranks of one program.
  const size_t ranks = header_.tasks.size();
  const bool are_runs = header_.first_of_application.size() == ranks + 1;
  if (ranks > 1) TellClock(rank, ranks, are_runs);
}

void PrvDecoder::Line(std::string_view line, uint64_t offset) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (communicators_left_ > 0) {
    --communicators_left_;
    if (!line.empty() && (line[0] < '0' || line[0] > '9')) return;
    communicators_left_ = 0;  // the header announced too many
  }
  if (line.empty() || line[0] == '#') return;
  if (!ParsePrvRecord(line, fields_)) return Skip("prv_bad_record", offset);
  switch (fields_[0]) {
    case 1: return StateRecord(offset);
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

// Returns the thread whose "cpu:application:task:thread" begins at `field`, or nullptr.
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
    thread = &threads_.emplace_back();
    thread->rank = RankOf(row);
    thread->tid = static_cast<uint64_t>(number);
    thread->worker = thread->tid - 1;
    thread->task = row;
    AddRank(thread->rank);
    thread->name = sink_.Intern(NameOf(*thread));
    if (cpu > 0 || !header_.has_cpus())
      MakeWorker(*thread, time_ns, cpu);
    else
      MakeMemoryNode(*thread, time_ns);
  }
  known = {key, thread};
  return thread;
}

// Our own files have the rank in the names of rows, because some ranks of a run may have no trace.
void PrvDecoder::NumberRanks() {
  std::vector<uint32_t> ranks;
  for (const PrvHeader::Task& task : header_.tasks) {
    if (task.first_thread >= labels_.threads.size()) return;
    std::string_view name = labels_.threads[task.first_thread];
    uint32_t rank = 0;
    if (!(Take("rank ", name) || Take("run ", name)) || !TakeNumber(name, rank)) return;
    if (!ranks.empty() && (rank <= ranks.back() || rank >= UINT32_MAX - first_rank_)) return;
    ranks.push_back(rank);
  }
  rank_of_task_ = std::move(ranks);
}

uint32_t PrvDecoder::RankOf(size_t task) const {
  return first_rank_ + (rank_of_task_.empty() ? static_cast<uint32_t>(task) : rank_of_task_[task]);
}

std::string PrvDecoder::NameOf(const Thread& thread) const {
  const uint64_t row = header_.tasks[thread.task].first_thread + thread.worker;
  if (row >= labels_.threads.size()) return "thread " + std::to_string(thread.tid);
  std::string_view name = labels_.threads[row];
  // Rows are displayed with the rank or run, so it is removed from the name.
  for (const char* word : {"rank ", "run "}) {
    const std::string prefix = word + std::to_string(thread.rank) + ' ';
    if (header_.tasks.size() > 1 && Take(prefix, name)) break;
  }
  return std::string(name);
}

void PrvDecoder::Announce(Thread& thread, int64_t time_ns) {
  if (thread.is_known) return;
  thread.is_known = true;
  Tell(time_ns, EventKind::kThreadName, thread.rank, thread.tid, thread.name);
}

void PrvDecoder::MakeWorker(Thread& thread, int64_t time_ns, int64_t cpu) {
  thread.is_worker = thread.is_known = true;
  constexpr int64_t kMainMemory = 0;
  TellWorker(thread, time_ns, NameOf(thread), kMainMemory, cpu - 1);
}

// Shows the thread's state again if it lasts on: a running state is hidden by a task or function;
// every other state is nested in it.
void PrvDecoder::ShowStateAgain(Thread& thread, int64_t time_ns) {
  if (thread.shown == Thread::Shown::kNothing || thread.state_end_ns <= time_ns) {
    thread.shown = Thread::Shown::kNothing;
    if (!IsWithin(thread)) SetState(thread, time_ns, StateKind::kNone);
  } else if (!IsWithin(thread)) {
    thread.shown = Thread::Shown::kSet;
    // Work whose task is unknown.
    SetState(thread, time_ns, thread.kind == StateKind::kTask ? StateKind::kExecuting : thread.kind,
             thread.state_name);
  } else if (thread.kind == StateKind::kTask) {
    thread.shown = Thread::Shown::kHidden;
  } else {
    thread.shown = Thread::Shown::kPushed;
    PushState(thread, time_ns, thread.kind, thread.state_name);
  }
}

// Closes the state if it ends by `now_ns`.
void PrvDecoder::CloseState(Thread& thread, int64_t now_ns) {
  if (thread.shown == Thread::Shown::kNothing || thread.state_end_ns > now_ns) return;
  if (thread.shown == Thread::Shown::kPushed)
    Tell(thread.state_end_ns, EventKind::kStatePop, thread.rank, thread.tid);
  else if (thread.shown == Thread::Shown::kSet)
    SetState(thread, thread.state_end_ns, StateKind::kNone);
  thread.shown = Thread::Shown::kNothing;
}

// A task begins or ends: pops the states around the current one, if the sink has them as pushed.
void PrvDecoder::CloseAround(Thread& thread, int64_t time_ns) {
  for (const Thread::Around& state : thread.around)
    if (state.shown == Thread::Shown::kPushed)
      Tell(time_ns, EventKind::kStatePop, thread.rank, thread.tid);
  thread.around.clear();
}

// From now on the thread's state is nested in `depth` others, which the file does not show
// meanwhile.
void PrvDecoder::Nest(Thread& thread, int64_t time_ns, int64_t depth) {
  CloseState(thread, time_ns - 1);
  thread.depth_ns = time_ns;
  for (; thread.depth < depth; ++thread.depth) {
    thread.around.push_back({thread.shown, thread.kind, thread.state_name});
    thread.shown = Thread::Shown::kNothing;
  }
  for (; thread.depth > depth; --thread.depth) {
    thread.state_end_ns = std::min(thread.state_end_ns, time_ns);
    CloseState(thread, time_ns);
    if (thread.around.empty()) continue;
    thread.shown = thread.around.back().shown;
    thread.kind = thread.around.back().kind;
    thread.state_name = thread.around.back().name;
    thread.around.pop_back();
    thread.state_end_ns = thread.restored_ns = time_ns;
  }
}

PrvDecoder::State PrvDecoder::StateOf(int64_t state) {
  const auto [known, is_new] = states_.try_emplace(state, State{StateKind::kUserDefined, 0});
  auto& [kind, name] = known->second;
  if (!is_new) return known->second;
  if (const auto label = labels_.states.find(state); label != labels_.states.end()) {
    // Our own files use our names, whatever their numbers.
    for (const StateDecl& decl : AllStates())
      if (decl.kind != StateKind::kNone && decl.name == label->second) {
        kind = decl.kind;
        return known->second;
      }
    if (!label->second.empty()) name = sink_.Intern(label->second);
  }
  kind = KindOfParaverState(state);
  return known->second;
}

// Creates the row of the record at its beginning.
void PrvDecoder::BeginAt(int64_t time_ns) {
  Thread* const thread = ThreadAt(1, time_ns);
  if (thread == nullptr || thread->is_known) return;
  Announce(*thread, time_ns);
  SetState(*thread, time_ns, StateKind::kNone);
}

void PrvDecoder::StateRecord(uint64_t offset) {
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
  const auto [kind, name] = StateOf(fields_[7]);
  if (thread.shown != Thread::Shown::kNothing && thread.restored_ns == begin_ns &&
      thread.kind == kind && thread.state_name == name) {
    thread.state_end_ns = end_ns;  // the state continues
    thread.restored_ns = -1;
    return;
  }
  CloseState(thread, begin_ns);
  if (thread.shown == Thread::Shown::kPushed)  // it was to last longer
    Tell(begin_ns, EventKind::kStatePop, thread.rank, thread.tid);
  thread.kind = kind;
  thread.state_name = name;
  thread.state_end_ns = end_ns;
  if (!IsWithin(thread) && (!thread.around.empty() || thread.node >= 0)) {
    // Consecutive equal nested states stay separate.
    thread.shown = Thread::Shown::kPushed;
    const bool is_work = kind == StateKind::kTask && name != 0;  // its task is unknown
    return PushState(thread, begin_ns, is_work ? StateKind::kExecuting : kind, name);
  }
  thread.shown = Thread::Shown::kSet;  // set in either branch
  ShowStateAgain(thread, begin_ns);
}

void PrvDecoder::Event(uint64_t offset) {
  if (fields_.size() < 8) return Skip("prv_bad_record", offset);
  if (fields_.size() % 2 != 0) Skip("prv_bad_record", offset);  // all but the last field are valid
  int64_t time_ns = 0;
  if (!Time(fields_[5], time_ns)) return Skip("prv_bad_record", offset);
  // Concerns the run, on whatever row it stands: it creates no row.
  if (fields_.size() == 8 && fields_[6] == kParaverApplication) return;
  Thread* const thread = ThreadAt(1, time_ns);
  if (thread == nullptr) return Skip("prv_bad_object", offset);
  if (thread->start_ns >= 0 && thread->start_ns < time_ns) StartTask(*thread);
  CloseState(*thread, time_ns - 1);  // a state that ends now may continue, see Nest()
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
    case kParaverRepeated: return Role::kRepeated;
    case kParaverDepth: return Role::kDepth;
    case kParaverSiteLine: return Role::kSiteLine;
    case kTaskFunctionLine:
    case kOmpssLine: return Role::kTaskLine;
    case kOmpssTaskId: return Role::kTaskId;
    case kOmpssFunction: return Role::kTaskType;
    case kParaverSiteFunction: return Role::kSiteFunction;
    case kParaverMemoryUsed: return Role::kMemoryUsed;
    case kParaverUserEvent: return Role::kUserEvent;
    default: break;
  }
  if (number >= kParaverPapiPreset && number < kEndOfCounters) return Role::kHardwareCounter;
  if (number == kUserFunctions && labels != nullptr && labels->HasLabels())
    return Role::kUserFunction;
  if (labels == nullptr) return Role::kOther;
  if (ContainsIgnoringCase(labels->label, "task type")) return Role::kTaskType;
  if (ContainsIgnoringCase(labels->label, "task id")) return Role::kTaskId;
  return Role::kOther;
}

const PrvDecoder::Type& PrvDecoder::TypeOf(uint32_t number) {
  const auto [known, is_new] = types_.try_emplace(number, Type{Role::kOther, nullptr});
  Type& type = known->second;
  if (!is_new) return type;
  if (const auto found = labels_.types.find(number); found != labels_.types.end())
    type.labels = &found->second;
  type.role = RoleOf(number, type.labels);
  const bool has_label = type.labels != nullptr && !type.labels->label.empty();
  type.label = sink_.Intern(has_label ? type.labels->label : "event " + std::to_string(number));
  for (uint32_t i = 0; type.labels != nullptr && i < type.labels->precision; ++i) type.unit *= 10;
  return type;
}

void PrvDecoder::Pair(Thread& thread, int64_t time_ns, uint32_t number, int64_t value) {
  const Type& type = TypeOf(number);
  const Thread::Latest latest{time_ns, value};
  switch (type.role) {
    case Role::kIgnored: return;
    case Role::kTaskType: return TaskType(thread, time_ns, type, value);
    case Role::kTaskId: return TaskId(thread, time_ns, value);
    case Role::kUserFunction: return UserFunction(thread, time_ns, type, value);
    // At the end of a task these become 0, too, but are not used then.
    case Role::kIteration: thread.iteration = latest; return;
    case Role::kSubiteration: thread.subiteration = latest; return;
    case Role::kSubmitted: thread.submitted = latest; return;
    case Role::kRepeated: thread.repeated = latest; return;
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
      return Tell(time_ns, EventKind::kUserEvent, thread.rank, thread.tid, value);
    case Role::kHardwareCounter: return HardwareCounter(thread, time_ns, number, type, value);
    case Role::kOther: return Other(thread, time_ns, number, type, value);
  }
}

// Belongs to the task that ends at this moment; otherwise, or in others' files, to the row.
void PrvDecoder::HardwareCounter(Thread& thread, int64_t time_ns, uint32_t number, const Type& type,
                                 int64_t value) {
  const bool of_task = thread.ended_job != 0 && thread.ended_ns == time_ns;
  if (of_task)
    Tell(time_ns, EventKind::kTaskPapi, thread.rank, thread.tid, thread.ended_job,
         PapiCodeOf(number), value);
  if (!is_ours_) return Counter(thread, time_ns, type, value);
  if (!of_task) diags_.Skip("prv_hardware_counter", path_);
}

void PrvDecoder::Counter(Thread& thread, int64_t time_ns, const Type& type, int64_t value) {
  Announce(thread, time_ns);
  Tell(time_ns, EventKind::kCounterValue, thread.rank, thread.tid, type.label,
       FromDouble(static_cast<double>(value) / type.unit));
}

// An event with a label becomes "label of the type: label of the value", any other a number.
void PrvDecoder::Other(Thread& thread, int64_t time_ns, uint32_t number, const Type& type,
                       int64_t value) {
  const bool is_text = number == kParaverMessage;
  const std::string* label = nullptr;
  if (type.labels != nullptr && (is_text || type.labels->HasLabels()))
    label = type.labels->LabelOf(value);
  if (label == nullptr && !is_text) return Counter(thread, time_ns, type, value);
  const auto [text, is_new] = texts_[number].try_emplace(value, 0);
  if (is_new) {
    std::string words;
    if (!is_text) words = type.labels->label + ": ";
    words += label != nullptr ? *label : std::to_string(value);
    text->second = sink_.Intern(words);
  }
  Announce(thread, time_ns);
  Tell(time_ns, EventKind::kThreadMessage, thread.rank, thread.tid, text->second);
}

// --- Functions ---

// A value enters a function, 0 leaves it.
void PrvDecoder::UserFunction(Thread& thread, int64_t time_ns, const Type& type, int64_t value) {
  if (value == 0 && thread.functions.empty()) return;
  CloseState(thread, time_ns);
  StartTask(thread);
  Announce(thread, time_ns);
  if (thread.shown == Thread::Shown::kPushed)
    Tell(time_ns, EventKind::kStatePop, thread.rank, thread.tid);
  if (value != 0) {
    const std::string* label = type.labels != nullptr ? type.labels->LabelOf(value) : nullptr;
    thread.functions.push_back(
        sink_.Intern(label != nullptr ? *label : "function " + std::to_string(value)));
    ShowFunctions(thread, time_ns, thread.functions.size() - 1);
  } else {
    thread.functions.pop_back();
    if (IsWithin(thread)) Tell(time_ns, EventKind::kStatePop, thread.rank, thread.tid);
  }
  ShowStateAgain(thread, time_ns);
}

// Pushes the functions from `from` on onto those below them.
void PrvDecoder::ShowFunctions(const Thread& thread, int64_t time_ns, size_t from) {
  for (size_t i = from; i < thread.functions.size(); ++i) {
    if (i == 0 && thread.job == 0)
      SetState(thread, time_ns, StateKind::kUserDefined, thread.functions[i]);
    else
      PushState(thread, time_ns, StateKind::kUserDefined, thread.functions[i]);
  }
}

// If its row says so, makes the thread a memory node. All of its states are the node's.
void PrvDecoder::MakeMemoryNode(Thread& thread, int64_t time_ns) {
  const std::string row = NameOf(thread);
  std::string_view name = row;
  uint32_t node = 0;
  if (!Take(kParaverMemoryNode, name) || !TakeNumber(name, node)) return;
  if (!name.empty() && !Take(": ", name)) return;
  if (!nodes_.insert(uint64_t{thread.rank} << 32 | node).second) return;
  thread.node = node;
  thread.is_known = true;
  Tell(time_ns, EventKind::kMemoryNodeNew, thread.rank, 0, node, sink_.Intern(name));
  Tell(time_ns, EventKind::kMemoryNodeThread, thread.rank, thread.tid, node);
}

// Returns its number.
uint32_t PrvDecoder::MemoryNode(const Thread& thread, int64_t time_ns) {
  if (thread.node >= 0) return static_cast<uint32_t>(thread.node);
  if (nodes_.insert(uint64_t{thread.rank} << 32 | thread.tid).second)
    Tell(time_ns, EventKind::kMemoryNodeNew, thread.rank, 0, thread.tid, thread.name);
  return static_cast<uint32_t>(thread.tid);
}

void PrvDecoder::Communication(uint64_t offset) {
  if (fields_.size() != 15) return Skip("prv_bad_record", offset);
  int64_t logical_send_ns = 0, send_ns = 0, logical_receive_ns = 0, receive_ns = 0;
  if (!Time(fields_[5], logical_send_ns) || !Time(fields_[6], send_ns) ||
      !Time(fields_[11], logical_receive_ns) || !Time(fields_[12], receive_ns) || fields_[13] < 0)
    return Skip("prv_bad_record", offset);
  Thread* sender = ThreadAt(1, logical_send_ns);
  Thread* receiver = ThreadAt(7, logical_send_ns);
  if (sender == nullptr || receiver == nullptr) return Skip("prv_bad_object", offset);
  const int64_t size = fields_[13], tag = fields_[14];
  // Delivered without a thread, because the two ends of a record are not in order of time.
  constexpr uint64_t kNoThread = 0;
  // In our own files the rows say whether they are nodes.
  const bool on_cpus = is_ours_ || !header_.has_cpus() || (fields_[1] > 0 && fields_[7] > 0);
  const bool of_nodes = sender->node >= 0 || receiver->node >= 0 || !on_cpus;
  if (sender->rank != receiver->rank || sender == receiver || !of_nodes) {
    Announce(*sender, logical_send_ns);
    Announce(*receiver, logical_send_ns);
    return Tell(logical_send_ns, EventKind::kWholeMessage, sender->rank, kNoThread, sender->tid,
                receiver->rank, receiver->tid, tag, size, send_ns - logical_send_ns,
                logical_receive_ns - logical_send_ns, receive_ns - logical_send_ns);
  }
  constexpr int64_t kReasons = 4;  // our own tags: enum CopyReason, and 1
  const int64_t reason = tag >= 1 && tag <= kReasons ? tag - 1 : 0;
  const uint32_t source = MemoryNode(*sender, send_ns), target = MemoryNode(*receiver, send_ns);
  TellCopy(sender->rank, source, target, send_ns, receive_ns, static_cast<uint64_t>(size), reason);
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
  TellOfRun(RankOf(0), end_ns, "trace_end_ns", std::to_string(end_ns));
}

}  // namespace tasklens
