// SPDX-License-Identifier: Apache-2.0
// What the sanitizers are told of the system's libraries, which are not instrumented. Linked into
// whatever uses one of them; without a sanitizer nobody calls these functions.
//
// A line here names a library of the system, never code of ours.

// What is named here needs no mention at the end of each run.
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }

// Leaks: fonts and plugins stay loaded to the end of the process, by design of these libraries.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig.so\n"
         "leak:libpango-1.0.so\n"
         "leak:libpangoft2-1.0.so\n"
         "leak:libglib-2.0.so\n"
         "leak:libgvc.so\n";
}

// Races: locks of a library that is not instrumented are invisible, so all that happens inside it
// would be reported.
extern "C" const char* __tsan_default_options() { return "ignore_noninstrumented_modules=1"; }

extern "C" const char* __tsan_default_suppressions() {
  return "race:libfontconfig.so\n"
         "race:libpango-1.0.so\n"
         "race:libpangoft2-1.0.so\n"
         "race:libglib-2.0.so\n";
}
