// SPDX-License-Identifier: Apache-2.0
// Records tasks by kind, and for each kind how to predict its length later.
#include "runtime/core/bound.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>

#include "runtime/bound/work.h"
#include "runtime/core/eligibility.h"
#include "runtime/core/runtime.h"
#include "runtime/data/task_costs.h"
#include "runtime/jobs/codelet.h"
#include "runtime/perfmodel/models.h"
#include "runtime/support/sync.h"

namespace tasklens::runtime {

std::atomic<bool> Bound::on_{false};
std::atomic<bool> Bound::dependencies_{false};

namespace {

// A worker and implementation that can run tasks of a kind. A length stated by the program is known
// when the task is submitted; a measured one only when the model has measured it.
struct Way {
  int worker = 0;
  unsigned implementation = 0;
  double stated_us = NAN;
  ModelQuestion question;
  bool operator<(const Way& other) const {
    const auto key = [](const Way& way) {
      const bool is_stated = !std::isnan(way.stated_us);
      return std::tuple(way.worker, way.implementation, is_stated, is_stated ? way.stated_us : 0,
                        way.question.footprint);
    };
    return key(*this) < key(other);
  }
};

struct Measured {
  uint64_t count = 0;
  uint64_t total_ns = 0;
};

struct Kind {
  std::string name;
  // Shared with the measuring model, which the program may free.
  std::shared_ptr<ModelKnowledge> knows;
  uint32_t footprint = 0;
  uint64_t submitted = 0;
  std::vector<Way> ways;
  std::map<starpu_perfmodel_arch*, Measured> measured;
};

struct Task {
  size_t kind = 0;
  int priority = 0;
  bool has_tag = false;
  starpu_tag_t tag = 0;
  bool names_nodes = false;  // for its data: they need not go to the worker
};

struct Notes {
  Mutex lock;
  bool with_dependencies = false, with_priorities = false;
  std::map<std::pair<const starpu_codelet*, std::vector<Way>>, size_t> index GUARDED_BY(lock);
  std::vector<Kind> kinds GUARDED_BY(lock);
  std::map<uint64_t, Task> tasks GUARDED_BY(lock);
  // For each successor: its predecessors, and the bytes that come from each.
  std::unordered_map<uint64_t, std::map<uint64_t, uint64_t>> dependencies GUARDED_BY(lock);
  std::vector<std::pair<starpu_tag_t, starpu_tag_t>> tags GUARDED_BY(lock);
};
Notes& TheNotes() {
  static Notes* notes = new Notes;
  return *notes;
}

std::vector<Way> WaysOf(starpu_task* task) {
  std::vector<Way> ways;
  for (const auto& worker : Runtime::Instance()->workers()) {
    if (task->execute_on_a_specific_worker && task->workerid != static_cast<unsigned>(worker->id))
      continue;
    if (!IsNamed(*worker, *task)) continue;
    for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; ++i) {
      if (!HasFunction(*worker, task, i)) continue;
      Way& way = ways.emplace_back(Way{worker->id, i});
      way.question = QuestionFor(task->cl->model, task, worker->arch, i);
      if (task->cl->model && !way.question.is_measured)
        way.stated_us = ExpectedCost(task->cl->model, task, worker->arch, i, worker->id);
    }
  }
  return ways;
}

std::vector<double> LengthsOf(const Kind& kind, Runtime& runtime) {
  std::vector<double> lengths(runtime.workers().size(), kNever);
  for (const Way& way : kind.ways) {
    const Worker* const worker = runtime.worker(way.worker);
    if (!worker) continue;
    double length_us = way.stated_us;
    if (way.question.is_measured)
      length_us = AnswerFor(*kind.knows, way.question, *worker->arch, way.implementation);
    const auto seen = kind.measured.find(worker->arch);
    if (std::isnan(length_us) && seen != kind.measured.end())
      length_us = static_cast<double>(seen->second.total_ns) / 1e3 /
                  static_cast<double>(seen->second.count);
    if (std::isnan(length_us)) continue;
    double& length_ms = lengths[static_cast<size_t>(worker->id)];
    length_ms = std::min(length_ms, length_us / 1e3);
  }
  return lengths;
}

// Finds the recorded tasks that a job waits for. Jobs that are not recorded, such as internal joins
// and tasks without a function, are replaced by their own predecessors.
class Predecessors {
 public:
  explicit Predecessors(const Notes& notes) REQUIRES(notes.lock) : notes_(notes) {
    for (const auto& [id, task] : notes.tasks)
      if (task.has_tag) owner_of_tag_[task.tag] = id;
    for (const auto& [tag, before] : notes.tags) before_tag_[tag].push_back(before);
  }

  std::map<uint64_t, uint64_t> Of(uint64_t id) const REQUIRES(notes_.lock) {
    std::map<uint64_t, uint64_t> found;
    Follow(id, found);
    const auto task = notes_.tasks.find(id);
    if (task != notes_.tasks.end() && task->second.has_tag) FollowTag(task->second.tag, found);
    found.erase(id);
    return found;
  }

