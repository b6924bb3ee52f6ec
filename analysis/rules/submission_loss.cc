// SPDX-License-Identifier: Apache-2.0
#include "analysis/rules/submission_loss.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analysis/call_sites.h"
#include "analysis/execution_order.h"
#include "analysis/sites.h"
#include "analysis/sum.h"
#include "analysis/task_times.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

constexpr size_t kMostWaits = 1000;

// A time when a rank's program waited for tasks, or was stopped by a limit, and then submitted
// more.
struct Wait {
  uint32_t rank_index;
  Span span;
  uint32_t next_task;     // the first task submitted afterwards
  uint32_t site = kNone;  // of the call
  StateKind kind = StateKind::kWaitingAllTasks;
};

bool IsHold(StateKind kind) {
  return kind == StateKind::kWaitingAllTasks || kind == StateKind::kWaitingTask ||
         kind == StateKind::kUnpartitioning || kind == StateKind::kThrottling;
}

// Adds waits without a state in the trace, such as starpu_tag_wait(): all submitted tasks had
// ended, and the next submission followed at once, within a tenth of the waiting time; a program
// that was busy would not know when tasks end. If half of such pauses are like this, the program
// waits in all of them, and was woken late in the others. One or two are not enough: a program
// whose processor was taken by workers also continues when these are idle.
void AddWaitsWithoutState(const TraceModel& model, uint32_t rank,
                          const std::vector<uint32_t>& submitted, std::vector<Wait>& waits) {
  const TaskTable& tasks = model.tasks;
  std::vector<Wait> pauses, followed_at_once;
  int64_t last_end_ns = kNever;
  for (size_t i = 0; i + 1 < submitted.size(); ++i) {
    const uint32_t task = submitted[i], next = submitted[i + 1];
    const int64_t end_ns = Executed(tasks, task) ? tasks.end_ns[task] : tasks.done_ns[task];
    if (end_ns == kNever) break;  // some submitted task never ended
    last_end_ns = std::max(last_end_ns, end_ns);
    const int64_t before_ns = tasks.submit_ns[task], after_ns = tasks.submit_ns[next];
    if (last_end_ns <= before_ns || last_end_ns > after_ns) continue;
    pauses.push_back({rank, {before_ns, after_ns}, next});
    if (after_ns - last_end_ns <= (last_end_ns - before_ns) / 10)
      followed_at_once.push_back(pauses.back());
  }
  constexpr size_t kHabit = 3;
  if (followed_at_once.size() < kHabit) return;
  if (followed_at_once.size() * 2 < pauses.size()) pauses = std::move(followed_at_once);
  waits.insert(waits.end(), pauses.begin(), pauses.end());
}

std::vector<Wait> WaitsBeforeSubmissions(const TraceModel& model,
                                         const std::vector<std::vector<uint32_t>>& submitted) {
  std::vector<Wait> waits;
  const CallSites calls(model);
  const StateTable& states = model.states;
  for (uint32_t track = 0; track + 1 < states.first_of_track.size(); ++track) {
    if (model.tracks.kind[track] != TrackKind::kThread) continue;
    const uint32_t rank = model.tracks.rank_index[track];
    int64_t since_ns = model.tracks.start_ns[track];
    for (const uint32_t s : StatesOf(states, track)) {
      const StateKind kind = states.kind[s];
      if (!IsHold(kind)) continue;
      const int64_t before_ns = std::exchange(since_ns, states.end_ns[s]);
      // A submission at the very end of the wait follows it.
      const auto after = std::partition_point(
          submitted[rank].begin(), submitted[rank].end(),
          [&](uint32_t task) { return model.tasks.submit_ns[task] < states.end_ns[s]; });
      if (after != submitted[rank].end())
        waits.push_back({rank,
                         {states.start_ns[s], states.end_ns[s]},
                         *after,
                         calls.Of(track, before_ns, states.start_ns[s]),
                         kind});
    }
  }
  for (uint32_t rank = 0; rank < submitted.size(); ++rank)
    AddWaitsWithoutState(model, rank, submitted[rank], waits);
  // Only the longest waits are used if there are more than a program has phases, because the cost
  // is the number of waits times the number of pauses.
  if (waits.size() > kMostWaits) {
    std::nth_element(
        waits.begin(), waits.begin() + kMostWaits, waits.end(),
        [](const Wait& a, const Wait& b) { return a.span.length_ns() > b.span.length_ns(); });
    waits.erase(waits.begin() + kMostWaits, waits.end());
  }
  // Removes overlaps of waits (by several threads, or found in both ways).
  std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) {
    return std::pair(a.rank_index, a.span.begin_ns) < std::pair(b.rank_index, b.span.begin_ns);
  });
  for (size_t i = 1; i < waits.size(); ++i) {
    if (waits[i].rank_index != waits[i - 1].rank_index) continue;
    if (waits[i].span.begin_ns < waits[i - 1].span.end_ns && waits[i - 1].site == kNone) {
      waits[i - 1].site = waits[i].site;
      waits[i - 1].kind = waits[i].kind;
    }
    waits[i].span.begin_ns = std::max(waits[i].span.begin_ns, waits[i - 1].span.end_ns);
    waits[i].span.end_ns = std::max(waits[i].span.end_ns, waits[i].span.begin_ns);
  }
  std::erase_if(waits, [](const Wait& wait) { return wait.span.length_ns() <= 0; });
  return waits;
}

