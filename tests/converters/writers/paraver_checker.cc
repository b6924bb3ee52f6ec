// SPDX-License-Identifier: Apache-2.0
// Line by line, field by field.
#include "tests/converters/writers/paraver_checker.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

namespace tasklens::testing {
namespace {

class Violations {
 public:
  explicit Violations(std::vector<std::string>& list) : list_(list) {}
  void Add(size_t line, const std::string& what) {
    if (list_.size() < 50) list_.push_back("line " + std::to_string(line) + ": " + what);
  }

 private:
  std::vector<std::string>& list_;
};

// A whole decimal number as tools print it.
template <class T>
bool Parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool AllDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> fields;
  for (;;) {
    const size_t at = text.find(separator);
    fields.push_back(text.substr(0, at));
    if (at == text.npos) return fields;
    text.remove_prefix(at + 1);
  }
}

// Lines with what each must be: ended by LF alone.
std::vector<std::string_view> Lines(std::string_view text, Violations& violations) {
  std::vector<std::string_view> lines = Split(text, '\n');
  if (lines.back().empty())
    lines.pop_back();
  else
    violations.Add(lines.size(), "the last line does not end");
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].find('\r') != std::string_view::npos) violations.Add(i + 1, "a CR");
  return lines;
}

// "dd/mm/yyyy at hh:mm".
bool IsDate(std::string_view text, bool in_2001) {
  const size_t year_digits = in_2001 ? 2 : 4;
  if (text.size() != 6 + year_digits + 9) return false;
  const std::string_view day = text.substr(0, 2), month = text.substr(3, 2);
  const std::string_view year = text.substr(6, year_digits), time = text.substr(6 + year_digits);
  if (text[2] != '/' || text[5] != '/' || time.substr(0, 4) != " at " || time[6] != ':')
    return false;
  const auto within = [](std::string_view number, int least, int most) {
    int value = 0;
    return AllDigits(number) && Parse(number, value) && value >= least && value <= most;
  };
  return within(day, 1, 31) && within(month, 1, 12) && AllDigits(year) &&
         within(time.substr(4, 2), 0, 23) && within(time.substr(7, 2), 0, 59);
}

class PrvChecker {
 public:
  PrvChecker(std::string_view text, bool in_2001)
      : violations_(file_.violations), in_2001_(in_2001) {
    const auto lines = Lines(text, violations_);
    if (lines.empty()) Complain("no header");
    if (lines.empty() || !Header(lines[0])) return;
    cpus_ = std::accumulate(file_.cpus.begin(), file_.cpus.end(), uint32_t{0});
    for (line_ = 2; line_ <= lines.size(); ++line_) Body(lines[line_ - 1]);
    if (records_ == 0) Complain("the body is empty");
  }
  PrvFile Take() { return std::move(file_); }

 private:
  void Complain(const std::string& what) { violations_.Add(line_, what); }
  bool Refuse(const std::string& what) {
    Complain(what);
    return false;
  }

  bool Header(std::string_view line) {
    if (!line.starts_with("#Paraver")) return Refuse("the header does not begin with #Paraver");
    const size_t open = line.find('('), close = line.find(')');
    if (open == line.npos || close == line.npos || close < open) return Refuse("no date");
    if (!IsDate(line.substr(open + 1, close - open - 1), in_2001_)) return Refuse("a bad date");
    if (close + 1 >= line.size() || line[close + 1] != ':') return Refuse("no ':' after the date");
    rest_ = line.substr(close + 2);
    return Duration() && Nodes() && Applications();
  }

  // What comes before `separator`, which is consumed; all when there is none.
  std::string_view Next(char separator) {
    const size_t at = rest_.find(separator);
    const std::string_view field = rest_.substr(0, at);
    rest_.remove_prefix(at == rest_.npos ? rest_.size() : at + 1);
    return field;
  }

  bool Duration() {
    std::string_view field = Next(':');
    const size_t unit = field.find('_');
    if (unit != field.npos) {
      file_.unit = field.substr(unit);
      field = field.substr(0, unit);
    }
    if (in_2001_ ? !file_.unit.empty() : file_.unit != "_ns")
      return Refuse("a wrong unit of time '" + file_.unit + "'");
    if (!AllDigits(field) || !Parse(field, file_.duration)) return Refuse("a bad duration");
    return true;
  }

