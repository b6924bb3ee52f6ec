// SPDX-License-Identifier: Apache-2.0
// Tasks in the order of their priorities, the highest first; of one priority a list with two ends.
//
// Each step costs the logarithm of the number of priorities that have tasks. The tasks are linked
// through their fields prev and next, so that one is in one list at a time; their priorities must
// stay what they are. Not locked.
#pragma once

#include <starpu.h>

#include <functional>
#include <map>

namespace tasklens::runtime {

class TaskDeque {
 public:
  bool Empty() const { return lists_.empty(); }
  void PushFront(starpu_task* task) { starpu_task_list_push_front(&lists_[task->priority], task); }
  void PushBack(starpu_task* task) { starpu_task_list_push_back(&lists_[task->priority], task); }

  // The first of the highest priority, and the last of the lowest; null where there is none.
  starpu_task* First() const { return Empty() ? nullptr : lists_.begin()->second.head; }
  starpu_task* Last() const { return Empty() ? nullptr : lists_.rbegin()->second.tail; }

  // The first task that is wanted, from the highest priority on: in each from the front, or from
  // the back.
  enum class From { kFront, kBack };
  template <class Wanted>
  starpu_task* Find(From from, Wanted wanted) const {
    const auto next = from == From::kFront ? &starpu_task::next : &starpu_task::prev;
    for (const auto& [priority, list] : lists_) {
      starpu_task* task = from == From::kFront ? list.head : list.tail;
      while (task && !wanted(task)) task = task->*next;
      if (task) return task;
    }
    return nullptr;
  }

  // Whether there are tasks of its priority, of which it has to be one.
  bool Erase(starpu_task* task) {
    const auto found = lists_.find(task->priority);
    if (found == lists_.end()) return false;
    starpu_task_list_erase(&found->second, task);
    if (!found->second.head) lists_.erase(found);
    return true;
  }

 private:
  std::map<int, starpu_task_list, std::greater<int>> lists_;  // none is empty
};

}  // namespace tasklens::runtime
