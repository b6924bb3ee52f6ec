// SPDX-License-Identifier: Apache-2.0
// Translates StarPU's FxT events: see fxt_events.h. The table is at the end.
#include "converters/readers/fxt_events.h"

#include <algorithm>
#include <utility>

#include "converters/readers/fxt_decoder.h"
#include "converters/starpu_versions.h"

namespace tasklens {
namespace {

using Kind = EventKind;

// --- Parameters ----------------------------------------------------------------------------------
// A record that is too short for its dialect reads as zero beyond its end.

uint64_t Number(const FxtRecord& r, size_t i) { return i < r.params ? r[i] : 0; }
// Signed parameters are an int or a long of the machine that wrote them.
uint64_t Signed(const FxtRecord& r, size_t i) {
  const uint64_t value = Number(r, i);
  if (r.raw_word_bytes == 8) return value;
  return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(value)));
}
uint64_t Int(const FxtRecord& r, size_t i) {
  return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(Number(r, i))));
}
uint64_t Unsigned32(const FxtRecord& r, size_t i) { return static_cast<uint32_t>(Number(r, i)); }

// How to get one argument of our event from the record.
struct Arg {
  enum Type { kNumber, kSigned, kInt, kUnsigned32, kText, kConstant } type;
  uint32_t value;  // the parameter's index, or the constant
};
consteval Arg N(uint32_t i) { return {Arg::kNumber, i}; }
consteval Arg L(uint32_t i) { return {Arg::kSigned, i}; }
consteval Arg I(uint32_t i) { return {Arg::kInt, i}; }
consteval Arg U(uint32_t i) { return {Arg::kUnsigned32, i}; }
consteval Arg Is(uint32_t value) { return {Arg::kConstant, value}; }
inline constexpr Arg kText = {Arg::kText, 0};

template <Arg A>
uint64_t Value(FxtDecoder& d, const FxtRecord& r) {
  if constexpr (A.type == Arg::kNumber) return Number(r, A.value);
  if constexpr (A.type == Arg::kSigned) return Signed(r, A.value);
  if constexpr (A.type == Arg::kInt) return Int(r, A.value);
  if constexpr (A.type == Arg::kUnsigned32) return Unsigned32(r, A.value);
  if constexpr (A.type == Arg::kText) return d.Text(r);
  if constexpr (A.type == Arg::kConstant) return A.value;
}

// --- Handlers by pattern -------------------------------------------------------------------------
// Each is a function, and a template of the same name for the table with the kinds that it sends.

template <Kind... Kinds>
inline constexpr Kind kKinds[] = {Kinds...};
template <Kind... Kinds>
constexpr FxtRow::Handler Only(FxtRow::Function function) {
  return {function, kKinds<Kinds...>};
}
constexpr FxtRow::Handler States(FxtRow::Function function) {
  return Only<Kind::kStateSet, Kind::kStatePush, Kind::kStatePop>(function);
}

constexpr int kNoThread = -1;  // no parameter names the thread

template <int Thread>
uint64_t Tid(FxtDecoder& d, const FxtRecord& r) {
  if constexpr (Thread == kNoThread) return d.header_tid();
  return Number(r, Thread);
}

// Threads that are not workers use worker number -1.
bool IsNoWorker(uint64_t worker) { return static_cast<int32_t>(worker) == -1; }

// One event, each argument from one parameter.
template <Kind K, int Thread, Arg... Args>
void DoMap(FxtDecoder& d, const FxtRecord& r) {
  d.Emit(K, Tid<Thread>(d, r), Value<Args>(d, r)...);
}
template <Kind K, int Thread, Arg... Args>
inline constexpr FxtRow::Handler Map = Only<K>(DoMap<K, Thread, Args...>);

// The same, on the thread of worker `Worker`.
template <Kind K, int Worker, Arg... Args>
void DoMapWorker(FxtDecoder& d, const FxtRecord& r) {
  if (IsNoWorker(Number(r, Worker))) return;
  d.Emit(K, d.TidOfWorker(Number(r, Worker)), Value<Args>(d, r)...);
}
template <Kind K, int Worker, Arg... Args>
inline constexpr FxtRow::Handler MapWorker = Only<K>(DoMapWorker<K, Worker, Args...>);

template <StateKind S, int Thread>
void DoSet(FxtDecoder& d, const FxtRecord& r) {
  d.EmitState(Kind::kStateSet, Tid<Thread>(d, r), S);
}
template <StateKind S, int Thread>
inline constexpr FxtRow::Handler Set = States(DoSet<S, Thread>);
template <StateKind S, int Thread>
void DoPush(FxtDecoder& d, const FxtRecord& r) {
  d.EmitState(Kind::kStatePush, Tid<Thread>(d, r), S);
}
template <StateKind S, int Thread>
inline constexpr FxtRow::Handler Push = States(DoPush<S, Thread>);
template <int Thread>
void DoPop(FxtDecoder& d, const FxtRecord& r) {
  d.Emit(Kind::kStatePop, Tid<Thread>(d, r));
}
template <int Thread>
inline constexpr FxtRow::Handler Pop = States(DoPop<Thread>);

