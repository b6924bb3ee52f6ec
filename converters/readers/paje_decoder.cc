// SPDX-License-Identifier: Apache-2.0
// Types, containers, states, links.
#include "converters/readers/paje_decoder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "converters/rank_word.h"
#include "trace/support/read_number.h"

namespace tasklens {
namespace {

// Thread ids of further rows of a container.
constexpr uint64_t kFurtherRows = uint64_t{1} << 32;

template <class T>
T NumberOr(std::string_view text, T fallback, int base = 10) {
  T value{};
  return ReadNumber(text, value, base) ? value : fallback;
}
uint64_t Whole(double value) {
  constexpr double kMost = 9e18;
  return value > 0 ? static_cast<uint64_t>(std::min(value, kMost)) : 0;
}

// Returns 3 for "3_program", 12 for "MEMNODE12"; -1: no number.
int64_t LeadingNumber(std::string_view text) {
  uint32_t value = 0;
  return ReadNumber(text.substr(0, text.find('_')), value) ? int64_t{value} : -1;
}
int64_t TrailingNumber(std::string_view text) {
  uint32_t value = 0;
  return ReadNumber(text.substr(text.find_last_not_of("0123456789") + 1), value) ? int64_t{value}
                                                                                 : -1;
}

StateKind KindOf(std::string_view name) {
  for (const StateDecl& decl : AllStates())
    if (decl.name == name && decl.kind != StateKind::kTask) return decl.kind;
  return StateKind::kUserDefined;
}

constexpr std::string_view kSubmittedTasks = "Number of Submitted Uncompleted Tasks";
constexpr std::string_view kReadyTasks = "Number of Ready Tasks";
// Variables and events of StarPU's files that the model derives from other data.
constexpr std::string_view kDerivedVariables[] = {
    "Total GFlop/s",
    "GFlop/s",
    "Bandwidth In (MB/s)",
    "Bandwidth Out (MB/s)",
};
constexpr std::string_view kLeftOutEvents[] = {"data registration", "data unregistration",
                                               "Checkpoint Begin", "Checkpoint End"};

// Ends of links whose other end is in another file.
struct EndsInFiles : BetweenFiles {
  std::map<std::string, PajeDecoder::MessageEnd> starts, ends;  // by name of the type, and key
};

template <size_t n>
bool IsOneOf(std::string_view name, const std::string_view (&names)[n]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// What is of one time stays in the order of the file.
template <class T>
void SortByTime(std::vector<T>& list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const T& a, const T& b) { return a.time_ns < b.time_ns; });
}

}  // namespace

PajeDecoder::PajeDecoder(const ReadOptions& options, std::string_view path, EventSink& sink,
                         Diagnostics& diags)
    : RowEvents(path, sink, diags), options_(options), first_rank_(options.rank) {}

void PajeDecoder::Line(const PajeLine& line) {
  switch (line.event) {
    case PajeEvent::kUnknown: return;
    case PajeEvent::kDefineContainerType:
    case PajeEvent::kDefineEventType:
    case PajeEvent::kDefineStateType:
    case PajeEvent::kDefineVariableType:
    case PajeEvent::kDefineLinkType: return DefineType(line);
    case PajeEvent::kDefineEntityValue: return DefineValue(line);
    case PajeEvent::kCreateContainer: return CreateContainer(line);
    case PajeEvent::kDestroyContainer: return DestroyContainer(line);
    case PajeEvent::kNewEvent: return NewEvent(line);
    case PajeEvent::kSetState: return ChangeState(line, Op::kSet);
    case PajeEvent::kPushState: return ChangeState(line, Op::kPush);
    case PajeEvent::kPopState: return ChangeState(line, Op::kPop);
    case PajeEvent::kResetState: return ChangeState(line, Op::kReset);
    case PajeEvent::kSetVariable: return Variable(line, What::kSet);
    case PajeEvent::kAddVariable: return Variable(line, What::kAdd);
    case PajeEvent::kSubVariable: return Variable(line, What::kSubtract);
    case PajeEvent::kStartLink: return Link(line, true);
    case PajeEvent::kEndLink: return Link(line, false);
  }
}

bool PajeDecoder::Time(const PajeLine& line, int64_t& time_ns) {
  const double unit_ns = is_starpu_ ? 1e6 : 1e9;
  constexpr double kLast = 1e18;
  double value = 0;
  if (!ReadNumber(line[PajeField::kTime], value) || value < 0 || value * unit_ns > kLast) {
    Skip("paje_bad_line", line);
    return false;
  }
  time_ns = std::llround(value * unit_ns);
  last_ns_ = std::max(last_ns_, time_ns);
  return true;
}