  bool Nodes() {
    if (rest_.starts_with("0:")) {
      rest_.remove_prefix(2);
      return true;
    }
    uint32_t nodes = 0;
    if (!Parse(Next('('), nodes) || nodes == 0) return Refuse("a bad number of nodes");
    for (const std::string_view field : Split(Next(')'), ',')) {
      uint32_t cpus = 0;
      if (!Parse(field, cpus) || cpus == 0) return Refuse("a node without CPUs");
      file_.cpus.push_back(cpus);
    }
    if (file_.cpus.size() != nodes) return Refuse("the list of nodes has another length");
    if (Next(':') != "") return Refuse("something after the nodes");
    return true;
  }

  bool Applications() {
    uint32_t applications = 0;
    if (!Parse(Next(':'), applications) || applications == 0)
      return Refuse("a bad number of applications");
    for (uint32_t i = 0; i < applications; ++i) {
      uint32_t tasks = 0;
      if (!Parse(Next('('), tasks) || tasks == 0) return Refuse("an application without tasks");
      auto& application = file_.applications.emplace_back();
      for (const std::string_view field : Split(Next(')'), ',')) {
        const auto parts = Split(field, ':');
        PrvFile::Task task{};
        if (parts.size() != 2 || !Parse(parts[0], task.threads) || !Parse(parts[1], task.node))
          return Refuse("a bad task in the header");
        if (task.threads == 0) return Refuse("a task without threads");
        if (!file_.cpus.empty() && (task.node == 0 || task.node > file_.cpus.size()))
          return Refuse("a task on a node that does not exist");
        application.push_back(task);
      }
      if (application.size() != tasks) return Refuse("the list of tasks has another length");
      if (i + 1 < applications && Next(':') != "") return Refuse("no ':' between applications");
    }
    if (!rest_.empty() && rest_[0] == ',' && !in_2001_) {
      rest_.remove_prefix(1);
      if (!Parse(Next(':'), communicators_)) return Refuse("a bad number of communicators");
    }
    if (!rest_.empty()) return Refuse("something after the header");
    return true;
  }

  void Body(std::string_view line) {
    if (communicators_ > 0) {
      --communicators_;
      if (!line.starts_with("c:") && !line.starts_with("i:")) Complain("not a communicator");
      return;
    }
    if (!in_2001_ && line.starts_with('#')) return;
    fields_.clear();
    for (const std::string_view field : Split(line, ':')) {
      int64_t number = 0;
      if (!Parse(field, number)) return Complain("not a number: '" + std::string(field) + "'");
      fields_.push_back(number);
    }
    ++records_;
    switch (fields_[0]) {
      case 1: return State();
      case 2: return Event();
      case 3: return Communication();
      default: return Complain("an unknown type of record");
    }
  }

  // The object whose "cpu:application:task:thread" begins at field `at`.
  bool Object(size_t at, uint32_t& cpu, PrvThread& thread) {
    for (size_t i = at; i < at + 4; ++i)
      if (fields_[i] < 0 || fields_[i] > 0xffffffff) return Refuse("a bad object");
    cpu = static_cast<uint32_t>(fields_[at]);
    thread = {static_cast<uint32_t>(fields_[at + 1]), static_cast<uint32_t>(fields_[at + 2]),
              static_cast<uint32_t>(fields_[at + 3])};
    if (thread.application == 0 || thread.application > file_.applications.size())
      return Refuse("an application that does not exist");
    const auto& tasks = file_.applications[thread.application - 1];
    if (thread.task == 0 || thread.task > tasks.size()) return Refuse("a task that does not exist");
    const PrvFile::Task& task = tasks[thread.task - 1];
    if (thread.thread == 0 || thread.thread > task.threads)
      return Refuse("a thread that does not exist");
    if (cpu > cpus_) return Refuse("a CPU that does not exist");
    if (cpu == 0) return true;
    const uint32_t first =
        std::accumulate(file_.cpus.begin(), file_.cpus.begin() + (task.node - 1), uint32_t{1});
    if (cpu < first || cpu >= first + file_.cpus[task.node - 1])
      return Refuse("a CPU of another node than the task's");
    return true;
  }

