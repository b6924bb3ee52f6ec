// SPDX-License-Identifier: Apache-2.0
// The facts of every real trace, as our model has them, are those that StarPU's own tool found in
// the same file: tasks, data, messages and the task graph. What is shown over time is in
// timeline_facts_test.cc. Facts are compared, not text; where StarPU's tool is wrong, the test
// names the difference and the reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "converters/formats.h"
#include "tests/testing/fxt_writer.h"
#include "tests/testing/recutils.h"
#include "tests/testing/starpu_traces.h"

namespace tasklens {
namespace {

using ::testing::IsEmpty;
using testing::ParseRecords;
using testing::ReadFile;
using testing::RecRecord;
using testing::StarpuReference;

using Fields = std::map<std::string, std::string>;
using FactsByKey = std::map<std::string, Fields>;

std::string Print(const char* format, auto... args) {
  char text[400];
  snprintf(text, sizeof text, format, args...);
  return text;
}

// "12.345678" ms: what StarPU prints of a time.
std::string Ms(int64_t ns) {
  return Print("%ld.%06ld", static_cast<long>(ns / 1000000), static_cast<long>(ns % 1000000));
}
int64_t NsOf(const std::string& ms) {
  return static_cast<int64_t>(std::stold(ms) * 1000000.0L + 0.5L);
}

void Append(std::string& list, const std::string& word) {
  if (!list.empty()) list += ' ';
  list += word;
}

class Facts : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto model = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags_);
    ASSERT_TRUE(model.ok()) << model.status().message();
    model_ = std::make_unique<TraceModel>(std::move(*model));
    several_ranks_ = model_->ranks.size() > 1;
    for (const auto& [key, value] : model_->info)
      is_after_14_ |= Str(key) == "runtime" && Str(value) == "StarPU after 1.4";
  }

  std::string Reference(const std::string& file) const {
    return ReadFile(StarpuReference(GetParam(), file));
  }
  std::vector<RecRecord> Records(const std::string& file) const {
    return ParseRecords(testing::PartedAfterEndDependencies(Reference(file)));
  }

  // StarPU's name of a job: with its rank, when there are several.
  std::string Job(uint32_t rank_index, uint64_t job) const {
    const std::string id = std::to_string(job);
    return several_ranks_ ? std::to_string(model_->ranks.rank[rank_index]) + "_" + id : id;
  }
  std::string JobOf(uint32_t task) const {
    return Job(model_->tasks.rank_index[task], model_->tasks.job[task]);
  }
  std::string Str(StringId id) const { return std::string(model_->str(id)); }

  Diagnostics diags_;
  std::unique_ptr<TraceModel> model_;
  bool several_ranks_ = false;
  bool is_after_14_ = false;
};

// What is in one and not in the other, or differs, one line each.
std::vector<std::string> Compare(const FactsByKey& ours, const FactsByKey& theirs) {
  std::vector<std::string> lines;
  for (const auto& [key, fields] : theirs)
    if (!ours.contains(key)) lines.push_back("only theirs: " + key);
  for (const auto& [key, fields] : ours) {
    const auto it = theirs.find(key);
    if (it == theirs.end()) {
      lines.push_back("only ours: " + key);
      continue;
    }
    for (const auto& [name, value] : fields) {
      const auto other = it->second.find(name);
      if (other == it->second.end())
        lines.push_back(key + " only ours: " + name + ": " + value);
      else if (other->second != value)
        lines.push_back(key + " " + name + ": ours " + value + ", theirs " + other->second);
    }
    for (const auto& [name, value] : it->second)
      if (!fields.contains(name)) lines.push_back(key + " only theirs: " + name + ": " + value);
  }
  return lines;
}

std::string Modes(uint32_t mode) {
  std::string text;
  if (mode & kAccessRead) text += "R";
  if (mode & kAccessWrite) text += "W";
  if (mode & kAccessScratch) text += "S";
  if (mode & kAccessRedux) text += "X";
  if (mode & kAccessMpiRedux) text += "X-mpi";
  if (mode & kAccessCommute) text += "C";
  return text;
}

std::string NumaNodes(int64_t nodes) {
  if (nodes == -1) return "-1";
  std::string text;
  for (int i = 0; i < 64; ++i)
    if (nodes >> i & 1) Append(text, std::to_string(i));
  return text;
}

// --- tasks.rec -----------------------------------------------------------------------------------

