// SPDX-License-Identifier: Apache-2.0
// No code of a program is called under a lock of ours: it may submit, register, wait, change
// contexts. A lock that is held meanwhile is a test that does not end.
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/runtime/on_disk.h"
#include "tests/runtime/started.h"

namespace tasklens {
namespace {

std::atomic<int> g_done;

void Done(void**, void*) { ++g_done; }

starpu_codelet CodeletOf(starpu_cpu_func_t function, unsigned buffers = 0) {
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = static_cast<int>(buffers);
  codelet.modes[0] = STARPU_RW;
  return codelet;
}
starpu_codelet g_plain = CodeletOf(Done), g_with_data = CodeletOf(Done, 1);

// Submits a task of the codelet and waits for it.
void RunAndWait(starpu_codelet* codelet) {
  starpu_task* task = starpu_task_create();
  task->cl = codelet;
  task->detach = 0;
  EXPECT_EQ(0, starpu_task_submit(task));
  EXPECT_EQ(0, starpu_task_wait(task));
}

// All that a callback may do. A worker does not wait: it might be for a task that is its own.
void DoAnything() {
  static int64_t value;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&value),
                                sizeof(value));
  EXPECT_EQ(0, starpu_task_insert(&g_with_data, STARPU_RW, handle, 0));
  if (starpu_worker_get_id() < 0 && !starpu_task_get_current()) {
    RunAndWait(&g_plain);
    starpu_data_unregister(handle);
  } else {
    EXPECT_EQ(0, starpu_task_insert(&g_plain, 0));
    starpu_data_unregister_submit(handle);
  }
}

// Half of the tasks become ready on workers, as each waits for the one before.
void RunMany(starpu_codelet* codelet) {
  int64_t value = 0;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&value),
                                sizeof(value));
  codelet->nbuffers = STARPU_VARIABLE_NBUFFERS;
  for (int i = 0; i < 20; ++i) {
    if (i % 2)
      EXPECT_EQ(0, starpu_task_insert(codelet, STARPU_RW, handle, STARPU_PRIORITY, i % 3, 0));
    else
      EXPECT_EQ(0, starpu_task_insert(codelet, STARPU_PRIORITY, i % 3, 0));
  }
  starpu_data_unregister(handle);
  EXPECT_EQ(0, starpu_task_wait_for_all());
}

class HostileCallbacks : public ::testing::TestWithParam<std::string> {};

TEST_P(HostileCallbacks, MaySayWhoCanRunATask) {
  Started started(3, GetParam().c_str());
  static std::atomic<int> wrong, ran;
  wrong = ran = 0;
  starpu_codelet codelet = CodeletOf([](void**, void*) {
    wrong += starpu_worker_get_id() == 0;
    ++ran;
  });
  codelet.can_execute = [](unsigned worker, starpu_task*, unsigned) {
    DoAnything();
    return int(worker != 0);
  };
  RunMany(&codelet);
  EXPECT_EQ(20, ran);
  EXPECT_EQ(0, wrong);
}

TEST_P(HostileCallbacks, MayBePerformanceModels) {
  starpu_perfmodel model = {}, measured = {};
  model.type = STARPU_COMMON;
  model.cost_function = [](starpu_task*, unsigned) {
    DoAnything();
    return 1.0;
  };
  measured.type = STARPU_REGRESSION_BASED;
  measured.size_base = [](starpu_task*, unsigned) -> size_t {
    DoAnything();
    return 1;
  };
  measured.footprint = [](starpu_task*) -> uint32_t {
    DoAnything();
    return 1;
  };
  {
    Started started(3, GetParam().c_str());
    static std::atomic<int> ran;
    ran = 0;
    starpu_codelet codelet = CodeletOf([](void**, void*) { ++ran; });
    codelet.energy_model = &model;
    for (starpu_perfmodel* each : {&model, &measured}) {
      codelet.model = each;
      RunMany(&codelet);
    }
    EXPECT_EQ(40, ran);
  }
}

