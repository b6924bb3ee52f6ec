// SPDX-License-Identifier: Apache-2.0
// What is recorded, by category (STARPU_FXT_EVENTS), and events of the program's own.
#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/recorded.h"
#include "tests/runtime/spin.h"

namespace tasklens {
namespace {

using Names = std::set<std::string>;

// The kinds of events of a trace; states as "set Sleeping", "push Callback".
class KindSink : public EventSink {
 public:
  StringId Intern(std::string_view text) override { return pool_.Intern(text); }
  void OnEvent(const Event& event) override {
    switch (event.kind) {
      case EventKind::kStateSet:
        names_.insert("set " + std::string(Decl(static_cast<StateKind>(event.args[0])).name));
        break;
      case EventKind::kStatePush:
        names_.insert("push " + std::string(Decl(static_cast<StateKind>(event.args[0])).name));
        ++depth_;
        break;
      case EventKind::kStatePop: --depth_; break;
      default:
        if (Decl(event.kind).category == Category::kMeta) return;
        names_.insert(std::string(Decl(event.kind).name));
    }
  }
  const Names& names() const { return names_; }
  int depth() const { return depth_; }

 private:
  StringPool pool_;
  Names names_;
  int depth_ = 0;
};

starpu_codelet MakeCodelet(starpu_cpu_func_t function, int buffers) {
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = buffers;
  for (int i = 0; i < buffers; ++i) codelet.modes[i] = STARPU_W;
  codelet.name = "task";
  codelet.color = 0xff0000;
  return codelet;
}

// A program in which everything happens that can be recorded.
void DoEverything() {
  static starpu_codelet writer = MakeCodelet([](void**, void*) {}, 1);
  static starpu_codelet worker = MakeCodelet([](void**, void*) { SpinUs(2000); }, 0);
  static std::atomic<int> children;
  children = 0;
  static starpu_codelet child = MakeCodelet([](void**, void*) { ++children; }, 0);
  static starpu_codelet parent = MakeCodelet(
      [](void**, void*) {
        // This worker has them, and is busy: the other one must steal.
        for (int i = 0; i < 8; ++i) ASSERT_EQ(0, starpu_task_insert(&child, 0));
        while (children == 0) {
        }
        starpu_task_end_dep_release(starpu_task_get_current());
      },
      0);
  starpu_data_handle_t handle;
  starpu_vector_data_register(&handle, -1, 0, 16, sizeof(double));
  starpu_data_set_name(handle, "data");
  // The second depends on the first, which has not ended; the third is one too many at once.
  starpu_pause();
  for (int i = 0; i < 3; ++i) {
    if (i == 2) starpu_resume();
    ASSERT_EQ(0, starpu_task_insert(
                     &writer, STARPU_W, handle, STARPU_CALLBACK, +[](void*) {}, STARPU_TAG,
                     starpu_tag_t(5 + i), 0));
  }
  starpu_tag_declare_deps(starpu_tag_t{20}, 1, starpu_tag_t{5});
  starpu_task* task = starpu_task_create();
  task->cl = &worker;
  task->use_tag = 1;
  task->tag_id = 20;
  ASSERT_EQ(0, starpu_task_submit(task));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  // More than may be submitted at once.
  for (int i = 0; i < 20; ++i) ASSERT_EQ(0, starpu_task_insert(&worker, 0));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  // The writers are over: what follows them does so as a ghost.
  ASSERT_EQ(0, starpu_task_insert(&writer, STARPU_W, handle, 0));
  task = starpu_task_create();
  task->cl = &parent;
  starpu_task_end_dep_add(task, 1);
  ASSERT_EQ(0, starpu_task_submit(task));
  ASSERT_EQ(0, starpu_task_wait_for_all());
  starpu_data_wont_use(handle);
  starpu_data_unregister_no_coherency(handle);
  starpu_fxt_trace_user_event(7);
  starpu_fxt_trace_user_event_string("here");
  starpu_fxt_trace_user_meta_string("always");
}

Names KindsOf(const std::string& category, const char* policy = "lws") {
  setenv("STARPU_LIMIT_MAX_SUBMITTED_TASKS", "2", 1);
  setenv("STARPU_LIMIT_MIN_SUBMITTED_TASKS", "1", 1);
  const TraceModel model = Recorded(
      {.name = "only_" + category + policy, .policy = policy, .categories = category.c_str()},
      DoEverything);
  unsetenv("STARPU_LIMIT_MAX_SUBMITTED_TASKS");
  unsetenv("STARPU_LIMIT_MIN_SUBMITTED_TASKS");
  auto source = OpenSource(RecordedPath("only_" + category + policy));
  EXPECT_TRUE(source.ok());
  KindSink sink;
  Diagnostics diags;
  const ReaderSpec* reader = GuessReader((*source)->bytes().first(4096));
  EXPECT_TRUE(reader->read(**source, {}, sink, diags).ok());
  EXPECT_FALSE(diags.HasDataLoss()) << diags.Summary();
  EXPECT_EQ(0, sink.depth()) << "a state that is pushed is popped";
  return sink.names();
}

// What each thread's events are, in their order: "task_pop", "set Sleeping".
class OrderSink : public EventSink {
 public:
  StringId Intern(std::string_view text) override { return pool_.Intern(text); }
  void OnEvent(const Event& event) override {
    if (Decl(event.kind).category == Category::kMeta) return;
    std::string name(Decl(event.kind).name);
    if (event.kind == EventKind::kStateSet || event.kind == EventKind::kStatePush) {
      name = event.kind == EventKind::kStateSet ? "set " : "push ";
      name += Decl(static_cast<StateKind>(event.args[0])).name;
    }
    // (How often it looked for a task before there was one, nobody knows.)
    if (name == "set Idle" || name == "set Sleeping") return;
    by_thread_[event.tid].push_back(name);
    EXPECT_LE(last_ns_[event.tid], event.time_ns);
    last_ns_[event.tid] = event.time_ns;
  }
  // From `first` to `last`, on the thread that has both.
  std::vector<std::string> Between(const std::string& first, const std::string& last) const {
    for (const auto& [thread, names] : by_thread_) {
      const auto begin = std::find(names.begin(), names.end(), first);
      const auto end = std::find(begin, names.end(), last);
      if (end != names.end()) return {begin, end + 1};
    }
    return {};
  }