// --- Definitions ---

void PajeDecoder::DefineType(const PajeLine& line) {
  const std::string name(line[PajeField::kName]);
  const std::string alias(line[PajeField::kAlias].empty() ? name : line[PajeField::kAlias]);
  if (alias.empty()) return Skip("paje_bad_line", line);
  const auto type = static_cast<uint32_t>(types_.size());
  types_.push_back({line.event, name.empty() ? alias : name, {}});
  type_of_[alias] = type;
  type_of_.emplace(name, type);
  if (line.event == PajeEvent::kDefineStateType && name == "Worker State") is_starpu_ = true;
}

uint32_t PajeDecoder::TypeOf(const PajeLine& line) {
  const auto found = type_of_.find(line[PajeField::kType]);
  if (found != type_of_.end()) return found->second;
  Skip("paje_unknown_name", line);
  return kNowhere;
}

void PajeDecoder::DefineValue(const PajeLine& line) {
  const uint32_t type = TypeOf(line);
  if (type == kNowhere) return;
  const std::string_view name = line[PajeField::kName];
  const std::string_view alias = line[PajeField::kAlias];
  const uint32_t value = ValueOf(type, name);
  if (alias.empty()) return;
  types_[type].values[std::string(alias)] = value;
  value_of_alias_.emplace(alias, value);
}

// A value may be used without a definition: its name is then the word.
uint32_t PajeDecoder::ValueOf(uint32_t type, std::string_view word) {
  const auto own = types_[type].values.find(word);
  if (own != types_[type].values.end()) return own->second;
  // StarPU uses some values on rows of types that do not define them.
  if (is_starpu_)
    if (const auto other = value_of_alias_.find(word); other != value_of_alias_.end())
      return other->second;
  const auto [found, is_new] = value_of_name_.emplace(word, static_cast<uint32_t>(values_.size()));
  if (is_new) {
    const StateKind kind = KindOf(word);
    values_.push_back({kind, sink_.Intern(word), Decl(kind).name == word});
  }
  return found->second;
}

bool PajeDecoder::HasType(const Container& container, std::string_view name) const {
  return container.type != kNowhere && types_[container.type].name == name;
}

void PajeDecoder::CreateContainer(const PajeLine& line) {
  const uint32_t type = TypeOf(line);
  int64_t time_ns = 0;
  if (type == kNowhere || !Time(line, time_ns)) return;
  const std::string name(line[PajeField::kName]);
  const std::string alias(line[PajeField::kAlias].empty() ? name : line[PajeField::kAlias]);
  const auto index = static_cast<uint32_t>(containers_.size());
  Container container;
  container.type = type;
  container.name = name.empty() ? alias : name;
  container.rank = first_rank_;
  const auto parent = container_of_.find(line[PajeField::kContainer]);
  if (parent != container_of_.end()) {
    container.parent = parent->second;
    container.rank = containers_[parent->second].rank;
    container.node = containers_[parent->second].node;
    container.has_prefix = containers_[parent->second].has_prefix;
  }
  if (HasType(container, "MPI Program") && container.name == kPajeRuns) are_runs_ = true;
  if (is_starpu_ && HasType(container, "Program")) {
    const int64_t number = LeadingNumber(container.name);
    container.has_prefix = number >= 0;
    if (container.has_prefix) container.rank = static_cast<uint32_t>(number);
    ranks_.insert(container.rank);
  } else if (container.has_prefix && LeadingNumber(container.name) == container.rank) {
    container.name.erase(0, container.name.find('_') + 1);
  }
  if (is_starpu_ && HasType(container, "Memory Node")) container.node = TrailingNumber(name);
  if (is_starpu_ && HasType(container, "Worker")) {
    container.worker = workers_[container.rank]++;
    constexpr int64_t kNoCpu = -1;
    MemoryNode(container);
    TellWorker({index + 1, container.rank, true, static_cast<uint64_t>(container.worker)}, time_ns,
               container.name, std::max<int64_t>(container.node, 0), kNoCpu);
  }
  if (is_starpu_ && HasType(container, "Memory Manager") && container.node >= 0) {
    MemoryNode(container);
    Tell(time_ns, EventKind::kMemoryNodeThread, container.rank, index + 1, container.node);
  }
  containers_.push_back(std::move(container));
  container_of_[alias] = index;
  container_of_.emplace(name, index);
}

