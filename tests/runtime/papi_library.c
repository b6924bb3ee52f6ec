/* SPDX-License-Identifier: Apache-2.0
 * Stands in for libpapi, as far as the runtime uses it: few machines let everybody count. Both of
 * its events count what their thread told count(), the second one twice that. */
#include <string.h>

enum { kInstructions = 0x32, kCycles = 0x3b, kPreset = (int)0x80000000, kVersion = 0x07000000 };
enum { kNoEvent = -7, kNoSet = -1 };

static __thread long long counted, codes[2];
static __thread int added, running;

/* Returns what it counts to, since PAPI_reset(). */
long long count(long long n) { return counted += n; }

int PAPI_library_init(int version) { return version == kVersion ? version : kNoEvent; }
int PAPI_thread_init(unsigned long (*id)(void)) {
  (void)id;
  return 0;
}
int PAPI_unregister_thread(void) { return 0; }
int PAPI_event_name_to_code(const char* name, int* code) {
  if (strcmp(name, "PAPI_TOT_INS") == 0)
    *code = kPreset | kInstructions;
  else if (strcmp(name, "PAPI_TOT_CYC") == 0)
    *code = kPreset | kCycles;
  else
    return kNoEvent;
  return 0;
}
int PAPI_create_eventset(int* set) {
  *set = 5;
  return 0;
}
int PAPI_add_event(int set, int code) {
  if (set != 5 || added == 2) return kNoSet;
  codes[added++] = code;
  return 0;
}
int PAPI_start(int set) {
  if (set != 5 || running) return kNoSet;
  running = 1;
  return 0;
}
int PAPI_reset(int set) {
  counted = 0;
  return set == 5 && running ? 0 : kNoSet;
}
int PAPI_read(int set, long long* values) {
  if (set != 5 || !running) return kNoSet;
  for (int i = 0; i < added; ++i)
    values[i] = codes[i] == (kPreset | kCycles) ? 2 * counted : counted;
  return 0;
}
int PAPI_stop(int set, long long* values) {
  const int error = PAPI_read(set, values);
  running = 0;
  return error;
}
int PAPI_cleanup_eventset(int set) {
  added = 0;
  return set == 5 ? 0 : kNoSet;
}
int PAPI_destroy_eventset(int* set) {
  *set = -1;
  return 0;
}
char* PAPI_strerror(int error) { return error == kNoEvent ? "Event does not exist" : "No set"; }