Fields TaskFields(const TraceModel& m, uint32_t t, bool several_ranks,
                  const std::function<std::string(uint32_t)>& job_of) {
  const TaskTable& tasks = m.tasks;
  Fields f;
  const auto put = [&](const char* name, const std::string& value) { f[name] = value; };
  put("JobId", job_of(t));
  if (tasks.name[t]) put("Name", std::string(m.str(tasks.name[t])));
  if (tasks.model[t]) put("Model", std::string(m.str(tasks.model[t])));
  if (const uint32_t site = tasks.site[t]; site != kNone) {
    put("File", std::string(m.str(m.sites.file[site])));
    put("Line", std::to_string(m.sites.line[site]));
  }
  if (tasks.submit_order[t]) put("SubmitOrder", std::to_string(tasks.submit_order[t]));
  put("Priority", std::to_string(tasks.priority[t]));
  for (const DepEnd& dep : m.predecessors[t]) {
    Append(f["DependsOn"], job_of(dep.task));
    Append(f["DepLabels"], std::string(m.str(dep.label)));
  }
  put("Tag", Print("%lx", static_cast<unsigned long>(tasks.tag[t])));
  if (tasks.worker[t] != kNone) {
    put("WorkerId", std::to_string(m.workers.id[tasks.LastWorker(t)]));
    put("MemoryNode", std::to_string(tasks.memory_node[t]));
  }
  if (tasks.submit_ns[t] != kNever) put("SubmitTime", Ms(tasks.submit_ns[t]));
  if (tasks.start_ns[t] != kNever) put("StartTime", Ms(tasks.LastStartNs(t)));
  if (tasks.end_ns[t] != kNever) put("EndTime", Ms(tasks.end_ns[t]));
  put("Footprint", Print("%x", tasks.footprint[t]));
  if (tasks.flops[t] != 0) put("GFlop", Print("%f", tasks.flops[t] / 1e9));
  if (tasks.iteration[t] != -1) {
    put("Iteration", std::to_string(tasks.iteration[t]));
    if (tasks.subiteration[t] != -1) Append(f["Iteration"], std::to_string(tasks.subiteration[t]));
  }
  for (StringId parameter : m.parameters[t]) Append(f["Parameters"], std::string(m.str(parameter)));
  if (tasks.start_ns[t] != kNever && !f.contains("Parameters")) put("Parameters", "nodata");
  for (const TaskAccess& access : m.accesses[t]) {
    Append(f["Handles"],
           Print("%lx", static_cast<unsigned long>(m.handles.address[access.handle])));
    Append(f["Modes"], Modes(access.mode));
    Append(f["Sizes"], std::to_string(access.size_bytes));
    Append(f["NumaNodes"], NumaNodes(access.numa_nodes));
  }
  for (const auto& [releaser, delayed] : m.end_deps)
    if (delayed == t) Append(f["EndDependencies"], job_of(releaser));
  put("MPIRank",
      several_ranks ? std::to_string(m.ranks.rank[tasks.rank_index[t]]) : std::string("-1"));
  return f;
}

// StarPU lists a dependency as often as the program declared it: once for each handle of two tasks
// that share several. Ours has it once.
void DropDoubles(Fields& fields) {
  std::istringstream jobs(fields["DependsOn"]), labels(fields["DepLabels"]);
  fields.erase("DependsOn");
  fields.erase("DepLabels");
  std::set<std::string> seen;
  std::string job, label;
  while (jobs >> job && labels >> label) {
    if (!seen.insert(job).second) continue;
    Append(fields["DependsOn"], job);
    Append(fields["DepLabels"], label);
  }
}

// A task on several workers has several starts, and one of these workers describes its data. When
// that is not the one that starts last, StarPU forgets the description.
void RestoreForgottenParameters(const std::string& trace_file, FactsByKey& theirs) {
  std::map<uint64_t, std::string> job_of_worker;
  std::map<std::string, std::string> parameters;
  for (const testing::FxtEvent& event : testing::ParseFxt14(ReadFile(trace_file))) {
    if (event.code == 0x513f) Append(parameters[job_of_worker[event.params[0]]], event.text);
    if (event.code == 0x5102) job_of_worker[event.params[2]] = std::to_string(event.params[0]);
  }
  for (auto& [job, fields] : theirs)
    if (fields["Parameters"] == "nodata" && !parameters[job].empty())
      fields["Parameters"] = parameters[job];
    else if (fields["Parameters"].empty())
      fields.erase("Parameters");
}

