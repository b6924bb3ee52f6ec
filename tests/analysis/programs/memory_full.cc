// SPDX-License-Identifier: Apache-2.0
// The memory of the GPUs is full, so that each task has to throw data out first, or it is not.
#include "tests/analysis/programs/player.h"

int main(int argc, char** argv) {
  using tasklens::MemoryOp;
  tasklens::played::Player player(argc, argv, "lws", 2);
  const auto make_room = [&](uint32_t gpu) {
    if (player.faulty()) player.MemoryOperation(gpu, MemoryOp::kReclaim, 1200);
    player.MemoryOperation(gpu, MemoryOp::kAllocateReuse, 100);
  };
  for (int i = 0; i < 40; ++i) player.Submit({.prepare = make_room});
  return player.Run();
}
