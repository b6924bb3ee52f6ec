// SPDX-License-Identifier: Apache-2.0
// Builds a whole policy around one deciding component, or around several, among which each task
// chooses:
//
//   [userchoice] -> [fifo or prio] -> [perfmodel_select] -> [others before] -> decision
//     -> for each choice: [fifo or prio] -> [eager or work_stealing] -> [stage]
//     -> for each worker: [best_impl] -> worker
//
// perfmodel_select has two more children, from which tasks go straight to all workers: eager for
// those without a model, eager_calibration for those to be measured.
#include <algorithm>
#include <climits>
#include <optional>
#include <vector>

#include "runtime/api/components/component.h"
#include "runtime/core/runtime.h"
#include "runtime/support/arguments.h"
#include "runtime/support/environment.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

constexpr int kTasksBelow = 2;
constexpr int kTasksBelowByEnds = 30;  // enough to look ahead
constexpr float kMicrosecondsBelow = 1e9;

struct Creator {
  starpu_sched_component_create_t create;
  void* data;
};
struct Decision {
  Creator decides{};
  std::vector<Creator> before;
  unsigned flags = 0;
};

unsigned ChoicesOf(const Decision& decision) {
  return decision.flags & STARPU_SCHED_SIMPLE_DECIDE_MASK;
}

// The arguments of starpu_sched_component_initialize_simple_schedulers().
std::vector<Decision> ReadDecisions(unsigned count, va_list args) {
  std::vector<Decision> decisions(count);
  for (Decision& decision : decisions) {
    for (bool is_first = true;; is_first = false) {
      const auto create = va_arg(args, starpu_sched_component_create_t);
      void* const data = va_arg(args, void*);
      decision.flags = va_arg(args, unsigned);
      if (is_first) {
        decision.decides = {create, data};
      } else {
        decision.before.push_back({create, data});
      }
      if (decision.flags != STARPU_SCHED_SIMPLE_PRE_DECISION) break;
    }
    const unsigned choices = ChoicesOf(decision);
    if (choices == 0 || choices != ChoicesOf(decisions.front())) {
      Fatal(
          "a simple scheduler is built from decisions with one of the same flags "
          "STARPU_SCHED_SIMPLE_DECIDE_... each");
    }
  }
  return decisions;
}

// The ids of the workers of each choice, including combined workers.
std::vector<std::vector<int>> FindChoices(unsigned choices, bool with_combined) {
  const Runtime& runtime = *Runtime::Instance();
  std::vector<std::vector<int>> found;
  const auto all = static_cast<int>(runtime.workers().size());
  if (choices == STARPU_SCHED_SIMPLE_DECIDE_WORKERS) {
    const int combined = with_combined ? static_cast<int>(runtime.combined().size()) : 0;
    for (int id = 0; id < all + combined; ++id) found.push_back({id});
    return found;
  }
  const auto are_one = [&](int a, int b) {
    const Worker &one = *runtime.workers()[static_cast<size_t>(a)],
                 &other = *runtime.workers()[static_cast<size_t>(b)];
    return choices == STARPU_SCHED_SIMPLE_DECIDE_MEMNODES ? one.node == other.node
                                                          : one.kind == other.kind;
  };
  for (int id = 0; id < all; ++id) {
    const auto known = std::ranges::find_if(
        found, [&](const std::vector<int>& group) { return are_one(group.front(), id); });
    if (known == found.end()) {
      found.push_back({id});
    } else {
      known->push_back(id);
    }
  }
  return found;
}

Component* Queue(starpu_sched_tree* tree, bool by_priority,
                 const starpu_sched_component_fifo_data* limits) {
  if (!by_priority) {
    starpu_sched_component_fifo_data data = limits ? *limits : starpu_sched_component_fifo_data{};
    return starpu_sched_component_fifo_create(tree, &data);
  }
  starpu_sched_component_prio_data data = {};
  if (limits) {
    data = {.ntasks_threshold = limits->ntasks_threshold,
            .exp_len_threshold = limits->exp_len_threshold,
            .ready = limits->ready,
            .exp = limits->exp};
  }
  return starpu_sched_component_prio_create(tree, &data);
}