TEST_P(HostileCallbacks, MayBeThoseOfTasks) {
  Started started(3, GetParam().c_str());
  static std::atomic<int> ran, called;
  ran = called = 0;
  starpu_codelet codelet = CodeletOf([](void**, void*) {
    DoAnything();
    ++ran;
  });
  const auto callback = [](void*) {
    DoAnything();
    ++called;
  };
  for (int i = 0; i < 20; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->prologue_callback_func = task->prologue_callback_pop_func = callback;
    task->epilogue_callback_func = task->callback_func = callback;
    EXPECT_EQ(0, starpu_task_submit(task));
  }
  EXPECT_EQ(0, starpu_task_wait_for_all());
  EXPECT_EQ(20, ran);
  EXPECT_EQ(4 * 20, called);
}

std::vector<std::string> AllPolicies() {
  std::vector<std::string> names;
  for (starpu_sched_policy** at = starpu_sched_get_predefined_policies(); *at; ++at)
    names.push_back((*at)->policy_name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Under, HostileCallbacks, ::testing::ValuesIn(AllPolicies()),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

// Under a lock of its own, as policies are.
struct List {
  starpu_task_list tasks;
  starpu_pthread_mutex_t lock;
};
List& ListOf(unsigned context) {
  return *static_cast<List*>(starpu_sched_ctx_get_policy_data(context));
}
starpu_sched_policy ListPolicy() {
  starpu_sched_policy policy = {};
  policy.policy_name = "list";
  policy.init_sched = [](unsigned context) {
    auto* list = new List;
    starpu_task_list_init(&list->tasks);
    STARPU_PTHREAD_MUTEX_INIT(&list->lock, nullptr);
    starpu_sched_ctx_set_policy_data(context, list);
  };
  policy.deinit_sched = [](unsigned context) {
    DoAnything();
    delete &ListOf(context);
  };
  policy.push_task = [](starpu_task* task) {
    List& list = ListOf(task->sched_ctx);
    STARPU_PTHREAD_MUTEX_LOCK(&list.lock);
    starpu_task_list_push_back(&list.tasks, task);
    STARPU_PTHREAD_MUTEX_UNLOCK(&list.lock);
    return 0;
  };
  policy.pop_task = [](unsigned context) -> starpu_task* {
    List& list = ListOf(context);
    STARPU_PTHREAD_MUTEX_LOCK(&list.lock);
    starpu_task* const task =
        starpu_task_list_empty(&list.tasks) ? nullptr : starpu_task_list_pop_front(&list.tasks);
    STARPU_PTHREAD_MUTEX_UNLOCK(&list.lock);
    return task;
  };
  return policy;
}

unsigned g_context;
int g_first[] = {0}, g_second[] = {1}, g_third[] = {2};

TEST(HostilePolicies, MayDoAnythingAsWorkersComeAndGo) {
  Started started(3);
  // A task that changes the workers of the context, too, while those who wait for it are told of
  // such a change.
  static starpu_codelet changes =
      CodeletOf([](void**, void*) { starpu_sched_ctx_add_workers(g_third, 1, g_context); });
  static int depth, added, removed;
  depth = added = removed = 0;
  starpu_sched_policy policy = ListPolicy();
  policy.add_workers = [](unsigned context, int*, unsigned count) {
    added += static_cast<int>(count);
    g_context = context;
    DoAnything();
    if (depth++ == 0) starpu_sched_ctx_add_workers(g_second, 1, context);
    if (added < 3) RunAndWait(&changes);
  };
  policy.remove_workers = [](unsigned context, int*, unsigned count) {
    removed += static_cast<int>(count);
    DoAnything();
    if (removed == 1) starpu_sched_ctx_remove_workers(g_second, 1, context);
  };
  const unsigned context =
      starpu_sched_ctx_create(g_first, 1, "it", STARPU_SCHED_CTX_POLICY_STRUCT, &policy, 0);
  ASSERT_EQ(g_context, context);
  EXPECT_EQ(3u, starpu_sched_ctx_get_nworkers(context));
  g_done = 0;
  for (int i = 0; i < 50; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &g_plain;
    EXPECT_EQ(0, starpu_task_submit_to_ctx(task, context));
  }
  EXPECT_EQ(0, starpu_task_wait_for_all_in_ctx(context));
  EXPECT_EQ(50, g_done);
  starpu_sched_ctx_remove_workers(g_first, 1, context);
  EXPECT_EQ(1u, starpu_sched_ctx_get_nworkers(context));
  EXPECT_EQ(2, removed);
  starpu_sched_ctx_delete(context);
  EXPECT_EQ(3, removed);
  EXPECT_EQ(0, starpu_task_wait_for_all());
}

TEST(HostilePolicies, MayMoveWorkersAsTheyAreGivenATask) {
  Started started(2);
  starpu_sched_policy policy = ListPolicy();
  policy.push_task = [](starpu_task* task) {
    const unsigned context = task->sched_ctx;
    starpu_sched_ctx_remove_workers(g_second, 1, context);
    DoAnything();
    const int error = ListPolicy().push_task(task);
    starpu_sched_ctx_add_workers(g_second, 1, context);
    return error;
  };
  policy.pop_task = [](unsigned context) -> starpu_task* {
    starpu_task* const task = ListPolicy().pop_task(context);
    if (task) DoAnything();
    return task;
  };
  int both[] = {0, 1};
  const unsigned context =
      starpu_sched_ctx_create(both, 2, "it", STARPU_SCHED_CTX_POLICY_STRUCT, &policy, 0);
  static std::atomic<int> ran;
  ran = 0;
  starpu_codelet codelet = CodeletOf([](void**, void*) { ++ran; });
  for (int i = 0; i < 50; ++i) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    EXPECT_EQ(0, starpu_task_submit_to_ctx(task, context));
  }
  EXPECT_EQ(0, starpu_task_wait_for_all_in_ctx(context));
  EXPECT_EQ(50, ran);
  starpu_sched_ctx_delete(context);
  EXPECT_EQ(0, starpu_task_wait_for_all());
}

TEST(HostilePoliciesDeathTest, CannotDeleteTheirOwnContext) {
  EXPECT_DEATH(
      {
        Started started(1);
        starpu_sched_policy policy = ListPolicy();
        policy.push_task = [](starpu_task* task) {
          starpu_sched_ctx_delete(task->sched_ctx);
          return 0;
        };
        const unsigned context =
            starpu_sched_ctx_create(g_first, 1, "it", STARPU_SCHED_CTX_POLICY_STRUCT, &policy, 0);
        starpu_task* task = starpu_task_create();
        task->cl = &g_plain;
        starpu_task_submit_to_ctx(task, context);
      },
      "starpu_sched_ctx_delete\\(\\): a function of context 1's own policy cannot delete it");
}

// --- Interfaces of the program's own -------------------------------------------------------------

// A word of its own in each memory.
struct Word {
  starpu_data_interface_id id;
  uint64_t* at;
};

std::atomic<int> g_calls;      // of methods
std::atomic<bool> g_may_wait;  // for tasks, in methods that no task calls

// What a method does besides its own work.
void MethodDoesAnything() {
  ++g_calls;
  if (g_may_wait || starpu_worker_get_id() >= 0) return DoAnything();
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, -1, 0, sizeof(int64_t));
  EXPECT_EQ(0, starpu_task_insert(&g_plain, 0));
  starpu_data_unregister_submit(handle);
}