// A pause because the program was slow to submit.
struct SlowPause {
  int64_t lost_ns;
  uint32_t next_task;  // or kNone
};

void SumUpSlowPauses(const TraceModel& model, std::vector<SlowPause>& pauses,
                     SubmissionLoss& loss) {
  std::map<uint32_t, int64_t> lost_by_site;
  for (const SlowPause& pause : pauses) {
    AddNs(loss.slow_ns, pause.lost_ns);
    if (pause.next_task != kNone)
      AddNs(lost_by_site[model.tasks.site[pause.next_task]], pause.lost_ns);
  }
  loss.slow_site = KeyOfMost(lost_by_site, loss.slow_site);
  std::sort(pauses.begin(), pauses.end(),
            [](const SlowPause& a, const SlowPause& b) { return a.lost_ns > b.lost_ns; });
  int64_t sum_ns = 0;
  for (const SlowPause& pause : pauses) {
    if (sum_ns >= loss.slow_ns / 2) break;
    AddNs(sum_ns, pause.lost_ns);
    ++loss.long_pauses;
  }
  if (loss.long_pauses > 0) loss.long_pause_ns = sum_ns / static_cast<int64_t>(loss.long_pauses);
}

// The work that a wait delayed: of the tasks submitted next, those whose dependencies were met
// before the wait was over.
struct Missed {
  int64_t from_ns;  // earliest time when one of them could have begun
  int64_t work_ns;  // total of their work
};
std::vector<Missed> MissedIn(const TraceModel& model, const std::vector<Wait>& waits,
                             const std::vector<std::vector<uint32_t>>& submitted) {
  const TaskTable& tasks = model.tasks;
  std::vector<Missed> missed;
  for (size_t i = 0; i < waits.size(); ++i) {
    const Wait& wait = waits[i];
    Missed& of = missed.emplace_back(Missed{wait.span.end_ns, 0});
    const std::vector<uint32_t>& all = submitted[wait.rank_index];
    const bool is_last = i + 1 == waits.size() || waits[i + 1].rank_index != wait.rank_index;
    auto next = std::partition_point(all.begin(), all.end(), [&](uint32_t task) {
      return tasks.submit_ns[task] < wait.span.end_ns;
    });
    for (; next != all.end(); ++next) {
      if (!is_last && tasks.submit_ns[*next] >= waits[i + 1].span.begin_ns) break;
      if (!Completed(tasks, *next)) continue;
      int64_t ready_ns = wait.span.begin_ns;
      for (const DepEnd& before : model.predecessors[*next]) {
        const int64_t end_ns =
            Executed(tasks, before.task) ? tasks.end_ns[before.task] : tasks.done_ns[before.task];
        ready_ns = std::max(ready_ns, end_ns);  // kNever is the least
      }
      if (ready_ns >= wait.span.end_ns) continue;
      of.from_ns = std::min(of.from_ns, ready_ns);
      AddNs(of.work_ns, tasks.RunNs(*next));
    }
  }
  return missed;
}

// Returns the program's tasks, by rank, in the order of submission.
std::vector<std::vector<uint32_t>> SubmittedByRank(const TraceModel& model) {
  std::vector<std::vector<uint32_t>> submitted(model.ranks.size());
  // If lines are recorded, a task without one (such as a reduction of data) is not the program's.
  const bool with_lines = model.sites.size() > 0;
  for (uint32_t task = 0; task < model.tasks.size(); ++task)
    if (model.tasks.submit_ns[task] != kNever && IsUserTask(model, task) &&
        (!with_lines || model.tasks.site[task] != kNone))
      submitted[model.tasks.rank_index[task]].push_back(task);
  const auto earlier = [&](uint32_t a, uint32_t b) {
    return model.tasks.submit_ns[a] < model.tasks.submit_ns[b];
  };
  for (std::vector<uint32_t>& tasks : submitted)
    if (!std::is_sorted(tasks.begin(), tasks.end(), earlier))
      std::sort(tasks.begin(), tasks.end(), earlier);
  return submitted;
}