// A state between two tasks for a worker; for any other thread, a state within another one (waiting
// for data, for example). Ends are more frequent than beginnings.
template <StateKind S, int Thread>
void DoEnter(FxtDecoder& d, const FxtRecord& r) {
  const uint64_t tid = Tid<Thread>(d, r);
  const bool is_worker = d.IsWorkerThread(tid);
  if (!is_worker) ++d.entered()[tid];
  d.EmitState(is_worker ? Kind::kStateSet : Kind::kStatePush, tid, S);
}
template <StateKind S, int Thread>
inline constexpr FxtRow::Handler Enter = States(DoEnter<S, Thread>);
template <int Thread>
void DoLeave(FxtDecoder& d, const FxtRecord& r) {
  const uint64_t tid = Tid<Thread>(d, r);
  if (d.IsWorkerThread(tid)) return d.EmitState(Kind::kStateSet, tid, StateKind::kOverhead);
  const auto entered = d.entered().find(tid);
  if (entered == d.entered().end() || entered->second == 0) return;
  --entered->second;
  d.Emit(Kind::kStatePop, tid);
}
template <int Thread>
inline constexpr FxtRow::Handler Leave = States(DoLeave<Thread>);

// Communication states. The MPI thread changes from one to the next; any other thread that waits
// for a message enters the state within another one.
template <StateKind S, int Thread>
void DoCommBegin(FxtDecoder& d, const FxtRecord& r) {
  const uint64_t tid = Tid<Thread>(d, r);
  d.EmitState(d.IsMpiThread(tid) ? Kind::kStateSet : Kind::kStatePush, tid, S);
}
template <StateKind S, int Thread>
inline constexpr FxtRow::Handler CommBegin = States(DoCommBegin<S, Thread>);
template <StateKind Next, int Thread>
void DoCommEnd(FxtDecoder& d, const FxtRecord& r) {
  const uint64_t tid = Tid<Thread>(d, r);
  if (d.IsMpiThread(tid))
    d.EmitState(Kind::kStateSet, tid, Next);
  else
    d.Emit(Kind::kStatePop, tid);
}
template <StateKind Next, int Thread>
inline constexpr FxtRow::Handler CommEnd = States(DoCommEnd<Next, Thread>);

// --- Handlers of their own: the machine ----------------------------------------------------------

WorkerArch ArchOf(FxtDialect dialect, uint64_t kind) {
  constexpr uint64_t kBase = 0x100;
  if (kind < kBase) return WorkerArch::kUnknown;
  uint64_t arch = kind - kBase;
  if (dialect == FxtDialect::k13) {
    // The first kind was APPS; MIC (4) and SCC (5) preceded MPI_MS.
    if (arch == 0 || arch == 4 || arch == 5) return WorkerArch::kUnknown;
    if (arch == 6) return WorkerArch::kMpiMs;
    --arch;
  }
  switch (static_cast<WorkerArch>(arch < 0xff ? arch : 0xff)) {
    case WorkerArch::kCpu: return WorkerArch::kCpu;
    case WorkerArch::kCuda: return WorkerArch::kCuda;
    case WorkerArch::kOpencl: return WorkerArch::kOpencl;
    case WorkerArch::kMaxFpga: return WorkerArch::kMaxFpga;
    case WorkerArch::kMpiMs: return WorkerArch::kMpiMs;
    case WorkerArch::kTcpipMs: return WorkerArch::kTcpipMs;
    case WorkerArch::kHip: return WorkerArch::kHip;
    default: return WorkerArch::kUnknown;
  }
}

// kind, worker, device, memory node, cpu, sync, tid
void WorkerInitStart(FxtDecoder& d, const FxtRecord& r) {
  const WorkerArch arch = ArchOf(d.dialect(), r[0]);
  const uint64_t tid = r[6];
  const bool sync = r[5] != 0;
  const StringId name = d.AddWorker(r[1], arch, static_cast<int32_t>(Int(r, 2)), tid, sync);
  d.Emit(Kind::kWorkerNew, tid, Unsigned32(r, 1), static_cast<uint64_t>(arch), Int(r, 2),
         Unsigned32(r, 3), Int(r, 4), sync, name);
}

// mask, tid. With only META left, recording is off, but such events are still written.
void KeyChange(FxtDecoder& d, const FxtRecord& r) {
  constexpr uint64_t kMeta = 1;
  if ((r[0] & ~kMeta) == 0)
    d.Emit(Kind::kTracingStop, Number(r, 1));
  else
    d.Emit(Kind::kTracingStart, Number(r, 1), r[0]);
}

// --- Tasks ---------------------------------------------------------------------------------------

// Whether the record means that a worker executes a task. StarPU after 1.4 also writes it for tasks
// without codelet or without execution, from any thread; parameter `flag` says so.
bool IsExecution(const FxtDecoder& d, const FxtRecord& r, size_t worker, size_t flag) {
  if (IsNoWorker(r[worker])) return false;
  return d.dialect() != FxtDialect::kMaster || Number(r, flag) == 0;
}

// StarPU 1.4 writes worker 0 for every bubble, while a submitting thread turns it into tasks. That
// worker's own job is kept meanwhile, because descriptions of data carry no job.
bool IsBubble(FxtDecoder& d, uint64_t job) {
  return d.dialect() == FxtDialect::k14 && !d.bubbles().empty() && d.bubbles().contains(job);
}

void StartCodeletBody(FxtDecoder& d, const FxtRecord& r) {
  if (!IsExecution(d, r, 2, 5)) return;
  const uint64_t job = r[0];
  if (IsBubble(d, job)) {
    if (FxtDecoder::Worker* worker = d.FindWorker(r[2]))
      worker->interrupted = std::exchange(worker->job, job);
    return;
  }
  uint64_t tid = d.TidOfWorker(r[2]);
  if (FxtDecoder::Worker* worker = d.FindWorker(r[2])) worker->job = job;
  if (d.dialect() == FxtDialect::kMaster) tid = Number(r, 4);
  if (d.dialect() == FxtDialect::k13 && Number(r, 4) != 0)
    d.Emit(Kind::kTaskName, tid, job, d.Text(r));
  d.Emit(Kind::kTaskStart, tid, job, Unsigned32(r, 2), Unsigned32(r, 3), Unsigned32(r, 1));
}

