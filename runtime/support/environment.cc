// SPDX-License-Identifier: Apache-2.0
#include "runtime/support/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

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

void TellOfUnheededVariables() {
  static constexpr std::string_view kUnheeded[] = {
#define VARIABLE(name) name,
#include "runtime/support/unheeded_variables.inc"
#undef VARIABLE
  };
  std::string names;
  for (char** at = environ; at && *at; ++at) {
    const std::string_view entry(*at);
    const std::string_view name = entry.substr(0, entry.find('='));
    const auto is_it = [name](std::string_view unheeded) {
      return unheeded.ends_with('_') ? name.starts_with(unheeded) : name == unheeded;
    };
    if (std::none_of(std::begin(kUnheeded), std::end(kUnheeded), is_it)) continue;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  if (!names.empty()) Warn("set, and not heeded by this runtime: %s", names.c_str());
}

}  // namespace tasklens::runtime
