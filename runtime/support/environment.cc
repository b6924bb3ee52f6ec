// SPDX-License-Identifier: Apache-2.0
#include "runtime/support/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/support/message.h"

namespace tasklens::runtime {

std::optional<int> EnvironmentNumber(const char* name, int minimum) {
  const char* text = getenv(name);
  if (!text || !*text) return std::nullopt;
  char* end;
  const long value = strtol(text, &end, 10);
  if (*end || end == text || value < minimum || value > 1 << 30) {
    Warn("%s='%s' is ignored: it must be a number of at least %d", name, text, minimum);
    return std::nullopt;
  }
  return static_cast<int>(value);
}

float EnvironmentFloat(const char* name, float fallback) {
  const char* text = getenv(name);
  if (!text) return fallback;
  char* end;
  const float value = strtof(text, &end);
  if (*end || end == text) Fatal("%s='%s' must be a number", name, text);
  return value;
}

std::optional<std::vector<unsigned>> EnvironmentList(const char* name, unsigned last) {
  const char* text = getenv(name);
  if (!text || !*text) return std::nullopt;
  std::vector<unsigned> values;
  const char* at = text;
  while (*at) {
    if (isspace(static_cast<unsigned char>(*at)) || *at == ',') {
      ++at;
      continue;
    }
    char* end;
    const unsigned long first = strtoul(at, &end, 10);
    unsigned long to = first;
    bool good = end != at && first <= last;
    at = end;
    if (good && *at == '-') {
      ++at;
      to = last;
      if (isdigit(static_cast<unsigned char>(*at))) {
        to = strtoul(at, &end, 10);
        at = end;
      }
      good = to >= first && to <= last;
    }
    if (!good) {
      Warn("%s='%s' is ignored: it must be a list such as '0 2 4-7' of numbers up to %u", name,
           text, last);
      return std::nullopt;
    }
    for (unsigned long value = first; value <= to; ++value) {
      values.push_back(static_cast<unsigned>(value));
    }
  }
  if (values.empty()) return std::nullopt;
  return values;
}

namespace {
enum class Kind : uint8_t { kHeeded, kWorkers, kGpus, kVariable };

// Whether a variable is set to something that changes nothing.
bool IsUnheeded(std::string_view name, std::string_view value) {
  static constexpr std::pair<std::string_view, Kind> kTable[] = {
#define HEEDED(name) {name, Kind::kHeeded},
#define WORKERS(name) {name, Kind::kWorkers},
#define GPUS(name) {name, Kind::kGpus},
#define VARIABLE(name) {name, Kind::kVariable},
#include "runtime/support/unheeded_variables.inc"
#undef VARIABLE
#undef GPUS
#undef WORKERS
#undef HEEDED
  };
  const auto* const row = std::ranges::find_if(kTable, [name](const auto& candidate) {
    const std::string_view known = candidate.first;
    return known.ends_with('_') ? name.starts_with(known) : name == known;
  });
  if (row == std::end(kTable)) return false;
  const char* const cuda = getenv("STARPU_NCUDA");
  switch (row->second) {
    case Kind::kHeeded: return false;
    case Kind::kWorkers: return value != "0";
    case Kind::kGpus: return value != "0" && (!cuda || value != cuda);
    case Kind::kVariable: return true;
  }
  return false;
}
}  // namespace

void TellOfUnheededVariables() {
  std::string names;
  for (char** at = environ; at && *at; ++at) {
    const std::string_view entry(*at);
    const size_t equals = entry.find('=');
    if (equals == entry.npos || !IsUnheeded(entry.substr(0, equals), entry.substr(equals + 1)))
      continue;
    names += (names.empty() ? "" : ", ") + std::string(entry.substr(0, equals));
  }
  if (!names.empty()) Warn("set, and not heeded by this runtime: %s", names.c_str());
}

}  // namespace tasklens::runtime
