// SPDX-License-Identifier: Apache-2.0
// Random tasks on data with several plans, their parts, and parts of these give the results of
// running them one after the other, however the plans are switched in between.
//
// Each element counts who reads and who writes it, to see overlaps that happened to do no harm.
// TASKLENS_SEED=N runs other programs than the usual ones.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/runtime/started.h"

namespace tasklens {
namespace {

constexpr size_t kElements = 24;

uint64_t Mix(uint64_t a, uint64_t b) {
  a = (a ^ b) * 0x9E3779B97F4A7C15u;
  return a ^ a >> 29;
}

struct Element {
  uint64_t value = 0;
  std::atomic<int> readers{0}, writers{0};
};

// A vector with plans: halves, thirds, and two of a half.
class Planned {
 public:
  struct Plan {
    size_t of;  // in nodes
    std::vector<starpu_data_handle_t> parts;
  };
  struct Node {
    starpu_data_handle_t handle;
    size_t first, count;
  };

  Planned() {
    starpu_vector_data_register(&whole_, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(memory_),
                                kElements, sizeof(Element));
    nodes_.push_back({whole_, 0, kElements});
    Cut(0, 2);
    Cut(0, 3);
    Cut(1, 2);
    Cut(1, 3);
  }
  ~Planned() { End(); }
  Planned(const Planned&) = delete;
  Planned& operator=(const Planned&) = delete;

  // Everything is whole again, and the program's.
  void End() {
    if (nodes_.empty()) return;
    for (size_t i = plans_.size(); i-- > 0;) {
      Plan& plan = plans_[i];
      starpu_data_partition_clean(nodes_[plan.of].handle, Count(plan), plan.parts.data());
    }
    starpu_data_unregister(whole_);
    nodes_.clear();
  }

  const std::vector<Node>& nodes() const { return nodes_; }
  const Element* memory() const { return memory_; }

  void SwitchOne(unsigned which, unsigned how) {
    Plan& plan = plans_[which % plans_.size()];
    const starpu_data_handle_t of = nodes_[plan.of].handle;
    starpu_data_handle_t* parts = plan.parts.data();
    const unsigned count = Count(plan);
    switch (how % 7) {
      case 0: return starpu_data_partition_submit(of, count, parts);
      case 1: return starpu_data_partition_readonly_submit(of, count, parts);
      case 2: return starpu_data_partition_readwrite_upgrade_submit(of, count, parts);
      case 3: return starpu_data_partition_readonly_downgrade_submit(of, count, parts);
      case 4: return starpu_data_unpartition_submit(of, count, parts, STARPU_MAIN_RAM);
      case 5: return starpu_data_unpartition_readonly_submit(of, count, parts, STARPU_MAIN_RAM);
      default: return starpu_data_unpartition_submit_r(of, STARPU_MAIN_RAM);
    }
  }

 private:
  static unsigned Count(const Plan& plan) { return static_cast<unsigned>(plan.parts.size()); }

  void Cut(size_t of, unsigned count) {
    starpu_data_filter filter = {};
    filter.filter_func = starpu_vector_filter_block;
    filter.nchildren = count;
    Plan plan{of, std::vector<starpu_data_handle_t>(count)};
    starpu_data_partition_plan(nodes_[of].handle, &filter, plan.parts.data());
    const size_t first = nodes_[of].first, size = nodes_[of].count / count;
    for (unsigned i = 0; i < count; ++i) nodes_.push_back({plan.parts[i], first + i * size, size});
    plans_.push_back(std::move(plan));
  }

