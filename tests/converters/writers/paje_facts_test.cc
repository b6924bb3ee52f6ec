// SPDX-License-Identifier: Apache-2.0
// What a viewer learns from our paje.trace it learns from StarPU's: rows, tasks, states, curves,
// arrows and events of every real trace. Where the two differ on purpose, the test says why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "converters/formats.h"
#include "tests/testing/paje_checker.h"
#include "tests/testing/starpu_traces.h"

namespace tasklens {
namespace {

using testing::CheckPaje;
using ::testing::IsEmpty;
using testing::PajeLine;
using ::testing::UnorderedElementsAreArray;

using Row = std::pair<std::string, std::string>;  // container, type

class PajeFacts : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Diagnostics diags;
    const auto model = LoadPaths(testing::StarpuTraceFiles(GetParam()), diags);
    ASSERT_TRUE(model.ok()) << model.status().message();
    const std::string flags = testing::ReadFile(testing::StarpuReference(GetParam(), "OPTIONS"));
    WriteOptions options;
    options.values["colors"] = "";
    if (flags.find("-memory-states") != std::string::npos) options.values["memory-states"] = "";
    MemoryOutputs outputs;
    ASSERT_TRUE(FindWriter("paje")->write(*model, options, outputs).ok());
    ours_ = CheckPaje(outputs.Text("paje.trace")).lines;
    const std::vector<std::string> after_14 = testing::StarpuMasterTraces();
    is_after_14_ = std::find(after_14.begin(), after_14.end(), GetParam()) != after_14.end();
    theirs_ = CheckPaje(WithoutRemarks(
                            testing::ReadFile(testing::StarpuReference(GetParam(), "paje.trace"))))
                  .lines;
    // StarPU writes lines as it meets the events; readers sort them, keeping the order of equals.
    std::stable_sort(theirs_.begin(), theirs_.end(),
                     [](const PajeLine& a, const PajeLine& b) { return a.time_ns < b.time_ns; });
    ASSERT_FALSE(theirs_.empty());
    // StarPU shifts the times of several ranks in floating point (and keeps those of messages as
    // 32-bit floats): the last digits differ.
    if (model->ranks.size() > 1) time_error_ns_ = 64;
  }

  // After 1.4 StarPU's tool writes `# word` behind the end of a state, which is no field of it.
  static std::string WithoutRemarks(const std::string& text) {
    static const std::regex kRemark("(\n12\t[^\n#]*) # [^\n]*");
    return std::regex_replace(text, kRemark, "$1");
  }

  bool SameTime(int64_t a, int64_t b) const { return std::abs(a - b) <= time_error_ns_; }

  std::vector<PajeLine> ours_, theirs_;
  int64_t time_error_ns_ = 0;
  bool is_after_14_ = false;
};

TEST_P(PajeFacts, ContainersAreTheSame) {
  const auto containers = [](const std::vector<PajeLine>& lines) {
    std::vector<std::string> all;
    for (const PajeLine& line : lines) {
      if (line.name == "PajeCreateContainer")
        all.push_back(line["Alias"] + " " + line["Type"] + " " + line["Container"] + " " +
                      line["Name"]);
    }
    return all;
  };
  EXPECT_THAT(containers(ours_), UnorderedElementsAreArray(containers(theirs_)));
}

// Every task: where, when, and all fields of its state.
TEST_P(PajeFacts, TasksAreTheSame) {
  using Tasks = std::multimap<std::string, int64_t>;  // all fields but the time
  const auto tasks = [this](const std::vector<PajeLine>& lines) {
    Tasks all;
    for (const PajeLine& line : lines) {
      if (line.id != 20) continue;
      std::string text;
      for (const auto& [name, value] : line.fields) {
        // StarPU prints negative priorities as unsigned; and no NUMA node of no data as "".
        std::string mine = name == "Priority" && value.size() > 19 ? "negative" : value;
        if (name == "Priority" && value.starts_with('-')) mine = "negative";
        if (name == "NumaNodes" && value.empty()) mine = "-1";
        if (name == "Params" && line["Value"] == "vector_scal_parallel")
          mine = "";                                      // see tasks.rec
        if (name == "Params" && is_after_14_) mine = "";  // loses the first, see tasks.rec
        if (name != "Time") text += name + "=" + mine + " ";
      }
      all.emplace(text, line.time_ns);
    }
    return all;
  };
  const Tasks ours = tasks(ours_), theirs = tasks(theirs_);
  ASSERT_EQ(ours.size(), theirs.size());
  for (auto a = ours.begin(), b = theirs.begin(); a != ours.end(); ++a, ++b) {
    EXPECT_EQ(a->first, b->first);
    EXPECT_TRUE(SameTime(a->second, b->second)) << a->first << a->second << " " << b->second;
  }
}

struct Moment {
  int64_t time_ns;
  std::vector<std::string> stack;  // names of values
};

