// SPDX-License-Identifier: Apache-2.0
// Beside old_glibc.c, for a program: glibc's start of a program came anew with 2.34, and left
// running the program's constructors to the C library. The start that all have is told of them.
#define HIDDEN __attribute__((visibility("hidden")))

typedef int Main(int, char**, char**);
typedef void Constructor(int, char**, char**);

int old_libc_start_main(Main* main, int argc, char** argv, Constructor* init, void (*fini)(void),
                        void (*loader_fini)(void), void* stack_end);
__asm__(".symver old_libc_start_main,__libc_start_main@GLIBC_2.2.5");

HIDDEN extern Constructor* __preinit_array_start[];
HIDDEN extern Constructor* __preinit_array_end[];
HIDDEN extern Constructor* __init_array_start[];
HIDDEN extern Constructor* __init_array_end[];
HIDDEN extern void _init(void);

static void Construct(int argc, char** argv, char** environment) {
  for (Constructor** each = __preinit_array_start; each != __preinit_array_end; ++each)
    (*each)(argc, argv, environment);
  _init();
  for (Constructor** each = __init_array_start; each != __init_array_end; ++each)
    (*each)(argc, argv, environment);
}

HIDDEN int __libc_start_main(Main* main, int argc, char** argv, Constructor* init,
                             void (*fini)(void), void (*loader_fini)(void), void* stack_end) {
  (void)init;  // NULL, as is `fini`: the dynamic loader runs the destructors in all versions
  return old_libc_start_main(main, argc, argv, &Construct, fini, loader_fini, stack_end);
}
