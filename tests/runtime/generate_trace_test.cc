// SPDX-License-Identifier: Apache-2.0
// starpu_fxt_generate_trace(): the program converts its own trace, with the real converter.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/runtime/recorded.h"

namespace tasklens {
namespace {

TEST(GenerateTrace, WritesWhatTheToolWrites) {
  static starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  codelet.name = "converted";
  Recorded({.name = "generate"}, [] { ASSERT_EQ(0, starpu_task_insert(&codelet, 0)); });
  const std::filesystem::path folder = ::testing::TempDir() + "/generated";
  std::filesystem::create_directories(folder);
  setenv("PATH", "server/tools", 1);
  starpu_fxt_options options;
  starpu_fxt_options_init(&options);
  std::string trace = RecordedPath("generate"), paje = "own.paje", to = folder;
  options.filenames[options.ninputfiles++] = trace.data();
  options.out_paje_path = paje.data();
  options.dir = to.data();
  ::testing::internal::CaptureStderr();
  starpu_fxt_generate_trace(&options);
  EXPECT_EQ("", ::testing::internal::GetCapturedStderr());
  starpu_fxt_options_shutdown(&options);
  for (const std::filesystem::path& file :
       {folder / paje, folder / "tasks.rec", folder / "dag.dot"}) {
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
  }
}

}  // namespace
}  // namespace tasklens
