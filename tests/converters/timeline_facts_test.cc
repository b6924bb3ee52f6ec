// SPDX-License-Identifier: Apache-2.0
// What our model shows over time is what StarPU's own tool shows of the same file: workers, memory
// nodes, states, counters, transfers, steals, events. Facts are compared, not text; where StarPU's
// tool is wrong, the test names the difference and the reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "converters/formats.h"
#include "tests/testing/starpu_paje.h"
#include "tests/testing/starpu_traces.h"

namespace tasklens {
namespace {

using ::testing::IsEmpty;
using testing::ReadFile;
using testing::ShownState;
using testing::StarpuPajeLine;
using testing::StarpuReference;

std::string Hex(uint64_t value) {
  char digits[17];
  snprintf(digits, sizeof digits, "%lx", static_cast<unsigned long>(value));
  return digits;
}

bool HasMemoryStates(const std::string& trace) {
  return ReadFile(StarpuReference(trace, "OPTIONS")).find("-memory-states") != std::string::npos;
}

class TimelineFacts : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto model = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags_);
    ASSERT_TRUE(model.ok()) << model.status().message();
    model_ = std::make_unique<TraceModel>(std::move(*model));
    several_ranks_ = model_->ranks.size() > 1;
    paje_ = testing::ParseStarpuPaje(ReadFile(StarpuReference(GetParam(), "paje.trace")));
    ASSERT_FALSE(paje_.lines.empty());
    // Between two synchronisation points StarPU shifts times in floating point.
    slack_ns_ = several_ranks_ ? 1 : 0;
  }

  // StarPU's alias of something of a rank.
  std::string Alias(uint32_t rank_index, const std::string& name) const {
    return several_ranks_ ? std::to_string(model_->ranks.rank[rank_index]) + "_" + name : name;
  }
  std::string Str(StringId id) const { return std::string(model_->str(id)); }

  // "alias: name" of every container of a type, and when it appears.
  std::map<std::string, int64_t> Containers(std::string_view type) const {
    std::map<std::string, int64_t> found;
    for (const StarpuPajeLine& line : paje_.lines)
      if (line.id == 7 && line.fields[1] == type)
        found.emplace(line.fields[0] + ": " + line.fields[3], line.time_ns);
    return found;
  }

  void ExpectSameTimes(const std::map<std::string, int64_t>& ours,
                       const std::map<std::string, int64_t>& theirs) const {
    for (const auto& [name, time_ns] : theirs) {
      const auto it = ours.find(name);
      if (it == ours.end())
        ADD_FAILURE() << "only theirs: " << name;
      else
        EXPECT_NEAR(it->second, time_ns, slack_ns_) << name;
    }
    for (const auto& [name, time_ns] : ours)
      if (!theirs.contains(name)) ADD_FAILURE() << "only ours: " << name << " " << time_ns;
  }

  Diagnostics diags_;
  std::unique_ptr<TraceModel> model_;
  testing::StarpuPaje paje_;
  bool several_ranks_ = false;
  int64_t slack_ns_ = 0;
};

TEST_P(TimelineFacts, WorkersAreTheSame) {
  std::map<std::string, int64_t> ours;
  const WorkerTable& workers = model_->workers;
  for (size_t w = 0; w < workers.size(); ++w)
    ours[Alias(workers.rank_index[w], "w" + std::to_string(workers.id[w])) + ": " +
         Alias(workers.rank_index[w], Str(workers.name[w]))] = workers.start_ns[w];
  ExpectSameTimes(ours, Containers("W"));
}

TEST_P(TimelineFacts, MemoryNodesAreTheSame) {
  std::map<std::string, int64_t> ours;
  const MemoryNodeTable& nodes = model_->memory_nodes;
  for (size_t n = 0; n < nodes.size(); ++n) {
    const std::string id = std::to_string(nodes.id[n]);
    ours[Alias(nodes.rank_index[n], "mn" + id) + ": " +
         Alias(nodes.rank_index[n], "MEMNODE" + id)] = nodes.start_ns[n];
  }
  ExpectSameTimes(ours, Containers("Mn"));
}