void PajeDecoder::DestroyContainer(const PajeLine& line) {
  int64_t time_ns = 0;
  const auto found = container_of_.find(line[PajeField::kName].empty() ? line[PajeField::kContainer]
                                                                       : line[PajeField::kName]);
  if (found == container_of_.end()) {
    // SimGrid destroys the root as well, although no line creates it.
    constexpr std::string_view kRoot = "0";
    if (line[PajeField::kName] == kRoot || line[PajeField::kContainer] == kRoot) return;
    return Skip("paje_unknown_name", line);
  }
  if (Time(line, time_ns)) containers_[found->second].destroy_ns = time_ns;
}

uint32_t PajeDecoder::ContainerAt(const PajeLine& line, PajeField field) {
  const auto found = container_of_.find(line[field]);
  if (found != container_of_.end()) {
    ranks_.insert(containers_[found->second].rank);
    return found->second;
  }
  Skip("paje_unknown_name", line);
  return kNowhere;
}

void PajeDecoder::MemoryNode(const Container& container) {
  if (container.node < 0 || !nodes_.emplace(container.rank, container.node).second) return;
  Tell(0, EventKind::kMemoryNodeNew, container.rank, 0, container.node,
       sink_.Intern("MEMNODE" + std::to_string(container.node)));
}

// --- Events ---

uint32_t PajeDecoder::TrackOf(uint32_t container, uint32_t type) {
  const auto [found, is_new] =
      track_of_.emplace(uint64_t{container} << 32 | type, static_cast<uint32_t>(tracks_.size()));
  if (!is_new) return found->second;
  Container& place = containers_[container];
  tracks_.push_back({container, type, !place.has_track, {}});
  place.has_track = true;
  return found->second;
}

bool PajeDecoder::JobOf(const PajeLine& line, uint64_t& job) {
  const std::string_view id = line[PajeField::kJobId];
  return ReadNumber(id.substr(id.rfind('_') + 1), job);  // "0_3": job 3 of rank 0
}

uint32_t PajeDecoder::AddTask(const PajeLine& line) {
  Task task{};
  if (!JobOf(line, task.job)) return kNowhere;
  task.size_bytes = NumberOr<uint64_t>(line[PajeField::kSize], 0);
  task.footprint = NumberOr<uint32_t>(line[PajeField::kFootprint], 0, 16);
  task.tag = NumberOr<uint64_t>(line[PajeField::kTag], 0, 16);
  if (double gflop = 0; ReadNumber(line[PajeField::kGFlop], gflop)) task.flops = gflop * 1e9;
  tasks_.push_back(task);
  return static_cast<uint32_t>(tasks_.size() - 1);
}

void PajeDecoder::ChangeState(const PajeLine& line, Op op) {
  int64_t time_ns = 0;
  const uint32_t type = TypeOf(line);
  if (type == kNowhere || !Time(line, time_ns)) return;
  constexpr std::string_view kContext = "InCtx";
  if (is_starpu_ && types_[type].name.starts_with(kContext))
    return InContext(line, types_[type].name.substr(kContext.size()));
  const uint32_t container = ContainerAt(line, PajeField::kContainer);
  if (container == kNowhere) return;
  Change change{time_ns, op, 0, kNowhere};
  if (op == Op::kSet || op == Op::kPush) {
    change.value = ValueOf(type, line[PajeField::kValue]);
    if (is_starpu_ && !line[PajeField::kJobId].empty()) change.task = AddTask(line);
    change.resumed = change.task != kNowhere && line[PajeField::kResumed] == "1";
    has_resumed_ = has_resumed_ || change.resumed;
    change.line = NumberOr<uint32_t>(line[PajeField::kLine], 0);
    if (change.line != 0) change.file = sink_.Intern(line[PajeField::kFile]);
  }
  tracks_[TrackOf(container, type)].changes.push_back(change);
}

// A row of a scheduling context repeats states of its worker; used only for the tasks' contexts.
void PajeDecoder::InContext(const PajeLine& line, std::string_view number) {
  if (line[PajeField::kJobId].empty()) return;
  const uint32_t container = ContainerAt(line, PajeField::kContainer);
  if (container == kNowhere) return;
  uint64_t job = 0;
  uint32_t context = 0;
  if (!JobOf(line, job) || !ReadNumber(number, context)) return Skip("paje_bad_line", line);
  contexts_[containers_[container].rank][job] = context;
}

