// SPDX-License-Identifier: Apache-2.0
// C sources are compiled as C11, with assertions on.
#include <assert.h>

#ifdef NDEBUG
#error "assertions are switched off"
#endif

_Static_assert(__STDC_VERSION__ == 201112L, "C sources are C11");

int main(void) {
  int reached = 0;
  assert(++reached);
  return reached == 1 ? 0 : 1;
}