void EndCodeletBody(FxtDecoder& d, const FxtRecord& r) {
  if (!IsExecution(d, r, 3, 5)) return;
  FxtDecoder::Worker* const worker = d.FindWorker(r[3]);
  if (IsBubble(d, r[0])) {
    if (worker != nullptr && worker->job == r[0]) worker->job = worker->interrupted;
    return;
  }
  if (worker != nullptr) worker->job = 0;
  d.Emit(Kind::kTaskEnd, r[4], r[0], Unsigned32(r, 3), r[1], r[2], d.Text(r));
}

// worker [, tid], description
void CodeletData(FxtDecoder& d, const FxtRecord& r) {
  const FxtDecoder::Worker* worker = d.FindWorker(r[0]);
  if (worker == nullptr) return;
  if (worker->job == 0) {
    d.Skip("fxt_orphan_parameter");
    return;
  }
  if (d.Wants(Kind::kTaskParameter))
    d.Emit(Kind::kTaskParameter, worker->tid, worker->job, d.Text(r));
}

// StarPU divides the flops by 1000, and by the number of workers of a parallel task, before it
// writes them.
void CodeletDetails(FxtDecoder& d, const FxtRecord& r) {
  const double flops = static_cast<double>(r[3]) * 1000;
  const uint64_t tid = d.dialect() == FxtDialect::kMaster ? Number(r, 7) : d.TidOfWorker(r[5]);
  d.Emit(Kind::kTaskDetails, tid, r[6], r[1], r[2], r[4], FromDouble(flops));
}

// tid [, job]
template <StateKind S>
void Executing(FxtDecoder& d, const FxtRecord& r) {
  // A worker with a thread of its own shows the state of its task instead.
  if (d.IsDeviceThread(r[0])) d.EmitState(Kind::kStateSet, r[0], S);
}

// StarPU 1.3 writes an address if it knows no name.
bool IsAddress(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < ' ' || c >= 0x7f; });
}

// job [, tid], name
void TaskName(FxtDecoder& d, const FxtRecord& r) {
  const bool old = d.dialect() == FxtDialect::k13;
  if (old && r.params == 2 && IsAddress(r.Text(1))) return;
  d.Emit(Kind::kTaskName, old ? d.header_tid() : Number(r, 1), r[0], d.Text(r));
}

// job [, tid], name
void ModelName(FxtDecoder& d, const FxtRecord& r) {
  const bool old = d.dialect() == FxtDialect::k13;
  d.Emit(Kind::kTaskModel, old ? d.header_tid() : Number(r, 1), r[0], d.Text(r));
}

// pred, succ, type of succ, has_label, label
void TaskDeps(FxtDecoder& d, const FxtRecord& r) {
  const StringId label = r[3] != 0 ? d.Text(r) : 0;
  d.Emit(Kind::kTaskDep, d.header_tid(), r[0], r[1], Unsigned32(r, 2), label);
}

// In StarPU after 1.4 this is the address of a variable with the tag.
void Tag(FxtDecoder& d, const FxtRecord& r) {
  if (d.dialect() == FxtDialect::kMaster) return d.MeetUnknownTag();
  d.Emit(Kind::kTaskTag, d.header_tid(), r[0], r[1]);
}
void TagDeps(FxtDecoder& d, const FxtRecord& r) {
  if (d.dialect() == FxtDialect::kMaster) return d.MeetUnknownTag();
  d.Emit(Kind::kTagDep, d.header_tid(), r[0], r[1]);
}

void TagDone(FxtDecoder& d, const FxtRecord& r) {
  d.Emit(Kind::kTagDone, r[1], r[0], r[2] != 0 ? d.Text(r) : 0);
}

// StarPU 1.3 had another event with this number.
void NumaAccessOrUserStart(FxtDecoder& d, const FxtRecord& r) {
  if (d.dialect() == FxtDialect::k13)
    d.EmitState(Kind::kStatePush, r[0], StateKind::kUserDefined);
  else
    d.Emit(Kind::kTaskNuma, d.header_tid(), r[0], Unsigned32(r, 1), Signed(r, 2));
}

// job, is_recursive, parent
void Bubble(FxtDecoder& d, const FxtRecord& r) {
  if (Unsigned32(r, 1) != 0) d.bubbles().insert(r[0]);
  d.Emit(Kind::kTaskParent, d.header_tid(), r[0], Unsigned32(r, 1), Number(r, 2));
}

// Written at every submission, mostly of tasks outside of any recursive task.
void RecursiveSubmit(FxtDecoder& d, const FxtRecord& r) {
  const uint64_t level = Unsigned32(r, 1), parent = r[2];
  if (level != 0) d.Emit(Kind::kTaskLevel, d.header_tid(), r[0], level);
  if (parent != 0) d.Emit(Kind::kTaskParent, d.header_tid(), r[0], 0, parent);
}

void StartFlush(FxtDecoder& d, const FxtRecord&) {
  d.BeginFlush();
  d.Emit(Kind::kFlushStart, d.header_tid());
}
void StopFlush(FxtDecoder& d, const FxtRecord&) {
  d.EndFlush();
  d.Emit(Kind::kFlushEnd, d.header_tid());
}

// --- Data ----------------------------------------------------------------------------------------