uint32_t PajeDecoder::ContextOf(uint32_t rank, uint64_t job) const {
  const auto of_rank = contexts_.find(rank);
  if (of_rank == contexts_.end()) return 0;
  const auto found = of_rank->second.find(job);
  return found == of_rank->second.end() ? 0 : found->second;
}

void PajeDecoder::NewEvent(const PajeLine& line) {
  int64_t time_ns = 0;
  const uint32_t type = TypeOf(line), container = ContainerAt(line, PajeField::kContainer);
  if (type == kNowhere || container == kNowhere || !Time(line, time_ns)) return;
  const Container& place = containers_[container];
  const std::string& name = types_[type].name;
  const std::string_view value = line[PajeField::kValue];
  uint64_t number = 0;
  if (is_starpu_) {
    if (HasType(place, "Memory Manager") || IsOneOf(name, kLeftOutEvents)) return;
    if (name == "Task Push" || name == "Task Pop") {
      if (!ReadNumber(value.substr(value.rfind('_') + 1), number))
        return Skip("paje_bad_line", line);
      if (name == "Task Pop") ++pops_[place.rank];
      return Tell(time_ns, name == "Task Push" ? EventKind::kTaskReady : EventKind::kTaskPop,
                  place.rank, 0, number, 0);
    }
    if (name == "user event type" && ReadNumber(value, number))
      return Tell(time_ns, EventKind::kUserEvent, place.rank, container + 1, number);
    if (name == "program event type")
      return Tell(time_ns, EventKind::kMessage, place.rank, 0, sink_.Intern(value));
    return Tell(time_ns, EventKind::kThreadMessage, place.rank, container + 1, sink_.Intern(value));
  }
  AddMoment(container, {time_ns, What::kText, sink_.Intern(name + ": " + std::string(value)), 0});
}

void PajeDecoder::AddMoment(uint32_t container, const Moment& moment) {
  containers_[container].is_used = true;
  moments_[container].list.push_back(moment);
}

// Delivers the moments before `until_ns`.
void PajeDecoder::TellMoments(uint32_t container, int64_t until_ns) {
  const auto found = moments_.find(container);
  if (found == moments_.end()) return;
  Moments& of = found->second;
  const uint32_t rank = containers_[container].rank;
  for (; of.told < of.list.size() && of.list[of.told].time_ns < until_ns; ++of.told) {
    const Moment& moment = of.list[of.told];
    if (moment.what == What::kText) {
      Tell(moment.time_ns, EventKind::kThreadMessage, rank, container + 1, moment.text);
      continue;
    }
    double& value = of.values[moment.text];
    switch (moment.what) {
      case What::kAdd: value += moment.value; break;
      case What::kSubtract: value -= moment.value; break;
      default: value = moment.value; break;
    }
    Tell(moment.time_ns, EventKind::kCounterValue, rank, container + 1, moment.text,
         FromDouble(value));
  }
}

void PajeDecoder::Variable(const PajeLine& line, What what) {
  const uint32_t type = TypeOf(line);
  if (type == kNowhere) return;
  const std::string& name = types_[type].name;
  if (is_starpu_ && IsOneOf(name, kDerivedVariables)) return;
  int64_t time_ns = 0;
  double value = 0;
  const uint32_t container = ContainerAt(line, PajeField::kContainer);
  if (container == kNowhere || !Time(line, time_ns)) return;
  const bool is_memory = is_starpu_ && name == "Used (MB)" && what == What::kSet;
  if (!ReadNumber(line[PajeField::kValue], value) || (is_memory && containers_[container].node < 0))
    return Skip("paje_bad_line", line);
  if (is_starpu_ && what == What::kSet && name == kSubmittedTasks)
    return counts_[container].submitted.push_back({time_ns, value});
  if (is_starpu_ && what == What::kSet && name == kReadyTasks) {
    if (!pops_.contains(containers_[container].rank))
      counts_[container].ready.push_back({time_ns, value});
    return;
  }
  if (!is_memory) return AddMoment(container, {time_ns, what, sink_.Intern(name), value});
  constexpr double kMegabyte = 1 << 20;
  MemoryNode(containers_[container]);
  Tell(time_ns, EventKind::kMemoryUsed, containers_[container].rank, 0, containers_[container].node,
       Whole(std::round(value * kMegabyte)));
}

