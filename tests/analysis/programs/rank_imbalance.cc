// SPDX-License-Identifier: Apache-2.0
// Two ranks, one of which has most of the work, or that have the same.
#include "tests/analysis/programs/player_of_ranks.h"

int main(int argc, char** argv) {
  tasklens::played::RankPlayer player(argc, argv);
  for (int i = 0; i < 90; ++i)
    player.Task({.rank = player.faulty() ? i % 3 == 0 : i % 2 == 0}); /* FAULT */
  return player.Run();
}
