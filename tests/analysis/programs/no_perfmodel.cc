// SPDX-License-Identifier: Apache-2.0
// A scheduler that needs performance models, and a codelet that has none, or has one.
#include "tests/analysis/programs/player.h"

int main(int argc, char** argv) {
  tasklens::played::Player player(argc, argv, "dmda", 2);
  const char* model = player.faulty() ? "" : "other_model";
  for (int i = 0; i < 20; ++i) {
    player.Submit({.expected_us = 4000});
    player.Submit({.name = "other", .model = model}); /* FAULT */
  }
  return player.Run();
}