// Sets the lines of the barrier and of the limit that lost most; `lost_ns` is by wait.
void NameWorstWaits(const TraceModel& model, const std::vector<Wait>& waits,
                    const std::vector<int64_t>& lost_ns, SubmissionLoss& loss) {
  // By line of the call; for a limit, by line of the next submission.
  struct Held {
    int64_t ns = 0;
    uint64_t calls = 0;
    bool unpartitions = false;
  };
  std::map<uint32_t, Held> barriers, limits;
  int64_t worst_ns = 0;
  for (size_t i = 0; i < waits.size(); ++i) {
    const Wait& wait = waits[i];
    const bool is_limit = wait.kind == StateKind::kThrottling;
    Held& held = is_limit ? limits[model.tasks.site[wait.next_task]] : barriers[wait.site];
    AddNs(held.ns, lost_ns[i]);
    ++held.calls;
    held.unpartitions = wait.kind == StateKind::kUnpartitioning;
    if (is_limit || lost_ns[i] <= worst_ns) continue;
    worst_ns = lost_ns[i];
    loss.after_barrier = wait.next_task;
  }
  const auto most = [](const std::map<uint32_t, Held>& all) {
    return std::max_element(all.begin(), all.end(),
                            [](const auto& a, const auto& b) { return a.second.ns < b.second.ns; });
  };
  if (const auto barrier = most(barriers); barrier != barriers.end()) {
    loss.barrier_site = barrier->first;
    loss.barrier_calls = barrier->second.calls;
    loss.barrier_unpartitions = barrier->second.unpartitions;
  }
  if (const auto limit = most(limits); limit != limits.end()) loss.throttled_site = limit->first;
}

}  // namespace

// Splits the time lost in pauses because no task was submitted, by the program's activity. The loss
// of a pause has no exact position in it: if the pause is longer than the loss, it is attributed to
// the wait first, then to slow submission, and then to the end.
SubmissionLoss SplitSubmission(const TraceModel& model, const IdleReport& idle) {
  const std::vector<std::vector<uint32_t>> submitted = SubmittedByRank(model);
  const std::vector<Wait> waits = WaitsBeforeSubmissions(model, submitted);
  std::vector<Missed> missed = MissedIn(model, waits, submitted);
  std::vector<int64_t> lost_ns(waits.size());
  std::vector<SlowPause> slow_pauses;

  SubmissionLoss loss;
  for (const IdlePause& pause : idle.pauses) {
    int64_t left_ns = pause.cause_ns[static_cast<size_t>(IdleCause::kNothingSubmitted)];
    int64_t unready_ns = pause.cause_ns[static_cast<size_t>(IdleCause::kNothingReady)];
    if (left_ns == 0 && (unready_ns == 0 || waits.empty())) continue;
    const uint32_t rank = model.workers.rank_index[pause.worker];
    const int64_t last_ns =
        submitted[rank].empty() ? pause.start_ns : model.tasks.submit_ns[submitted[rank].back()];
    int64_t before_last_ns = std::max<int64_t>(0, std::min(pause.end_ns, last_ns) - pause.start_ns);
    auto wait = std::partition_point(waits.begin(), waits.end(), [&](const Wait& w) {
      return std::pair(w.rank_index, w.span.end_ns) <= std::pair(rank, pause.start_ns);
    });
    for (; wait != waits.end() && wait->rank_index == rank && left_ns + unready_ns > 0 &&
           wait->span.begin_ns < pause.end_ns;
         ++wait) {
      const auto index = static_cast<size_t>(wait - waits.begin());
      const int64_t shared_ns =
          std::min({left_ns, before_last_ns,
                    std::max<int64_t>(0, std::min(wait->span.end_ns, pause.end_ns) -
                                             std::max(wait->span.begin_ns, pause.start_ns))});
      int64_t& held_ns = wait->kind == StateKind::kThrottling ? loss.throttled_ns : loss.barrier_ns;
      AddNs(held_ns, shared_ns);
      AddNs(lost_ns[index], shared_ns);
      left_ns -= shared_ns;
      before_last_ns -= shared_ns;
      const int64_t missed_ns =
          std::min({unready_ns, missed[index].work_ns,
                    std::max<int64_t>(0, std::min(wait->span.end_ns, pause.end_ns) -
                                             std::max(missed[index].from_ns, pause.start_ns))});
      if (missed_ns <= 0) continue;
      AddNs(held_ns, missed_ns);
      if (idle.workers[pause.worker].counts) AddNs(loss.held_unready_ns, missed_ns);
      AddNs(lost_ns[index], missed_ns);
      unready_ns -= missed_ns;
      missed[index].work_ns -= missed_ns;
    }
    const int64_t slow_ns = std::min(left_ns, before_last_ns);
    if (slow_ns > 0) slow_pauses.push_back({slow_ns, pause.next_task});
    AddNs(loss.end_ns, left_ns - slow_ns);
  }
  SumUpSlowPauses(model, slow_pauses, loss);
  NameWorstWaits(model, waits, lost_ns, loss);
  return loss;
}

}  // namespace tasklens