TEST_P(TimelineFacts, CommunicationThreadsAreTheSame) {
  std::map<std::string, int64_t> ours;
  const TrackTable& tracks = model_->tracks;
  for (uint32_t t = 0; t < tracks.size(); ++t)
    if (tracks.kind[t] == TrackKind::kComm)
      ours[Alias(tracks.rank_index[t], "mpict")] = tracks.start_ns[t];
  std::map<std::string, int64_t> theirs;
  for (const auto& [name, time_ns] : Containers("MPICt"))
    theirs[name.substr(0, name.find(':'))] = time_ns;
  // StarPU's rows begin with the trace, ours when the thread begins.
  for (auto& [name, time_ns] : theirs)
    if (time_ns == 0 && ours.contains(name)) time_ns = ours[name];
  ExpectSameTimes(ours, theirs);
}

TEST_P(TimelineFacts, ThreadsWithoutWorkersAreTheSame) {
  std::set<std::string> ours, theirs;
  const TrackTable& tracks = model_->tracks;
  for (uint32_t t = 0; t < tracks.size(); ++t) {
    if (tracks.kind[t] != TrackKind::kThread) continue;
    if (model_->states.first_of_track[t] != model_->states.first_of_track[t + 1])
      ours.insert(Alias(tracks.rank_index[t], "t" + std::to_string(tracks.id[t])));
  }
  for (const auto& [name, time_ns] : Containers("UT"))
    theirs.insert(name.substr(0, name.find(':')));
  EXPECT_EQ(ours, theirs);
}

// --- States --------------------------------------------------------------------------------------

// StarPU leaves out what a thread without workers does with data ("set", not "pushed"). Ours shows
// it, within what it shows otherwise.
bool OnlyOursShows(std::string_view state) {
  return state == "Unpartitioning" || state == "FetchingInput" || state == "PushingOutput" ||
         state == "Progressing";
}

// What row `track` shows: the innermost state at every moment.
std::vector<ShownState> Shown(const TraceModel& m, uint32_t track) {
  const StateTable& states = m.states;
  struct Change {
    int64_t time_ns;
    bool begins;
    uint32_t state;
  };
  std::vector<Change> changes;
  for (uint32_t s = states.first_of_track[track]; s < states.first_of_track[track + 1]; ++s) {
    changes.push_back({states.start_ns[s], true, s});
    changes.push_back({states.end_ns[s], false, s});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.time_ns < b.time_ns; });
  std::set<std::pair<uint8_t, uint32_t>> open;  // by depth
  std::vector<ShownState> shown;
  for (size_t i = 0; i < changes.size(); ++i) {
    const auto key = std::make_pair(states.depth[changes[i].state], changes[i].state);
    if (changes[i].begins)
      open.insert(key);
    else
      open.erase(key);
    if (i + 1 == changes.size() || changes[i + 1].time_ns == changes[i].time_ns) continue;
    std::string name;
    if (!open.empty()) {
      const uint32_t top = open.rbegin()->second;
      const StateKind kind = states.kind[top];
      name = kind == StateKind::kTask   ? std::string(m.TaskNameOf(states.task[top]))
             : kind == StateKind::kNone ? ""
                                        : std::string(Decl(kind).name);
    }
    shown.push_back({changes[i].time_ns, changes[i + 1].time_ns, name});
  }
  return testing::Tidy(shown);
}