void DataRegister(FxtDecoder& d, const FxtRecord& r) {
  const bool old = d.dialect() == FxtDialect::k13;
  const uint64_t max_size = old ? ~uint64_t{0} : Signed(r, 2);
  const uint64_t home = Int(r, old ? 2 : 3);
  const uint64_t parent = d.dialect() == FxtDialect::kMaster ? Number(r, 4) : 0;
  d.Emit(Kind::kDataNew, d.header_tid(), r[0], r[1], max_size, home, parent, d.Text(r));
}

// handle, count, values...
void DataCoordinates(FxtDecoder& d, const FxtRecord& r) {
  std::array<uint64_t, kMaxArgs> args{r[0]};
  const size_t count =
      std::min({static_cast<uint64_t>(r.params) - 2, r[1], uint64_t{kMaxArgs - 1}});
  for (size_t i = 0; i < count; ++i) args[1 + i] = Int(r, 2 + i);
  // An event must have at least its declared arguments.
  d.EmitSpan(Kind::kDataCoordinates, d.header_tid(), {args.data(), 1 + std::max<size_t>(count, 1)});
}

// The record does not name the node.
void DoingWontUse(FxtDecoder& d, const FxtRecord& r) {
  constexpr uint64_t kUnknownNode = 0xffffffff;
  d.Emit(Kind::kMemoryOpStart, d.header_tid(), kUnknownNode,
         static_cast<uint64_t>(MemoryOp::kWontUse), 0, r[0], 0);
}

template <MemoryOp Op>
inline constexpr Arg kOp = {Arg::kConstant, static_cast<uint32_t>(Op)};
template <DataCopyState State>
inline constexpr Arg kCopyState = {Arg::kConstant, static_cast<uint32_t>(State)};

// --- MPI -----------------------------------------------------------------------------------------

// -1 means no job.
uint64_t JobAt(const FxtRecord& r, size_t i) {
  const uint64_t job = Signed(r, i);
  return job == ~uint64_t{0} ? 0 : job;
}

void MpiStart(FxtDecoder& d, const FxtRecord& r) {
  d.SetMpiThread(r[2]);
  d.Emit(Kind::kMpiStart, r[2], Unsigned32(r, 0), Unsigned32(r, 1));
}

void MpiBarrier(FxtDecoder& d, const FxtRecord& r) {
  const bool old = d.dialect() == FxtDialect::k13;
  d.Emit(Kind::kMpiBarrier, Number(r, old ? 3 : 4), Unsigned32(r, 0), Unsigned32(r, 1), r[2],
         old ? 0 : r[3]);
}

uint64_t MessageTypeOf(uint64_t type) {
  constexpr uint64_t kPointToPoint = 0x100, kCollective = 0x101;
  if (type == kPointToPoint) return static_cast<uint64_t>(MessageType::kPointToPoint);
  if (type == kCollective) return static_cast<uint64_t>(MessageType::kCollective);
  return static_cast<uint64_t>(MessageType::kUnknown);
}

// After 1.4 there is a second job, which waits for the message.
void IsendSubmitEnd(FxtDecoder& d, const FxtRecord& r) {
  uint64_t tid;
  if (d.dialect() == FxtDialect::k13) {
    tid = r[4];
    d.Emit(Kind::kMpiSend, tid, Int(r, 0), Signed(r, 1), r[2],
           static_cast<uint64_t>(MessageType::kUnknown), r[3], 0, 0);
  } else {
    const bool is_master = d.dialect() == FxtDialect::kMaster;
    const size_t handle = is_master ? 6 : 5;
    tid = Number(r, handle + 2);
    d.Emit(Kind::kMpiSend, tid, Int(r, 1), Signed(r, 2), r[3], MessageTypeOf(r[0]), JobAt(r, 4),
           Number(r, handle), Int(r, handle + 1));
    const uint64_t after = is_master ? JobAt(r, 5) : 0;
    if (after != 0) d.Emit(Kind::kMpiAfterSend, tid, Int(r, 1), Signed(r, 2), after);
  }
  if (d.IsMpiThread(tid))
    d.EmitState(Kind::kStateSet, tid, StateKind::kCommProcessing);
  else
    d.Emit(Kind::kStatePop, tid);
}

// After 1.4 there is a first job, for which the message waits.
void IrecvTerminated(FxtDecoder& d, const FxtRecord& r) {
  if (d.dialect() != FxtDialect::kMaster)
    return d.Emit(Kind::kMpiReceived, r[3], Int(r, 0), Signed(r, 1), JobAt(r, 2), Number(r, 4));
  const uint64_t tid = Number(r, 5), before = JobAt(r, 2);
  d.Emit(Kind::kMpiReceived, tid, Int(r, 0), Signed(r, 1), JobAt(r, 3), Number(r, 4));
  if (before != 0) d.Emit(Kind::kMpiBeforeReceive, tid, Int(r, 0), Signed(r, 1), before);
}

// --- The table -----------------------------------------------------------------------------------

constexpr FxtRow::Handler kIgnored = {};
using S = StateKind;

