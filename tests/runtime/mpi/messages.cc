// SPDX-License-Identifier: Apache-2.0
// Data from rank to rank, in every form: each pair of neighbours exchanges them.
#include <atomic>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "tests/runtime/mpi/checks.h"

namespace {

int Next() { return (my_rank + 1) % ranks; }
int Before() { return (my_rank + ranks - 1) % ranks; }

// What rank `rank` sends in round `round`.
int64_t Value(int rank, int round) { return 1000 * (rank + 1) + round; }

struct Variable {
  int64_t value = -1;
  starpu_data_handle_t handle = nullptr;
  explicit Variable(int64_t initial = -1) : value(initial) {
    starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&value),
                                  sizeof value);
  }
  ~Variable() { Close(); }
  // Its value is in `value` afterwards.
  void Close() {
    if (handle) starpu_data_unregister(handle);
    handle = nullptr;
  }
};

void RequestsAreWaitedFor() {
  Variable out(Value(my_rank, 0)), in;
  starpu_mpi_req sent, received;
  CHECK_EQUAL(starpu_mpi_irecv(in.handle, &received, Before(), 7, MPI_COMM_WORLD), 0);
  CHECK_EQUAL(starpu_mpi_issend(out.handle, &sent, Next(), 7, MPI_COMM_WORLD), 0);
  MPI_Status status;
  CHECK_EQUAL(starpu_mpi_wait(&received, &status), 0);
  CHECK_EQUAL(status.MPI_SOURCE, Before());
  CHECK_EQUAL(status.MPI_TAG, 7);
  int flag = 0;
  while (!flag) CHECK_EQUAL(starpu_mpi_test(&sent, &flag, MPI_STATUS_IGNORE), 0);
  in.Close();
  CHECK_EQUAL(in.value, Value(Before(), 0));
}

