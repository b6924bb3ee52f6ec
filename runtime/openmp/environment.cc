// SPDX-License-Identifier: Apache-2.0
// Reads and prints the OMP_* variables.
#include "runtime/openmp/environment.h"

#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/support/message.h"
#include "trace/support/words.h"

namespace tasklens::runtime::openmp {
namespace {

// The default if the main thread's stack limit is "unlimited".
constexpr size_t kStackBytes = size_t{8} << 20;
constexpr size_t kLeastStackBytes = size_t{16} << 10;
constexpr size_t kMostStackBytes = size_t{1} << 40;

bool Equal(std::string_view text, std::string_view word) {
  return text.size() == word.size() && strncasecmp(text.data(), word.data(), word.size()) == 0;
}

// Returns nullopt if the variable is not set.
std::optional<std::string_view> Value(const char* name) {
  const char* const text = getenv(name);
  if (!text || Trimmed(text).empty()) return std::nullopt;
  return Trimmed(text);
}

void Complain(const char* name, const char* wanted) {
  Warn("%s='%s' is ignored: it must be %s", name, getenv(name), wanted);
}

std::optional<long> ToNumber(std::string_view text, long least, long most) {
  const std::string copy(text);
  char* end;
  errno = 0;
  const long value = strtol(copy.c_str(), &end, 10);
  if (copy.empty() || *end || errno || value < least || value > most) return std::nullopt;
  return value;
}

std::vector<std::string_view> Listed(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(Trimmed(text.substr(at, end - at)));
    at = end + 1;
  }
  return parts;
}

void ReadFlag(const char* name, bool& flag) {
  const auto text = Value(name);
  if (!text) return;
  if (!Equal(*text, "true") && !Equal(*text, "false")) return Complain(name, "true or false");
  flag = Equal(*text, "true");
}

bool ReadNumber(const char* name, int least, const char* wanted, int& number) {
  const auto text = Value(name);
  if (!text) return false;
  const auto value = ToNumber(*text, least, INT_MAX);
  if (!value) {
    Complain(name, wanted);
    return false;
  }
  number = static_cast<int>(*value);
  return true;
}

void ReadNumThreads(std::vector<int>& threads) {
  const auto text = Value("OMP_NUM_THREADS");
  if (!text) return;
  std::vector<int> values;
  for (const std::string_view part : Listed(*text)) {
    const auto value = ToNumber(part, 1, INT_MAX);
    if (!value) return Complain("OMP_NUM_THREADS", "a list of positive numbers such as '4,2'");
    values.push_back(static_cast<int>(*value));
  }
  threads = std::move(values);
}

struct Named {
  std::string_view name;
  int value;
};
constexpr Named kBinds[] = {
    {"false", starpu_omp_proc_bind_false},   {"true", starpu_omp_proc_bind_true},
    {"master", starpu_omp_proc_bind_master}, {"primary", starpu_omp_proc_bind_master},
    {"close", starpu_omp_proc_bind_close},   {"spread", starpu_omp_proc_bind_spread},
};
constexpr Named kKinds[] = {
    {"static", starpu_omp_sched_static},
    {"dynamic", starpu_omp_sched_dynamic},
    {"guided", starpu_omp_sched_guided},
    {"auto", starpu_omp_sched_auto},
};

template <size_t kCount>
const Named* Find(const Named (&table)[kCount], std::string_view name) {
  const Named* const found = std::find_if(std::begin(table), std::end(table),
                                          [&](const Named& row) { return Equal(name, row.name); });
  return found == std::end(table) ? nullptr : found;
}

void ReadProcBind(std::vector<starpu_omp_proc_bind_value>& binds) {
  const auto text = Value("OMP_PROC_BIND");
  if (!text) return;
  std::vector<starpu_omp_proc_bind_value> values;
  for (const std::string_view part : Listed(*text)) {
    const Named* const bind = Find(kBinds, part);
    if (!bind)
      return Complain("OMP_PROC_BIND", "true, false, or a list of primary, close and spread");
    values.push_back(static_cast<starpu_omp_proc_bind_value>(bind->value));
  }
  binds = std::move(values);
}

// "[monotonic:|nonmonotonic:]kind[,chunk]"
void ReadSchedule(Environment& environment) {
  const auto text = Value("OMP_SCHEDULE");
  if (!text) return;
  const auto parts = Listed(*text);
  std::string_view kind = parts[0];
  bool is_good = parts.size() <= 2;
  if (const size_t colon = kind.find(':'); colon != kind.npos) {
    const std::string_view modifier = Trimmed(kind.substr(0, colon));
    is_good = is_good && (Equal(modifier, "monotonic") || Equal(modifier, "nonmonotonic"));
    kind = Trimmed(kind.substr(colon + 1));
  }
  const Named* const found = Find(kKinds, kind);
  const auto chunk = parts.size() == 2 ? ToNumber(parts[1], 1, INT_MAX) : std::optional<long>(0);
  if (!is_good || !found || !chunk)
    return Complain("OMP_SCHEDULE",
                    "static, dynamic, guided or auto, with a number of iterations after a comma");
  environment.schedule = static_cast<starpu_omp_sched_value>(found->value);
  environment.schedule_chunk = static_cast<int>(*chunk);
}

void ReadStackSize(size_t& bytes) {
  const auto text = Value("OMP_STACKSIZE");
  if (!text) return;
  size_t unit = size_t{1} << 10;
  std::string_view digits = *text;
  if (!isdigit(static_cast<unsigned char>(digits.back()))) {
    switch (toupper(static_cast<unsigned char>(digits.back()))) {
      case 'B': unit = 1; break;
      case 'K': break;
      case 'M': unit = size_t{1} << 20; break;
      case 'G': unit = size_t{1} << 30; break;
      default: unit = 0;
    }
    digits = Trimmed(digits.substr(0, digits.size() - 1));
  }
  const auto value = ToNumber(digits, 1, LONG_MAX);
  if (!unit || !value || static_cast<size_t>(*value) > kMostStackBytes / unit)
    return Complain("OMP_STACKSIZE", "a size such as 512K, 2M or 1G, of 1024G at most");
  bytes = std::max(static_cast<size_t>(*value) * unit, kLeastStackBytes);
}

size_t StackOfTheSystem() {
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kStackBytes;
  return std::clamp<size_t>(limit.rlim_cur, kLeastStackBytes, size_t{1} << 30);
}

struct Variable {
  std::string_view name;
  const char* why_without_effect;  // nullptr: it takes effect
};
constexpr Variable kVariables[] = {
#define HEEDED(name) {name, nullptr},
#define KEPT(name, why) {name, why},
#include "runtime/openmp/heeded_variables.inc"
#undef HEEDED
#undef KEPT
};

void TellOfUnheeded() {
  std::string unheeded;
  for (char** at = environ; at && *at; ++at) {
    const std::string_view entry(*at);
    const std::string_view name = entry.substr(0, entry.find('='));
    if (!name.starts_with("OMP_")) continue;
    const auto row = std::find_if(std::begin(kVariables), std::end(kVariables),
                                  [&](const Variable& variable) { return variable.name == name; });
    if (row == std::end(kVariables)) {
      unheeded += (unheeded.empty() ? "" : ", ") + std::string(name);
    } else if (row->why_without_effect) {
      unheeded +=
          (unheeded.empty() ? "" : ", ") + std::string(name) + " (" + row->why_without_effect + ")";
    }
  }
  if (!unheeded.empty()) Warn("set, and not heeded by this runtime's OpenMP: %s", unheeded.c_str());
}

const char* NameOfBind(starpu_omp_proc_bind_value bind) {
  const auto* const row = std::find_if(std::begin(kBinds), std::end(kBinds),
                                       [&](const Named& named) { return named.value == bind; });
  return row->name.data();
}

void Show(const Environment& environment) {
  const auto flag = [](bool value) { return value ? "TRUE" : "FALSE"; };
  std::string threads, binds;
  for (const int count : environment.num_threads)
    threads += (threads.empty() ? "" : ",") + std::to_string(count);
  for (const auto bind : environment.proc_bind)
    binds += (binds.empty() ? "" : ",") + std::string(NameOfBind(bind));
  std::string schedule = NameOf(environment.schedule);
  if (environment.schedule_chunk) schedule += "," + std::to_string(environment.schedule_chunk);
  std::fprintf(stderr,
               "OPENMP DISPLAY ENVIRONMENT BEGIN\n"
               "  _OPENMP = '201511'\n"
               "  [host] OMP_CANCELLATION = '%s'\n"
               "  [host] OMP_DEFAULT_DEVICE = '%d'\n"
               "  [host] OMP_DYNAMIC = '%s'\n"
               "  [host] OMP_MAX_ACTIVE_LEVELS = '%d'\n"
               "  [host] OMP_MAX_TASK_PRIORITY = '%d'\n"
               "  [host] OMP_NESTED = '%s'\n"
               "  [host] OMP_NUM_THREADS = '%s'\n"
               "  [host] OMP_PROC_BIND = '%s'\n"
               "  [host] OMP_SCHEDULE = '%s'\n"
               "  [host] OMP_STACKSIZE = '%zuB'\n"
               "  [host] OMP_THREAD_LIMIT = '%d'\n"
               "OPENMP DISPLAY ENVIRONMENT END\n",
               flag(environment.cancellation), environment.default_device,
               flag(environment.dynamic), environment.max_active_levels,
               std::max(environment.max_task_priority, 0), flag(environment.max_active_levels > 1),
               threads.c_str(), binds.c_str(), schedule.c_str(), environment.stack_bytes,
               environment.thread_limit);
}

bool WantsToBeShown() {
  const auto text = Value("OMP_DISPLAY_ENV");
  if (!text || Equal(*text, "false")) return false;
  if (Equal(*text, "true") || Equal(*text, "verbose")) return true;
  Complain("OMP_DISPLAY_ENV", "true, false or verbose");
  return false;
}

}  // namespace

