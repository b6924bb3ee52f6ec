// SPDX-License-Identifier: Apache-2.0
// Tasks on GPUs each of which waits until its data is there, or whose data stay where they are.
#include <array>

#include "tests/analysis/programs/player.h"

int main(int argc, char** argv) {
  tasklens::played::Player player(argc, argv, "lws", 2);
  std::array<bool, 2> is_there{};  // of each GPU
  const auto fetch = [&](uint32_t gpu) {
    if (player.faulty() || !is_there[gpu]) player.Copy(gpu, 10, 3000);
    is_there[gpu] = true;
  };
  for (int i = 0; i < 60; ++i) player.Submit({.prepare = fetch}); /* FAULT */
  return player.Run();
}