// The stack of states of each row over time: neighbours that are equal are one.
std::map<Row, std::vector<Moment>> Timelines(const std::vector<PajeLine>& lines) {
  std::map<Row, std::vector<Moment>> rows;
  std::map<Row, std::string> names;  // (type, alias) to name
  for (const PajeLine& line : lines) {
    if (line.name == "PajeDefineEntityValue") names[{line["Type"], line["Alias"]}] = line["Name"];
  }
  for (const PajeLine& line : lines) {
    if (!line.name.ends_with("State")) continue;
    const std::string& type = line["Type"];
    // Rows of contexts are compared below.
    if (type.starts_with("Ctx") || line.name == "PajeDefineStateType") continue;
    std::string value = line["Value"];
    if (const auto name = names.find({type, value}); name != names.end()) value = name->second;
    if (value == "Sc") value = "Scheduling";  // StarPU uses it on CtS without declaring it
    // Unpartitioning in a thread that is no worker, and the Overhead behind it, are only in ours:
    // StarPU's tool has no state for it there.
    if (type == "US" && (value == "Unpartitioning" || value == "Overhead")) continue;
    auto& moments = rows[{line["Container"], type}];
    std::vector<std::string> stack;
    if (!moments.empty() && line.name != "PajeSetState") stack = moments.back().stack;
    if (line.name == "PajePopState") {
      if (!stack.empty()) stack.pop_back();
    } else {
      stack.push_back(value);
    }
    if (!moments.empty() && moments.back().time_ns == line.time_ns) moments.pop_back();
    moments.push_back({line.time_ns, stack});
  }
  for (auto& [row, moments] : rows) {
    const auto end =
        std::unique(moments.begin(), moments.end(),
                    [](const Moment& a, const Moment& b) { return a.stack == b.stack; });
    moments.erase(end, moments.end());
    // Ours ends the last state of a row with the row; StarPU's stays open.
    if (!moments.empty() && moments.back().stack.empty()) moments.pop_back();
  }
  return rows;
}

TEST_P(PajeFacts, StatesAreTheSame) {
  auto ours = Timelines(ours_);
  const auto theirs = Timelines(theirs_);
  for (const auto& [row, moments] : theirs) {
    SCOPED_TRACE(row.first + " " + row.second);
    auto mine = ours[row];
    if (GetParam() == "autostart") {
      // The workers' own states are in the trace before the program starts tracing, and after it
      // stopped; StarPU's tool drops them, and lets the last state before a gap go on.
      std::erase_if(mine, [&row = row](const Moment& m) {
        const std::string& state = m.stack.empty() ? "" : m.stack[0];
        return (m.stack.empty() && row.second == "WS") || state == "Initializing" ||
               state == "Deinitializing";
      });
    }
    ASSERT_EQ(mine.size(), moments.size());
    for (size_t i = 0; i < mine.size(); ++i) {
      EXPECT_EQ(mine[i].stack, moments[i].stack) << moments[i].time_ns;
      EXPECT_TRUE(SameTime(mine[i].time_ns, moments[i].time_ns)) << moments[i].time_ns;
    }
  }
}

// The tasks in the rows of contexts. Between them StarPU's rows go on showing the last task, ours
// are idle.
TEST_P(PajeFacts, TasksOfContextsAreTheSame) {
  const auto tasks = [](const std::vector<PajeLine>& lines) {
    std::set<std::string> all;
    for (const PajeLine& line : lines) {
      if (line.id == 21)
        all.insert(line["Time"] + line["Container"] + line["Type"] + line["Value"] + line["JobId"]);
    }
    return all;
  };
  EXPECT_EQ(tasks(ours_), tasks(theirs_));
}

TEST_P(PajeFacts, CurvesAreTheSame) {
  struct Sample {
    int64_t time_ns;
    double value;
  };
  const auto curves = [](const std::vector<PajeLine>& lines) {
    std::map<Row, std::vector<Sample>> rows;
    for (const PajeLine& line : lines) {
      if (line.name != "PajeSetVariable") continue;
      auto& samples = rows[{line["Container"], line["Type"]}];
      if (!samples.empty() && samples.back().time_ns == line.time_ns) samples.pop_back();
      samples.push_back({line.time_ns, std::stod(line["Value"])});
    }
    for (auto& [row, samples] : rows) {
      const auto end = std::unique(
          samples.begin(), samples.end(),
          [](const Sample& a, const Sample& b) { return std::abs(a.value - b.value) < 2e-6; });
      samples.erase(end, samples.end());
    }
    return rows;
  };
  auto ours = curves(ours_);
  for (const auto& [row, samples] : curves(theirs_)) {
    // Of two pushes that StarPU recorded in the wrong order, ours counts the earlier one first.
    if (GetParam() == "mem_reclaim" && row.second == "nready") continue;
    // StarPU counts a parallel task for each worker that it is given to or taken by, and ends at
    // 100 ready tasks and -100 submitted ones: timeline_facts_test says what ours are.
    if (GetParam() == "parallel_small" && (row.second == "nready" || row.second == "nsubmitted"))
      continue;
    SCOPED_TRACE(row.first + " " + row.second);
    const auto& mine = ours[row];
    ASSERT_EQ(mine.size(), samples.size());
    for (size_t i = 0; i < mine.size(); ++i) {
      EXPECT_TRUE(SameTime(mine[i].time_ns, samples[i].time_ns)) << samples[i].time_ns;
      const double error = 2e-6 + (time_error_ns_ > 0 ? 1e-3 * samples[i].value : 0);
      EXPECT_NEAR(mine[i].value, samples[i].value, error) << samples[i].time_ns;
    }
  }
}