  bool Time(int64_t time) {
    if (time < 0) return Refuse("a time before the trace");
    if (time > file_.duration) return Refuse("a time after the trace");
    return true;
  }

  void Order(int64_t time) {
    if (time < last_time_) Complain("a time before that of the record before");
    if (time == last_time_ && fields_[0] > last_type_)
      Complain("of the same time, but in the wrong order of types");
    last_time_ = time;
    last_type_ = fields_[0];
  }

  void State() {
    if (fields_.size() != 8) return Complain("a state has 8 fields");
    PrvState state{};
    if (!Object(1, state.cpu, state.thread)) return;
    state.begin = fields_[5];
    state.end = fields_[6];
    if (!Time(state.begin) || !Time(state.end)) return;
    if (state.begin >= state.end) Complain("a state that does not last");
    if (fields_[7] < 0 || fields_[7] > 0xffffffff) return Complain("a bad state");
    state.state = static_cast<uint32_t>(fields_[7]);
    Order(state.begin);
    int64_t& thread_end = thread_end_[state.thread];
    if (state.begin < thread_end) Complain("a state begins within another of its thread");
    thread_end = state.end;
    if (state.cpu != 0) {
      int64_t& cpu_end = cpu_end_[state.cpu];
      if (state.begin < cpu_end) Complain("a state begins within another on its CPU");
      cpu_end = state.end;
    }
    file_.states.push_back(state);
  }

  void Event() {
    if (fields_.size() < 8 || fields_.size() % 2 != 0) return Complain("an event lacks a field");
    if (in_2001_ && fields_.size() != 8) return Complain("an event has 8 fields");
    PrvEvent event{};
    if (!Object(1, event.cpu, event.thread)) return;
    event.time = fields_[5];
    if (!Time(event.time)) return;
    for (size_t i = 6; i < fields_.size(); i += 2) {
      if (fields_[i] < 0 || fields_[i] > 0xffffffff) return Complain("a bad type of event");
      event.pairs.emplace_back(static_cast<uint32_t>(fields_[i]), fields_[i + 1]);
    }
    Order(event.time);
    file_.events.push_back(std::move(event));
  }

  void Communication() {
    if (fields_.size() != 15) return Complain("a communication has 15 fields");
    PrvCommunication comm{};
    uint32_t cpu = 0;
    if (!Object(1, cpu, comm.sender) || !Object(7, cpu, comm.receiver)) return;
    comm.logical_send = fields_[5];
    comm.physical_send = fields_[6];
    comm.logical_receive = fields_[11];
    comm.physical_receive = fields_[12];
    for (const size_t i : {5, 6, 11, 12})
      if (!Time(fields_[i])) return;
    if (comm.physical_send < comm.logical_send) Complain("sent before it was to be sent");
    if (comm.physical_receive < comm.logical_receive) Complain("received before it was wanted");
    comm.size = fields_[13];
    comm.tag = fields_[14];
    if (comm.size < 0) Complain("a negative size");
    if (in_2001_ && comm.size == 0) Complain("a size of 0");
    if (in_2001_ && comm.tag <= 0) Complain("a tag that is not above 0");
    Order(comm.logical_send);
    file_.communications.push_back(comm);
  }

  PrvFile file_;
  Violations violations_;
  const bool in_2001_;
  std::string_view rest_;
  size_t line_ = 1, records_ = 0;
  uint32_t cpus_ = 0, communicators_ = 0;
  std::vector<int64_t> fields_;
  int64_t last_time_ = 0, last_type_ = 3;
  std::map<PrvThread, int64_t> thread_end_;
  std::map<uint32_t, int64_t> cpu_end_;
};

