// SPDX-License-Identifier: Apache-2.0
// Functions that parse environment variables for programs.
#include <starpu.h>
#include <strings.h>

#include <cctype>
#include <cstdlib>

#include "runtime/support/environment.h"
#include "runtime/support/message.h"

using tasklens::runtime::Fatal;

char* starpu_getenv(const char* name) { return getenv(name); }

int starpu_getenv_string_var_default(const char* name, const char* strings[], int fallback) {
  const char* text = getenv(name);
  if (!text) return fallback;
  for (int i = 0; strings[i]; ++i) {
    if (strcasecmp(text, strings[i]) == 0) return i;
  }
  tasklens::runtime::Warn("%s='%s' is none of the values that it can have", name, text);
  return -1;
}

int starpu_getenv_size_default(const char* name, int fallback) {
  const char* text = getenv(name);
  if (!text || !*text) return fallback;
  char* end;
  const long value = strtol(text, &end, 10);
  int shift = 0;
  switch (tolower(static_cast<unsigned char>(*end))) {
    case 't': shift = 40; break;
    case 'g': shift = 30; break;
    case 'm': shift = 20; break;
    case 'k': shift = 10; break;
    case 'b': break;
    case 0: shift = 10; break;  // as in StarPU: KiB without a suffix
    default: end = nullptr;
  }
  if (!end || end == text || value < 0) {
    Fatal("%s='%s' must be a size such as 512k or 2m", name, text);
  }
  return static_cast<int>(value << shift);
}

int starpu_getenv_number(const char* name) {
  const char* text = getenv(name);
  if (!text) return -1;
  char* end;
  const long value = strtol(text, &end, 10);
  if (*end || end == text) Fatal("%s='%s' must be a number", name, text);
  if (value < 0) Fatal("%s='%s' must not be negative", name, text);
  return static_cast<int>(value);
}

int starpu_getenv_number_default(const char* name, int fallback) {
  const int value = starpu_getenv_number(name);
  return value == -1 ? fallback : value;
}

float starpu_getenv_float_default(const char* name, float fallback) {
  return tasklens::runtime::EnvironmentFloat(name, fallback);
}
