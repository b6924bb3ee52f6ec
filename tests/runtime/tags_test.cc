// SPDX-License-Identifier: Apache-2.0
// Tags order tasks, wait, and are used again.
#include <atomic>
#include <mutex>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

struct Log {
  std::mutex lock;
  std::vector<starpu_tag_t> tags;
};
Log* g_log;

void NoteTag(void**, void*) {
  std::lock_guard guard(g_log->lock);
  g_log->tags.push_back(starpu_task_get_current()->tag_id);
}

class Tags : public testing::Test {
 protected:
  void SetUp() override {
    g_log = &log_;
    codelet_.cpu_funcs[0] = NoteTag;
  }
  void Submit(starpu_tag_t tag) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet_;
    task->use_tag = 1;
    task->tag_id = tag;
    ASSERT_EQ(0, starpu_task_submit(task));
  }
  // Position of a tag in the log.
  size_t At(starpu_tag_t tag) {
    for (size_t i = 0; i < log_.tags.size(); ++i) {
      if (log_.tags[i] == tag) return i;
    }
    ADD_FAILURE() << "tag " << tag << " never ran";
    return 0;
  }
  Started started_{3};
  starpu_codelet codelet_ = {};
  Log log_;
};

TEST_F(Tags, OrderADiamondSubmittedBackwards) {
  starpu_tag_declare_deps(2, 1, starpu_tag_t{1});
  starpu_tag_declare_deps(3, 1, starpu_tag_t{1});
  starpu_tag_t both[] = {2, 3};
  starpu_tag_declare_deps_array(4, 2, both);
  for (starpu_tag_t tag = 4; tag >= 1; --tag) Submit(tag);
  EXPECT_EQ(0, starpu_tag_wait(4));
  EXPECT_EQ(0u, At(1));
  EXPECT_EQ(3u, At(4));
}

TEST_F(Tags, NeedNoTaskWhenTheProgramNotifies) {
  starpu_tag_declare_deps(11, 1, starpu_tag_t{10});
  Submit(11);
  starpu_tag_notify_from_apps(10);
  starpu_tag_t both[] = {10, 11};
  EXPECT_EQ(0, starpu_tag_wait_array(2, both));
  EXPECT_EQ(1u, log_.tags.size());
}

TEST_F(Tags, DoneBeforeTheDependencyCount) {
  Submit(20);
  EXPECT_EQ(0, starpu_tag_wait(20));
  starpu_tag_declare_deps(21, 1, starpu_tag_t{20});
  Submit(21);
  EXPECT_EQ(0, starpu_tag_wait(21));
}

TEST_F(Tags, CanBeRemovedAndUsedAgain) {
  for (int round = 0; round < 50; ++round) {
    starpu_tag_declare_deps(31, 1, starpu_tag_t{30});
    Submit(31);
    Submit(30);
    EXPECT_EQ(0, starpu_tag_wait(31));
    starpu_tag_remove(30);
    starpu_tag_remove(31);
  }
  EXPECT_EQ(100u, log_.tags.size());
}

TEST_F(Tags, OfASyncTaskFollowItsDependencies) {
  static std::atomic<int> called;
  called = 0;
  starpu_tag_t deps[] = {41, 42};
  starpu_create_sync_task(
      40, 2, deps, [](void*) { ++called; }, nullptr);
  Submit(41);
  Submit(42);
  EXPECT_EQ(0, starpu_tag_wait(40));
  EXPECT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(1, called);
}

// graph_test gives nothing to the workers before the program waits.
TEST(TagWait, LetsAPolicyGiveAwayWhatItHeldBack) {
  Started started(2, "graph_test");
  static starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = [](void**, void*) {};
  starpu_task* task = starpu_task_create();
  task->cl = &codelet;
  task->use_tag = 1;
  task->tag_id = 1;
  ASSERT_EQ(0, starpu_task_submit(task));
  EXPECT_EQ(0, starpu_tag_wait(1));
}

TEST(TagTasks, AreNotThoseThatCameAfterThem) {
  Started started(1);
  starpu_task* task = starpu_task_create();
  task->use_tag = 1;
  task->tag_id = 1;
  task->destroy = 0;
  ASSERT_EQ(0, starpu_task_submit(task));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(task, starpu_tag_get_task(1));
  starpu_task_destroy(task);
  starpu_task* other = starpu_task_create();  // in its place
  other->destroy = 0;
  ASSERT_EQ(0, starpu_task_submit(other));
  EXPECT_EQ(nullptr, starpu_tag_get_task(1));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  starpu_task_destroy(other);
}

}  // namespace
}  // namespace tasklens