// Between two synchronisation points StarPU shifts times in floating point: its last digit may
// differ. What differs by no more is made equal.
void ForgiveRounding(const FactsByKey& ours, FactsByKey& theirs) {
  for (auto& [key, fields] : theirs) {
    const auto it = ours.find(key);
    if (it == ours.end()) continue;
    for (const char* name : {"SubmitTime", "ReadyTime", "StartTime", "EndTime"}) {
      const auto mine = it->second.find(name);
      if (mine == it->second.end() || !fields.contains(name)) continue;
      if (std::abs(NsOf(mine->second) - NsOf(fields[name])) <= 1) fields[name] = mine->second;
    }
  }
}

// What StarPU's tool says of tasks since 1.4.
void AddFieldsAfter14(const TraceModel& m, uint32_t t, Fields& f) {
  const TaskTable& tasks = m.tasks;
  if (tasks.ready_ns[t] != kNever) f["ReadyTime"] = Ms(tasks.ready_ns[t]);
  f["RecursiveTask"] = std::to_string(tasks.is_recursive[t]);
  f["Level"] = std::to_string(tasks.level[t]);
  const uint32_t parent = tasks.parent[t];
  f["ParentRecursiveTask"] = parent == kNone ? "0" : std::to_string(tasks.job[parent]);
}

// StarPU's tool after 1.4 loses the description of a task's first data.
void RestoreFirstParameter(const FactsByKey& ours, FactsByKey& theirs) {
  for (auto& [job, fields] : theirs) {
    const auto mine = ours.find(job);
    if (mine == ours.end() || !mine->second.contains("Parameters")) continue;
    const std::string& whole = mine->second.at("Parameters");
    const std::string& rest = fields["Parameters"];
    if (whole.ends_with(rest) && !rest.empty() && rest != whole) fields["Parameters"] = whole;
    if (rest.empty() && whole.find(' ') == whole.npos) fields["Parameters"] = whole;
  }
}

// It says some ready time, of another task, of what was never given to a scheduler: memory that it
// does not set.
void ForgetReadyTimesOfNoPush(const FactsByKey& ours, FactsByKey& theirs) {
  for (auto& [job, fields] : theirs) {
    const auto mine = ours.find(job);
    const bool was_pushed = mine == ours.end() || mine->second.contains("ReadyTime");
    if (!was_pushed && !fields.contains("WorkerId")) fields.erase("ReadyTime");
  }
}

TEST_P(Facts, OfTasksAreThoseOfTasksRec) {
  FactsByKey theirs;
  for (const RecRecord& record : Records("tasks.rec")) {
    Fields fields(record.fields.begin(), record.fields.end());
    if (fields.contains("DependsOn")) DropDoubles(fields);
    EXPECT_TRUE(theirs.emplace(record.Get("JobId"), fields).second) << record.Get("JobId");
  }
  FactsByKey ours;
  for (uint32_t t = 0; t < model_->tasks.size(); ++t) {
    if (model_->tasks.hidden[t]) continue;
    Fields fields =
        TaskFields(*model_, t, several_ranks_, [this](uint32_t other) { return JobOf(other); });
    if (is_after_14_) AddFieldsAfter14(*model_, t, fields);
    ours.emplace(JobOf(t), std::move(fields));
  }
  if (several_ranks_) ForgiveRounding(ours, theirs);
  if (is_after_14_) {
    RestoreFirstParameter(ours, theirs);
    ForgetReadyTimesOfNoPush(ours, theirs);
  } else if (!several_ranks_) {
    RestoreForgottenParameters(testing::StarpuTraceFiles(GetParam()).front(), theirs);
  }
  EXPECT_FALSE(theirs.empty());
  EXPECT_THAT(Compare(ours, theirs), IsEmpty());
}

// --- sched_tasks.rec -----------------------------------------------------------------------------