struct WordInterface {
  explicit WordInterface(bool is_packed) {
    ops.interfaceid = static_cast<starpu_data_interface_id>(starpu_data_interface_get_next_id());
    ops.interface_size = sizeof(Word);
    ops.get_size = [](starpu_data_handle_t) -> size_t { return kBytes; };
    ops.footprint = [](starpu_data_handle_t) -> uint32_t { return 1; };
    ops.allocate_data_on_node = [](void* interface, unsigned node) -> starpu_ssize_t {
      MethodDoesAnything();
      auto* const word = static_cast<Word*>(interface);
      word->at = reinterpret_cast<uint64_t*>(starpu_malloc_on_node(node, kBytes));
      return word->at ? starpu_ssize_t{kBytes} : -ENOMEM;
    };
    ops.free_data_on_node = [](void* interface, unsigned node) {
      MethodDoesAnything();
      starpu_free_on_node(node, reinterpret_cast<uintptr_t>(static_cast<Word*>(interface)->at),
                          kBytes);
    };
    ops.to_pointer = [](void* interface, unsigned) -> void* {
      return static_cast<Word*>(interface)->at;
    };
    if (is_packed) {
      ops.pack_data = [](starpu_data_handle_t handle, unsigned node, void** piece,
                         starpu_ssize_t* bytes) {
        MethodDoesAnything();
        *piece = reinterpret_cast<void*>(starpu_malloc_on_node(node, sizeof(uint64_t)));
        *static_cast<uint64_t*>(*piece) = *Of(handle, node).at;
        *bytes = sizeof(uint64_t);
        return 0;
      };
      ops.unpack_data = [](starpu_data_handle_t handle, unsigned node, void* piece, size_t bytes) {
        MethodDoesAnything();
        *Of(handle, node).at = *static_cast<uint64_t*>(piece);
        starpu_free_on_node(node, reinterpret_cast<uintptr_t>(piece), bytes);
        return 0;
      };
    } else {
      copies.any_to_any = [](void* from, unsigned source, void* to, unsigned target, void* data) {
        MethodDoesAnything();
        return starpu_interface_copy(reinterpret_cast<uintptr_t>(static_cast<Word*>(from)->at), 0,
                                     source,
                                     reinterpret_cast<uintptr_t>(static_cast<Word*>(to)->at), 0,
                                     target, sizeof(uint64_t), data);
      };
      ops.copy_methods = &copies;
    }
  }
  starpu_data_handle_t Register() {
    const Word none = {ops.interfaceid, nullptr};
    starpu_data_handle_t handle;
    starpu_data_register(&handle, -1, const_cast<Word*>(&none), &ops);
    return handle;
  }
  static Word& Of(starpu_data_handle_t handle, unsigned node) {
    return *static_cast<Word*>(starpu_data_get_interface_on_node(handle, node));
  }
  static constexpr size_t kBytes = size_t{1} << 18;
  starpu_data_interface_ops ops = {};
  starpu_data_copy_methods copies = {};
};