// StarPU's numbers of tasks follow from submissions, which only the rises of the first number tell,
// and from pushes and pops. Where the file leaves these out, the numbers are curves of its own.
void PajeDecoder::TellCounts() {
  for (auto& [container, counts] : counts_) {
    const uint32_t rank = containers_[container].rank;
    std::vector<int64_t> rises_ns;
    uint64_t falls = 0;
    bool is_by_one = true;
    double last = 0;
    SortByTime(counts.submitted);
    for (const auto& [time_ns, value] : counts.submitted) {
      is_by_one = is_by_one && std::abs(value - last) <= 1;
      if (value > last) rises_ns.push_back(time_ns);
      falls += value < last;
      last = value;
    }
    const bool has_pops = pops_[rank] > 0;
    // A parallel task is popped by each of its workers, and in our files falls once.
    if (is_by_one && falls <= pops_[rank])
      for (const int64_t time_ns : rises_ns) Tell(time_ns, EventKind::kTaskCount, rank, 0);
    else
      AddCurve(container, kSubmittedTasks, counts.submitted);
    if (!has_pops) AddCurve(container, kReadyTasks, counts.ready);
  }
}

void PajeDecoder::AddCurve(uint32_t container, std::string_view name,
                           const std::vector<Count>& counts) {
  const auto is_zero = [](const Count& count) { return count.value == 0; };
  if (std::all_of(counts.begin(), counts.end(), is_zero)) return;
  const StringId text = sink_.Intern(name);
  for (const auto& [time_ns, value] : counts)
    AddMoment(container, {time_ns, What::kSet, text, value});
}

// The two ends may come in any order.
void PajeDecoder::Link(const PajeLine& line, bool starts) {
  const uint32_t type = TypeOf(line);
  LinkEnd end{};
  if (type == kNowhere || !Time(line, end.time_ns)) return;
  end.container = ContainerAt(line, starts ? PajeField::kStartContainer : PajeField::kEndContainer);
  if (end.container == kNowhere) return;
  double value = 0;
  if (ReadNumber(line[PajeField::kValue], value) || ReadNumber(line[PajeField::kSize], value))
    end.value = Whole(value);
  end.tag = NumberOr<int64_t>(line[PajeField::kMpiTag], 0);
  const std::string key = std::to_string(type) + ' ' + std::string(line[PajeField::kKey]);
  ByName<LinkEnd>& others = starts ? ends_ : starts_;
  const auto other = others.find(key);
  if (other == others.end()) {
    (starts ? starts_ : ends_)[key] = end;
    return;
  }
  TellLink(types_[type], starts ? end : other->second, starts ? other->second : end);
  others.erase(other);
}

void PajeDecoder::TellLink(const Type& type, const LinkEnd& start, const LinkEnd& end) {
  const Container& from = containers_[start.container];
  const Container& to = containers_[end.container];
  constexpr uint64_t kNone64 = 0;
  if (is_starpu_ && type.name == "Work steal" && from.worker >= 0 && to.worker >= 0)
    return Tell(start.time_ns, EventKind::kSteal, to.rank, 0, to.worker, from.worker);
  // The name of messages between known rows in our own files.
  const bool is_of_rows = is_starpu_ && type.name == "Message";
  if (!is_of_rows && (from.rank != to.rank || (is_starpu_ && type.name == "MPI communication"))) {
    Tell(start.time_ns, EventKind::kMpiSend, from.rank, 0, to.rank, start.tag, start.value,
         static_cast<uint64_t>(MessageType::kPointToPoint), kNone64, kNone64, kNone64);
    return Tell(end.time_ns, EventKind::kMpiReceived, to.rank, 0, from.rank, start.tag, kNone64,
                kNone64);
  }
  if (is_starpu_ && !is_of_rows && from.node >= 0 && to.node >= 0) {
    constexpr std::pair<std::string_view, CopyReason> kReasons[] = {
        {"TaskPreFetch", static_cast<CopyReason>(1)},
        {"IdleFetch", static_cast<CopyReason>(3)},
        {"PreFetch", static_cast<CopyReason>(2)},
    };
    CopyReason reason = CopyReason::kFetch;
    for (const auto& [word, meant] : kReasons)
      if (reason == CopyReason::kFetch && type.name.ends_with(word)) reason = meant;
    MemoryNode(from);
    MemoryNode(to);
    return TellCopy(from.rank, from.node, to.node, start.time_ns, end.time_ns, start.value,
                    static_cast<int64_t>(reason));
  }
  containers_[start.container].is_used = containers_[end.container].is_used = true;
  TellMessage({start.time_ns, from.rank, start.container + 1, start.value, start.tag},
              {end.time_ns, to.rank, end.container + 1, end.value, end.tag});
  last_ns_ = std::max(last_ns_, end.time_ns);
}

