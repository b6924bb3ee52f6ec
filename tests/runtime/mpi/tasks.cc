// SPDX-License-Identifier: Apache-2.0
// Tasks that all ranks submit: where they run, what goes to and fro for them, what the cache
// spares.
#include <cstdint>
#include <vector>

#include "tests/runtime/mpi/checks.h"

namespace {

void AddKernel(void** buffers, void* argument) {
  int64_t amount = 0, *where_it_ran = nullptr;
  starpu_codelet_unpack_args(argument, &amount, &where_it_ran);
  *reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[0])) += amount;
}
void CopyKernel(void** buffers, void*) {
  *reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[0])) =
      *reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[1]));
}
void SwapKernel(void** buffers, void*) {
  auto* const one = reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[0]));
  auto* const other = reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[1]));
  const int64_t before = *one;
  *one = *other;
  *other = before;
}
void ZeroKernel(void** buffers, void*) {
  *reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[0])) = 0;
}
void SumKernel(void** buffers, void*) {
  *reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[0])) +=
      *reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[1]));
}
void RankKernel(void** buffers, void*) {
  *reinterpret_cast<int64_t*>(STARPU_VARIABLE_GET_PTR(buffers[0])) = my_rank;
}

starpu_codelet Codelet(void (*kernel)(void**, void*), const char* name,
                       std::initializer_list<int> modes) {
  starpu_codelet codelet{};
  codelet.cpu_funcs[0] = kernel;
  codelet.nbuffers = static_cast<int>(modes.size());
  int i = 0;
  for (const int mode : modes) codelet.modes[i++] = static_cast<starpu_data_access_mode>(mode);
  codelet.name = name;
  return codelet;
}
starpu_codelet add = Codelet(&AddKernel, "add", {STARPU_RW});
starpu_codelet copy = Codelet(&CopyKernel, "copy", {STARPU_W, STARPU_R});
starpu_codelet swap_both = Codelet(&SwapKernel, "swap", {STARPU_RW, STARPU_RW});
starpu_codelet zero = Codelet(&ZeroKernel, "zero", {STARPU_W});
starpu_codelet sum = Codelet(&SumKernel, "sum", {STARPU_RW | STARPU_COMMUTE, STARPU_R});
starpu_codelet contribute = Codelet(&AddKernel, "contribute", {STARPU_REDUX});
starpu_codelet between = Codelet(&AddKernel, "between", {STARPU_RW | STARPU_COMMUTE});
starpu_codelet who = Codelet(&RankKernel, "who", {STARPU_W});

int64_t next_tag = 0;