starpu_disk_ops WordsOnDisk() {
  starpu_disk_ops ops = testing::on_disk::MemoryDisk();
  ops.plug = [](void* base, starpu_ssize_t) {
    DoAnything();
    return base;
  };
  ops.read = [](void*, void* object, void* buffer, off_t offset, size_t bytes) {
    DoAnything();
    memcpy(buffer, testing::on_disk::At(object, offset), bytes);
    return static_cast<int>(bytes);
  };
  ops.write = [](void*, void* object, const void* buffer, off_t offset, size_t bytes) {
    DoAnything();
    memcpy(testing::on_disk::At(object, offset), buffer, bytes);
    return 0;
  };
  ops.full_read = [](void*, void* object, void** piece, size_t* bytes, unsigned node) {
    *bytes = sizeof(uint64_t);
    *piece = reinterpret_cast<void*>(starpu_malloc_on_node(node, *bytes));
    memcpy(*piece, object, *bytes);
    return 0;
  };
  ops.full_write = [](void*, void* object, void* piece, size_t bytes) {
    memcpy(object, piece, bytes);
    return 0;
  };
  return ops;
}

starpu_codelet WordCodelet(starpu_cpu_func_t function) {
  starpu_codelet codelet = CodeletOf(function, 1);
  codelet.modes[0] = STARPU_RW;
  return codelet;
}

class HostileInterfaces : public ::testing::TestWithParam<bool> {};

TEST_P(HostileInterfaces, MayWaitInEachMethod) {
  Started started(2);
  g_may_wait = true;
  starpu_disk_ops on_disk = WordsOnDisk();
  char base;
  const int disk = starpu_disk_register(&on_disk, &base, STARPU_DISK_SIZE_MIN);
  ASSERT_GT(disk, 0);
  WordInterface words(GetParam());
  starpu_codelet increment =
      WordCodelet([](void** buffers, void*) { ++*static_cast<Word*>(buffers[0])->at; });
  g_calls = 0;
  starpu_data_handle_t handle = words.Register(), other = words.Register();
  ASSERT_EQ(0, starpu_data_acquire(handle, STARPU_W));
  *WordInterface::Of(handle, STARPU_MAIN_RAM).at = 40;
  starpu_data_release(handle);
  ASSERT_EQ(0, starpu_task_insert(&increment, STARPU_RW, handle, 0));
  ASSERT_EQ(0, starpu_data_acquire_on_node(handle, disk, STARPU_R));
  starpu_data_release_on_node(handle, disk);
  EXPECT_EQ(0, starpu_data_evict_from_node(handle, STARPU_MAIN_RAM));
  EXPECT_EQ(0u, starpu_data_is_on_node(handle, STARPU_MAIN_RAM));
  ASSERT_EQ(0, starpu_data_fetch_on_node(handle, STARPU_MAIN_RAM, 0));
  ASSERT_EQ(0, starpu_task_insert(&increment, STARPU_RW, handle, 0));
  ASSERT_EQ(0, starpu_data_cpy(other, handle, 0, nullptr, nullptr));
  for (starpu_data_handle_t each : {handle, other}) {
    ASSERT_EQ(0, starpu_data_acquire(each, STARPU_R));
    EXPECT_EQ(42u, *WordInterface::Of(each, STARPU_MAIN_RAM).at);
    starpu_data_release(each);
    starpu_data_unregister(each);
  }
  EXPECT_EQ(0, starpu_task_wait_for_all());
  // Memory for two of them and on the disk, again where it was evicted; two copies at least.
  EXPECT_LE(4 + 4 + 2, g_calls);
}