TEST_P(Facts, OfSchedulingAreThoseOfSchedTasksRec) {
  std::vector<std::string> theirs, ours;
  for (const RecRecord& r : Records("sched_tasks.rec"))
    theirs.push_back(r.Get("Type") + " " + std::to_string(NsOf(r.Get("Time"))) + " " +
                     r.Get("Priority") + " " + r.Get("JobId"));
  const PointTable& points = model_->points;
  for (size_t i = 0; i < points.size(); ++i) {
    if (points.kind[i] != EventKind::kTaskReady && points.kind[i] != EventKind::kTaskPop) continue;
    const auto args = points.Args(i);
    ours.push_back(std::string(points.kind[i] == EventKind::kTaskReady ? "push " : "pop ") +
                   std::to_string(points.time_ns[i]) + " " +
                   std::to_string(static_cast<int32_t>(args[1])) + " " +
                   Job(model_->tracks.rank_index[points.track[i]], args[0]));
  }
  if (several_ranks_) {  // rounding, see above: without the last digit, but in order
    for (auto* list : {&ours, &theirs})
      for (std::string& line : *list) line.erase(line.find(' '), line.rfind(' ') - line.find(' '));
  }
  EXPECT_THAT(ours, ::testing::UnorderedElementsAreArray(theirs));
}

// --- data.rec ------------------------------------------------------------------------------------

TEST_P(Facts, OfDataAreThoseOfDataRec) {
  FactsByKey theirs, ours;
  std::map<std::string, int> times;  // an address may be registered again
  const auto key = [&](const std::string& rank, const std::string& handle) {
    return rank + ":" + handle + "#" + std::to_string(times[rank + ":" + handle]++);
  };
  for (const RecRecord& r : Records("data.rec")) {
    Fields& fields = theirs[key(r.Get("MPIRank"), r.Get("Handle"))];
    fields = Fields(r.fields.begin(), r.fields.end());
    if (fields["Name"].empty()) fields.erase("Name");  // after 1.4 every part has a name
  }
  times.clear();
  const HandleTable& handles = model_->handles;
  for (uint32_t h = 0; h < handles.size(); ++h) {
    if (handles.register_ns[h] == kNever) continue;  // only mentioned: StarPU has no record
    Fields f;
    f["Handle"] = Print("%lx", static_cast<unsigned long>(handles.address[h]));
    f["HomeNode"] = std::to_string(handles.home_node[h]);
    if (several_ranks_) f["MPIRank"] = std::to_string(model_->ranks.rank[handles.rank_index[h]]);
    if (handles.name[h]) f["Name"] = Str(handles.name[h]);
    f["Size"] = std::to_string(handles.size_bytes[h]);
    if (handles.max_size_bytes[h] != -1) f["MaxSize"] = std::to_string(handles.max_size_bytes[h]);
    f["Description"] = Str(handles.description[h]);
    if (is_after_14_)
      f["ParentHandle"] = Print("%lx", static_cast<unsigned long>(handles.parent[h]));
    for (int32_t value : handles.coordinates[h]) Append(f["Coordinates"], std::to_string(value));
    if (handles.mpi_owner[h] != -1)
      f["MPIOwner"] = std::to_string(handles.mpi_owner[h]);
    else if (several_ranks_)
      f["MPIOwner"] = f["MPIRank"];
    if (handles.mpi_tag[h] != -1) f["MPITag"] = std::to_string(handles.mpi_tag[h]);
    ours[key(several_ranks_ ? f["MPIRank"] : "", f["Handle"])] = f;
  }
  EXPECT_THAT(Compare(ours, theirs), IsEmpty());
}

// --- comms.rec -----------------------------------------------------------------------------------

