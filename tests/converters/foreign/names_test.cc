// SPDX-License-Identifier: Apache-2.0
// What other tools' files call states, rows and times is the same after it was read, written in one
// format or the other, and read again: random files, each format each way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "converters/formats.h"
#include "tests/converters/out_and_in.h"
#include "tests/testing/model_check.h"
#include "tests/testing/paje_checker.h"
#include "tests/testing/starpu_traces.h"

namespace tasklens {
namespace {

// Names as their tools choose them; some are ours, some those of a state of another kind, some are
// what our files call something else by ("C", "I").
constexpr std::string_view kNames[] = {
    "Idle",
    "Running",
    "Waiting a message",
    "Tracing Disabled",
    "Group Communication",
    "MPI_Recv",
    "compute",
    "C",
    "I",
    "Sleeping",
    "I/O (disk)",
    "a b: c, d",
    "\xC3\xA9tat",
    "xx",
    "Not created yet",
    "Overhead",
    "UserWaiting",
    "7",
    "User defined",
    "Send \\ receive",
    "Executing",
    "Blocked [lock]",
    "S",
    "%CPU",
    "State #1",
};

using Random = std::mt19937;
size_t Below(Random& random, size_t end) { return random() % end; }
std::string_view AnyName(Random& random) { return kNames[Below(random, std::size(kNames))]; }

// What a file shows: by the name of its row, "begin-end name" of the innermost states. Alike ones
// in a row are one, as formats that tell changes alone cannot tell them apart. And its messages and
// curves.
using Shown = std::map<std::string, std::vector<std::string>>;

Shown ShownBy(const TraceModel& model) {
  EXPECT_EQ(testing::BrokenPromise(model), "");
  Shown shown;
  const StateTable& states = model.states;
  for (uint32_t track = 0; track < model.tracks.size(); ++track) {
    const uint32_t first = states.first_of_track[track], end = states.first_of_track[track + 1];
    std::set<int64_t> moments;
    for (uint32_t row = first; row < end; ++row)
      moments.insert({states.start_ns[row], states.end_ns[row]});
    std::string last;
    int64_t since_ns = 0;
    const auto change = [&](int64_t time_ns, const std::string& name) {
      if (name == last) return;
      if (!last.empty())
        shown[std::string(model.str(model.tracks.name[track]))].push_back(
            std::to_string(since_ns) + "-" + std::to_string(time_ns) + " " + last);
      last = name;
      since_ns = time_ns;
    };
    for (const int64_t moment : moments) {
      uint32_t innermost = kNone;
      for (uint32_t row = first; row < end; ++row)
        if (states.start_ns[row] <= moment && moment < states.end_ns[row] &&
            (innermost == kNone || states.depth[row] >= states.depth[innermost]))
          innermost = row;
      std::string name;
      if (innermost != kNone) {
        const StateKind kind = states.kind[innermost];
        if (kind == StateKind::kTask && states.task[innermost] != kNone)
          name = model.TaskNameOf(states.task[innermost]);
        else if (kind != StateKind::kNone || states.name[innermost] != 0)
          name = model.StateNameOf(innermost);
      }
      change(moment, name);
    }
    change(INT64_MAX, "");
  }
  const MessageTable& messages = model.messages;
  const auto row = [&](uint32_t track) {
    return track == kNone ? "no row" : std::string(model.str(model.tracks.name[track]));
  };
  std::vector<std::string>& sent = shown["messages"];
  for (uint32_t i = 0; i < messages.size(); ++i)
    sent.push_back(
        row(messages.source_track[i]) + " " + std::to_string(messages.send_ns[i]) + " to " +
        row(messages.target_track[i]) + " " + std::to_string(messages.receive_ns[i]) + ": " +
        std::to_string(messages.size_bytes[i]) + " bytes, tag " + std::to_string(messages.tag[i]));
  std::sort(sent.begin(), sent.end());
  for (const CounterSeries& series : model.counters) {
    if (series.kind != CounterKind::kOfFile) continue;
    std::vector<std::string>& curve =
        shown["curve " + std::string(model.str(series.name)) + " of " + row(series.track)];
    for (size_t i = 0; i < series.time_ns.size(); ++i)
      curve.push_back(std::to_string(series.time_ns[i]) + " " + std::to_string(series.value[i]));
  }
  return shown;
}

// Written as `format`, and read again. "paraver2001": in the dialect of Paraver's document.
TraceModel Again(const TraceModel& model, const std::string& format, const std::string& folder) {
  MemoryOutputs outputs;
  WriteOptions options;
  if (format == "paraver2001") options.values["paraver"] = "2001";
  const std::string writer = format.substr(0, format.find('2'));
  const Status status = FindWriter(writer)->write(model, options, outputs);
  EXPECT_TRUE(status.ok()) << status.message();
  if (format == "paje") {
    EXPECT_THAT(testing::CheckPaje(outputs.Text("paje.trace")).violations, ::testing::IsEmpty());
  }
  std::string path;
  for (const std::string& name : outputs.Names()) {
    const std::string written = testing::TestFile(folder + "/" + name, outputs.Text(name));
    if (name.ends_with(".trace") || name.ends_with(".prv")) path = written;
  }
  Diagnostics diags;
  TraceModel again = testing::Loaded(path, diags);
  EXPECT_FALSE(diags.HasDataLoss()) << diags.Summary();
  return again;
}

// A row's states one after the other, in microseconds: "begin end number".
struct Piece {
  int64_t begin, end;
  size_t name;
};
std::vector<Piece> RandomPieces(Random& random, size_t names) {
  std::vector<Piece> pieces;
  int64_t time = static_cast<int64_t>(Below(random, 5));
  for (size_t i = 1 + Below(random, 12); i > 0; --i) {
    const auto length = static_cast<int64_t>(1 + Below(random, 9));
    pieces.push_back({time, time + length, Below(random, names)});
    time += length + (Below(random, 3) == 0 ? static_cast<int64_t>(Below(random, 4)) : 0);
  }
  return pieces;
}

// Rows, times in microseconds and values of curves. The last row has nothing else.
struct Sample {
  size_t row;
  int64_t time;
  size_t curve;
  double value;
};
std::vector<Sample> RandomSamples(Random& random, size_t rows) {
  std::vector<Sample> samples;
  int64_t time = 0;
  for (size_t i = Below(random, 6); i > 0; --i) {
    time += static_cast<int64_t>(1 + Below(random, 9));
    samples.push_back(
        {Below(random, rows + 1), time, Below(random, 2), static_cast<double>(Below(random, 100))});
  }
  return samples;
}

// A trace as Extrae's tools write it; its labels lie beside it.
std::string RandomParaver(Random& random, const std::string& folder) {
  const size_t rows = 1 + Below(random, 3);
  const bool has_cpus = Below(random, 2) == 0;
  std::vector<size_t> on_cpus;  // rows; what goes from others to others may be between memories
  std::map<int64_t, std::string> labels;  // of states by number
  for (size_t i = 2 + Below(random, 8); i > 0; --i) {
    const auto number = static_cast<int64_t>(Below(random, 40));
    if (number != 2) labels[number] = AnyName(random);
  }
  labels[1] = AnyName(random);
  std::vector<int64_t> numbers;
  for (const auto& [number, label] : labels) numbers.push_back(number);
  const auto ns = [](int64_t us) { return std::to_string(us * 1000); };
  std::multimap<int64_t, std::string> lines;
  for (size_t row = 1; row <= rows; ++row) {
    const bool has_cpu = has_cpus && Below(random, 3) > 0;
    if (has_cpu) on_cpus.push_back(row);
    const std::string object =
        std::to_string(has_cpu ? row : 0) + ":1:1:" + std::to_string(row) + ":";
    for (const Piece& piece : RandomPieces(random, numbers.size()))
      lines.emplace(piece.begin, "1:" + object + ns(piece.begin) + ":" + ns(piece.end) + ":" +
                                     std::to_string(numbers[piece.name]) + "\n");
    // Functions, one in another.
    std::vector<int64_t> open;
    int64_t time = 0;
    for (size_t i = Below(random, 6); i > 0; --i) {
      time += static_cast<int64_t>(1 + Below(random, 9));
      const bool enters = open.size() < 3 && (open.empty() || Below(random, 2) == 0);
      if (enters)
        open.push_back(static_cast<int64_t>(1 + Below(random, std::size(kNames))));
      else
        open.pop_back();
      lines.emplace(time, "2:" + object + ns(time) +
                              ":60000019:" + std::to_string(enters ? open.back() : 0) + "\n");
    }
  }
  for (size_t i = on_cpus.size() < 2 ? 0 : Below(random, 5); i > 0; --i) {
    const size_t from = on_cpus[Below(random, on_cpus.size())];
    const size_t to = on_cpus[Below(random, on_cpus.size())];
    const auto sent = static_cast<int64_t>(Below(random, 50));
    const int64_t came = sent + 1 + static_cast<int64_t>(Below(random, 50));
    const auto end = [&](size_t row, int64_t us) {
      return std::to_string(row) + ":1:1:" + std::to_string(row) + ":" + ns(us) + ":" + ns(us) +
             ":";
    };
    lines.emplace(sent, "3:" + end(from, sent) + end(to, came) +
                            std::to_string(1 + Below(random, 99)) + ":" +
                            std::to_string(1 + Below(random, 9)) + "\n");
  }
  for (const Sample& sample : RandomSamples(random, rows))
    lines.emplace(sample.time, "2:0:1:1:" + std::to_string(sample.row + 1) + ":" + ns(sample.time) +
                                   ":" + std::to_string(42000050 + sample.curve) + ":" +
                                   std::to_string(static_cast<int>(sample.value)) + "\n");
  std::string text =
      "#Paraver (01/01/2026 at 00:00):1000000_ns:1(4):1:1(" + std::to_string(rows + 1) + ":1)\n";
  for (const auto& [time, line] : lines) text += line;
  std::string pcf = "STATES\n";
  for (const auto& [number, label] : labels) pcf += std::to_string(number) + "    " + label + "\n";
  pcf += "\nEVENT_TYPE\n0    60000019    User function\nVALUES\n0   End\n";
  for (size_t i = 0; i < std::size(kNames); ++i)
    pcf += std::to_string(i + 1) + "   f " + std::string(kNames[i]) + "\n";
  pcf += "\nEVENT_TYPE\n7  42000050  Instructions\n\nEVENT_TYPE\n7  42000051  L2 misses\n";
  std::string row = "LEVEL THREAD SIZE " + std::to_string(rows + 1) + "\n";
  for (size_t i = 1; i <= rows + 1; ++i) row += "THREAD 1.1." + std::to_string(i) + "\n";
  testing::TestFile(folder + "/in.pcf", pcf);
  testing::TestFile(folder + "/in.row", row);
  return testing::TestFile(folder + "/in.prv", text);
}

// A trace as SimGrid and others write it: states set one after the other, or pushed.
std::string RandomPaje(Random& random, const std::string& folder) {
  std::ostringstream text;
  text << "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n"
          "%EndEventDef\n"
          "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n"
          "%EndEventDef\n"
          "%EventDef PajeDefineEntityValue 2\n% Alias string\n% Type string\n% Name string\n"
          "% Color color\n%EndEventDef\n"
          "%EventDef PajeCreateContainer 3\n% Time date\n% Alias string\n% Type string\n"
          "% Container string\n% Name string\n%EndEventDef\n"
          "%EventDef PajeSetState 4\n% Time date\n% Type string\n% Container string\n"
          "% Value string\n%EndEventDef\n"
          "%EventDef PajePushState 5\n% Time date\n% Type string\n% Container string\n"
          "% Value string\n%EndEventDef\n"
          "%EventDef PajePopState 6\n% Time date\n% Type string\n% Container string\n"
          "%EndEventDef\n"
          "%EventDef PajeDefineLinkType 7\n% Alias string\n% Type string\n"
          "% StartContainerType string\n% EndContainerType string\n% Name string\n"
          "%EndEventDef\n"
          "%EventDef PajeStartLink 8\n% Time date\n% Type string\n% Container string\n"
          "% StartContainer string\n% Value string\n% Key string\n%EndEventDef\n"
          "%EventDef PajeEndLink 9\n% Time date\n% Type string\n% Container string\n"
          "% EndContainer string\n% Value string\n% Key string\n%EndEventDef\n"
          "%EventDef PajeDefineVariableType 10\n% Alias string\n% Type string\n"
          "% Name string\n%EndEventDef\n"
          "%EventDef PajeSetVariable 11\n% Time date\n% Type string\n% Container string\n"
          "% Value double\n%EndEventDef\n"
          "0 H 0 HOST\n1 ST H \"What it does\"\n7 L 0 H H \"sends\"\n"
          "10 V0 H \"power (W)\"\n10 V1 H bandwidth\n";
  for (size_t i = 0; i < std::size(kNames); ++i)
    text << "2 v" << i << " ST \"" << kNames[i] << "\" \"0.1 0.2 0.3\"\n";
  const size_t rows = 1 + Below(random, 3);
  for (size_t row = 0; row <= rows; ++row)
    text << "3 0 c" << row << " H 0 \"host " << row << "\"\n";
  std::multimap<int64_t, std::string> lines;
  for (size_t row = 0; row < rows; ++row) {
    size_t open = 0;
    int64_t time = 0;
    for (size_t i = 1 + Below(random, 15); i > 0; --i) {
      time += static_cast<int64_t>(1 + Below(random, 9));
      const std::string rest = " ST c" + std::to_string(row);
      const std::string at = "0.0000" + std::to_string(10 + time);
      const std::string value = " v" + std::to_string(Below(random, std::size(kNames)));
      if (time > 89) break;
      switch (open == 0 ? 1 : Below(random, 4)) {
        case 0: lines.emplace(time, "4 " + at + rest + value + "\n"), open = 1; break;
        case 1: lines.emplace(time, "5 " + at + rest + value + "\n"), ++open; break;
        default: lines.emplace(time, "6 " + at + rest + "\n"), --open; break;
      }
    }
    for (; open > 0; --open) lines.emplace(90, "6 0.000100 ST c" + std::to_string(row) + "\n");
  }
  for (size_t i = Below(random, 5); i > 0; --i) {
    const auto sent = static_cast<int64_t>(Below(random, 40));
    const int64_t came = sent + 1 + static_cast<int64_t>(Below(random, 40));
    const auto end = [&](const char* event, int64_t us) {
      lines.emplace(us, event + (" 0.0000" + std::to_string(10 + us)) + " L 0 c" +
                            std::to_string(Below(random, rows)) + " " + std::to_string(i * 8) +
                            " k" + std::to_string(i) + "\n");
    };
    end("8", sent);
    end("9", came);
  }
  for (const Sample& sample : RandomSamples(random, rows))
    lines.emplace(sample.time, "11 0.0000" + std::to_string(10 + sample.time) + " V" +
                                   std::to_string(sample.curve) + " c" +
                                   std::to_string(sample.row) + " " +
                                   std::to_string(sample.value / 8) + "\n");
  for (const auto& [time, line] : lines) text << line;
  return testing::TestFile(folder + "/in.trace", text.str());
}

class Names : public ::testing::TestWithParam<unsigned> {};

void ExpectSameAgain(const std::string& path, const std::string& folder) {
  Diagnostics diags;
  const TraceModel model = testing::Loaded(path, diags);
  const Shown shown = ShownBy(model);
  EXPECT_FALSE(shown.empty());
  for (const std::string first : {"paje", "paraver"}) {
    const TraceModel once = Again(model, first, folder + "_" + first);
    EXPECT_EQ(ShownBy(once), shown) << path << " as " << first;
    for (const std::string second : {"paje", "paraver"})
      EXPECT_EQ(ShownBy(Again(once, second, folder + "_" + first + "_" + second)), shown)
          << path << " as " << first << ", then as " << second;
  }
}

// In a .pcf of 2001 a '#' would begin a comment.
Shown WithWideSigns(Shown shown) {
  for (auto& [row, states] : shown)
    for (std::string& state : states)
      for (size_t at = state.find('#'); at != state.npos; at = state.find('#', at))
        state.replace(at, 1, "\xEF\xBC\x83");
  return shown;
}

TEST_P(Names, OfParaverFilesAreTheSameInTheDialectOf2001) {
  Random random(GetParam());
  const std::string folder = "prv2001_" + std::to_string(GetParam());
  Diagnostics diags;
  const TraceModel model = testing::Loaded(RandomParaver(random, folder), diags);
  EXPECT_EQ(ShownBy(Again(model, "paraver2001", folder + "_again")), WithWideSigns(ShownBy(model)));
}

TEST_P(Names, OfParaverFilesAreTheSameAgain) {
  Random random(GetParam());
  const std::string folder = "prv" + std::to_string(GetParam());
  ExpectSameAgain(RandomParaver(random, folder), folder);
}

TEST_P(Names, OfPajeFilesAreTheSameAgain) {
  Random random(GetParam());
  const std::string folder = "paje" + std::to_string(GetParam());
  ExpectSameAgain(RandomPaje(random, folder), folder);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Names, ::testing::Range(1u, 41u));

TEST(Curves, HoldTheirLastValueToTheEndOfTheirRowInPaje) {
  // As pj_dump has it: 10 for 0.3 s, 13 for 1.04 s.
  const std::string file =
      "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n"
      "%EndEventDef\n"
      "%EventDef PajeDefineVariableType 1\n% Alias string\n% Type string\n% Name string\n"
      "% Color color\n%EndEventDef\n"
      "%EventDef PajeCreateContainer 6\n% Time date\n% Alias string\n% Type string\n"
      "% Container string\n% Name string\n%EndEventDef\n"
      "%EventDef PajeDestroyContainer 7\n% Time date\n% Type string\n% Name string\n"
      "%EndEventDef\n"
      "%EventDef PajeSetVariable 8\n% Time date\n% Container string\n% Type string\n"
      "% Value double\n%EndEventDef\n"
      "0 P 0 \"Process\"\n1 V P \"Load\" \"1 0 0\"\n6 0 p P 0 \"one\"\n8 0 p V 10\n"
      "8 0.3 p V 13\n7 1.34 P p\n";
  Diagnostics diags;
  const TraceModel model = testing::Loaded(testing::TestFile("curve/in.trace", file), diags);
  EXPECT_EQ(model.duration_ns, 1'340'000'000);
  EXPECT_EQ(Again(model, "paje", "curve_again").duration_ns, model.duration_ns);
}

// --- Every output that has states ---

class Output : public ::testing::TestWithParam<std::string_view> {};

TEST_P(Output, HasNamesOfTheFile) {
  const std::string name(GetParam());
  testing::TestFile(
      name + "/in.pcf",
      "STATES\n0    Idle\n1    Running\n14   Not recorded here\n"
      "EVENT_TYPE\n0    60000019    User function\nVALUES\n0   End\n7   outer call\n\n"
      "EVENT_TYPE\n0    77    Heap in use\n");
  Diagnostics diags;
  const TraceModel model =
      testing::Loaded(testing::TestFile(name + "/in.prv",
                                        "#Paraver (01/01/2026 at 00:00):100000_ns:1(1):1:1(1:1)\n"
                                        "1:1:1:1:1:0:10000:1\n2:1:1:1:1:10000:60000019:7\n"
                                        "2:1:1:1:1:20000:60000019:0\n1:1:1:1:1:20000:30000:14\n"
                                        "2:1:1:1:1:30000:77:123\n"),
                      diags);
  EXPECT_EQ(ShownBy(model).at("thread 1"),
            (std::vector<std::string>{"0-10000 Running", "10000-20000 outer call",
                                      "20000-30000 Not recorded here"}));
  const std::string folder = testing::TestFile(name + "/out/mark", "");
  const auto outputs = DirectoryOutputs(std::filesystem::path(folder).parent_path().string());
  ASSERT_TRUE(FindWriter(name)->write(model, {}, *outputs).ok());
  ASSERT_TRUE(outputs->Commit().ok());
  std::string bytes;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(folder).parent_path()))
    if (file.is_regular_file()) bytes += testing::ReadFile(file.path().string());
  for (const char* state : {"Running", "outer call", "Not recorded here"})
    EXPECT_NE(bytes.find(state), bytes.npos) << state;
  if (name != "states") {
    EXPECT_NE(bytes.find("Heap in use"), bytes.npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Writers, Output,
                         ::testing::Values("paje", "paraver", "perfetto", "chrome-json", "otf2",
                                           "states"),
                         [](const auto& writer) {
                           std::string name(writer.param);
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace tasklens