// Where values come and go all the time, as there is memory for a few of them only.
TEST_P(HostileInterfaces, MayDoAnythingWhereMemoryIsShort) {
  setenv("STARPU_LIMIT_CPU_MEM", "2", 1);
  {
    Started started(3);
    g_may_wait = false;
    starpu_disk_ops on_disk = WordsOnDisk();
    char base;
    starpu_disk_swap_node = starpu_disk_register(&on_disk, &base, 64 << 20);
    ASSERT_GT(starpu_disk_swap_node, 0);
    WordInterface words(GetParam());
    starpu_codelet increment =
        WordCodelet([](void** buffers, void*) { ++*static_cast<Word*>(buffers[0])->at; });
    starpu_codelet clear =
        WordCodelet([](void** buffers, void*) { *static_cast<Word*>(buffers[0])->at = 0; });
    clear.modes[0] = STARPU_W;
    std::vector<starpu_data_handle_t> handles(30);
    for (starpu_data_handle_t& handle : handles) {
      handle = words.Register();
      ASSERT_EQ(0, starpu_task_insert(&clear, STARPU_W, handle, 0));
    }
    constexpr int kRounds = 5;
    for (int round = 0; round < kRounds; ++round) {
      for (starpu_data_handle_t handle : handles) {
        ASSERT_EQ(0, starpu_task_insert(&increment, STARPU_RW, handle, 0));
        if (round == 2) starpu_data_wont_use(handle);
        if (round == 3) starpu_data_prefetch_on_node(handle, STARPU_MAIN_RAM, 1);
      }
    }
    for (size_t i = 0; i < handles.size(); ++i) {
      ASSERT_EQ(0, starpu_data_acquire(handles[i], STARPU_R));
      EXPECT_EQ(uint64_t{kRounds}, *WordInterface::Of(handles[i], STARPU_MAIN_RAM).at) << i;
      starpu_data_release(handles[i]);
      i % 2 ? starpu_data_unregister(handles[i]) : starpu_data_unregister_submit(handles[i]);
    }
    EXPECT_EQ(0, starpu_task_wait_for_all());
  }
  unsetenv("STARPU_LIMIT_CPU_MEM");
}
// The same on a device, of a simulated machine, where functions run for real.
TEST(HostileInterfacesOnDevices, MayDoAnythingWhereADeviceIsFull) {
  setenv("STARPU_NSIM_CUDA", "1", 1);
  setenv("STARPU_LIMIT_CUDA_MEM", "1", 1);
  {
    Started started(1, "dmda");
    g_may_wait = false;
    WordInterface words(/*is_packed=*/false);
    starpu_perfmodel model = {};
    model.type = STARPU_COMMON;
    model.cost_function = [](starpu_task*, unsigned) { return 1.; };
    starpu_codelet increment =
        WordCodelet([](void** buffers, void*) { ++*static_cast<Word*>(buffers[0])->at; });
    g_plain.model = g_with_data.model = increment.model = &model;
    increment.cuda_funcs[0] = increment.cpu_funcs[0];
    increment.flags = STARPU_CODELET_SIMGRID_EXECUTE;
    std::vector<starpu_data_handle_t> handles(12);
    for (starpu_data_handle_t& handle : handles) {
      handle = words.Register();
      ASSERT_EQ(0, starpu_data_acquire(handle, STARPU_W));
      *WordInterface::Of(handle, STARPU_MAIN_RAM).at = 0;
      starpu_data_release(handle);
    }
    g_calls = 0;
    constexpr int kRounds = 4;
    const int device = starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0);
    for (int round = 0; round < kRounds; ++round) {
      for (starpu_data_handle_t handle : handles) {
        ASSERT_EQ(0, starpu_task_insert(&increment, STARPU_RW, handle, STARPU_EXECUTE_ON_WORKER,
                                        device, 0));
      }
    }
    for (starpu_data_handle_t handle : handles) {
      ASSERT_EQ(0, starpu_data_acquire(handle, STARPU_R));
      EXPECT_EQ(uint64_t{kRounds}, *WordInterface::Of(handle, STARPU_MAIN_RAM).at);
      starpu_data_release(handle);
      starpu_data_unregister(handle);
    }
    EXPECT_EQ(0, starpu_task_wait_for_all());
    EXPECT_LT(4 * 12, g_calls);  // there, back again, and their memory
    g_plain.model = g_with_data.model = nullptr;
  }
  unsetenv("STARPU_NSIM_CUDA");
  unsetenv("STARPU_LIMIT_CUDA_MEM");
}
INSTANTIATE_TEST_SUITE_P(That, HostileInterfaces, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Pack" : "Copy"; });

TEST(HostileFunctions, MayPutInNeutralElementsAndCutData) {
  Started started(3);
  static std::atomic<int> inits;
  inits = 0;
  starpu_codelet init = WordCodelet([](void** buffers, void*) {
    DoAnything();
    ++inits;
    *reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[0])) = 0;
  });
  starpu_codelet add = CodeletOf(
      [](void** buffers, void*) {
        *reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[0])) +=
            *reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[1]));
      },
      2);
  add.modes[1] = STARPU_R;
  starpu_codelet count = WordCodelet([](void** buffers, void*) {
    ++*reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
  });
  count.modes[0] = STARPU_REDUX;
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, -1, 0, sizeof(int64_t));
  starpu_data_set_reduction_methods(handle, &add, &init);
  for (int i = 0; i < 30; ++i) ASSERT_EQ(0, starpu_task_insert(&count, STARPU_REDUX, handle, 0));
  ASSERT_EQ(0, starpu_data_acquire(handle, STARPU_R));
  EXPECT_EQ(30, *static_cast<int64_t*>(starpu_data_get_local_ptr(handle)));
  starpu_data_release(handle);
  starpu_data_unregister(handle);
  EXPECT_LT(0, inits);

  std::vector<int> values(8);
  starpu_vector_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(values.data()),
                              8, sizeof(int));
  starpu_data_filter filter = {};
  filter.nchildren = 2;
  filter.filter_func = [](void* whole, void* part, starpu_data_filter* of, unsigned i, unsigned n) {
    DoAnything();
    starpu_vector_filter_block(whole, part, of, i, n);
  };
  starpu_data_handle_t parts[2];
  starpu_data_partition_plan(handle, &filter, parts);
  ASSERT_EQ(0, starpu_task_insert(&g_with_data, STARPU_RW, parts[0], 0));
  starpu_data_partition_clean(handle, 2, parts);
  starpu_data_unregister(handle);
  EXPECT_EQ(0, starpu_task_wait_for_all());
}

// Of memory that the runtime makes for itself.
TEST(HostileFunctions, MayBeHooksOfMemory) {
  Started started(2);
  static std::atomic<int> made, freed;
  made = freed = 0;
  starpu_malloc_set_hooks(
      [](unsigned, void** memory, size_t bytes, int) {
        DoAnything();
        ++made;
        *memory = malloc(bytes);
        return 0;
      },
      [](unsigned, void* memory, size_t, int) {
        DoAnything();
        ++freed;
        free(memory);
        return 0;
      });
  for (int i = 0; i < 10; ++i) {
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, -1, 0, 100, sizeof(int));
    ASSERT_EQ(0, starpu_data_acquire(handle, STARPU_W));
    starpu_data_release(handle);
    if (i % 2) {
      ASSERT_EQ(0, starpu_task_insert(&g_with_data, STARPU_RW, handle, 0));
    }
    starpu_data_unregister(handle);
  }
  EXPECT_EQ(0, starpu_task_wait_for_all());
  starpu_malloc_set_hooks(nullptr, nullptr);
  EXPECT_EQ(10, made);
  EXPECT_EQ(10, freed);
}

}  // namespace
}  // namespace tasklens
