// SPDX-License-Identifier: Apache-2.0
// Ranks that hand results to each other and wait for each, or that have several under way at once.
#include "tests/analysis/programs/player_of_ranks.h"

int main(int argc, char** argv) {
  tasklens::played::RankPlayer player(argc, argv);
  const size_t chains = player.faulty() ? 1 : 4;
  std::vector<size_t> last;
  for (size_t chain = 0; chain < chains; ++chain)
    last.push_back(player.Task({.rank = static_cast<uint32_t>(chain % 2), .travel_us = 900}));
  for (size_t i = 0; i < 80; ++i) {
    const size_t chain = i % chains;
    const auto rank = static_cast<uint32_t>((i / chains + chain + 1) % 2);
    last[chain] = player.Task(/* FAULT */
                              {.rank = rank, .after = {last[chain]}, .travel_us = 900});
  }
  return player.Run();
}
