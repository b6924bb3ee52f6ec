// SPDX-License-Identifier: Apache-2.0
// Ranks that hand several results to each other, most of which lie there before they are received,
// or none.
#include "tests/analysis/programs/player_of_ranks.h"

int main(int argc, char** argv) {
  tasklens::played::RankPlayer player(argc, argv);
  constexpr size_t kChains = 4;
  std::vector<size_t> last;
  for (size_t chain = 0; chain < kChains; ++chain)
    last.push_back(player.Task({.rank = static_cast<uint32_t>(chain % 2)}));
  for (size_t i = 0; i < 160; ++i) {
    const size_t chain = i % kChains;
    const auto rank = static_cast<uint32_t>((i / kChains + chain + 1) % 2);
    const int late_us = player.faulty() && i % 3 > 0 ? 4000 : 0;
    last[chain] = player.Task(/* FAULT */
                              {.rank = rank, .after = {last[chain]}, .travel_us = 50 + late_us});
  }
  return player.Run();
}