void PajeDecoder::TellMessage(const MessageEnd& from, const MessageEnd& to) {
  constexpr uint64_t kNoThread = 0, kAtOnce = 0;
  const int64_t after_ns = to.time_ns - from.time_ns;
  Tell(from.time_ns, EventKind::kWholeMessage, from.rank, kNoThread, from.tid, to.rank, to.tid,
       from.tag, std::max(from.value, to.value), kAtOnce, after_ns, after_ns);
}

// --- Rows, sorted by time ---

void PajeDecoder::Finish() {
  TellCounts();
  for (auto& [container, of] : moments_) SortByTime(of.list);
  for (Track& track : tracks_) SortByTime(track.changes);
  if (has_resumed_) {
    TellInOrderOfTime();
  } else {
    for (uint32_t track = 0; track < tracks_.size(); ++track) {
      Row row = BeginRow(track);
      for (size_t i = 0; i < tracks_[track].changes.size(); ++i) TellChange(row, track, i);
      EndRow(row, track);
    }
  }
  for (const auto& [container, of] : moments_)
    TellMoments(container, std::numeric_limits<int64_t>::max());
  if (options_.between_files != nullptr) LinkFiles();
  NameContainers();
  if (ranks_.empty()) ranks_.insert(first_rank_);
  if (const size_t ranks = std::max<size_t>(ranks_.size(), options_.files); ranks > 1)
    for (const uint32_t rank : ranks_) TellClock(rank, ranks, are_runs_);
  if (const size_t halves = starts_.size() + ends_.size(); halves > 0)
    diags_.Skip("paje_half_link", path_, halves);
  if (!has_tasks_) diags_.Skip("paje_no_tasks", path_);
  // Uses a rank that exists: the first one may be missing from the file.
  const uint32_t rank = *ranks_.begin();
  TellOfRun(rank, 0, "runtime", "Paje trace");
  TellOfRun(rank, 0, "dependencies", "not recorded");
  TellOfRun(rank, last_ns_, "trace_end_ns", std::to_string(last_ns_));
}

// Matches the open links of this file with those of the files before it.
void PajeDecoder::LinkFiles() {
  std::unique_ptr<BetweenFiles>& between = *options_.between_files;
  if (between == nullptr) between = std::make_unique<EndsInFiles>();
  auto& others = static_cast<EndsInFiles&>(*between);
  const auto match = [&](ByName<LinkEnd>& mine, bool starts) {
    for (const auto& [key, half] : mine) {
      const size_t blank = key.find(' ');  // after the number of the type
      const auto type = NumberOr<uint32_t>(std::string_view(key).substr(0, blank), 0);
      Container& container = containers_[half.container];
      container.is_used = true;
      const MessageEnd end{half.time_ns, container.rank, half.container + 1, half.value, half.tag};
      const std::string name = types_[type].name + key.substr(blank);
      auto& waiting = starts ? others.ends : others.starts;
      if (const auto other = waiting.find(name); other != waiting.end()) {
        TellMessage(starts ? end : other->second, starts ? other->second : end);
        waiting.erase(other);
      } else {
        (starts ? others.starts : others.ends)[name] = end;
      }
    }
    mine.clear();
  };
  match(starts_, true);
  match(ends_, false);
  if (!options_.is_last_file) return;
  if (const size_t halves = others.starts.size() + others.ends.size(); halves > 0)
    diags_.Skip("paje_half_link", path_, halves);
}

// Delivers names of containers that have no states.
void PajeDecoder::NameContainers() {
  for (uint32_t i = 0; i < containers_.size(); ++i)
    if (containers_[i].is_used && !containers_[i].has_track)
      Tell(last_ns_, EventKind::kThreadName, containers_[i].rank, i + 1,
           sink_.Intern(containers_[i].name));
}