// Whether the environment variable, or else the program's flags, ask for it.
bool Wants(const char* variable, unsigned flags, unsigned flag) {
  return EnvironmentNumber(variable).value_or((flags & flag) != 0) != 0;
}

starpu_sched_component_fifo_data LimitsBelow(Component* decision, unsigned flags) {
  const bool by_ends = starpu_sched_component_is_heft(decision) ||
                       starpu_sched_component_is_mct(decision) ||
                       starpu_sched_component_is_heteroprio(decision);
  const bool no_limit = flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW_NOLIMIT;
  const int most = no_limit ? 0 : by_ends ? kTasksBelowByEnds : kTasksBelow;
  return {.ntasks_threshold =
              static_cast<unsigned>(EnvironmentNumber("STARPU_NTASKS_THRESHOLD").value_or(most)),
          .exp_len_threshold = starpu_getenv_float_default("STARPU_EXP_LEN_THRESHOLD",
                                                           no_limit ? 0 : kMicrosecondsBelow),
          .ready = Wants("STARPU_SCHED_READY", flags, STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY),
          .exp = (flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW_EXP) != 0};
}

class Builder {
 public:
  Builder(starpu_sched_tree* tree, std::vector<std::vector<int>> choices, bool has_several)
      : tree_(tree), choices_(std::move(choices)), above_workers_(choices_.size()) {
    if (!has_several) return;
    top_ = Below(nullptr, starpu_sched_component_userchoice_create(tree_, nullptr));
    for (auto& above : above_workers_)
      above.push_back(starpu_sched_component_stage_create(tree_, nullptr));
  }

  void Add(const Decision& decision) {
    unsigned flags = decision.flags;
    Component* decides;
    if (choices_.size() == 1 && !(flags & STARPU_SCHED_SIMPLE_DECIDE_ALWAYS)) {
      // With one choice there is nothing to decide. Queue above, since queues below could refuse
      // tasks, which eager does not keep.
      decides = starpu_sched_component_eager_create(tree_, nullptr);
      flags |= STARPU_SCHED_SIMPLE_FIFO_ABOVE;
    } else {
      decides = decision.decides.create(tree_, decision.decides.data);
    }
    Component* first = decides;
    for (auto creator = decision.before.rbegin(); creator != decision.before.rend(); ++creator) {
      Component* const before = creator->create(tree_, creator->data);
      starpu_sched_component_connect(before, first);
      first = before;
    }
    Component* last = top_;
    if (flags & STARPU_SCHED_SIMPLE_FIFO_ABOVE) {
      const bool by_priority =
          Wants("STARPU_SCHED_SORTED_ABOVE", flags, STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO);
      last = Below(last, Queue(tree_, by_priority, nullptr));
    }
    if (flags & STARPU_SCHED_SIMPLE_PERFMODEL) {
      AddSelection(last, first, flags & STARPU_SCHED_SIMPLE_FIFO_ABOVE);
    } else {
      Below(last, first);
    }
    for (size_t i = 0; i < choices_.size(); ++i) AddChoice(decides, i, flags);
  }

  // Adds the workers below all decisions.
  void AddWorkers(bool chooses_implementation) {
    for (size_t i = 0; i < choices_.size(); ++i) {
      for (const int id : choices_[i]) {
        Component* const leaf = starpu_sched_component_worker_get(tree_->sched_ctx_id, id);
        Component* worker = leaf;
        if (chooses_implementation) {
          worker = starpu_sched_component_best_implementation_create(tree_, nullptr);
          starpu_sched_component_connect(worker, leaf);
        }
        for (Component* above : above_workers_[i]) starpu_sched_component_connect(above, worker);
        for (Component* eager : without_model_) starpu_sched_component_connect(eager, worker);
        // Tasks to be measured already have their implementation.
        for (Component* measures : measuring_) starpu_sched_component_connect(measures, leaf);
      }
    }
  }

 private:
  // Adds a component below another one, or as the root.
  Component* Below(Component* above, Component* component) {
    if (above) {
      starpu_sched_component_connect(above, component);
    } else {
      tree_->root = component;
    }
    return component;
  }

