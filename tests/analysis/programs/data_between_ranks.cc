// SPDX-License-Identifier: Apache-2.0
// One piece of data that is worked on by two ranks in turns, or by each for its half of the time.
#include "tests/analysis/programs/player_of_ranks.h"

int main(int argc, char** argv) {
  tasklens::played::RankPlayer player(argc, argv);
  size_t last = player.Task({.rank = 0, .tag = 7});
  for (int i = 0; i < 60; ++i) {
    const auto rank = static_cast<uint32_t>(player.faulty() ? i % 2 : i / 30);
    last = player.Task(/* FAULT */
                       {.rank = rank, .after = {last}, .tag = 7, .travel_us = 800});
    if (!player.faulty()) player.Task({.rank = 1 - rank});
  }
  return player.Run();
}