// clang-format off
constexpr FxtRow kRows[] = {
    // FxT's own events.
    {0x0320, "ADDRESS", kIgnored},  // of a function, for FxT's own tools

    // The machine, tasks, data and the scheduler.
    {0x5100, "WORKER_INIT_START", WorkerInitStart},
    {0x5101, "WORKER_INIT_END", Map<Kind::kWorkerReady, 0, U(1)>},
    {0x5102, "START_CODELET_BODY", StartCodeletBody},
    {0x5103, "END_CODELET_BODY", EndCodeletBody},
    {0x5104, "JOB_PUSH", Map<Kind::kTaskReady, 2, N(0), I(1)>},
    {0x5105, "JOB_POP", Map<Kind::kTaskPop, 2, N(0), I(1)>},
    {0x5106, "UPDATE_TASK_CNT", Map<Kind::kTaskCount, 1>},
    {0x5107, "START_FETCH_INPUT_ON_TID", Enter<S::kFetchingInput, 1>},
    {0x5108, "END_FETCH_INPUT_ON_TID", Leave<1>},
    {0x5109, "START_PUSH_OUTPUT_ON_TID", Enter<S::kPushingOutput, 1>},
    {0x5110, "END_PUSH_OUTPUT_ON_TID", Leave<1>},
    {0x5111, "TAG", Tag},
    {0x5112, "TAG_DEPS", TagDeps},
    {0x5113, "TASK_DEPS", Only<Kind::kTaskDep>(TaskDeps)},
    {0x5114, "DATA_COPY", Map<Kind::kDataCopied, kNoThread, U(0), U(1), N(2)>},
    {0x5115, "WORK_STEALING", MapWorker<Kind::kSteal, 0, U(0), U(1)>},
    {0x5116, "WORKER_DEINIT_START", Map<Kind::kWorkerStop, 0>},
    {0x5117, "WORKER_DEINIT_END", Map<Kind::kWorkerGone, 1>},
    {0x5118, "WORKER_SLEEP_START", Set<S::kSleeping, 0>},
    {0x5119, "WORKER_SLEEP_END", Set<S::kOverhead, 0>},
    {0x511a, "TASK_SUBMIT", Map<Kind::kTaskSubmit, 6, N(0), N(3), I(1), I(2), I(4), U(5)>},
    {0x511b, "CODELET_DATA_HANDLE", Map<Kind::kTaskAccess, kNoThread, N(0), N(1), N(2), U(3)>},
    {0x511c, "MODEL_NAME", Only<Kind::kTaskModel>(ModelName)},
    {0x511d, "DATA_NAME", Map<Kind::kDataName, kNoThread, N(0), kText>},
    {0x511e, "DATA_COORDINATES", Only<Kind::kDataCoordinates>(DataCoordinates)},
    {0x511f, "HANDLE_DATA_UNREGISTER", Map<Kind::kDataDelete, kNoThread, N(0)>},
    {0x5120, "CODELET_DATA_HANDLE_NUMA_ACCESS", NumaAccessOrUserStart},
    {0x5121, "USER_DEFINED_END", Pop<0>},
    {0x5122, "NEW_MEM_NODE", Map<Kind::kMemoryNodeNew, 1, U(0), Is(0)>},
    {0x5123, "START_CALLBACK", Push<S::kCallback, 1>},
    {0x5124, "END_CALLBACK", Pop<1>},
    {0x5125, "TASK_DONE", Map<Kind::kTaskDone, 1, N(0)>},
    {0x5126, "TAG_DONE", Only<Kind::kTagDone>(TagDone)},
    {0x5127, "START_ALLOC", Map<Kind::kMemoryOpStart, 1, U(0), kOp<MemoryOp::kAllocate>, N(2), N(3), U(4)>},
    {0x5128, "END_ALLOC", Map<Kind::kMemoryOpEnd, 1, U(0), kOp<MemoryOp::kAllocate>, N(3), N(2)>},
    {0x5129, "START_ALLOC_REUSE", Map<Kind::kMemoryOpStart, 1, U(0), kOp<MemoryOp::kAllocateReuse>, N(2), N(3), U(4)>},
    {0x512a, "USED_MEM", Map<Kind::kMemoryUsed, 2, U(0), N(1)>},
    {0x512b, "TASK_NAME", Only<Kind::kTaskName>(TaskName)},
    {0x512c, "DATA_WONT_USE", Map<Kind::kDataWontUse, 3, N(0), N(1), N(2)>},
    {0x512d, "TASK_COLOR", Map<Kind::kTaskColor, kNoThread, N(0), U(1)>},
    {0x512e, "DATA_DOING_WONT_USE", Only<Kind::kMemoryOpStart>(DoingWontUse)},
    {0x512f, "TASK_LINE", Map<Kind::kTaskSite, kNoThread, N(0), U(1), kText, Is(0)>},
    {0x5130, "END_ALLOC_REUSE", Map<Kind::kMemoryOpEnd, 1, U(0), kOp<MemoryOp::kAllocateReuse>, N(3), N(2)>},
    {0x5131, "START_MEMRECLAIM", Map<Kind::kMemoryOpStart, 2, U(0), kOp<MemoryOp::kReclaim>, Is(0), Is(0), U(1)>},
    {0x5132, "END_MEMRECLAIM", Map<Kind::kMemoryOpEnd, 2, U(0), kOp<MemoryOp::kReclaim>, Is(0), Is(0)>},
    {0x5133, "START_DRIVER_COPY", Map<Kind::kCopyStart, kNoThread, U(0), U(1), N(2), N(3), U(4), N(5)>},
    {0x5134, "END_DRIVER_COPY", Map<Kind::kCopyEnd, kNoThread, U(0), U(1), N(2), N(3), U(4)>},
    {0x5135, "START_DRIVER_COPY_ASYNC", Map<Kind::kCopySubmitStart, kNoThread, U(0), U(1)>},
    {0x5136, "END_DRIVER_COPY_ASYNC", Map<Kind::kCopySubmitEnd, kNoThread, U(0), U(1)>},
    {0x5137, "START_PROGRESS_ON_TID", Enter<S::kProgressing, 1>},
    {0x5138, "END_PROGRESS_ON_TID", Leave<1>},
    {0x5139, "USER_EVENT", Map<Kind::kUserEvent, 1, N(0)>},
    {0x513a, "SET_PROFILING", Map<Kind::kProfiling, 1, U(0)>},
    {0x513b, "TASK_WAIT_FOR_ALL", kIgnored},  // no version emits it
    {0x513c, "EVENT", Map<Kind::kMessage, kNoThread, kText>},
    {0x513d, "THREAD_EVENT", Map<Kind::kThreadMessage, 0, kText>},
    {0x513e, "CODELET_DETAILS", Only<Kind::kTaskDetails>(CodeletDetails)},
    {0x513f, "CODELET_DATA", CodeletData},

    // Locks, written only by a StarPU that was built to debug itself.
    {0x5140, "LOCKING_MUTEX", kIgnored},
    {0x5141, "MUTEX_LOCKED", kIgnored},
    {0x5142, "UNLOCKING_MUTEX", kIgnored},
    {0x5143, "MUTEX_UNLOCKED", kIgnored},
    {0x5144, "TRYLOCK_MUTEX", kIgnored},
    {0x5145, "RDLOCKING_RWLOCK", kIgnored},
    {0x5146, "RWLOCK_RDLOCKED", kIgnored},
    {0x5147, "WRLOCKING_RWLOCK", kIgnored},
    {0x5148, "RWLOCK_WRLOCKED", kIgnored},
    {0x5149, "UNLOCKING_RWLOCK", kIgnored},
    {0x514a, "RWLOCK_UNLOCKED", kIgnored},
    {0x514b, "LOCKING_SPINLOCK", kIgnored},
    {0x514c, "SPINLOCK_LOCKED", kIgnored},
    {0x514d, "UNLOCKING_SPINLOCK", kIgnored},
    {0x514e, "SPINLOCK_UNLOCKED", kIgnored},
    {0x514f, "TRYLOCK_SPINLOCK", kIgnored},
    {0x5150, "COND_WAIT_BEGIN", kIgnored},
    {0x5151, "COND_WAIT_END", kIgnored},

    {0x5152, "MEMORY_FULL", Map<Kind::kMemoryFull, 1, N(0)>},
    {0x5153, "DATA_LOAD", MapWorker<Kind::kDataLoad, 0, U(0), N(1)>},
    {0x5154, "START_UNPARTITION_ON_TID", Enter<S::kUnpartitioning, 1>},
    {0x5155, "END_UNPARTITION_ON_TID", Leave<1>},
    {0x5156, "START_FREE", Map<Kind::kMemoryOpStart, 1, U(0), kOp<MemoryOp::kFree>, N(2), N(3), Is(0)>},
    {0x5157, "END_FREE", Map<Kind::kMemoryOpEnd, 1, U(0), kOp<MemoryOp::kFree>, Is(0), N(2)>},
    {0x5158, "START_WRITEBACK", Map<Kind::kMemoryOpStart, 1, U(0), kOp<MemoryOp::kWriteBack>, Is(0), N(2), Is(0)>},
    {0x5159, "END_WRITEBACK", Map<Kind::kMemoryOpEnd, 1, U(0), kOp<MemoryOp::kWriteBack>, Is(0), N(2)>},
    {0x515a, "SCHED_COMPONENT_PUSH_PRIO", kIgnored},  // a queue's length
    {0x515b, "SCHED_COMPONENT_POP_PRIO", kIgnored},
    {0x515c, "START_WRITEBACK_ASYNC", Map<Kind::kMemoryOpStart, 1, U(0), kOp<MemoryOp::kWriteBackAsync>, Is(0), Is(0), Is(0)>},
    {0x515d, "END_WRITEBACK_ASYNC", Map<Kind::kMemoryOpEnd, 1, U(0), kOp<MemoryOp::kWriteBackAsync>, Is(0), Is(0)>},
    {0x5160, "HYPERVISOR_BEGIN", Push<S::kHypervisor, 0>},
    {0x5161, "HYPERVISOR_END", Pop<0>},
    {0x5162, "BARRIER_WAIT_BEGIN", kIgnored},
    {0x5163, "BARRIER_WAIT_END", kIgnored},
    {0x5164, "WORKER_SCHEDULING_START", Set<S::kScheduling, 0>},
    {0x5165, "WORKER_SCHEDULING_END", Set<S::kOverhead, 0>},
    {0x5166, "WORKER_SCHEDULING_PUSH", Push<S::kScheduling, 0>},
    {0x5167, "WORKER_SCHEDULING_POP", Pop<0>},
    {0x5168, "START_EXECUTING", Only<Kind::kStateSet>(Executing<S::kExecuting>)},
    {0x5169, "END_EXECUTING", Only<Kind::kStateSet>(Executing<S::kOverhead>)},
    {0x516a, "SCHED_COMPONENT_NEW", Map<Kind::kComponentNew, kNoThread, N(0), kText>},
    {0x516b, "SCHED_COMPONENT_CONNECT", Map<Kind::kComponentLink, kNoThread, N(0), N(1)>},
    {0x516c, "SCHED_COMPONENT_PUSH", Map<Kind::kComponentPush, 0, N(1), N(2), N(3), I(4)>},
    {0x516d, "SCHED_COMPONENT_PULL", Map<Kind::kComponentPull, 0, N(1), N(2), N(3), I(4)>},
    {0x516e, "TASK_SUBMIT_START", Push<S::kSubmittingTask, 0>},
    {0x516f, "TASK_SUBMIT_END", Pop<0>},
    {0x5170, "TASK_BUILD_START", Push<S::kBuildingTask, 0>},
    {0x5171, "TASK_BUILD_END", Pop<0>},
    {0x5172, "TASK_MPI_DECODE_START", Push<S::kMpiDecoding, 0>},
    {0x5173, "TASK_MPI_DECODE_END", Pop<0>},
    {0x5174, "TASK_MPI_PRE_START", Push<S::kMpiPreparing, 0>},
    {0x5175, "TASK_MPI_PRE_END", Pop<0>},
    {0x5176, "TASK_MPI_POST_START", Push<S::kMpiPostprocessing, 0>},
    {0x5177, "TASK_MPI_POST_END", Pop<0>},
    {0x5178, "TASK_WAIT_START", Push<S::kWaitingTask, 1>},
    {0x5179, "TASK_WAIT_END", Pop<0>},
    {0x517a, "TASK_WAIT_FOR_ALL_START", Push<S::kWaitingAllTasks, 0>},
    {0x517b, "TASK_WAIT_FOR_ALL_END", Pop<0>},
    {0x517c, "HANDLE_DATA_REGISTER", Only<Kind::kDataNew>(DataRegister)},
    {0x517e, "START_FETCH_INPUT", MapWorker<Kind::kWorkerStateSet, 1, U(1), Is(static_cast<uint32_t>(S::kFetchingInput))>},
    {0x517f, "END_FETCH_INPUT", MapWorker<Kind::kWorkerStateSet, 1, U(1), Is(static_cast<uint32_t>(S::kOverhead))>},
    {0x5180, "TASK_THROTTLE_START", Push<S::kThrottling, 0>},
    {0x5181, "TASK_THROTTLE_END", Pop<0>},
    {0x5182, "DATA_STATE_INVALID", Map<Kind::kDataState, kNoThread, N(0), U(1), kCopyState<DataCopyState::kInvalid>>},
    {0x5183, "DATA_STATE_OWNER", Map<Kind::kDataState, kNoThread, N(0), U(1), kCopyState<DataCopyState::kOwner>>},
    {0x5184, "DATA_STATE_SHARED", Map<Kind::kDataState, kNoThread, N(0), U(1), kCopyState<DataCopyState::kShared>>},
    {0x5185, "DATA_REQUEST_CREATED", Map<Kind::kDataRequest, kNoThread, N(3), I(0), I(1), I(2), U(4), N(5)>},
    {0x5186, "PAPI_TASK_EVENT_VALUE", Map<Kind::kTaskPapi, kNoThread, N(1), L(0), L(2)>},
    {0x5187, "TASK_EXCLUDE_FROM_DAG", Map<Kind::kTaskHidden, kNoThread, N(0), U(1)>},
    {0x5188, "TASK_END_DEP", Map<Kind::kTaskEndDep, kNoThread, N(0), N(1)>},
    {0x5189, "TASK_BUBBLE", Bubble},  // master: RECURSIVE_TASK
    {0x518a, "START_PARALLEL_SYNC", Push<S::kParallelSync, 0>},
    {0x518b, "END_PARALLEL_SYNC", Pop<0>},
    {0x518c, "TASK_RECURSIVE_SUBMIT", Only<Kind::kTaskLevel, Kind::kTaskParent>(RecursiveSubmit)},

    // MPI.
    {0x5201, "MPI_START", MpiStart},
    {0x5202, "MPI_STOP", Map<Kind::kMpiStop, 2, U(0), U(1)>},
    {0x5203, "MPI_BARRIER", MpiBarrier},
    {0x5204, "MPI_ISEND_SUBMIT_BEGIN", CommBegin<S::kSendSubmitted, 3>},
    {0x5205, "MPI_ISEND_SUBMIT_END", IsendSubmitEnd},
    {0x5206, "MPI_IRECV_SUBMIT_BEGIN", CommBegin<S::kReceiveSubmitted, 2>},
    {0x5207, "MPI_IRECV_SUBMIT_END", CommEnd<S::kCommProcessing, 2>},
    {0x5208, "MPI_ISEND_COMPLETE_BEGIN", CommBegin<S::kSendCompleted, 3>},
    {0x5209, "MPI_ISEND_COMPLETE_END", CommEnd<S::kCommProcessing, 3>},
    {0x520a, "MPI_IRECV_COMPLETE_BEGIN", CommBegin<S::kReceiveCompleted, 2>},
    {0x520b, "MPI_IRECV_COMPLETE_END", CommEnd<S::kCommProcessing, 2>},
    {0x520c, "MPI_SLEEP_BEGIN", Set<S::kSleeping, 0>},
    {0x520d, "MPI_SLEEP_END", Set<S::kCommPolling, 0>},
    {0x520e, "MPI_DTESTING_BEGIN", CommBegin<S::kCommTestingDetached, 0>},
    {0x520f, "MPI_DTESTING_END", CommEnd<S::kCommProcessing, 0>},
    {0x5210, "MPI_UTESTING_BEGIN", CommBegin<S::kCommUserTesting, 2>},
    {0x5211, "MPI_UTESTING_END", CommEnd<S::kCommProcessing, 2>},
    {0x5212, "MPI_UWAIT_BEGIN", CommBegin<S::kCommUserWaiting, 2>},
    {0x5213, "MPI_UWAIT_END", CommEnd<S::kCommProcessing, 2>},
    {0x5214, "MPI_POLLING_BEGIN", Set<S::kCommPolling, 0>},
    {0x5215, "MPI_POLLING_END", Set<S::kCommProcessing, 0>},
    {0x5216, "MPI_DRIVER_RUN_BEGIN", CommBegin<S::kCommDriverRun, 0>},
    {0x5217, "MPI_DRIVER_RUN_END", CommEnd<S::kCommPolling, 0>},
    {0x5218, "MPI_DATA_SET_TAG", Map<Kind::kDataMpiTag, 2, N(0), L(1)>},
    {0x5219, "MPI_IRECV_NUMA_NODE", Map<Kind::kMpiReceiveNuma, 3, I(0), N(1), L(2)>},
    {0x521a, "MPI_DATA_SET_RANK", Map<Kind::kDataMpiOwner, 2, N(0), I(1)>},
    {0x521b, "MPI_IRECV_TERMINATED", IrecvTerminated},
    {0x521c, "MPI_ISEND_TERMINATED", kIgnored},  // same as 0x5208
    {0x521d, "MPI_TESTING_DETACHED_BEGIN", Push<S::kCommTestingDetached, 0>},
    {0x521e, "MPI_TESTING_DETACHED_END", Pop<0>},
    {0x521f, "MPI_TEST_BEGIN", Push<S::kCommTest, 2>},
    {0x5220, "MPI_TEST_END", Pop<2>},
    {0x5221, "MPI_ISEND_NUMA_NODE", Map<Kind::kMpiSendNuma, 3, I(0), N(1), L(2)>},
    {0x5222, "MPI_CHECKPOINT_BEGIN", Map<Kind::kCheckpoint, 2, Is(0), N(0), N(1)>},
    {0x5223, "MPI_CHECKPOINT_END", Map<Kind::kCheckpoint, 2, Is(1), N(0), N(1)>},

    // FxT's own events.
    {0xfff4, "STOP_FLUSH", StopFlush},
    {0xfff5, "START_FLUSH", StartFlush},
    {0xfff6, "NEW_LWP", kIgnored},  // same as WORKER_INIT_START
    {0xfff7, "THREAD_NAME", kIgnored},
    {0xfff8, "THREAD_DEATH", kIgnored},
    {0xfff9, "THREAD_BIRTH", kIgnored},
    {0xfffa, "CALIBRATE2", kIgnored},
    {0xfffb, "CALIBRATE1", kIgnored},
    {0xfffc, "CALIBRATE0", kIgnored},
    {0xfffd, "RESET", kIgnored},
    {0xfffe, "KEYCHANGE", KeyChange},
    {0xffff, "SETUP", Map<Kind::kTracingStart, 1, N(0)>},
};
// clang-format on