TEST_P(Facts, OfMessagesAreThoseOfCommsRec) {
  const MessageTable& m = model_->messages;
  FactsByKey theirs, ours;
  std::map<std::string, int> times;
  const auto key = [&](const std::string& link) {
    return link + "#" + std::to_string(times[link]++);
  };
  // StarPU keeps these times as 32-bit floats: some 30 ns are lost in the first seconds.
  const auto close = [](int64_t ns, const std::string& ms) {
    return std::abs(static_cast<double>(NsOf(ms) - ns)) <= 64;
  };
  std::map<std::string, std::pair<std::string, std::string>> their_times;
  for (const RecRecord& r : Records("comms.rec")) {
    Fields f(r.fields.begin(), r.fields.end());
    const std::string k = key(f["Src"] + ">" + f["Dst"] + ":" + f["Tag"]);
    their_times[k] = {f["SendTime"], f["RecvTime"]};
    f.erase("SendTime");
    f.erase("RecvTime");
    theirs[k] = f;
  }
  times.clear();
  for (size_t i = 0; i < m.size(); ++i) {
    if (m.send_ns[i] == kNever || m.receive_ns[i] == kNever) continue;
    Fields f;
    f["Src"] = std::to_string(model_->ranks.rank[m.source[i]]);
    f["Dst"] = std::to_string(model_->ranks.rank[m.target[i]]);
    f["Tag"] = std::to_string(m.tag[i]);
    f["SendHandle"] = Print("%lx", static_cast<unsigned long>(m.send_handle[i]));
    f["RecvHandle"] = Print("%lx", static_cast<unsigned long>(m.receive_handle[i]));
    f["SendJobId"] = Job(m.source[i], m.send_job[i]);
    f["RecvJobId"] = Job(m.target[i], m.receive_job[i]);
    f["Size"] = std::to_string(m.size_bytes[i]);
    f["Priority"] = std::to_string(m.priority[i]);
    f["Type"] = m.type[i] == MessageType::kPointToPoint ? "PointToPoint" : "Collective";
    f["SendNumaNodes"] = NumaNodes(m.send_numa[i]);
    f["RecvNumaNodes"] = NumaNodes(m.receive_numa[i]);
    const std::string k = key(f["Src"] + ">" + f["Dst"] + ":" + f["Tag"]);
    ours[k] = f;
    EXPECT_TRUE(close(m.send_ns[i], their_times[k].first)) << k << ' ' << m.send_ns[i];
    EXPECT_TRUE(close(m.receive_ns[i], their_times[k].second)) << k << ' ' << m.receive_ns[i];
  }
  EXPECT_THAT(Compare(ours, theirs), IsEmpty());
}

// --- number_events.data --------------------------------------------------------------------------

TEST_P(Facts, OfEventCountsAreThoseOfNumberEventsData) {
  std::map<uint64_t, uint64_t> theirs, ours;
  std::istringstream lines(Reference("number_events.data"));
  std::string code, line;
  std::getline(lines, line);  // a comment
  uint64_t count;
  while (lines >> code >> count) theirs[std::stoull(code, nullptr, 16)] = count;
  for (const auto& [event, n] : model_->source_event_counts)
    EXPECT_TRUE(ours.emplace(event, n).second) << std::hex << event << " stands there twice";
  EXPECT_FALSE(theirs.empty());
  EXPECT_EQ(ours, theirs);
}

// --- dag.dot -------------------------------------------------------------------------------------

struct Dag {
  // "task_1 task_2", "tag_1 tag_2", "tag_1 task_2 tag_1", and of a message the tasks before it and
  // those after it, each in order: "task_0_1 mpi_TAG task_1_2"
  std::multiset<std::string> edges;
  FactsByKey nodes;  // by name: label, href
};

struct MessageTasks {
  std::set<std::string> before, after;
  std::string Edge(const std::string& message) const {
    std::string text;
    for (const std::string& task : before) text += task + " ";
    text += message;
    for (const std::string& task : after) text += " " + task;
    return text;
  }
};

Dag ParseDag(const std::string& text) {
  Dag dag;
  std::map<std::string, MessageTasks> messages;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    // The quoted words before the attributes are a node, or the ends of an edge.
    const size_t bracket = line.find('[');
    std::istringstream words(line.substr(0, bracket));
    std::string names;
    for (std::string word; std::getline(words, word, '"');)
      if (word.starts_with("task_") || word.starts_with("tag_") || word.starts_with("mpi_"))
        Append(names, word);
    if (names.empty()) continue;
    if (names.find("mpi_") != names.npos) {  // an edge to a message, or from it
      const bool from = names.starts_with("mpi_");
      const std::string first = names.substr(0, names.find(' '));
      const std::string second = names.substr(names.find(' ') + 1);
      MessageTasks& ends = messages[from ? first : second];
      (from ? ends.after : ends.before).insert(from ? second : first);
      continue;
    }
    if (names.find(' ') != names.npos) {
      // StarPU draws an edge as often as the dependency was declared.
      if (!dag.edges.contains(names)) dag.edges.insert(names);
      continue;
    }
    for (const char* attribute : {"label", "href"}) {
      const std::string begin = std::string(attribute) + "=\"";
      const size_t at = line.find(begin, bracket);
      if (at == line.npos) continue;
      const size_t value = at + begin.size();
      dag.nodes[names][attribute] = line.substr(value, line.find('"', value) - value);
    }
  }
  for (const auto& [message, ends] : messages)  // the id only tells nodes apart
    dag.edges.insert(ends.Edge(message.substr(0, message.rfind('_'))));
  return dag;
}