  Element memory_[kElements];
  starpu_data_handle_t whole_ = nullptr;
  std::vector<Node> nodes_;
  std::vector<Plan> plans_;
};

struct Step {
  uint64_t id = 0;
  bool writes[2] = {};
  std::atomic<bool>* overlap = nullptr;
};

// What a task does to two pieces of values.
template <class Get>
void Apply(const Step& step, const size_t counts[2], Get get) {
  uint64_t seen = Mix(step.id, 1);
  for (int i = 0; i < 2; ++i)
    for (size_t j = 0; j < counts[i]; ++j) seen = Mix(seen, get(i, j));
  for (int i = 0; i < 2; ++i)
    for (size_t j = 0; step.writes[i] && j < counts[i]; ++j) get(i, j) = Mix(seen, j);
}

void Run(void* buffers[], void* argument) {
  Step step;
  Step* given;
  starpu_codelet_unpack_args(argument, &given);
  step.id = given->id;
  Element* pieces[2];
  size_t counts[2];
  for (int i = 0; i < 2; ++i) {
    step.writes[i] = given->writes[i];
    pieces[i] = reinterpret_cast<Element*>(STARPU_VECTOR_GET_PTR(buffers[i]));
    counts[i] = STARPU_VECTOR_GET_NX(buffers[i]);
    for (size_t j = 0; j < counts[i]; ++j) {
      Element& element = pieces[i][j];
      if (!step.writes[i]) {
        ++element.readers;
        if (element.writers != 0) *given->overlap = true;
      } else if (element.writers++ != 0 || element.readers != 0) {
        *given->overlap = true;
      }
    }
  }
  Apply(step, counts, [&](int i, size_t j) -> uint64_t& { return pieces[i][j].value; });
  for (int i = 0; i < 2; ++i)
    for (size_t j = 0; j < counts[i]; ++j)
      --(step.writes[i] ? pieces[i][j].writers : pieces[i][j].readers);
}

void RunProgram(unsigned seed, int tasks) {
  std::mt19937 random(seed);
  const auto below = [&random](size_t n) { return random() % n; };
  starpu_codelet codelet = {};
  codelet.cpu_funcs[0] = Run;
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  std::atomic<bool> overlap{false};
  std::vector<std::unique_ptr<Step>> steps;
  uint64_t model[2][kElements] = {};
  Planned data[2];
  for (int n = 0; n < tasks; ++n) {
    if (below(4) == 0) {
      const auto which = static_cast<unsigned>(random()), how = static_cast<unsigned>(random());
      data[below(2)].SwitchOne(which, how);
    }
    Step* step = steps.emplace_back(std::make_unique<Step>()).get();
    step->id = static_cast<uint64_t>(n);
    step->overlap = &overlap;
    const Planned::Node* nodes[2];
    starpu_data_descr accesses[2];
    size_t counts[2];
    for (size_t i = 0; i < 2; ++i) {
      step->writes[i] = below(3) == 0;
      nodes[i] = &data[i].nodes()[below(data[i].nodes().size())];
      counts[i] = nodes[i]->count;
      accesses[i] = {nodes[i]->handle, step->writes[i] ? STARPU_RW : STARPU_R};
    }
    Apply(*step, counts,
          [&](int i, size_t j) -> uint64_t& { return model[i][nodes[i]->first + j]; });
    ASSERT_EQ(0, starpu_task_insert(&codelet, STARPU_DATA_MODE_ARRAY, accesses, 2, STARPU_VALUE,
                                    &step, sizeof(step), 0));
    if (below(100) == 0) {
      EXPECT_EQ(0, starpu_task_wait_for_all());
    }
  }
  for (size_t i = 0; i < 2; ++i) {
    data[i].End();
    for (size_t j = 0; j < kElements; ++j)
      ASSERT_EQ(model[i][j], data[i].memory()[j].value) << "element " << j << ", seed " << seed;
  }
  EXPECT_EQ(0, starpu_task_wait_for_all());
  EXPECT_FALSE(overlap) << "two accesses that exclude each other ran at once, seed " << seed;
}

class RandomPlans : public testing::TestWithParam<std::string> {};

TEST_P(RandomPlans, GiveTheResultsOfRunningInOrder) {
  const char* given = getenv("TASKLENS_SEED");
  const unsigned first = given ? static_cast<unsigned>(atoi(given)) * 1000 : 0;
  for (const int workers : {1, 3}) {
    Started started(workers, GetParam().c_str());
    for (unsigned seed = first; seed < first + 10 && !HasFailure(); ++seed) RunProgram(seed, 300);
  }
}

INSTANTIATE_TEST_SUITE_P(Under, RandomPlans, testing::Values("lws", "eager", "random"));

}  // namespace
}  // namespace tasklens
