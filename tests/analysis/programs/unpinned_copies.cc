// SPDX-License-Identifier: Apache-2.0
// Copies to GPUs that keep the thread busy that starts them, or go on by themselves.
#include "tests/analysis/programs/player.h"

int main(int argc, char** argv) {
  tasklens::played::Player player(argc, argv, "lws", 2);
  const int start_us = player.faulty() ? 4000 : 0, copy_us = 100;
  const auto fetch = [&](uint32_t gpu) { player.Copy(gpu, start_us, copy_us); };
  for (int i = 0; i < 20; ++i) player.Submit({.length_us = 20000, .prepare = fetch}); /* FAULT */
  return player.Run();
}
