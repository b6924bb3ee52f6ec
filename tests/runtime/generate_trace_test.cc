// SPDX-License-Identifier: Apache-2.0
// starpu_fxt_generate_trace(): the program converts its own trace, with the real converter.
#include <cstdlib>
#include <filesystem>
#include <fstream>
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
  setenv("PATH", "server/command_line", 1);
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

TEST(GenerateTrace, WritesTheDataTrace) {
  static starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  codelet.name = "one_of_three";
  Recorded({.name = "data_trace"}, [] {
    for (int i = 0; i < 3; ++i) ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
  });
  const std::string tool = std::filesystem::absolute("server/command_line");
  setenv("PATH", tool.c_str(), 1);
  const std::filesystem::path folder = ::testing::TempDir() + "/data_trace";
  std::filesystem::create_directories(folder);
  std::string trace = std::filesystem::absolute(RecordedPath("data_trace"));
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  starpu_fxt_write_data_trace(trace.data());
  std::filesystem::current_path(before);
  std::string line;
  std::ifstream list(folder / "codelet_list");
  std::getline(list, line);
  EXPECT_EQ("one_of_three", line);
  std::ifstream lines(folder / "one_of_three");
  int tasks = 0, worker;
  double ms;
  for (long bytes; lines >> ms >> bytes >> worker; ++tasks) {
    EXPECT_GE(ms, 0);
    EXPECT_EQ(0, bytes);
  }
  EXPECT_EQ(3, tasks);
}

}  // namespace
}  // namespace tasklens
