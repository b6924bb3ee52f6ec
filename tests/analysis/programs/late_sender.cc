// SPDX-License-Identifier: Apache-2.0
// A rank that needs what another makes, which makes it after everything else, or first.
#include "tests/analysis/programs/player_of_ranks.h"

int main(int argc, char** argv) {
  tasklens::played::RankPlayer player(argc, argv);
  const auto other = [&] {
    for (int i = 0; i < 30; ++i) player.Task({.rank = 0});
  };
  if (player.faulty()) other();
  for (int i = 0; i < 30; ++i) {
    const size_t made = player.Task({.rank = 0}); /* FAULT */
    player.Task({.rank = 1, .length_us = 2000, .after = {made}});
  }
  if (!player.faulty()) other();
  return player.Run();
}