// Data of one owner; the others know of them.
struct Shared {
  int64_t value = 0;
  int owner;
  starpu_data_handle_t handle = nullptr;
  explicit Shared(int owning_rank, int64_t initial = 0) : value(initial), owner(owning_rank) {
    const bool is_ours = owner == my_rank || owner == STARPU_MPI_PER_NODE;
    starpu_variable_data_register(&handle, is_ours ? STARPU_MAIN_RAM : -1,
                                  is_ours ? reinterpret_cast<uintptr_t>(&value) : 0, sizeof value);
    starpu_mpi_data_register(handle, next_tag++, owner);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { Close(); }
  void Close() {
    if (handle) starpu_data_unregister(handle);
    handle = nullptr;
  }
  // Its value in its owner, in all ranks.
  int64_t Value() {
    int64_t found = -1;
    if (owner == my_rank) {
      starpu_data_acquire(handle, STARPU_R);
      found = value;
      starpu_data_release(handle);
    }
    starpu_mpi_barrier(MPI_COMM_WORLD);
    MPI_Bcast(&found, 1, MPI_INT64_T, owner, MPI_COMM_WORLD);
    return found;
  }
};

int Insert(starpu_data_handle_t handle, int64_t amount) {
  return starpu_mpi_task_insert(MPI_COMM_WORLD, &add, STARPU_RW, handle, STARPU_VALUE, &amount,
                                sizeof amount, 0);
}

size_t BytesSent() {
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  std::vector<size_t> bytes(static_cast<size_t>(ranks));
  starpu_mpi_comm_stats_retrieve(bytes.data());
  size_t all = 0, world = 0;
  for (const size_t each : bytes) all += each;
  MPI_Allreduce(&all, &world, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return world;
}

void TheOwnerOfWhatIsWrittenRunsTheTask() {
  const int last = ranks - 1;
  Shared on_last(last, 5), on_first(0, 7);
  Insert(on_last.handle, 1);
  starpu_mpi_task_insert(MPI_COMM_WORLD, &copy, STARPU_W, on_first.handle, STARPU_R, on_last.handle,
                         STARPU_PRIORITY, 3, STARPU_NAME, "a copy", 0);
  CHECK_EQUAL(on_first.Value(), 6);
  Shared ran(last);
  starpu_mpi_insert_task(MPI_COMM_WORLD, &who, STARPU_W, ran.handle, 0);
  CHECK_EQUAL(ran.Value(), last);
}

void ATaskRunsWhereTheCallSays() {
  const int last = ranks - 1;
  Shared ran(0);
  starpu_mpi_task_insert(MPI_COMM_WORLD, &who, STARPU_W, ran.handle, STARPU_EXECUTE_ON_NODE, last,
                         0);
  CHECK_EQUAL(ran.Value(), last);  // came back
  Shared elsewhere(last);
  starpu_mpi_task_insert(MPI_COMM_WORLD, &who, STARPU_W | STARPU_SSEND, ran.handle,
                         STARPU_EXECUTE_ON_DATA, elsewhere.handle, 0);
  CHECK_EQUAL(ran.Value(), last);
  // -1 is nobody in particular.
  starpu_mpi_task_insert(MPI_COMM_WORLD, &who, STARPU_W, ran.handle, STARPU_EXECUTE_ON_NODE, -1, 0);
  CHECK_EQUAL(ran.Value(), 0);
}

int SelectLast(int, int nodes, starpu_data_descr*, int) { return nodes - 1; }

void SeveralOwnersAreLeftToAPolicy() {
  Shared one(0, 10), other(ranks - 1, 20);
  starpu_mpi_task_insert(MPI_COMM_WORLD, &swap_both, STARPU_RW, one.handle, STARPU_RW, other.handle,
                         0);
  CHECK_EQUAL(one.Value(), 20);
  CHECK_EQUAL(other.Value(), 10);
  const int policy = starpu_mpi_node_selection_register_policy(&SelectLast);
  starpu_mpi_node_selection_set_current_policy(policy);
  CHECK_EQUAL(starpu_mpi_node_selection_get_current_policy(), policy);
  starpu_mpi_task_insert(MPI_COMM_WORLD, &swap_both, STARPU_RW, one.handle, STARPU_RW, other.handle,
                         STARPU_NODE_SELECTION_POLICY, policy, 0);
  starpu_mpi_node_selection_set_current_policy(STARPU_MPI_NODE_SELECTION_MOST_R_DATA);
  starpu_mpi_node_selection_unregister_policy(policy);
  CHECK_EQUAL(one.Value(), 10);
  CHECK_EQUAL(other.Value(), 20);
}

// The last rank reads the same value ten times: it is sent once, and again after it was written, or
// flushed. (Where the last is the first, it is never sent.)
void TheCacheSparesSends() {
  const size_t others = ranks > 1 ? 1 : 0;
  starpu_mpi_comm_stats_enable();
  Shared source(0, 1);
  std::vector<Shared> targets;
  Shared target(ranks - 1);
  const auto read_ten_times = [&] {
    const size_t before = BytesSent();
    for (int i = 0; i < 10; ++i)
      starpu_mpi_task_insert(MPI_COMM_WORLD, &copy, STARPU_W, target.handle, STARPU_R,
                             source.handle, 0);
    return (BytesSent() - before) / sizeof(int64_t);
  };
  const bool caches = starpu_mpi_cache_is_enabled();
  const size_t once = others * (caches ? 1 : 10), each_time = others * 10;
  CHECK_EQUAL(read_ten_times(), once);
  CHECK_EQUAL(read_ten_times(), caches ? 0 : each_time);
  if (caches && others) {
    if (my_rank == 0) CHECK(starpu_mpi_cached_send(source.handle, ranks - 1));
    if (my_rank == ranks - 1) CHECK(starpu_mpi_cached_receive(source.handle));
  }
  Insert(source.handle, 1);
  CHECK(!starpu_mpi_cached_send(source.handle, ranks - 1));
  CHECK_EQUAL(read_ten_times(), once);
  CHECK_EQUAL(target.Value(), 2);
  starpu_mpi_cache_flush(MPI_COMM_WORLD, source.handle);
  CHECK_EQUAL(read_ten_times(), once);
  starpu_mpi_cache_flush_all_data(MPI_COMM_WORLD);
  CHECK_EQUAL(read_ten_times(), once);
  CHECK_EQUAL(starpu_mpi_cache_set(0), 0);
  CHECK_EQUAL(read_ten_times(), each_time);
  starpu_mpi_cache_set(caches);
  CHECK_EQUAL(target.Value(), 2);
  starpu_mpi_comm_stats_disable();
}

void DataMoveToANewOwner() {
  Shared data(0, 3);
  Insert(data.handle, 1);
  starpu_mpi_data_migrate(MPI_COMM_WORLD, data.handle, ranks - 1);
  CHECK_EQUAL(starpu_mpi_data_get_rank(data.handle), ranks - 1);
  Insert(data.handle, 1);
  Shared ran(0);
  starpu_mpi_task_insert(MPI_COMM_WORLD, &copy, STARPU_W, ran.handle, STARPU_R, data.handle, 0);
  CHECK_EQUAL(ran.Value(), 5);
  starpu_mpi_data_migrate(MPI_COMM_WORLD, data.handle, 0);
  Insert(data.handle, 1);
  CHECK_EQUAL(data.Value(), 6);
}

void DataComeToARankAndToAll() {
  Shared data(0, 8);
  starpu_mpi_get_data_on_node(MPI_COMM_WORLD, data.handle, ranks - 1);
  if (my_rank == ranks - 1) {
    starpu_data_acquire(data.handle, STARPU_R);
    CHECK_EQUAL(*reinterpret_cast<int64_t*>(starpu_variable_get_local_ptr(data.handle)), 8);
    starpu_data_release(data.handle);
  }
  Insert(data.handle, 1);
  starpu_mpi_get_data_on_all_nodes_detached(MPI_COMM_WORLD, data.handle);
  starpu_data_acquire(data.handle, STARPU_R);
  CHECK_EQUAL(*reinterpret_cast<int64_t*>(starpu_variable_get_local_ptr(data.handle)), 9);
  starpu_data_release(data.handle);
}

int calls = 0;
void Called(void* argument) { *static_cast<int*>(argument) += 1; }

void DataAreCopiedBetweenOwners() {
  Shared source(0, 4), near(0), far(ranks - 1);
  calls = 0;
  starpu_mpi_data_cpy(near.handle, source.handle, MPI_COMM_WORLD, 1, &Called, &calls);
  starpu_mpi_data_cpy_priority(far.handle, source.handle, MPI_COMM_WORLD, 0, nullptr, nullptr, 1);
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  CHECK_EQUAL(calls, my_rank == 0 ? 1 : 0);
  CHECK_EQUAL(near.Value(), 4);
  CHECK_EQUAL(far.Value(), 4);
}

void DataAreScatteredAndGathered() {
  std::vector<int64_t> values(static_cast<size_t>(ranks));
  std::vector<starpu_data_handle_t> handles(static_cast<size_t>(ranks));
  for (int i = 0; i < ranks; ++i) {
    const auto at = static_cast<size_t>(i);
    const bool is_known = my_rank == 0 || my_rank == i;
    if (my_rank == 0) values[at] = 100 + i;
    if (is_known) {
      starpu_variable_data_register(&handles[at], STARPU_MAIN_RAM,
                                    reinterpret_cast<uintptr_t>(&values[at]), sizeof(int64_t));
      starpu_mpi_data_register(handles[at], next_tag + i, i);
    }
  }
  next_tag += ranks;
  calls = 0;
  const int exchanges = ranks > 1 ? 1 : 0;  // the root has no message to itself
  starpu_mpi_scatter_detached(handles.data(), ranks, 0, MPI_COMM_WORLD, &Called, &calls, &Called,
                              &calls);
  const auto mine = static_cast<size_t>(my_rank);
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  CHECK_EQUAL(calls, exchanges);
  starpu_data_acquire(handles[mine], STARPU_RW);
  CHECK_EQUAL(values[mine], 100 + my_rank);
  values[mine] += 1000;
  starpu_data_release(handles[mine]);
  starpu_mpi_gather_detached(handles.data(), ranks, 0, MPI_COMM_WORLD, &Called, &calls, &Called,
                             &calls);
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  CHECK_EQUAL(calls, 2 * exchanges);
  for (int i = 0; i < ranks; ++i) {
    if (handles[static_cast<size_t>(i)]) starpu_data_unregister(handles[static_cast<size_t>(i)]);
    if (my_rank == 0) CHECK_EQUAL(values[static_cast<size_t>(i)], 1100 + i);
  }
}

// Every rank adds to the same data, and the owner has the sum; over trees of every width.
void RanksReduceTogether(starpu_codelet* codelet, int mode, int arity) {
  Shared total(ranks / 2, 1000);
  starpu_data_set_reduction_methods(total.handle, &sum, &zero);
  int64_t expected = 1000;
  for (int round = 0; round < 3; ++round) {
    for (int rank = 0; rank < ranks; ++rank) {
      const int64_t amount = 10 * round + rank;
      expected += amount;
      starpu_mpi_task_insert(MPI_COMM_WORLD, codelet, mode, total.handle, STARPU_VALUE, &amount,
                             sizeof amount, STARPU_EXECUTE_ON_NODE, rank, 0);
    }
    CHECK(starpu_mpi_data_get_redux_map(total.handle));
    if (round == 1) {
      starpu_mpi_redux_data_prio_tree(MPI_COMM_WORLD, total.handle, 1, arity);
    } else if (round == 0) {  // whoever reads it has it reduced
      Shared copied(ranks - 1);
      starpu_mpi_task_insert(MPI_COMM_WORLD, &copy, STARPU_W, copied.handle, STARPU_R, total.handle,
                             0);
      CHECK_EQUAL(copied.Value(), expected);
    } else {
      starpu_mpi_wait_for_all(MPI_COMM_WORLD);
    }
    CHECK(!starpu_mpi_data_get_redux_map(total.handle));
    CHECK_EQUAL(total.Value(), expected);
  }
}

// What moves the value of data that are being reduced moves the sum.
void ReducedDataMove(starpu_codelet* codelet, int mode) {
  const int first = ranks / 2, last = ranks - 1;
  Shared total(first, 1000);
  starpu_data_set_reduction_methods(total.handle, &sum, &zero);
  int64_t expected = 1000;
  const auto all_add = [&] {
    for (int rank = 0; rank < ranks; ++rank) {
      const int64_t amount = 1 + rank;
      expected += amount;
      starpu_mpi_task_insert(MPI_COMM_WORLD, codelet, mode, total.handle, STARPU_VALUE, &amount,
                             sizeof amount, STARPU_EXECUTE_ON_NODE, rank, 0);
    }
  };
  for (const int owner : {0, last, first}) {
    all_add();
    starpu_mpi_data_migrate(MPI_COMM_WORLD, total.handle, owner);
    CHECK_EQUAL(starpu_mpi_data_get_rank(total.handle), owner);
    Shared seen(last);
    starpu_mpi_task_insert(MPI_COMM_WORLD, &copy, STARPU_W, seen.handle, STARPU_R, total.handle, 0);
    CHECK_EQUAL(seen.Value(), expected);
  }
  all_add();
  Shared copied(last);
  starpu_mpi_data_cpy(copied.handle, total.handle, MPI_COMM_WORLD, 1, nullptr, nullptr);
  CHECK_EQUAL(copied.Value(), expected);
  all_add();
  starpu_mpi_get_data_on_all_nodes_detached(MPI_COMM_WORLD, total.handle);
  starpu_data_acquire(total.handle, STARPU_R);
  CHECK_EQUAL(*reinterpret_cast<int64_t*>(starpu_variable_get_local_ptr(total.handle)), expected);
  starpu_data_release(total.handle);
}

void EachRankHasItsOwn() {
  Shared own(STARPU_MPI_PER_NODE, my_rank);
  Insert(own.handle, 100);  // runs everywhere
  Shared here(0);
  starpu_mpi_task_insert(MPI_COMM_WORLD, &copy, STARPU_W, here.handle, STARPU_R, own.handle,
                         STARPU_EXECUTE_ON_NODE, ranks - 1, 0);
  CHECK_EQUAL(here.Value(), 100 + ranks - 1);
  own.Close();
  CHECK_EQUAL(own.value, 100 + my_rank);
}

int submitted = 0;
void CountSubmission(starpu_task*) { ++submitted; }

void TasksAreBuiltAndHooked() {
  Shared data(ranks - 1, 1);
  int64_t amount = 2;
  submitted = 0;
  starpu_mpi_pre_submit_hook_register(&CountSubmission);
  starpu_task* const task =
      starpu_mpi_task_build(MPI_COMM_WORLD, &add, STARPU_RW, data.handle, STARPU_VALUE, &amount,
                            sizeof amount, STARPU_EXECUTE_ON_NODE, 0, 0);
  CHECK_EQUAL(task != nullptr, my_rank == 0);
  if (task) CHECK_EQUAL(starpu_task_submit(task), 0);
  starpu_mpi_task_post_build(MPI_COMM_WORLD, &add, STARPU_RW, data.handle, STARPU_VALUE, &amount,
                             sizeof amount, STARPU_EXECUTE_ON_NODE, 0, 0);
  CHECK_EQUAL(data.Value(), 3);
  Insert(data.handle, 1);
  starpu_mpi_pre_submit_hook_unregister();
  CHECK_EQUAL(submitted, my_rank == ranks - 1 ? 1 : 0);

  starpu_task* const own = starpu_task_create();
  own->cl = &swap_both;
  Shared other(0, 50);
  own->handles[0] = data.handle;
  own->handles[1] = other.handle;
  starpu_data_descr descriptions[2];
  starpu_mpi_task_exchange_params params;
  starpu_mpi_task_exchange_data_before_execution(MPI_COMM_WORLD, own, descriptions, &params);
  if (params.do_execute)
    CHECK_EQUAL(starpu_task_submit(own), 0);
  else
    starpu_task_destroy(own);
  starpu_mpi_task_exchange_data_after_execution(MPI_COMM_WORLD, descriptions, 2, params);
  CHECK_EQUAL(data.Value(), 50);
  CHECK_EQUAL(other.Value(), 4);
}

void DataThatARankDoesNotKnowAreRefused() {
  Shared data(0, 1);
  if (my_rank == ranks - 1) {
    CHECK_EQUAL(starpu_mpi_task_insert(MPI_COMM_WORLD, &copy, STARPU_W,
                                       static_cast<starpu_data_handle_t>(nullptr), STARPU_R,
                                       data.handle, 0),
                -EINVAL);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Start(&argc, &argv);
  TheOwnerOfWhatIsWrittenRunsTheTask();
  ATaskRunsWhereTheCallSays();
  SeveralOwnersAreLeftToAPolicy();
  TheCacheSparesSends();
  DataMoveToANewOwner();
  DataComeToARankAndToAll();
  DataAreCopiedBetweenOwners();
  DataAreScatteredAndGathered();
  for (const int arity : {1, 2, 3}) {
    RanksReduceTogether(&contribute, STARPU_REDUX, arity);
    RanksReduceTogether(&between, STARPU_MPI_REDUX, arity);
  }
  ReducedDataMove(&contribute, STARPU_REDUX);
  ReducedDataMove(&between, STARPU_MPI_REDUX);
  EachRankHasItsOwn();
  TasksAreBuiltAndHooked();
  DataThatARankDoesNotKnowAreRefused();
  starpu_mpi_barrier(MPI_COMM_WORLD);
  if (my_rank == 0) puts("all tasks are right");
  End();
}