// Rows are merged in order of time, because a task may continue in another row.
void PajeDecoder::TellInOrderOfTime() {
  struct Next {
    int64_t time_ns;
    bool after_others;  // at the same time: its row resumes a task that may end in another row
                        // first
    uint32_t track;
    size_t change;
  };
  std::vector<Next> order;
  std::vector<Row> rows;
  for (uint32_t track = 0; track < tracks_.size(); ++track) {
    rows.push_back(BeginRow(track));
    const std::vector<Change>& changes = tracks_[track].changes;
    for (size_t i = 0; i < changes.size(); ++i) {
      const bool is_late =
          i > 0 && changes[i - 1].time_ns == changes[i].time_ns && order.back().after_others;
      order.push_back({changes[i].time_ns, is_late || changes[i].resumed, track, i});
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](const Next& a, const Next& b) {
    return std::pair(a.time_ns, a.after_others) < std::pair(b.time_ns, b.after_others);
  });
  for (const Next& next : order) TellChange(rows[next.track], next.track, next.change);
  for (uint32_t track = 0; track < tracks_.size(); ++track) EndRow(rows[track], track);
}

PajeDecoder::Row PajeDecoder::BeginRow(uint32_t index) {
  const Track& track = tracks_[index];
  const Container& container = containers_[track.container];
  const std::vector<Change>& changes = track.changes;
  bool named_states = false;
  for (const Change& change : changes)
    named_states = named_states || ((change.op == Op::kSet || change.op == Op::kPush) &&
                                    values_[change.value].kind == StateKind::kUserDefined);
  const bool is_first = track.is_first;
  const bool as_tasks = !is_starpu_ && named_states;
  Row row;
  row.tid = track.container + 1 + (is_first ? 0 : kFurtherRows * (index + 1));
  row.rank = container.rank;
  row.is_worker = as_tasks || (container.worker >= 0 && is_first);
  row.as_tasks = as_tasks;
  if (is_first) TellMoments(track.container, changes.front().time_ns);
  std::string name = container.name;
  if (!is_first) name += " (" + types_[track.type].name + ')';
  if (as_tasks) {
    row.worker = workers_[row.rank]++;
    constexpr int64_t kNoCpu = -1, kMainMemory = 0;
    TellWorker(row, changes.front().time_ns, name, kMainMemory, kNoCpu);
  } else if (row.is_worker) {
    row.worker = static_cast<uint64_t>(container.worker);
  } else {
    Tell(changes.front().time_ns, EventKind::kThreadName, row.rank, row.tid, sink_.Intern(name));
  }
  return row;
}

void PajeDecoder::TellChange(Row& row, uint32_t track, size_t i) {
  const std::vector<Change>& changes = tracks_[track].changes;
  if (tracks_[track].is_first) TellMoments(tracks_[track].container, changes[i].time_ns);
  // StarPU writes a task twice: without and with its details.
  const bool repeated = is_starpu_ && i + 1 < changes.size() && changes[i].op == Op::kSet &&
                        changes[i].task == kNowhere && changes[i + 1].op == Op::kSet &&
                        changes[i + 1].time_ns == changes[i].time_ns;
  if (!repeated) TellChange(row, changes[i]);
}

// Ends the row with its container.
void PajeDecoder::EndRow(Row& row, uint32_t index) {
  const Track& track = tracks_[index];
  const Container& container = containers_[track.container];
  if (container.destroy_ns < 0 || container.destroy_ns < track.changes.back().time_ns) return;
  const bool shows = !row.stack.empty();
  if (track.is_first) TellMoments(track.container, container.destroy_ns);
  while (!row.stack.empty()) Leave(row, container.destroy_ns, false);
  if (shows) SetState(row, container.destroy_ns, StateKind::kNone);
}