// Where two rows differ for longer than `slack_ns`, one line each.
std::vector<std::string> Differences(const std::vector<ShownState>& ours,
                                     const std::vector<ShownState>& theirs, bool is_worker,
                                     int64_t slack_ns) {
  std::set<int64_t> moments;
  for (const auto* states : {&ours, &theirs})
    for (const ShownState& state : *states) moments.insert({state.begin_ns, state.end_ns});
  const auto at = [](const std::vector<ShownState>& states, int64_t time_ns) -> std::string {
    const auto it =
        std::upper_bound(states.begin(), states.end(), time_ns,
                         [](int64_t time, const ShownState& state) { return time < state.end_ns; });
    return it == states.end() || it->begin_ns > time_ns ? "" : it->name;
  };
  std::vector<std::string> lines;
  for (auto it = moments.begin(); it != moments.end() && std::next(it) != moments.end(); ++it) {
    if (*std::next(it) - *it <= slack_ns) continue;
    const std::string mine = at(ours, *it), other = at(theirs, *it);
    if (mine != other && (is_worker || !OnlyOursShows(mine)))
      lines.push_back(std::to_string(*it) + "-" + std::to_string(*std::next(it)) + ": ours '" +
                      mine + "', theirs '" + other + "'");
  }
  return lines;
}

// While recording is off (the program switches it on and off), StarPU goes on showing the last
// state, and hides the beginning and the end of workers although the trace has them. Ours shows
// nothing but these: what StarPU shows there is replaced by it.
std::vector<ShownState> WithPauses(const TraceModel& m, const std::vector<ShownState>& theirs,
                                   const std::vector<ShownState>& ours) {
  std::vector<ShownState> shown = theirs;
  const auto replace = [&](int64_t begin_ns, int64_t end_ns) {
    std::vector<ShownState> parts;
    for (const ShownState& state : shown) {
      parts.push_back({state.begin_ns, std::min(state.end_ns, begin_ns), state.name});
      parts.push_back({std::max(state.begin_ns, end_ns), state.end_ns, state.name});
    }
    for (const ShownState& state : ours) {
      const ShownState part{std::max(state.begin_ns, begin_ns), std::min(state.end_ns, end_ns),
                            state.name};
      if (part.begin_ns >= part.end_ns) continue;
      EXPECT_TRUE(part.name == "" || part.name == "Initializing" || part.name == "Deinitializing")
          << part.name;
      parts.push_back(part);
    }
    std::erase_if(parts, [](const ShownState& s) { return s.begin_ns >= s.end_ns; });
    std::sort(parts.begin(), parts.end(),
              [](const ShownState& a, const ShownState& b) { return a.begin_ns < b.begin_ns; });
    shown = parts;
  };
  int64_t off_ns = -1;
  for (size_t i = 0; i < m.points.size(); ++i) {
    const bool off = m.points.kind[i] == EventKind::kTracingStop ||
                     (m.points.kind[i] == EventKind::kTracingStart && m.points.Args(i)[0] == 1);
    if (off && off_ns < 0) off_ns = m.points.time_ns[i];
    if (off || m.points.kind[i] != EventKind::kTracingStart || off_ns < 0) continue;
    replace(off_ns, m.points.time_ns[i]);
    off_ns = -1;
  }
  if (off_ns >= 0) replace(off_ns, m.duration_ns);
  return shown;
}

TEST_P(TimelineFacts, StatesOfEveryRowAreTheSame) {
  const TrackTable& tracks = model_->tracks;
  for (uint32_t t = 0; t < tracks.size(); ++t) {
    std::string alias, type;
    switch (tracks.kind[t]) {
      case TrackKind::kWorker: alias = "w" + std::to_string(tracks.id[t]), type = "WS"; break;
      case TrackKind::kThread: alias = "t" + std::to_string(tracks.id[t]), type = "US"; break;
      case TrackKind::kComm: alias = "mpict", type = "CtS"; break;
      case TrackKind::kMemoryNode: alias = "mm" + std::to_string(tracks.id[t]), type = "MS"; break;
    }
    alias = Alias(tracks.rank_index[t], alias);
    const auto ours = Shown(*model_, t);
    const auto theirs =
        WithPauses(*model_, testing::ShownStates(paje_, alias, type, tracks.end_ns[t]), ours);
    EXPECT_THAT(Differences(ours, theirs, type == "WS", slack_ns_), IsEmpty()) << alias;
  }
}

// --- Counters ------------------------------------------------------------------------------------