static_assert(std::is_sorted(std::begin(kRows), std::end(kRows),
                             [](const FxtRow& a, const FxtRow& b) { return a.code < b.code; }));

static_assert(std::size(kRows) < 0xff, "FxtDecoder numbers them with a byte");

// What one record tells about the dialect of its file.
enum class Vote { kNothing, k13, k14, kMaster, kPerhaps13 };

Vote ByCount(const FxtRecord& r, uint32_t n13, uint32_t n14, uint32_t master) {
  if (r.params == n13 && n13 != n14) return Vote::k13;
  if (r.params == n14 && n14 != n13 && n14 != master) return Vote::k14;
  if (r.params == master && master != n14) return Vote::kMaster;
  return Vote::kNothing;
}

Vote VoteOf(const FxtRecord& r) {
  switch (r.code) {
    case 0x5100:  // the kind of a worker; only CPU workers are sync
      return r.params >= 7 && r[0] == 0x101 && r[5] == 1 ? Vote::kPerhaps13 : Vote::kNothing;
    case 0x517c:
      // 1.4 has a string where master has the parent; an empty string is one word.
      return r.params >= 6 && r[4] == 0 ? Vote::kMaster : Vote::kNothing;
    case 0x518c: return Vote::kMaster;
    case 0x5102:
      if (r.params == 4) return Vote::k14;
      if (r.params < 6) return r.params == 5 ? Vote::k13 : Vote::kNothing;
      // 1.3 has 1 and a name there; master has a thread and a flag.
      return r.params == 6 && (r[4] > 1 || r[5] == 1) ? Vote::kMaster : Vote::k13;
    case 0x512d: return r.params == 3 ? Vote::k13 : Vote::kNothing;
    case 0x513e: return ByCount(r, 7, 7, 8);
    case 0x5153: return ByCount(r, 2, 2, 3);
    case 0x5203: return r.params == 4 ? Vote::k13 : Vote::kNothing;
    case 0x5205: return ByCount(r, 5, 8, 9);
    case 0x521b: return ByCount(r, 4, 5, 6);
    default: return Vote::kNothing;
  }
}

}  // namespace

std::string_view FxtDialectName(FxtDialect dialect) {
  switch (dialect) {
    case FxtDialect::k13: return kStarpu13;
    case FxtDialect::k14: return kStarpu14;
    case FxtDialect::kMaster: break;
  }
  return kStarpuAfter14;
}

bool FxtDialectGuess::IsSettledBy(const FxtRecord& record) {
  switch (VoteOf(record)) {
    case Vote::kNothing: return false;
    case Vote::kPerhaps13: dialect_ = FxtDialect::k13; return false;
    case Vote::k13: dialect_ = FxtDialect::k13; return true;
    case Vote::k14: dialect_ = FxtDialect::k14; return true;
    case Vote::kMaster: dialect_ = FxtDialect::kMaster; return true;
  }
  return false;
}

std::span<const FxtRow> FxtRows() { return kRows; }

}  // namespace tasklens
