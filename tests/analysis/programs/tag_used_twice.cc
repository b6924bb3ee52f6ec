// SPDX-License-Identifier: Apache-2.0
// Two pieces of data of a rank that have one tag, or two.
#include "tests/analysis/programs/player_of_ranks.h"

int main(int argc, char** argv) {
  tasklens::played::RankPlayer player(argc, argv);
  player.Data(0, 0x1000, 7);
  player.Data(0, 0x2000, player.faulty() ? 7 : 8);
  for (int i = 0; i < 30; ++i) {
    const size_t made = player.Task({.rank = 0, .tag = 7});
    player.Task({.rank = 1, .after = {made}});
  }
  return player.Run();
}