using Samples = std::map<int64_t, double>;  // the value that holds from a time on

// Values that do not change are no samples.
// StarPU counts a parallel task for each worker that it is given to or taken by: of the hundred
// tasks of this trace it says in the end that 100 are ready and -100 submitted. Ours counts tasks.
constexpr std::string_view kParallelTasks = "parallel_small";

void ExpectCountsEachTaskOnce(const Samples& samples) {
  ASSERT_EQ(samples.size(), 2 * 100u);  // each comes and goes
  for (const auto& [time_ns, value] : samples) {
    EXPECT_GE(value, 0) << time_ns;
    EXPECT_LE(value, 100) << time_ns;
  }
  EXPECT_EQ(samples.rbegin()->second, 0);
}

Samples Steps(const Samples& samples) {
  Samples steps;
  double last = 0;
  for (const auto& [time_ns, value] : samples) {
    if (value != last) steps[time_ns] = value;
    last = value;
  }
  return steps;
}

// StarPU counts in the order of the file. Where that is not the order of time, its values between
// the two are wrong. Ours counts in the order of time: the same steps, each at its own time.
Samples CountedInOrderOfTime(std::vector<std::pair<int64_t, double>> samples) {
  for (size_t i = samples.size(); i-- > 1;) samples[i].second -= samples[i - 1].second;
  std::stable_sort(samples.begin(), samples.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Samples counted;
  double value = 0;
  for (const auto& [time_ns, step] : samples) counted[time_ns] = value += step;
  return counted;
}

TEST_P(TimelineFacts, CountersAreTheSame) {
  std::map<std::string, std::vector<std::pair<int64_t, double>>> lines;
  for (const StarpuPajeLine& line : paje_.lines) {
    if (line.id != 13) continue;
    const std::string& type = line.fields[1];
    if (type == "nsubmitted" || type == "nready" || type == "use")
      lines[line.fields[0] + " " + type].emplace_back(line.time_ns, std::stod(line.fields[2]));
  }
  std::map<std::string, Samples> ours, theirs;
  for (const auto& [name, samples] : lines) theirs[name] = CountedInOrderOfTime(samples);
  for (const CounterSeries& series : model_->counters) {
    std::string name = Alias(series.rank_index, "sched");
    double scale = 1;
    switch (series.kind) {
      case CounterKind::kSubmittedTasks: name += " nsubmitted"; break;
      case CounterKind::kReadyTasks: name += " nready"; break;
      case CounterKind::kMemoryUsedBytes:
        name = Alias(series.rank_index,
                     "mm" + std::to_string(model_->tracks.id[series.track]) + " use");
        scale = 1.0 / (1 << 20);
        break;
      case CounterKind::kOfFile: continue;  // no trace of StarPU's has one
    }
    for (size_t i = 0; i < series.time_ns.size(); ++i)
      ours[name][series.time_ns[i]] = series.value[i] * scale;
  }
  for (const auto& [name, samples] : theirs) {
    const Samples mine = Steps(ours[name]), other = Steps(samples);
    if (GetParam() == kParallelTasks &&
        (name.ends_with("nready") || name.ends_with("nsubmitted"))) {
      ExpectCountsEachTaskOnce(mine);
      continue;
    }
    ASSERT_EQ(mine.size(), other.size()) << name;
    for (auto m = mine.begin(), o = other.begin(); m != mine.end(); ++m, ++o) {
      EXPECT_NEAR(m->first, o->first, slack_ns_) << name;
      EXPECT_NEAR(m->second, o->second, 1e-6) << name << " at " << m->first;
    }
  }
  for (const auto& [name, samples] : ours)
    EXPECT_TRUE(Steps(samples).empty() || theirs.contains(name)) << name;
}

// activity.data mixes the ranks, without saying which is which.
class ActivityFacts : public TimelineFacts {};

TEST_P(ActivityFacts, CountersAreTheSame) {
  std::map<std::string, Samples> ours;
  std::map<std::string, std::vector<std::pair<int64_t, double>>> theirs;
  std::istringstream lines(ReadFile(StarpuReference(GetParam(), "activity.data")));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, ms;
    double value;
    if (words >> kind >> ms >> value && (kind == "cnt_ready" || kind == "cnt_submitted"))
      theirs[kind].emplace_back(std::llround(std::stold(ms) * 1e6L), value);
  }
  for (const CounterSeries& series : model_->counters)
    for (size_t i = 0; i < series.time_ns.size(); ++i)
      if (series.kind != CounterKind::kMemoryUsedBytes)
        ours[series.kind == CounterKind::kReadyTasks ? "cnt_ready" : "cnt_submitted"]
            [series.time_ns[i]] = series.value[i];
  if (GetParam() == kParallelTasks) {
    for (const char* kind : {"cnt_ready", "cnt_submitted"})
      ExpectCountsEachTaskOnce(Steps(ours[kind]));
    return;
  }
  for (const char* kind : {"cnt_ready", "cnt_submitted"})
    EXPECT_EQ(Steps(ours[kind]), Steps(CountedInOrderOfTime(theirs[kind]))) << kind;
}

