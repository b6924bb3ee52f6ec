// SPDX-License-Identifier: Apache-2.0
// A random program: `random_program SEED STEPS`. All ranks make the same choices, and each computes
// beside it, alone and step by step, what the data must be in the end: two communicators (the
// world, and its ranks in reverse order), data of tiny and large sizes with all kinds of access,
// migrations, flushes, copies, messages of the program's own with tags of 64 bits.
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "tests/runtime/mpi/checks.h"

namespace {

using Values = std::vector<uint64_t>;

// One step on a value; the order counts.
uint64_t Mix(uint64_t value, uint64_t with) { return (value ^ with) * 0x9e3779b97f4a7c15u + 1; }

struct Args {
  uint64_t salt;
};
uint64_t* At(void* buffer) { return reinterpret_cast<uint64_t*>(STARPU_VECTOR_GET_PTR(buffer)); }
size_t SizeOf(void* buffer) { return STARPU_VECTOR_GET_NX(buffer); }
uint64_t SaltOf(void* argument) {
  Args args;
  starpu_codelet_unpack_args(argument, &args);
  return args.salt;
}

// Buffers: read (any number), then written ones are told apart by the task's modes.
uint64_t SumOfReads(void** buffers) {
  const starpu_task* const task = starpu_task_get_current();
  uint64_t sum = 0;
  for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
    if (STARPU_TASK_GET_MODE(task, i) == STARPU_R) {
      for (size_t k = 0; k < SizeOf(buffers[i]); ++k) sum += At(buffers[i])[k];
    }
  }
  return sum;
}
void Work(void** buffers, void* argument) {
  const starpu_task* const task = starpu_task_get_current();
  const uint64_t with = SaltOf(argument) + SumOfReads(buffers);
  for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
    const unsigned mode = STARPU_TASK_GET_MODE(task, i);
    for (size_t k = 0; k < SizeOf(buffers[i]); ++k) {
      uint64_t& value = At(buffers[i])[k];
      if (mode == STARPU_RW)
        value = Mix(value, with + k);
      else if (mode == STARPU_W)
        value = Mix(0, with + k);
      else if (mode & (STARPU_COMMUTE | STARPU_REDUX))
        value += with * (k + 1);
    }
  }
}
void Zero(void** buffers, void*) {
  for (size_t k = 0; k < SizeOf(buffers[0]); ++k) At(buffers[0])[k] = 0;
}
void Add(void** buffers, void*) {
  for (size_t k = 0; k < SizeOf(buffers[0]); ++k) At(buffers[0])[k] += At(buffers[1])[k];
}

starpu_codelet work, zero, add;
void MakeCodelets() {
  work.cpu_funcs[0] = &Work;
  work.nbuffers = STARPU_VARIABLE_NBUFFERS;
  work.name = "work";
  zero.cpu_funcs[0] = &Zero;
  zero.nbuffers = 1;
  zero.modes[0] = STARPU_W;
  zero.name = "zero";
  add.cpu_funcs[0] = &Add;
  add.nbuffers = 2;
  add.modes[0] = static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);
  add.modes[1] = STARPU_R;
  add.name = "add";
}

// Data with the values that they must have.
struct Datum {
  int owner;
  Values expected, values;
  starpu_data_handle_t handle = nullptr;
};

// The ranks of a communicator and what belongs to it.
struct World {
  MPI_Comm comm;
  int me;
  std::vector<std::unique_ptr<Datum>> data;
};

class Program {
 public:
  Program(uint64_t seed, int64_t first_tag) : random_(seed), tag_(first_tag) {}

  void MakeData(World& world) {
    for (int i = 0; i < 6; ++i) {
      auto& datum = world.data.emplace_back(std::make_unique<Datum>());
      datum->owner = Below(ranks);
      const size_t sizes[] = {1, 3, 100, 20000};
      datum->expected.resize(sizes[Below(4)]);
      for (uint64_t& value : datum->expected) value = random_();
      const bool is_ours = datum->owner == world.me;
      if (is_ours) datum->values = datum->expected;
      starpu_vector_data_register(&datum->handle, is_ours ? STARPU_MAIN_RAM : -1,
                                  is_ours ? reinterpret_cast<uintptr_t>(datum->values.data()) : 0,
                                  static_cast<uint32_t>(datum->expected.size()), sizeof(uint64_t));
      starpu_data_set_reduction_methods(datum->handle, &add, &zero);
      starpu_mpi_data_register_comm(datum->handle, tag_++, datum->owner, world.comm);
    }
  }

  void Step(World& world) {
    switch (Below(16)) {
      default: return Task(world);
      case 11: return Migrate(world);
      case 12: return Flush(world);
      case 13: return Message(world);
      case 14: return CopyOne(world);
      case 15: return Fetch(world);
    }
  }

  void Check(World& world) {
    for (auto& datum : world.data) {
      // A reduction that is under way is finished by the wait before.
      if (starpu_mpi_data_get_rank(datum->handle) == world.me) {
        starpu_data_acquire(datum->handle, STARPU_R);
        const auto* const found =
            reinterpret_cast<uint64_t*>(starpu_vector_get_local_ptr(datum->handle));
        for (size_t k = 0; k < datum->expected.size(); ++k)
          CHECK_EQUAL(found[k], datum->expected[k]);
        starpu_data_release(datum->handle);
      }
      starpu_data_unregister(datum->handle);
    }
  }

 private:
  int Below(int limit) { return static_cast<int>(random_() % static_cast<uint64_t>(limit)); }
  Datum& Any(World& world) {
    return *world.data[static_cast<size_t>(Below(static_cast<int>(world.data.size())))];
  }