void CallsBlock() {
  Variable data(Value(my_rank, 1));
  if (my_rank == 0) {
    starpu_mpi_send(data.handle, Next(), 8, MPI_COMM_WORLD);
    starpu_mpi_recv(data.handle, Before(), 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    Variable in;
    starpu_mpi_recv(in.handle, Before(), 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    starpu_mpi_send_prio(in.handle, Next(), 8, 3, MPI_COMM_WORLD);
    in.Close();
    CHECK_EQUAL(in.value, Value(0, 1));
  }
  data.Close();
  CHECK_EQUAL(data.value, Value(my_rank, 1));
}

std::atomic<int> called{0};
void Count(void*) { ++called; }

void DetachedOnesCallBack() {
  called = 0;
  constexpr int kRounds = 50;
  Variable in, out(0);
  for (int round = 0; round < kRounds; ++round) {
    starpu_data_acquire(out.handle, STARPU_W);
    out.value = Value(my_rank, round);
    starpu_data_release(out.handle);
    starpu_mpi_isend_detached_prio(out.handle, Next(), 9, round % 3, MPI_COMM_WORLD, &Count,
                                   nullptr);
    starpu_mpi_irecv_detached(in.handle, Before(), 9, MPI_COMM_WORLD, &Count, nullptr);
    starpu_data_acquire(in.handle, STARPU_R);
    CHECK_EQUAL(in.value, Value(Before(), round));
    starpu_data_release(in.handle);
  }
  CHECK_EQUAL(starpu_mpi_wait_for_all(MPI_COMM_WORLD), 0);
  CHECK_EQUAL(called.load(), 2 * kRounds);
}

void TagsAreUnlocked() {
  constexpr unsigned kCount = 4;
  constexpr starpu_tag_t kSent = 100, kReceived = 200;
  std::vector<Variable> out(kCount), in(kCount);
  std::vector<starpu_data_handle_t> outs, ins;
  std::vector<int> to(kCount, Next()), from(kCount, Before());
  std::vector<starpu_mpi_tag_t> tags;
  std::vector<MPI_Comm> comms(kCount, MPI_COMM_WORLD);
  for (unsigned i = 0; i < kCount; ++i) {
    out[i].value = Value(my_rank, static_cast<int>(i));
    outs.push_back(out[i].handle);
    ins.push_back(in[i].handle);
    tags.push_back(300 + i);
  }
  starpu_mpi_irecv_array_detached_unlock_tag(kCount, ins.data(), from.data(), tags.data(),
                                             comms.data(), kReceived);
  starpu_mpi_isend_array_detached_unlock_tag(kCount, outs.data(), to.data(), tags.data(),
                                             comms.data(), kSent);
  CHECK_EQUAL(starpu_tag_wait(kReceived), 0);
  CHECK_EQUAL(starpu_tag_wait(kSent), 0);
  for (unsigned i = 0; i < kCount; ++i) {
    in[i].Close();
    CHECK_EQUAL(in[i].value, Value(Before(), static_cast<int>(i)));
  }
}

// `submit` is called by the engine's thread, so that MPI gets all of its requests together.
std::atomic<bool> has_submitted{false};
void SubmitTogether(void (*submit)(void*), void* argument) {
  has_submitted = false;
  struct Call {
    void (*submit)(void*);
    void* argument;
  } call{submit, argument};
  Variable out, in;
  starpu_mpi_isend_detached(out.handle, Next(), 400, MPI_COMM_WORLD, nullptr, nullptr);
  const auto called_back = [](void* made) {
    const auto* const call = static_cast<Call*>(made);
    call->submit(call->argument);
    has_submitted = true;
    has_submitted.notify_one();
  };
  starpu_mpi_irecv_detached(in.handle, Before(), 400, MPI_COMM_WORLD, called_back, &call);
  has_submitted.wait(false);
}

// Messages of one tag arrive in the order in which they were sent, and are received in that of the
// receives, whatever the priorities; those of other tags may pass them.
void PrioritiesAreBetweenTags() {
  struct Four {
    int64_t tag;
    int sent, received;  // by how much the priority of each is higher than that of the one before
    std::vector<Variable> out{4}, in{4};
  };
  for (int variant = 0; variant < 4; ++variant) {
    Four four{.tag = variant < 2 ? 401 : int64_t{1} << 60,
              .sent = variant % 2,
              .received = 1 - variant % 2};
    for (size_t i = 0; i < 4; ++i) four.out[i].value = Value(my_rank, static_cast<int>(i));
    const auto submit = [](void* argument) {
      auto& [first, sent, received, out, in] = *static_cast<Four*>(argument);
      for (int i = 0; i < 3; ++i)
        starpu_mpi_irecv_detached_prio(in[static_cast<size_t>(i)].handle, Before(), first,
                                       i * received, MPI_COMM_WORLD, nullptr, nullptr);
      starpu_mpi_irecv_detached(in[3].handle, Before(), first + 1, MPI_COMM_WORLD, nullptr,
                                nullptr);
      starpu_mpi_isend_detached_prio(out[3].handle, Next(), first + 1, 1, MPI_COMM_WORLD, nullptr,
                                     nullptr);
      for (int i = 0; i < 3; ++i)
        starpu_mpi_isend_detached_prio(out[static_cast<size_t>(i)].handle, Next(), first, i * sent,
                                       MPI_COMM_WORLD, nullptr, nullptr);
    };
    SubmitTogether(submit, &four);
    for (size_t i = 0; i < 4; ++i) {
      four.in[i].Close();
      CHECK_EQUAL(four.in[i].value, Value(Before(), static_cast<int>(i)));
    }
  }
}

void CooperativeSendsAreAsTheEnvironmentSays() {
  const char* const wanted = getenv("STARPU_MPI_COOP_SENDS");
  CHECK_EQUAL(starpu_mpi_coop_sends_get_use(), !wanted || atoi(wanted) != 0);
  for (const int use : {0, 1}) {
    starpu_mpi_coop_sends_set_use(use);
    CHECK_EQUAL(starpu_mpi_coop_sends_get_use(), use);
  }
}

// Tags that MPI has not, and the same numbers in another communicator, all at once and in another
// order than they are received.
void TagsHave64BitsInEveryCommunicator() {
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - my_rank, &reversed);
  const int me = ranks - 1 - my_rank;
  int rank = -1;
  CHECK_EQUAL(starpu_mpi_comm_rank(reversed, &rank), 0);
  CHECK_EQUAL(rank, me);
  const int64_t tags[] = {5, int64_t{1} << 31, (int64_t{1} << 31) + 5, INT64_MAX, int64_t{1} << 40};
  constexpr int kTags = 5;
  std::vector<Variable> out(2 * kTags), in(2 * kTags);
  std::vector<starpu_mpi_req> requests(4 * kTags);
  auto request = requests.begin();
  for (int i = 0; i < kTags; ++i) {
    const auto at = static_cast<size_t>(i);
    out[at].value = Value(my_rank, i);
    out[kTags + at].value = Value(my_rank, 100 + i);
    starpu_mpi_isend(out[at].handle, &*request++, Next(), tags[i], MPI_COMM_WORLD);
    starpu_mpi_isend(out[kTags + at].handle, &*request++, ranks - 1 - Next(), tags[i], reversed);
  }
  for (int i = kTags - 1; i >= 0; --i) {
    const auto at = static_cast<size_t>(i);
    starpu_mpi_irecv(in[kTags + at].handle, &*request++, ranks - 1 - Before(), tags[i], reversed);
    starpu_mpi_irecv(in[at].handle, &*request++, Before(), tags[i], MPI_COMM_WORLD);
  }
  for (starpu_mpi_req& each : requests) starpu_mpi_wait(&each, MPI_STATUS_IGNORE);
  for (int i = 0; i < kTags; ++i) {
    in[static_cast<size_t>(i)].Close();
    in[static_cast<size_t>(kTags + i)].Close();
    CHECK_EQUAL(in[static_cast<size_t>(i)].value, Value(Before(), i));
    CHECK_EQUAL(in[static_cast<size_t>(kTags + i)].value, Value(Before(), 100 + i));
  }
  MPI_Comm_free(&reversed);
}

// Data of a shape, with gaps on one side and without on the other: what is in the gaps stays.
template <class Register>
void Exchange(size_t elements, size_t elements_with_gaps, int64_t tag, Register with_layout) {
  std::vector<int> full(elements), gaps(elements_with_gaps, -7);
  std::iota(full.begin(), full.end(), 1000 * my_rank);
  starpu_data_handle_t out, in;
  with_layout(&out, reinterpret_cast<uintptr_t>(full.data()), false);
  with_layout(&in, reinterpret_cast<uintptr_t>(gaps.data()), true);
  starpu_mpi_isend_detached(out, Next(), tag, MPI_COMM_WORLD, nullptr, nullptr);
  starpu_mpi_irecv_detached(in, Before(), tag, MPI_COMM_WORLD, nullptr, nullptr);
  starpu_data_unregister(in);
  starpu_data_unregister(out);
  size_t next = 0, untouched = 0;
  for (const int value : gaps) {
    if (value == -7)
      ++untouched;
    else
      CHECK_EQUAL(value, 1000 * Before() + static_cast<int>(next++));
  }
  CHECK_EQUAL(next, elements);
  CHECK_EQUAL(untouched, elements_with_gaps - elements);
}

void ShapesKeepTheirGaps() {
  Exchange(3 * 5, 4 * 5, 20, [](starpu_data_handle_t* handle, uintptr_t at, bool gaps) {
    starpu_matrix_data_register(handle, STARPU_MAIN_RAM, at, gaps ? 4 : 3, 3, 5, sizeof(int));
  });
  Exchange(3 * 4 * 5, 4 * 6 * 5, 21, [](starpu_data_handle_t* handle, uintptr_t at, bool gaps) {
    starpu_block_data_register(handle, STARPU_MAIN_RAM, at, gaps ? 4 : 3, gaps ? 24 : 12, 3, 4, 5,
                               sizeof(int));
  });
  Exchange(2 * 3 * 4 * 5, 2 * 3 * 7 * 5, 22,
           [](starpu_data_handle_t* handle, uintptr_t at, bool gaps) {
             starpu_tensor_data_register(handle, STARPU_MAIN_RAM, at, 2, 6, gaps ? 42 : 24, 2, 3, 4,
                                         5, sizeof(int));
           });
  Exchange(2 * 3 * 4, 3 * 3 * 4, 23, [](starpu_data_handle_t* handle, uintptr_t at, bool gaps) {
    uint32_t counts[] = {2, 3, 4};
    uint32_t strides[] = {1, gaps ? 3u : 2u, gaps ? 9u : 6u};
    starpu_ndim_data_register(handle, STARPU_MAIN_RAM, at, strides, counts, 3, sizeof(int));
  });
  Exchange(100000, 100000, 24, [](starpu_data_handle_t* handle, uintptr_t at, bool) {
    starpu_vector_data_register(handle, STARPU_MAIN_RAM, at, 100000, sizeof(int));
  });
}

// An interface whose size only the sender knows: it is packed.
void SizesThatNobodyKnowsArePacked() {
  constexpr uint32_t kRows = 4, kValues = 6;
  uint32_t columns[kValues] = {0, 1, 0, 2, 3, 1}, rows[kRows + 1] = {0, 2, 3, 5, 6};
  std::vector<double> values(kValues), received(kValues, -1);
  uint32_t columns_in[kValues] = {}, rows_in[kRows + 1] = {};
  std::iota(values.begin(), values.end(), 10.0 * my_rank);
  starpu_data_handle_t out, in;
  starpu_csr_data_register(&out, STARPU_MAIN_RAM, kValues, kRows,
                           reinterpret_cast<uintptr_t>(values.data()), columns, rows, 0,
                           sizeof(double));
  starpu_csr_data_register(&in, STARPU_MAIN_RAM, kValues, kRows,
                           reinterpret_cast<uintptr_t>(received.data()), columns_in, rows_in, 0,
                           sizeof(double));
  starpu_mpi_isend_detached(out, Next(), int64_t{1} << 50, MPI_COMM_WORLD, nullptr, nullptr);
  starpu_mpi_irecv_detached(in, Before(), int64_t{1} << 50, MPI_COMM_WORLD, nullptr, nullptr);
  starpu_data_unregister(in);
  starpu_data_unregister(out);
  for (size_t i = 0; i < kValues; ++i) {
    CHECK_EQUAL(received[i], 10 * Before() + static_cast<int>(i));
    CHECK_EQUAL(columns_in[i], columns[i]);
  }
  for (size_t i = 0; i <= kRows; ++i) CHECK_EQUAL(rows_in[i], rows[i]);
}

int types_made = 0, types_freed = 0;
int MakeType(starpu_data_handle_t handle, MPI_Datatype* type) {
  ++types_made;
  MPI_Type_contiguous(static_cast<int>(starpu_data_get_size(handle)), MPI_BYTE, type);
  return MPI_Type_commit(type) == MPI_SUCCESS ? 0 : -1;
}
void FreeType(MPI_Datatype* type) {
  ++types_freed;
  MPI_Type_free(type);
}

void TypesOfTheProgramAreUsed() {
  Variable out(Value(my_rank, 5)), in;
  starpu_mpi_datatype_register(out.handle, &MakeType, &FreeType);
  starpu_mpi_isend_detached(out.handle, Next(), 30, MPI_COMM_WORLD, nullptr, nullptr);
  starpu_mpi_irecv_detached(in.handle, Before(), 30, MPI_COMM_WORLD, nullptr, nullptr);
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  CHECK_EQUAL(types_made, 2);
  CHECK_EQUAL(types_freed, 2);
  CHECK_EQUAL(starpu_mpi_datatype_unregister(out.handle), 0);
  in.Close();
  CHECK_EQUAL(in.value, Value(Before(), 5));
}

void ARankTalksToItself() {
  Variable out(77), in;
  starpu_mpi_isend_detached(out.handle, my_rank, 31, MPI_COMM_WORLD, nullptr, nullptr);
  starpu_mpi_recv(in.handle, my_rank, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  in.Close();
  CHECK_EQUAL(in.value, 77);
}

void TheWorldIsKnown() {
  int size = 0, flag = 0;
  CHECK_EQUAL(starpu_mpi_comm_size(MPI_COMM_WORLD, &size), 0);
  CHECK_EQUAL(size, ranks);
  int64_t* largest = nullptr;
  starpu_mpi_comm_get_attr(MPI_COMM_WORLD, STARPU_MPI_TAG_UB, &largest, &flag);
  CHECK(flag);
  CHECK_EQUAL(*largest, INT64_MAX);
  starpu_mpi_comm_get_attr(MPI_COMM_WORLD, 42, nullptr, &flag);
  CHECK(!flag);
  const int64_t first = starpu_mpi_tags_allocate(10), second = starpu_mpi_tags_allocate(5);
  CHECK_EQUAL(second, first + 10);
  starpu_mpi_tags_free(first);
  CHECK_EQUAL(starpu_mpi_tags_allocate(8), first);
  CHECK_EQUAL(starpu_mpi_tags_allocate(3), second + 5);
  CHECK_EQUAL(starpu_mpi_tags_allocate(2), first + 8);
  CHECK_EQUAL(starpu_mpi_tags_allocate(0), -1);
}

void BytesAreCounted() {
  starpu_mpi_comm_stats_enable();
  std::vector<size_t> before(static_cast<size_t>(ranks)), after(static_cast<size_t>(ranks));
  starpu_mpi_comm_stats_retrieve(before.data());
  Variable out(1), in;
  starpu_mpi_isend_detached(out.handle, Next(), 32, MPI_COMM_WORLD, nullptr, nullptr);
  starpu_mpi_irecv_detached(in.handle, Before(), 32, MPI_COMM_WORLD, nullptr, nullptr);
  starpu_mpi_wait_for_all(MPI_COMM_WORLD);
  starpu_mpi_comm_stats_disable();
  starpu_mpi_comm_stats_retrieve(after.data());
  const auto next = static_cast<size_t>(Next());
  CHECK_EQUAL(after[next] - before[next], sizeof(int64_t));
}

}  // namespace

int main(int argc, char** argv) {
  Start(&argc, &argv);
  RequestsAreWaitedFor();
  CallsBlock();
  DetachedOnesCallBack();
  TagsAreUnlocked();
  PrioritiesAreBetweenTags();
  CooperativeSendsAreAsTheEnvironmentSays();
  TagsHave64BitsInEveryCommunicator();
  ShapesKeepTheirGaps();
  SizesThatNobodyKnowsArePacked();
  TypesOfTheProgramAreUsed();
  ARankTalksToItself();
  TheWorldIsKnown();
  BytesAreCounted();
  starpu_mpi_barrier(MPI_COMM_WORLD);
  if (my_rank == 0) puts("all messages are right");
  End();
}