// --- Transfers, steals, events -------------------------------------------------------------------

TEST_P(TimelineFacts, TransfersAreTheSame) {
  constexpr const char* kTypes[] = {"F", "TF", "PF", "IF"};
  std::map<std::string, int64_t> ours, theirs;
  for (const StarpuPajeLine& line : paje_.lines) {
    const bool is_fetch =
        std::find(std::begin(kTypes), std::end(kTypes), line.fields[0]) != std::end(kTypes);
    if (!is_fetch) continue;
    if (line.id == 24)  // type, container, bytes, from, key, handle, ...
      theirs["start " + line.fields[4] + " " + line.fields[0] + " " + line.fields[2] + " " +
             line.fields[3] + " " + line.fields[5]] = line.time_ns;
    if (line.id == 19)
      theirs["end " + line.fields[4] + " " + line.fields[0] + " " + line.fields[3]] = line.time_ns;
  }
  const TransferTable& t = model_->transfers;
  for (size_t i = 0; i < t.size(); ++i) {
    const auto node = [&](uint32_t id) {
      return Alias(t.rank_index[i], "mm" + std::to_string(id));
    };
    const std::string key = Alias(t.rank_index[i], "com_" + std::to_string(t.copy_id[i])) + " " +
                            kTypes[static_cast<size_t>(t.reason[i])] + " ";
    ours["start " + key + std::to_string(t.size_bytes[i]) + " " + node(t.source_node[i]) + " " +
         Hex(t.handle[i])] = t.start_ns[i];
    if (t.end_ns[i] != kNever) ours["end " + key + node(t.target_node[i])] = t.end_ns[i];
  }
  ExpectSameTimes(ours, theirs);
}

TEST_P(TimelineFacts, StealsAreTheSame) {
  std::vector<std::string> ours, theirs, end;
  for (const StarpuPajeLine& line : paje_.lines) {
    if (line.fields[0] != "WSL") continue;
    if (line.id == 18)  // the victim at the start of the arrow
      theirs.push_back(std::to_string(line.time_ns) + " " + line.fields[3]);
    else if (line.id == 19)
      theirs.back() += " " + line.fields[3];
  }
  const StealTable& s = model_->steals;
  for (size_t i = 0; i < s.size(); ++i)
    ours.push_back(std::to_string(s.time_ns[i]) + " w" + std::to_string(s.victim[i]) + " w" +
                   std::to_string(s.thief[i]));
  EXPECT_THAT(ours, ::testing::UnorderedElementsAreArray(theirs));
}