  void Task(World& world) {
    const Args args{random_()};
    starpu_data_descr descriptions[4];
    int count = 0;
    uint64_t sum = 0;
    std::vector<std::pair<Datum*, unsigned>> written;
    // Different data each: what is read, then what is written.
    std::vector<Datum*> left;
    for (auto& datum : world.data) left.push_back(datum.get());
    const auto take = [&] {
      const auto at = static_cast<size_t>(Below(static_cast<int>(left.size())));
      Datum* const taken = left[at];
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
      return taken;
    };
    for (int i = Below(3); i > 0; --i) {
      Datum* const read = take();
      for (const uint64_t value : read->expected) sum += value;
      descriptions[count++] = {read->handle, STARPU_R};
    }
    for (int i = 1 + Below(2); i > 0; --i) {
      const unsigned modes[] = {STARPU_RW, STARPU_W, STARPU_RW | STARPU_COMMUTE, STARPU_REDUX,
                                STARPU_RW | STARPU_SSEND};
      const unsigned mode = modes[Below(5)];
      Datum* const datum = take();
      written.emplace_back(datum, mode);
      descriptions[count++] = {datum->handle, static_cast<starpu_data_access_mode>(mode)};
    }
    const int where = Below(3) == 0 ? Below(ranks) : -1;
    const int priority = Below(3);
    CHECK_EQUAL(starpu_mpi_task_insert(world.comm, &work, STARPU_DATA_MODE_ARRAY, descriptions,
                                       count, STARPU_VALUE, &args, sizeof args, STARPU_PRIORITY,
                                       priority, STARPU_EXECUTE_ON_NODE, where, 0),
                0);
    const uint64_t with = args.salt + sum;
    for (const auto& [datum, mode] : written) {
      for (size_t k = 0; k < datum->expected.size(); ++k) {
        uint64_t& value = datum->expected[k];
        if (mode & (STARPU_COMMUTE | STARPU_REDUX))
          value += with * (k + 1);
        else
          value = Mix(mode == STARPU_W ? 0 : value, with + k);
      }
    }
  }

  void Migrate(World& world) {
    Datum& datum = Any(world);
    datum.owner = Below(ranks);
    // What is being reduced goes to its owner first.
    if (starpu_mpi_data_get_redux_map(datum.handle))
      starpu_mpi_redux_data(world.comm, datum.handle);
    starpu_mpi_data_migrate(world.comm, datum.handle, datum.owner);
  }
  void Flush(World& world) {
    Datum& datum = Any(world);
    if (starpu_mpi_data_get_redux_map(datum.handle)) return;
    if (Below(2))
      starpu_mpi_cache_flush(world.comm, datum.handle);
    else
      starpu_mpi_get_data_on_all_nodes_detached(world.comm, datum.handle);
  }
  // A message from one owner into the data of another, which all ranks know to be changed.
  void Message(World& world) {
    Datum& from = Any(world);
    Datum& to = Any(world);
    const int64_t tag = Below(2) ? tag_++ : (int64_t{1} << 40) + tag_++;
    if (&from == &to || from.expected.size() != to.expected.size()) return;
    if (starpu_mpi_data_get_redux_map(from.handle) || starpu_mpi_data_get_redux_map(to.handle))
      return;
    if (from.owner == world.me)
      starpu_mpi_isend_detached(from.handle, to.owner, tag, world.comm, nullptr, nullptr);
    if (to.owner == world.me)
      starpu_mpi_irecv_detached(to.handle, from.owner, tag, world.comm, nullptr, nullptr);
    starpu_mpi_cache_flush(world.comm, to.handle);
    to.expected = from.expected;
  }
  void CopyOne(World& world) {
    Datum& from = Any(world);
    Datum& to = Any(world);
    if (&from == &to || from.expected.size() != to.expected.size()) return;
    if (starpu_mpi_data_get_redux_map(from.handle) || starpu_mpi_data_get_redux_map(to.handle))
      return;
    starpu_mpi_data_cpy(to.handle, from.handle, world.comm, 1, nullptr, nullptr);
    to.expected = from.expected;
  }
  void Fetch(World& world) {
    Datum& datum = Any(world);
    const int target = Below(ranks);
    if (starpu_mpi_data_get_redux_map(datum.handle)) return;
    starpu_mpi_get_data_on_node_detached(world.comm, datum.handle, target, nullptr, nullptr);
  }

  std::mt19937_64 random_;
  int64_t tag_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: random_program SEED STEPS\n");
    return 2;
  }
  const uint64_t seed = strtoull(argv[1], nullptr, 10);
  const int steps = atoi(argv[2]);
  Start(&argc, &argv);
  MakeCodelets();
  World worlds[2] = {{MPI_COMM_WORLD, my_rank, {}}, {MPI_COMM_NULL, ranks - 1 - my_rank, {}}};
  MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - my_rank, &worlds[1].comm);
  Program program(seed, 0);
  for (World& world : worlds) program.MakeData(world);
  std::mt19937_64 random(seed);
  for (int i = 0; i < steps; ++i) program.Step(worlds[random() % 2]);
  CHECK_EQUAL(starpu_mpi_wait_for_all(MPI_COMM_WORLD), 0);
  for (World& world : worlds) program.Check(world);
  starpu_mpi_barrier(MPI_COMM_WORLD);
  if (my_rank == 0)
    printf("the program of seed %llu is right\n", static_cast<unsigned long long>(seed));
  End();
}