// The end of a task waits for another one.
std::set<std::string> EndDependenciesIn(const std::string& dot) {
  std::set<std::string> found;
  std::istringstream lines(dot);
  for (std::string line; std::getline(lines, line);)
    if (line.find("end_dep=") != line.npos) {
      std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
      found.insert(line);
    }
  return found;
}

TEST_P(Facts, OfEndDependenciesAreThoseOfDagDot) {
  MemoryOutputs outputs;
  for (const WriterSpec* writer : Writers()) {
    if (writer->name != "dot") continue;
    ASSERT_TRUE(writer->write(*model_, {}, outputs).ok());
  }
  EXPECT_EQ(EndDependenciesIn(outputs.Text("dag.dot")), EndDependenciesIn(Reference("dag.dot")));
  EXPECT_EQ(!EndDependenciesIn(outputs.Text("dag.dot")).empty(), GetParam() == "enddep");
}

TEST_P(Facts, OfTheTaskGraphAreThoseOfDagDot) {
  const TraceModel& m = *model_;
  Dag drawn = ParseDag(Reference("dag.dot"));
  const auto node = [&](uint32_t t) { return "task_" + JobOf(t); };
  const auto tag = [&](uint32_t row) {
    return "tag_" + Print("%lx", static_cast<unsigned long>(m.tags.tag[row]));
  };
  // Tasks of the runtime itself are left out (no -internal), with the edges to them; not so the
  // edges from them.
  const auto internal = [&](uint32_t t) { return (m.tasks.type[t] & kTaskInternal) != 0; };
  Dag ours;
  for (uint32_t t = 0; t < m.tasks.size(); ++t) {
    if (m.tasks.hidden[t]) continue;
    if (!internal(t))
      for (const DepEnd& dep : m.predecessors[t]) ours.edges.insert(node(dep.task) + " " + node(t));
    if (internal(t) || !m.tasks.name[t]) continue;
    ours.nodes[node(t)]["label"] = Str(m.tasks.name[t]);
    if (const uint32_t site = m.tasks.site[t]; site != kNone)
      ours.nodes[node(t)]["href"] =
          Str(m.sites.file[site]) + "#" + std::to_string(m.sites.line[site]);
  }
  // After 1.4 they are addresses, which tell nothing: StarPU's tool draws them nevertheless.
  Dag theirs = std::move(drawn);
  if (is_after_14_) {
    EXPECT_TRUE(m.tags.deps.empty() && m.tags.owners.empty());
    std::erase_if(theirs.edges, [](const std::string& edge) { return edge.starts_with("tag_"); });
  }
  for (const auto& [father, child] : m.tags.deps) ours.edges.insert(tag(father) + " " + tag(child));
  for (const auto& [row, task] : m.tags.owners)
    ours.edges.insert(tag(row) + " " + node(task) + " " + tag(row));
  for (size_t i = 0; i < m.messages.size(); ++i) {
    const auto job = [&](uint32_t rank, uint64_t id) { return "task_" + Job(rank, id); };
    if (m.messages.send_ns[i] == kNever || m.messages.receive_ns[i] == kNever) continue;
    MessageTasks tasks;
    const auto add = [&](std::set<std::string>& to, uint32_t rank, uint64_t id) {
      if (id != 0) to.insert(job(rank, id));
    };
    add(tasks.before, m.messages.source[i], m.messages.send_job[i]);
    add(tasks.before, m.messages.target[i], m.messages.before_receive_job[i]);
    add(tasks.after, m.messages.target[i], m.messages.receive_job[i]);
    add(tasks.after, m.messages.source[i], m.messages.after_send_job[i]);
    ours.edges.insert(tasks.Edge("mpi_" + std::to_string(m.messages.tag[i])));
  }
  EXPECT_THAT(Compare(ours.nodes, theirs.nodes), IsEmpty());
  EXPECT_EQ(ours.edges, theirs.edges);
}

INSTANTIATE_TEST_SUITE_P(After14, Facts, ::testing::ValuesIn(testing::StarpuMasterTraces()),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Of, Facts, ::testing::ValuesIn(testing::StarpuTraces()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tasklens
