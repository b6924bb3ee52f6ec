// SPDX-License-Identifier: Apache-2.0
// Each task allocates memory on its GPU and frees it again, or uses again what is there.
#include "tests/analysis/programs/player.h"

int main(int argc, char** argv) {
  using tasklens::MemoryOp;
  tasklens::played::Player player(argc, argv, "lws", 2);
  const auto make_room = [&](uint32_t gpu) {
    if (!player.faulty()) return player.MemoryOperation(gpu, MemoryOp::kAllocateReuse, 1200);
    player.MemoryOperation(gpu, MemoryOp::kAllocate, 600);
    player.MemoryOperation(gpu, MemoryOp::kFree, 600);
  };
  for (int i = 0; i < 40; ++i) player.Submit({.prepare = make_room});
  return player.Run();
}
