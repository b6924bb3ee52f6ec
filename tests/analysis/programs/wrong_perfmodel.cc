// SPDX-License-Identifier: Apache-2.0
// A codelet whose tasks take four times what its performance model foretells, or as long as that.
#include "tests/analysis/programs/player.h"

int main(int argc, char** argv) {
  tasklens::played::Player player(argc, argv, "dmda", 2);
  const int expected_us = player.faulty() ? 1000 : 4000;
  for (int i = 0; i < 40; ++i) player.Submit({.expected_us = expected_us}); /* FAULT */
  return player.Run();
}