TEST_P(PajeFacts, ArrowsAreTheSame) {
  const auto links = [](const std::vector<PajeLine>& lines) {
    std::multimap<std::string, int64_t> all;
    for (const PajeLine& line : lines) {
      if (!line.name.ends_with("Link")) continue;
      std::string text = line.name;
      for (const auto& [name, value] : line.fields) {
        // Keys are free; a handle without a name is " " in ours, as "" is no string of Paje.
        if (name == "Key" || name == "Time" || value == " " || value.empty()) continue;
        text += " " + name + "=" + value;
      }
      all.emplace(text, line.time_ns);
    }
    return all;
  };
  const auto ours = links(ours_), theirs = links(theirs_);
  ASSERT_EQ(ours.size(), theirs.size());
  std::vector<int64_t> my_times, their_times;
  for (auto a = ours.begin(), b = theirs.begin(); a != ours.end(); ++a, ++b) {
    EXPECT_EQ(a->first, b->first);
    my_times.push_back(a->second);
    their_times.push_back(b->second);
  }
  std::sort(my_times.begin(), my_times.end());
  std::sort(their_times.begin(), their_times.end());
  for (size_t i = 0; i < my_times.size(); ++i)
    EXPECT_TRUE(SameTime(my_times[i], their_times[i])) << my_times[i];
}

TEST_P(PajeFacts, EventsAreTheSame) {
  const auto events = [this](const std::vector<PajeLine>& lines) {
    std::vector<std::string> all;
    for (const PajeLine& line : lines) {
      if (line.name != "PajeNewEvent") continue;
      // Where times may differ in the last digit, only what happened is compared.
      std::string text = time_error_ns_ > 0 ? "" : line["Time"];
      for (const auto& [name, value] : line.fields) {
        // The result of an allocation that failed is a negative number.
        const bool unsigned_error = name == "Info" && value.size() == 10 && value > "4294960000";
        if (name != "Time")
          text += " " + name + "=" +
                  (unsigned_error ? std::to_string(std::stoll(value) - (1LL << 32)) : value);
      }
      all.push_back(text);
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  std::vector<std::string> only_ours, only_theirs;
  const auto ours = events(ours_), theirs = events(theirs_);
  std::set_difference(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                      std::back_inserter(only_ours));
  std::set_difference(theirs.begin(), theirs.end(), ours.begin(), ours.end(),
                      std::back_inserter(only_theirs));
  EXPECT_THAT(only_ours, IsEmpty());
  EXPECT_THAT(only_theirs, IsEmpty());
}

// Colours of tasks by name are StarPU's.
TEST_P(PajeFacts, ColoursOfTasksAreTheSame) {
  const auto colors = [](const std::vector<PajeLine>& lines) {
    std::map<std::string, std::string> all;
    for (const PajeLine& line : lines) {
      if (line.name == "PajeDefineEntityValue" && line["Type"] == "WS")
        all[line["Name"]] = line["Color"];
    }
    return all;
  };
  const auto ours = colors(ours_), theirs = colors(theirs_);
  std::set<std::string> tasks;
  for (const PajeLine& line : theirs_) {
    if (line.id == 20) tasks.insert(line["Value"]);
  }
  for (const std::string& name : tasks) {
    ASSERT_TRUE(ours.contains(name)) << name;
    std::istringstream mine(ours.at(name)), other(theirs.at(name));
    double parts[2][3];
    for (int i = 0; i < 3; ++i) mine >> parts[0][i], other >> parts[1][i];
    // A colour that the program chose is 0..255 in StarPU's file, where Paje wants 0..1.
    const bool bytes = *std::max_element(parts[1], parts[1] + 3) > 1;
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(parts[0][i], bytes ? parts[1][i] / 255 : parts[1][i], 2e-6) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(StarpuAfter14, PajeFacts,
                         ::testing::ValuesIn(testing::StarpuMasterTraces()),
                         [](const auto& test) { return test.param; });
INSTANTIATE_TEST_SUITE_P(Starpu, PajeFacts, ::testing::ValuesIn(testing::StarpuTraces()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tasklens
