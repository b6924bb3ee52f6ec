// SPDX-License-Identifier: Apache-2.0
// A program whose names are attacks on whoever shows them: markup, quotes, scripts, control
// characters, ten thousand letters; and a source file that is called like one.
#include <starpu.h>
#include <string.h>

static void work(void* buffers[], void* arguments) {
  (void)buffers;
  (void)arguments;
}

static char long_name[10001];

static const char* const names[] = {
    "<img src=x onerror=hacked()>",
    "\"><script>hacked()</script>",
    "</script><script>hacked()</script>",
    "' onmouseover='hacked()",
    "${hacked()}`+hacked()+`",
    "javascript:hacked()",
    "&lt;b&gt;&amp;<!-- ]]> -->",
    "\xff\xfe broken \xc3 bytes \x01\x1b[31m",
    "\xe2\x80\xae turned around",
    "__proto__",
    "constructor",
    long_name,
};

int main(void) {
  memset(long_name, 'W', sizeof long_name - 1);
  if (starpu_init(NULL) != 0) return 1;
  static struct starpu_codelet codelets[sizeof names / sizeof *names];
  double value = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
  starpu_data_set_name(handle, "<svg/onload=hacked()>");
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) {
      codelets[i].cpu_funcs[0] = work;
      codelets[i].nbuffers = 1;
      codelets[i].modes[0] = STARPU_RW;
      codelets[i].name = names[i];
#line 7 "\"><script>hacked()</script>.c"
      starpu_task_insert(&codelets[i], STARPU_RW, handle, 0);
    }
  }
  // Files and functions are what a program says they are, too.
#undef STARPU_SITE_FILE
#define STARPU_SITE_FILE long_name
#undef STARPU_SITE_FUNCTION
#define STARPU_SITE_FUNCTION "</b><img src=x onerror=hacked()>"
  starpu_task_insert(&codelets[0], STARPU_RW, handle, 0);
#undef STARPU_SITE_FUNCTION
#define STARPU_SITE_FUNCTION long_name
  starpu_task_insert(&codelets[1], STARPU_RW, handle, 0);
  starpu_task_wait_for_all();
  starpu_data_unregister(handle);
  starpu_shutdown();
  return 0;
}
