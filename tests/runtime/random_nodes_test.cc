// SPDX-License-Identifier: Apache-2.0
// Random tasks on simulated devices give the results of running them one after the other, wherever
// their codelets put the data (specific_nodes), with room for few of them on a device, and out of
// core also in the main memory.
//
// TASKLENS_SEED=N runs other programs than the usual ones, for hours if need be.
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "tests/runtime/on_disk.h"
#include "tests/runtime/simulated_devices.h"

namespace tasklens {
namespace {

constexpr unsigned kHandles = 8, kSteps = 150, kDevices = 2;
constexpr size_t kWords = (1 << 20) / 4 / 8;  // of each handle: four fit a device

struct Step {
  uint64_t number = 0;
  unsigned count = 0;
  // What a task does to the first words of its data: all that it reads changes all that it writes.
  void Apply(const std::vector<uint64_t*>& words, const std::vector<unsigned>& modes) const {
    uint64_t seen = number;
    for (unsigned i = 0; i < count; ++i)
      if (modes[i] & STARPU_R) seen = seen * 31 + *words[i];
    for (unsigned i = 0; i < count; ++i)
      if (modes[i] & STARPU_W) *words[i] = seen + i;
  }
};

class RandomNodes : public testing::SimulatedDevices {
 protected:
  static void RunStep(void** buffers, void* argument) {
    const auto& step = *static_cast<const Step*>(argument);
    starpu_task* const task = starpu_task_get_current();
    std::vector<uint64_t*> words;
    std::vector<unsigned> modes;
    for (unsigned i = 0; i < step.count; ++i) {
      words.push_back(Words(buffers[i]));
      modes.push_back(STARPU_TASK_GET_MODE(task, i));
    }
    step.Apply(words, modes);
  }

  // `folder`: of a disk; nullptr: none is needed.
  void RunProgram(const char* policy, unsigned seed, char* folder) {
    random_.seed(seed);
    std::vector<uint64_t> expected(kHandles);
    std::vector<Step> steps(kSteps);
    std::vector<starpu_codelet> codelets(kSteps, Computing(RunStep, {}));
    Started started(2, policy);
    if (folder) {
      EXPECT_LT(0, starpu_disk_register(&starpu_disk_unistd_ops, folder, -1));
    }
    std::vector<starpu_data_handle_t> data(kHandles);
    for (starpu_data_handle_t& handle : data) {
      starpu_vector_data_register(&handle, -1, 0, kWords, sizeof(uint64_t));
      FirstWord(handle, STARPU_W, [](uint64_t& word) { word = 0; });
    }
    for (unsigned n = 0; n < kSteps; ++n) {
      steps[n].number = n;
      Submit(steps[n], codelets[n], data, expected);
      const starpu_data_handle_t any = data[Below(kHandles)];
      if (Below(8) == 0) starpu_data_prefetch_on_node(any, Below(1 + kDevices), /*async=*/1);
    }
    for (unsigned i = 0; i < kHandles; ++i) {
      FirstWord(data[i], STARPU_R,
                [&](uint64_t word) { EXPECT_EQ(expected[i], word) << "handle " << i; });
    }
    for (starpu_data_handle_t each : data) starpu_data_unregister(each);
  }
  void RunPrograms(const char* policy, char* folder) {
    const char* const given = getenv("TASKLENS_SEED");
    const unsigned first = given ? static_cast<unsigned>(atoi(given)) : 1;
    for (unsigned seed = first; seed < first + 4 && !HasFailure(); ++seed) {
      SCOPED_TRACE(policy + (" " + std::to_string(seed)));
      RunProgram(policy, seed, folder);
    }
  }

 private:
  unsigned Below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  template <class Function>
  static void FirstWord(starpu_data_handle_t handle, starpu_data_access_mode mode, Function&& f) {
    ASSERT_EQ(0, starpu_data_acquire(handle, mode));
    f(*static_cast<uint64_t*>(starpu_data_get_local_ptr(handle)));
    starpu_data_release(handle);
  }
  // A task with one to three of the data. Some have no function, and only move them.
  void Submit(Step& step, starpu_codelet& codelet, const std::vector<starpu_data_handle_t>& data,
              std::vector<uint64_t>& expected) {
    starpu_task* const task = starpu_task_create();
    const bool has_function = Below(8) > 0;
    const unsigned first = Below(kHandles);
    step.count = 1 + Below(3);
    codelet.nbuffers = static_cast<int>(step.count);
    codelet.specific_nodes = Below(4) > 0;
    std::vector<uint64_t*> words;
    std::vector<unsigned> modes;
    for (unsigned i = 0; i < step.count; ++i) {
      constexpr starpu_data_access_mode kModes[] = {STARPU_R, STARPU_W, STARPU_RW};
      const unsigned at = (first + i) % kHandles;
      codelet.modes[i] = has_function ? kModes[Below(3)] : STARPU_RW;
      // All constants but that for nowhere, and all numbers.
      constexpr int kFirst = STARPU_SPECIFIC_NODE_LOCAL_OR_SIMILAR_OR_CPU;
      codelet.nodes[i] = kFirst + static_cast<int>(Below(-kFirst + 1 + kDevices));
      task->handles[i] = data[at];
      words.push_back(&expected[at]);
      modes.push_back(codelet.modes[i]);
    }
    if (has_function) step.Apply(words, modes);
    if (!has_function) codelet.where = STARPU_NOWHERE;
    task->cl = &codelet;
    task->cl_arg = &step;
    task->execute_on_a_specific_worker = has_function && Below(3) == 0;
    task->workerid = Below(starpu_worker_get_count());
    ASSERT_EQ(0, starpu_task_submit(task));
  }

  std::mt19937 random_;
};

constexpr const char* kPolicies[] = {"lws", "eager", "dmda", "dmdar", "heteroprio"};

TEST_F(RandomNodes, GiveTheResultsOfOneAfterTheOther) {
  Devices(kDevices);
  Buses(kDevices, 10, 1000);
  setenv("STARPU_LIMIT_CUDA_MEM", "1", 1);
  for (const char* policy : kPolicies) RunPrograms(policy, nullptr);
}

TEST_F(RandomNodes, DoSoOutOfCore) {
  Devices(kDevices);
  Buses(kDevices, 10, 1000);
  setenv("STARPU_LIMIT_CUDA_MEM", "1", 1);
  setenv("STARPU_LIMIT_CPU_MEM", "1", 1);
  testing::on_disk::Folder folder;
  for (const char* policy : kPolicies) RunPrograms(policy, folder.path());
  unsetenv("STARPU_LIMIT_CPU_MEM");
}

}  // namespace
}  // namespace tasklens