class PcfChecker {
 public:
  PcfChecker(std::string_view text, bool in_2001)
      : violations_(file_.violations), in_2001_(in_2001) {
    const auto lines = Lines(text, violations_);
    for (line_ = 1; line_ <= lines.size(); ++line_) Line(lines[line_ - 1]);
    const auto colours =
        file_.options.find(in_2001 ? "NUM_OF_STATES_COLORS" : "NUM_OF_STATE_COLORS");
    int64_t count = 16;
    if (colours != file_.options.end() && !Parse(std::string_view(colours->second), count))
      Complain("a bad number of colours");
    for (const auto& [state, label] : file_.states)
      if (!file_.colours.contains(state)) Complain("no colour for state " + std::to_string(state));
    if (!file_.colours.empty() && file_.colours.rbegin()->first >= count)
      Complain("more colours than were announced");
  }
  PcfFile Take() { return std::move(file_); }

 private:
  void Complain(const std::string& what) { violations_.Add(line_, what); }

  void Line(std::string_view line) {
    if (line.empty()) return;
    if (line.find_first_not_of(" \t") == line.npos) return Complain("blanks alone");
    if (line[0] == '#') return;
    if (in_2001_ && line.find('#') != line.npos) return Complain("a '#' in a line");
    static const std::set<std::string_view> kSections = {
        "DEFAULT_OPTIONS", "DEFAULT_SEMANTIC", "STATES",    "STATES_COLOR",
        "GRADIENT_COLOR",  "GRADIENT_NAMES",   "EVENT_TYPE"};
    if (kSections.contains(line)) {
      if (section_.empty() && line != "DEFAULT_OPTIONS") Complain("DEFAULT_OPTIONS is not first");
      section_ = line;
      in_values_ = false;
      group_.clear();
      return;
    }
    if (section_ == "EVENT_TYPE" && line == "VALUES") {
      if (group_.empty()) Complain("VALUES without a type");
      in_values_ = true;
      return;
    }
    // Of the types of the group; the document of 2001 has none.
    if (section_ == "EVENT_TYPE" && !in_values_ && line.starts_with("PRECISION ")) {
      if (group_.empty()) Complain("PRECISION without a type");
      return;
    }
    if (section_ == "DEFAULT_OPTIONS") return Option(line);
    if (section_ == "DEFAULT_SEMANTIC") return;
    if (section_ == "STATES") return Once(file_.states, line);
    if (section_ == "STATES_COLOR") return Colour(line, file_.colours);
    if (section_ == "GRADIENT_COLOR") return Gradient(line);
    if (section_ == "GRADIENT_NAMES") return Once(gradient_names_, line);
    if (section_ == "EVENT_TYPE") return in_values_ ? Value(line) : Type(line);
    Complain("outside of every section");
  }

  // The number at the start of `line`, which loses it and the blanks behind it.
  bool Number(std::string_view& line, int64_t& number) {
    const size_t end = line.find_first_of(" \t");
    if (end == line.npos || !Parse(line.substr(0, end), number)) {
      Complain("no number and label");
      return false;
    }
    line.remove_prefix(std::min(line.find_first_not_of(" \t", end), line.size()));
    if (line.empty()) Complain("an empty label");
    if (number >= int64_t{1} << 31 || -number >= int64_t{1} << 31)
      Complain("a number that Paraver cannot label");
    return true;
  }

  void Option(std::string_view line) {
    const size_t end = line.find_first_of(" \t");
    if (end == line.npos) return Complain("an option without a value");
    const std::string_view value = line.substr(line.find_first_not_of(" \t", end));
    if (!file_.options.emplace(line.substr(0, end), value).second) Complain("an option twice");
  }

  void Once(std::map<int64_t, std::string>& labels, std::string_view line) {
    int64_t number = 0;
    if (!Number(line, number)) return;
    if (number < 0) Complain("a negative number");
    if (!labels.emplace(number, line).second) Complain("a number twice");
  }