const char* NameOf(starpu_omp_sched_value kind) {
  const auto* const row = std::find_if(std::begin(kKinds), std::end(kKinds),
                                       [&](const Named& named) { return named.value == kind; });
  return row == std::end(kKinds) ? "undefined" : row->name.data();
}

Environment Environment::Read(int cpus) {
  constexpr const char* kPositive = "a positive number";
  constexpr const char* kNatural = "a number of at least 0";
  Environment environment;
  environment.num_threads = {cpus};
  environment.thread_limit = cpus;
  environment.stack_bytes = StackOfTheSystem();
  ReadNumThreads(environment.num_threads);
  ReadProcBind(environment.proc_bind);
  ReadFlag("OMP_DYNAMIC", environment.dynamic);
  ReadFlag("OMP_CANCELLATION", environment.cancellation);
  ReadSchedule(environment);
  ReadStackSize(environment.stack_bytes);
  ReadNumber("OMP_THREAD_LIMIT", 1, kPositive, environment.thread_limit);
  ReadNumber("OMP_DEFAULT_DEVICE", 0, kNatural, environment.default_device);
  ReadNumber("OMP_MAX_TASK_PRIORITY", 0, kNatural, environment.max_task_priority);
  // As in OpenMP 5.0: a list of several levels enables nesting; OMP_NESTED is the old way to enable
  // it.
  bool is_nested = environment.num_threads.size() > 1 || environment.proc_bind.size() > 1;
  ReadFlag("OMP_NESTED", is_nested);
  if (is_nested) environment.max_active_levels = INT_MAX;
  ReadNumber("OMP_MAX_ACTIVE_LEVELS", 0, kNatural, environment.max_active_levels);
  TellOfUnheeded();
  if (WantsToBeShown()) Show(environment);
  return environment;
}

}  // namespace tasklens::runtime::openmp