void PajeDecoder::TellChange(Row& row, const Change& change) {
  if (change.op == Op::kPop) {
    if (row.stack.empty()) return diags_.Skip("paje_unmatched_pop", path_);
    return Leave(row, change.time_ns, true);
  }
  if (change.op != Op::kPush) {
    const bool had_some = !row.stack.empty();
    while (!row.stack.empty()) Leave(row, change.time_ns, false);
    if (change.op == Op::kReset) {
      if (had_some) SetState(row, change.time_ns, StateKind::kNone);
      return;
    }
  }
  const Value& value = values_[change.value];
  Row::Entry entry{value.kind, change.task, false};
  entry.resumed = change.resumed;
  if (row.as_tasks && entry.task == kNowhere && value.kind == StateKind::kUserDefined) {
    tasks_.push_back({kCountedJobs + ++counted_jobs_, 0, 0, 0, 0});
    entry.task = static_cast<uint32_t>(tasks_.size() - 1);
  }
  // In StarPU's files a task within a task is a state of the outer one.
  if ((row.in_task && is_starpu_) || !row.is_worker) entry.task = kNowhere;
  if (entry.task == kNowhere && value.kind == StateKind::kUserDefined && !value.is_ours)
    entry.name = value.name;
  if (row.in_task && entry.task != kNowhere) Pause(row, change.time_ns);
  Enter(row, change.time_ns, entry, value.name);
  if (entry.task == kNowhere || change.line == 0) return;
  constexpr uint64_t kNoFunction = 0;
  Tell(change.time_ns, EventKind::kTaskSite, row.rank, row.tid, tasks_[entry.task].job, change.line,
       change.file, kNoFunction);
}

// Pauses the innermost task, for another one.
void PajeDecoder::Pause(Row& row, int64_t time_ns) {
  const auto task = std::find_if(row.stack.rbegin(), row.stack.rend(),
                                 [](const Row::Entry& entry) { return entry.task != kNowhere; });
  task->paused = true;
  Tell(time_ns, EventKind::kTaskEnd, row.rank, row.tid, tasks_[task->task].job, row.worker, 0, 0,
       sink_.Intern(""));
}

// Resumes the innermost paused task, with the states that were pushed onto it.
void PajeDecoder::GoOn(Row& row, int64_t time_ns) {
  const auto above =
      std::find_if(row.stack.rbegin(), row.stack.rend(), [](const Row::Entry& entry) {
        return entry.task != kNowhere;
      }).base();
  (above - 1)->paused = false;
  constexpr uint64_t kMainMemory = 0, kNoContext = 0;
  Tell(time_ns, EventKind::kTaskResume, row.rank, row.tid, tasks_[(above - 1)->task].job,
       row.worker, kMainMemory, kNoContext);
  for (auto entry = above; entry != row.stack.end(); ++entry)
    PushState(row, time_ns, entry->kind, entry->name);
}

void PajeDecoder::Enter(Row& row, int64_t time_ns, Row::Entry entry, StringId name) {
  if (entry.task != kNowhere) {
    has_tasks_ = row.in_task = true;
    const Task& task = tasks_[entry.task];
    Tell(time_ns, EventKind::kTaskName, row.rank, row.tid, task.job, name);
    if (task.size_bytes != 0 || task.footprint != 0 || task.tag != 0 || task.flops != 0)
      Tell(time_ns, EventKind::kTaskDetails, row.rank, row.tid, task.job, task.size_bytes,
           task.footprint, task.tag, FromDouble(task.flops));
    Tell(time_ns, entry.resumed ? EventKind::kTaskResume : EventKind::kTaskStart, row.rank, row.tid,
         task.job, row.worker, 0, ContextOf(row.rank, task.job));
  } else if (row.stack.empty()) {
    SetState(row, time_ns, entry.kind, entry.name);
  } else {
    entry.pushed = true;
    PushState(row, time_ns, entry.kind, entry.name);
  }
  row.stack.push_back(entry);
}

// Ends the top state; with `show_below`, the state under it becomes visible again.
void PajeDecoder::Leave(Row& row, int64_t time_ns, bool show_below) {
  const Row::Entry entry = row.stack.back();
  row.stack.pop_back();
  if (entry.task != kNowhere) {
    row.in_task = std::any_of(row.stack.begin(), row.stack.end(),
                              [](const Row::Entry& other) { return other.task != kNowhere; });
    const Task& task = tasks_[entry.task];
    if (!entry.paused)
      Tell(time_ns, EventKind::kTaskEnd, row.rank, row.tid, task.job, row.worker, task.size_bytes,
           task.footprint, sink_.Intern(""));
  }
  if (!show_below) return;
  if (entry.task != kNowhere && row.in_task) return GoOn(row, time_ns);
  if (entry.pushed) return Tell(time_ns, EventKind::kStatePop, row.rank, row.tid);
  if (!row.stack.empty()) row.stack.back().pushed = false;
  if (row.stack.empty()) return SetState(row, time_ns, StateKind::kNone);
  SetState(row, time_ns, row.stack.back().kind, row.stack.back().name);
}

}  // namespace tasklens