TEST_P(TimelineFacts, EventsOfTheProgramAreTheSame) {
  std::map<std::string, std::vector<std::string>> ours, theirs;
  const auto at = [&](int64_t ns) { return several_ranks_ ? "" : std::to_string(ns) + " "; };
  for (const StarpuPajeLine& line : paje_.lines) {
    if (line.id != 9) continue;
    const std::string& type = line.fields[0];
    if (type == "register" || type == "unregister" || type == "prog_event")
      theirs[type].push_back(at(line.time_ns) + line.fields[2]);
    if (type == "SI" || type == "SO" || type == "SS")
      theirs[type].push_back(at(line.time_ns) + line.fields[1] + " " + line.fields[2]);
  }
  const PointTable& points = model_->points;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto args = points.Args(i);
    const std::string time = at(points.time_ns[i]);
    switch (points.kind[i]) {
      case EventKind::kDataNew: ours["register"].push_back(time + Hex(args[0])); break;
      case EventKind::kDataDelete: ours["unregister"].push_back(time + Hex(args[0])); break;
      case EventKind::kMessage: ours["prog_event"].push_back(time + Str(args[0])); break;
      case EventKind::kMpiBarrier:
        ours["prog_event"].push_back(time + "end of MPI_Barrier, rank " + std::to_string(args[0]));
        break;
      case EventKind::kDataState: {
        constexpr const char* kTypes[] = {"SI", "SO", "SS"};
        ours[kTypes[args[2]]].push_back(time + "mm" + std::to_string(args[1]) + " " + Hex(args[0]));
        break;
      }
      default: break;
    }
  }
  for (const char* type : {"register", "unregister", "prog_event"})
    EXPECT_THAT(ours[type], ::testing::UnorderedElementsAreArray(theirs[type])) << type;
  if (!HasMemoryStates(GetParam())) return;
  for (const char* type : {"SI", "SO", "SS"})
    EXPECT_THAT(ours[type], ::testing::UnorderedElementsAreArray(theirs[type])) << type;
}

// What -memory-states adds: requests, and the beginnings and ends of operations on memory.
class MemoryFacts : public TimelineFacts {};

TEST_P(MemoryFacts, OperationsOnMemoryAreTheSame) {
  std::vector<std::string> ours, theirs;
  for (const StarpuPajeLine& line : paje_.lines)
    if (line.id == 22 && !line.fields[0].starts_with("DCo"))
      theirs.push_back(std::to_string(line.time_ns) + " " + line.fields[0] + " " + line.fields[1]);
  constexpr const char* kBegin[] = {"Al", "Alr", "Fe", "Wb", nullptr, nullptr, "WU"};
  const PointTable& points = model_->points;
  for (size_t i = 0; i < points.size(); ++i) {
    const auto args = points.Args(i);
    const std::string time = std::to_string(points.time_ns[i]) + " ";
    if (points.kind[i] == EventKind::kDataRequest)
      ours.push_back(time + "rc mm" + std::to_string(args[1]));
    const bool begins = points.kind[i] == EventKind::kMemoryOpStart;
    if ((!begins && points.kind[i] != EventKind::kMemoryOpEnd) || !kBegin[args[1]]) continue;
    ours.push_back(time + kBegin[args[1]] + (begins ? "" : "E") + " mm" + std::to_string(args[0]));
  }
  EXPECT_THAT(ours, ::testing::UnorderedElementsAreArray(theirs));
}

std::vector<std::string> TracesWhere(const std::function<bool(const std::string&)>& wanted) {
  std::vector<std::string> traces = testing::StarpuTraces();
  std::erase_if(traces, [&](const std::string& trace) { return !wanted(trace); });
  return traces;
}
bool HasOneRank(const std::string& trace) { return testing::StarpuTraceFiles(trace).size() == 1; }

const auto kName = [](const auto& info) { return info.param; };
INSTANTIATE_TEST_SUITE_P(Of, TimelineFacts, ::testing::ValuesIn(testing::StarpuTraces()), kName);
INSTANTIATE_TEST_SUITE_P(Of, ActivityFacts, ::testing::ValuesIn(TracesWhere(HasOneRank)), kName);
INSTANTIATE_TEST_SUITE_P(Of, MemoryFacts, ::testing::ValuesIn(TracesWhere(HasMemoryStates)), kName);

}  // namespace
}  // namespace tasklens