 private:
  // Iterative: chains of unrecorded jobs may be too long for recursion.
  void Follow(uint64_t id, std::map<uint64_t, uint64_t>& found) const REQUIRES(notes_.lock) {
    std::set<uint64_t> seen;
    for (std::vector<uint64_t> open{id}; !open.empty();) {
      const auto edges = notes_.dependencies.find(open.back());
      open.pop_back();
      if (edges == notes_.dependencies.end()) continue;
      for (const auto& [before, bytes] : edges->second) {
        if (notes_.tasks.count(before)) {
          found[before] += bytes;
        } else if (seen.insert(before).second) {
          open.push_back(before);
        }
      }
    }
  }
  void FollowTag(starpu_tag_t tag, std::map<uint64_t, uint64_t>& found) const {
    std::set<starpu_tag_t> seen;
    for (std::vector<starpu_tag_t> open{tag}; !open.empty();) {
      const auto edges = before_tag_.find(open.back());
      open.pop_back();
      if (edges == before_tag_.end()) continue;
      for (const starpu_tag_t before : edges->second) {
        const auto owner = owner_of_tag_.find(before);
        if (owner != owner_of_tag_.end()) {
          found.try_emplace(owner->second, 0);
        } else if (seen.insert(before).second) {
          open.push_back(before);
        }
      }
    }
  }

  const Notes& notes_;
  std::map<starpu_tag_t, uint64_t> owner_of_tag_;
  std::map<starpu_tag_t, std::vector<starpu_tag_t>> before_tag_;
};

// (The thread safety analysis does not see that `predecessors` refers to `notes`.)
void AddTasks(const Notes& notes, BoundWork& work) NO_THREAD_SAFETY_ANALYSIS {
  std::map<uint64_t, size_t> place;
  for (const auto& [id, task] : notes.tasks) place.emplace(id, place.size());
  const Predecessors predecessors(notes);
  for (const auto& [id, task] : notes.tasks) {
    BoundTask& to = work.tasks.emplace_back(BoundTask{id, task.kind, task.priority, {}});
    for (const auto& [before, bytes] : predecessors.Of(id)) {
      const bool may_stay = task.names_nodes || notes.tasks.at(before).names_nodes;
      to.after.push_back({place.at(before), may_stay ? 0 : bytes});
    }
  }
}

}  // namespace

void Bound::Start(bool dependencies, bool priorities) {
  Notes& notes = TheNotes();
  {
    MutexLock guard(notes.lock);
    notes.with_dependencies = dependencies;
    notes.with_priorities = dependencies && priorities;
    notes.index.clear();
    notes.kinds.clear();
    notes.tasks.clear();
    notes.dependencies.clear();
    notes.tags.clear();
  }
  dependencies_ = dependencies;
  on_ = true;
}

void Bound::Stop() {
  on_ = false;
  dependencies_ = false;
}

void Bound::Submitted(const Job* job) {
  starpu_task* const task = job->task;
  if (!HasWork(*task)) return;
  std::vector<Way> ways = WaysOf(task);
  Notes& notes = TheNotes();
  MutexLock guard(notes.lock);
  const auto [it, is_new] = notes.index.try_emplace({task->cl, ways}, notes.kinds.size());
  if (is_new) {
    const char* const model = ModelOf(*task);
    Kind& kind = notes.kinds.emplace_back(Kind{model ? model : NameOf(*task)});
    const auto is_measured = [](const Way& way) { return way.question.is_measured; };
    if (std::any_of(ways.begin(), ways.end(), is_measured))
      kind.knows = KnowledgeFor(task->cl->model);
    kind.footprint = ways.empty() ? 0 : ways[0].question.footprint;
    kind.ways = std::move(ways);
  }
  ++notes.kinds[it->second].submitted;
  notes.tasks[job->id.load()] = {it->second, task->priority, task->use_tag != 0, task->tag_id,
                                 task->cl->specific_nodes != 0};
}

void Bound::Depends(uint64_t predecessor, const Job* successor, uint64_t bytes) {
  Notes& notes = TheNotes();
  MutexLock guard(notes.lock);
  notes.dependencies[successor->id.load()][predecessor] += bytes;
}

void Bound::TagDepends(starpu_tag_t tag, starpu_tag_t predecessor) {
  Notes& notes = TheNotes();
  MutexLock guard(notes.lock);
  notes.tags.emplace_back(tag, predecessor);
}

void Bound::Ran(const Job* job, uint64_t length_ns) {
  const Worker* const worker = Runtime::Instance()->worker(static_cast<int>(job->task->workerid));
  Notes& notes = TheNotes();
  MutexLock guard(notes.lock);
  const auto task = notes.tasks.find(job->id.load());
  if (task == notes.tasks.end() || !worker) return;
  Measured& measured = notes.kinds[task->second.kind].measured[worker->arch];
  ++measured.count;
  measured.total_ns += length_ns;
}

BoundWork Bound::Noted() {
  BoundWork work;
  Runtime* const runtime = Runtime::Instance();
  Notes& notes = TheNotes();
  MutexLock guard(notes.lock);
  work.with_dependencies = notes.with_dependencies;
  work.with_priorities = notes.with_priorities;
  work.tags = notes.tags;
  if (!runtime) return work;
  for (const auto& worker : runtime->workers())
    work.workers.push_back({worker->name, worker->node});
  for (const Kind& kind : notes.kinds)
    work.kinds.push_back({kind.name, kind.footprint, kind.submitted, LengthsOf(kind, *runtime)});
  if (work.with_dependencies) AddTasks(notes, work);
  work.transfer_ms = [](unsigned from, unsigned to, uint64_t bytes) {
    return starpu_transfer_predict(from, to, bytes) / 1e3;
  };
  return work;
}

}  // namespace tasklens::runtime