  void AddSelection(Component* above, Component* decides, bool has_queue_above) {
    Component* eager = starpu_sched_component_eager_create(tree_, nullptr);
    Component* measures = starpu_sched_component_eager_calibration_create(tree_, nullptr);
    without_model_.push_back(eager);
    measuring_.push_back(measures);
    if (!has_queue_above) {  // eager components keep no tasks
      for (Component** one : {&eager, &measures}) {
        Component* const queue = starpu_sched_component_fifo_create(tree_, nullptr);
        starpu_sched_component_connect(queue, *one);
        *one = queue;
      }
    }
    starpu_sched_component_perfmodel_select_data data = {.calibrator_component = measures,
                                                         .no_perfmodel_component = eager,
                                                         .perfmodel_component = decides};
    Component* const select =
        Below(above, starpu_sched_component_perfmodel_select_create(tree_, &data));
    for (Component* one : {decides, measures, eager}) starpu_sched_component_connect(select, one);
  }

  void AddChoice(Component* decides, size_t choice, unsigned flags) {
    Component* last = decides;
    const bool is_combined = Runtime::Instance()->CombinedWorker(choices_[choice].front());
    if ((flags & STARPU_SCHED_SIMPLE_FIFOS_BELOW) && !is_combined) {
      const starpu_sched_component_fifo_data limits = LimitsBelow(decides, flags);
      const bool by_priority =
          Wants("STARPU_SCHED_SORTED_BELOW", flags, STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO);
      last = Below(last, Queue(tree_, by_priority, &limits));
    }
    if (choices_[choice].size() > 1) {
      last = Below(last, flags & STARPU_SCHED_SIMPLE_WS_BELOW
                             ? starpu_sched_component_work_stealing_create(tree_, nullptr)
                             : starpu_sched_component_eager_create(tree_, nullptr));
    }
    auto& above = above_workers_[choice];
    if (top_) {
      starpu_sched_component_connect(last, above.front());
    } else {
      above.push_back(last);
    }
  }

  starpu_sched_tree* const tree_;
  const std::vector<std::vector<int>> choices_;
  Component* top_ = nullptr;  // userchoice
  // Per choice; the others are shared by all workers.
  std::vector<std::vector<Component*>> above_workers_;
  std::vector<Component*> without_model_, measuring_;
};

// Lets the program use any priority.
void AllowAllPriorities(unsigned context) {
  if (!starpu_sched_ctx_min_priority_is_set(context))
    starpu_sched_ctx_set_min_priority(context, INT_MIN);
  if (!starpu_sched_ctx_max_priority_is_set(context))
    starpu_sched_ctx_set_max_priority(context, INT_MAX);
}

void Build(unsigned context, const std::vector<Decision>& decisions) {
  unsigned all_flags = 0;
  for (const Decision& decision : decisions) all_flags |= decision.flags;
  const bool with_combined = all_flags & STARPU_SCHED_SIMPLE_COMBINED_WORKERS;
  if (with_combined) starpu_sched_find_all_worker_combinations();
  if (Wants("STARPU_SCHED_SORTED_ABOVE", all_flags, STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO) ||
      Wants("STARPU_SCHED_SORTED_BELOW", all_flags, STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO))
    AllowAllPriorities(context);

  starpu_sched_tree* tree = starpu_sched_tree_create(context);
  starpu_sched_ctx_set_policy_data(context, tree);
  Builder builder(tree, FindChoices(ChoicesOf(decisions.front()), with_combined),
                  decisions.size() > 1);
  for (const Decision& decision : decisions) builder.Add(decision);
  builder.AddWorkers(all_flags & STARPU_SCHED_SIMPLE_IMPL);
  starpu_sched_tree_update_workers(tree);
}

}  // namespace
}  // namespace tasklens::runtime

extern "C" {

void starpu_sched_component_initialize_simple_schedulers(unsigned context, unsigned ndecisions,
                                                         ...) {
  using namespace tasklens::runtime;  // NOLINT: the helpers above
  if (ndecisions == 0)
    Fatal("starpu_sched_component_initialize_simple_schedulers(): there is no decision to build");
  WITH_ARGS_AFTER(ndecisions, Build(context, ReadDecisions(ndecisions, args)));
}

void starpu_sched_component_initialize_simple_scheduler(
    starpu_sched_component_create_t create_decision, void* data, unsigned flags, unsigned context) {
  starpu_sched_component_initialize_simple_schedulers(context, 1, create_decision, data, flags);
}

}  // extern "C"