 private:
  StringPool pool_;
  std::map<uint64_t, std::vector<std::string>> by_thread_;
  std::map<uint64_t, int64_t> last_ns_;
};

// Of a run of one task, for which `program` is given a codelet and data of 5 doubles.
OrderSink OrderOf(const char* name, int buffers,
                  const std::function<void(starpu_codelet&, starpu_data_handle_t)>& program) {
  static starpu_perfmodel model = {};
  model.type = STARPU_HISTORY_BASED;
  model.symbol = "recording_test";
  starpu_codelet codelet = MakeCodelet([](void**, void*) {}, buffers);
  codelet.color = 0;
  codelet.model = &model;
  double values[5] = {};
  Recorded({.name = name, .workers = 1, .policy = "eager"}, [&] {
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(values), 5,
                                sizeof(double));
    program(codelet, handle);
    EXPECT_EQ(0, starpu_task_wait_for_all());
    starpu_data_unregister(handle);
  });
  auto source = OpenSource(RecordedPath(name));
  EXPECT_TRUE(source.ok());
  OrderSink sink;
  Diagnostics diags;
  const ReaderSpec* reader = GuessReader((*source)->bytes().first(4096));
  EXPECT_TRUE(reader->read(**source, {}, sink, diags).ok());
  return sink;
}

TEST(EventsOfATask, AreAllThereInTheirOrder) {
  const OrderSink order = OrderOf("one_buffer", 1, [](starpu_codelet& codelet, auto handle) {
    ASSERT_EQ(0, starpu_task_insert(&codelet, STARPU_W, handle, 0));
  });
  EXPECT_EQ((std::vector<std::string>{"push Submitting task", "task_count", "task_submit",
                                      "task_site", "task_name", "task_model", "task_access",
                                      "task_ready", "state_pop"}),
            order.Between("push Submitting task", "state_pop"));
  EXPECT_EQ((std::vector<std::string>{"task_pop", "set FetchingInput", "data_load",
                                      "task_parameter", "task_details", "task_start", "task_end",
                                      "set PushingOutput", "task_done", "set Scheduling"}),
            order.Between("task_pop", "set Scheduling"));
}

TEST(EventsOfATask, AreThereWithoutBuffersToo) {
  const OrderSink order = OrderOf("no_buffer", 0, [](starpu_codelet& codelet, auto) {
    ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
  });
  EXPECT_EQ(
      (std::vector<std::string>{"push Submitting task", "task_count", "task_submit", "task_site",
                                "task_name", "task_model", "task_ready", "state_pop"}),
      order.Between("push Submitting task", "state_pop"));
  EXPECT_EQ((std::vector<std::string>{"task_pop", "set Overhead", "task_details", "task_start",
                                      "task_end", "task_done", "set Scheduling"}),
            order.Between("task_pop", "set Scheduling"));
}

TEST(EventsOfATask, KeepACallbackWithinTheEnd) {
  const OrderSink order = OrderOf("called_back", 1, [](starpu_codelet& codelet, auto handle) {
    starpu_iteration_push(3);
    ASSERT_EQ(0, starpu_task_insert(
                     &codelet, STARPU_W, handle, STARPU_CALLBACK, +[](void*) {}, 0));
    starpu_iteration_pop();
  });
  EXPECT_EQ((std::vector<std::string>{"push Submitting task", "task_count", "task_submit",
                                      "task_site", "task_name", "task_model", "task_access",
                                      "task_ready", "state_pop"}),
            order.Between("push Submitting task", "state_pop"));
  EXPECT_EQ((std::vector<std::string>{"task_end", "set PushingOutput", "task_done", "push Callback",
                                      "state_pop", "set Scheduling"}),
            order.Between("task_end", "set Scheduling"));
}

TEST(Categories, EachAloneRecordsItsEventsAndNoOther) {
  const std::map<std::string, Names> expected = {
      {"USER", {"user_event"}},
      {"TASK",
       {"task_count", "task_submit", "task_site", "task_name", "task_model", "task_color",
        "task_tag", "task_dep", "tag_dep", "tag_done", "task_start", "task_end", "task_done",
        "task_access", "task_end_dep", "call_site", "tag_site", "push Throttling task submission"}},
      {"TASK_VERBOSE",
       {"task_details", "task_dep", "push Building task", "push Submitting task",
        "push Waiting task", "push Waiting all tasks"}},
      {"TASK_VERBOSE_EXTRA", {"task_numa"}},
      {"DATA", {"data_delete", "task_parameter", "data_wont_use"}},
      {"DATA_VERBOSE", {}},
      {"WORKER", {"set Sleeping", "set Overhead"}},
      {"WORKER_VERBOSE", {"set Idle", "set Overhead", "set Scheduling", "push Callback"}},
      {"DSM",
       {"data_load", "set FetchingInput", "set Overhead", "set PushingOutput", "set Scheduling"}},
      {"DSM_VERBOSE", {"memory_op_start", "memory_op_end", "memory_used", "data_state"}},
      {"SCHED", {"task_ready", "task_pop"}},
      {"SCHED_VERBOSE", {"steal"}},
      {"LOCK", {}},
      {"EVENT", {"message"}},
      {"MPI", {}},
      {"HYP", {}},
  };
  for (const auto& [category, names] : expected) {
    // The message that is always recorded stands beside the category's own events.
    Names all = names;
    all.insert("message");
    EXPECT_EQ(all, KindsOf(category)) << category;
  }
}

TEST(Categories, HaveTheComponentsOfAModularPolicy) {
  EXPECT_EQ((Names{"task_ready", "task_pop", "component_push", "component_pull", "message"}),
            KindsOf("SCHED", "modular-eager"));
  // Its own time is worth a state.
  EXPECT_EQ(1u, KindsOf("WORKER_VERBOSE", "modular-eager").count("push Scheduling"));
}

TEST(Categories, AreJoined) {
  const Names names = KindsOf("SCHED|USER");
  EXPECT_EQ((Names{"task_ready", "task_pop", "user_event", "message"}), names);
}

TEST(ProgramInfo, SaysEachThingOnce) {
  const TraceModel model = Recorded({"recording_info"}, [] {});
  std::vector<std::string> keys;
  for (const auto& [key, value] : model.info) {
    keys.emplace_back(model.str(key));
    EXPECT_NE("", model.str(value)) << keys.back();
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(keys, (std::vector<std::string>{"arguments", "directory", "host", "pid", "processors",
                                            "program", "runtime", "scheduler"}));
}

TEST(UserEvents, ComeFromAnyThread) {
  const TraceModel model = Recorded({.name = "user"}, [] {
    starpu_fxt_trace_user_event(1);
    std::vector<std::thread> threads;
    for (unsigned long i = 2; i < 6; ++i) {
      threads.emplace_back([i] {
        starpu_fxt_trace_user_event(i);
        starpu_fxt_trace_user_event_string(("thread " + std::to_string(i)).c_str());
      });
    }
    for (std::thread& thread : threads) thread.join();
    static starpu_codelet codelet =
        MakeCodelet([](void**, void*) { starpu_fxt_trace_user_event(6); }, 0);
    ASSERT_EQ(0, starpu_task_insert(&codelet, 0));
    EXPECT_TRUE(starpu_fxt_is_enabled());
  });
  std::vector<uint64_t> codes;
  Names texts;
  for (size_t i = 0; i < model.points.size(); ++i) {
    if (model.points.kind[i] == EventKind::kUserEvent) codes.push_back(model.points.Args(i)[0]);
    if (model.points.kind[i] == EventKind::kMessage)
      texts.insert(std::string(model.str(static_cast<StringId>(model.points.Args(i)[0]))));
  }
  std::sort(codes.begin(), codes.end());
  EXPECT_EQ((std::vector<uint64_t>{1, 2, 3, 4, 5, 6}), codes);
  EXPECT_EQ((Names{"thread 2", "thread 3", "thread 4", "thread 5"}), texts);
  EXPECT_FALSE(starpu_fxt_is_enabled());
}

TEST(Regions, KeepTheCategoriesThatWereAskedFor) {
  starpu_fxt_autostart_profiling(0);
  const TraceModel model = Recorded({.name = "region_of_sched", .categories = "SCHED|USER"}, [] {
    starpu_fxt_trace_user_event(1);
    starpu_fxt_start_profiling();
    starpu_fxt_trace_user_event(2);
    starpu_fxt_trace_user_event_string("of another category");
    starpu_fxt_stop_profiling();
    starpu_fxt_trace_user_event(3);
  });
  starpu_fxt_autostart_profiling(1);
  std::vector<uint64_t> codes;
  for (size_t i = 0; i < model.points.size(); ++i) {
    EXPECT_NE(EventKind::kMessage, model.points.kind[i]);
    if (model.points.kind[i] == EventKind::kUserEvent) codes.push_back(model.points.Args(i)[0]);
  }
  EXPECT_EQ((std::vector<uint64_t>{2}), codes);
}

TEST(GenerateTrace, SaysWhyItCannot) {
  starpu_fxt_options options;
  starpu_fxt_options_init(&options);
  EXPECT_EQ(0u, options.ninputfiles);
  char missing[] = "/no/such/trace";
  options.filenames[0] = missing;
  options.ninputfiles = 1;
  setenv("PATH", "/nowhere", 1);
  ::testing::internal::CaptureStderr();
  starpu_fxt_generate_trace(&options);
  EXPECT_EQ("tasklens: starpu_fxt_generate_trace(): tasklens: No such file or directory\n",
            ::testing::internal::GetCapturedStderr());
  starpu_fxt_options_shutdown(&options);
}

}  // namespace
}  // namespace tasklens
