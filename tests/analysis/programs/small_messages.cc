// SPDX-License-Identifier: Apache-2.0
// Two ranks that hand a value to and fro after every short task, or after many.
#include "tests/analysis/programs/player_of_ranks.h"

int main(int argc, char** argv) {
  tasklens::played::RankPlayer player(argc, argv);
  size_t last = player.Task({.rank = 0, .length_us = 20});
  for (int i = 0; i < 400; ++i) {
    const auto rank = static_cast<uint32_t>(player.faulty() ? i % 2 : i / 200);
    last =
        player.Task(/* FAULT */
                    {.rank = rank, .length_us = 20, .after = {last}, .bytes = 8, .travel_us = 15});
    if (!player.faulty()) player.Task({.rank = 1 - rank, .length_us = 20});
  }
  return player.Run();
}
