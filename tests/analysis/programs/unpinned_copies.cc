// SPDX-License-Identifier: Apache-2.0
// Copies to GPUs that keep the thread busy that starts them, or go on by themselves.
#include "tests/analysis/programs/player.h"

int main(int argc, char** argv) {
  tasklens::played::Player player(argc, argv, "lws", 2);
  const int start_us = player.faulty() ? 1500 : 20, copy_us = player.faulty() ? 100 : 1500;
  const auto fetch = [&](uint32_t gpu) { player.Copy(gpu, start_us, copy_us); };
  for (int i = 0; i < 40; ++i) player.Submit({.prepare = fetch}); /* FAULT */
  return player.Run();
}