  void Colour(std::string_view line, std::map<int64_t, uint32_t>& colours) {
    int64_t number = 0;
    if (!Number(line, number)) return;
    if (!line.starts_with('{') || !line.ends_with('}')) return Complain("not a colour");
    const auto parts = Split(line.substr(1, line.size() - 2), ',');
    uint32_t rgb = 0;
    for (const std::string_view part : parts) {
      uint32_t byte = 0;
      if (!Parse(part, byte) || byte > 255) return Complain("not a colour");
      rgb = rgb << 8 | byte;
    }
    if (parts.size() != 3) return Complain("not a colour");
    if (!colours.emplace(number, rgb).second) Complain("a number twice");
  }

  void Gradient(std::string_view line) {
    Colour(line, gradient_);
    if (gradient_.rbegin()->first > 14) Complain("a gradient has colours 0 to 14");
  }

  void Type(std::string_view line) {
    int64_t gradient = 0, type = 0;
    if (!Number(line, gradient) || !Number(line, type)) return;
    if (gradient < 0 || gradient > 14) Complain("a gradient has colours 0 to 14");
    if (type < 0) Complain("a negative type");
    if (!file_.types.emplace(type, PcfFile::Type{std::string(line), {}}).second)
      Complain("a type twice");
    group_.push_back(type);
  }

  void Value(std::string_view line) {
    int64_t value = 0;
    if (!Number(line, value)) return;
    for (const int64_t type : group_)
      if (!file_.types[type].values.emplace(value, line).second) Complain("a value twice");
  }

  PcfFile file_;
  Violations violations_;
  const bool in_2001_;
  size_t line_ = 1;
  std::string section_;
  bool in_values_ = false;
  std::vector<int64_t> group_;
  std::map<int64_t, uint32_t> gradient_;
  std::map<int64_t, std::string> gradient_names_;
};

}  // namespace

PrvFile CheckPrv(std::string_view text, bool in_2001) { return PrvChecker(text, in_2001).Take(); }

PcfFile CheckPcf(std::string_view text, bool in_2001) { return PcfChecker(text, in_2001).Take(); }

RowFile CheckRow(std::string_view text, const PrvFile& prv, bool in_2001) {
  RowFile file;
  Violations violations(file.violations);
  size_t tasks = 0, threads = 0;
  for (const auto& application : prv.applications) {
    tasks += application.size();
    for (const PrvFile::Task& task : application) threads += task.threads;
  }
  const std::vector<std::pair<std::string, size_t>> order = {
      {"SYSTEM", 1},
      {"NODE", prv.cpus.size()},
      {"CPU", std::accumulate(prv.cpus.begin(), prv.cpus.end(), size_t{0})},
      {"WORKLOAD", 1},
      {"APPL", prv.applications.size()},
      {"TASK", tasks},
      {"THREAD", threads}};
  std::vector<std::string> met;
  const auto lines = Lines(text, violations);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const auto words = Split(lines[i], ' ');
    size_t size = 0;
    if (words.size() != 4 || words[0] != "LEVEL" || words[2] != "SIZE" || !Parse(words[3], size)) {
      violations.Add(i + 1, "not a level");
      continue;
    }
    const std::string name(words[1]);
    const auto level = std::find_if(order.begin(), order.end(),
                                    [&](const auto& known) { return known.first == name; });
    if (level == order.end()) {
      violations.Add(i + 1, "an unknown level");
    } else if (size != level->second) {
      violations.Add(i + 1, "a level of another size than in the trace");
    }
    if (!file.levels.emplace(name, std::vector<std::string>()).second)
      violations.Add(i + 1, "a level twice");
    met.push_back(name);
    for (; size > 0; --size) {
      if (++i >= lines.size()) {
        violations.Add(i, "fewer names than announced");
        return file;
      }
      if (lines[i].find_first_not_of(' ') == std::string_view::npos)
        violations.Add(i + 1, "an empty name");
      if (in_2001 && lines[i].find('#') != std::string_view::npos)
        violations.Add(i + 1, "a '#' in a name");
      file.levels[name].emplace_back(lines[i]);
    }
  }
  if (in_2001) {
    std::vector<std::string> wanted;
    for (const auto& [name, size] : order) wanted.push_back(name);
    if (met != wanted) violations.Add(lines.size(), "not all levels, in the document's order");
  }
  return file;
}

}  // namespace tasklens::testing
