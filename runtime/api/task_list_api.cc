// SPDX-License-Identifier: Apache-2.0
// starpu_task_list: an intrusive doubly linked list of tasks.
#include <starpu.h>

extern "C" {

void starpu_task_list_init(starpu_task_list* list) { list->head = list->tail = nullptr; }

void starpu_task_list_push_front(starpu_task_list* list, starpu_task* task) {
  task->prev = nullptr;
  task->next = list->head;
  (list->head ? list->head->prev : list->tail) = task;
  list->head = task;
}
void starpu_task_list_push_back(starpu_task_list* list, starpu_task* task) {
  task->next = nullptr;
  task->prev = list->tail;
  (list->tail ? list->tail->next : list->head) = task;
  list->tail = task;
}
starpu_task* starpu_task_list_front(const starpu_task_list* list) { return list->head; }
starpu_task* starpu_task_list_back(const starpu_task_list* list) { return list->tail; }
int starpu_task_list_empty(const starpu_task_list* list) { return !list->head; }
void starpu_task_list_erase(starpu_task_list* list, starpu_task* task) {
  (task->prev ? task->prev->next : list->head) = task->next;
  (task->next ? task->next->prev : list->tail) = task->prev;
  task->prev = task->next = nullptr;
}
starpu_task* starpu_task_list_pop_front(starpu_task_list* list) {
  starpu_task* task = list->head;
  if (task) starpu_task_list_erase(list, task);
  return task;
}
starpu_task* starpu_task_list_pop_back(starpu_task_list* list) {
  starpu_task* task = list->tail;
  if (task) starpu_task_list_erase(list, task);
  return task;
}
starpu_task* starpu_task_list_begin(const starpu_task_list* list) { return list->head; }
starpu_task* starpu_task_list_end(const starpu_task_list*) { return nullptr; }
starpu_task* starpu_task_list_next(const starpu_task* task) { return task->next; }
int starpu_task_list_ismember(const starpu_task_list* list, const starpu_task* look) {
  for (const starpu_task* task = list->head; task; task = task->next) {
    if (task == look) return 1;
  }
  return 0;
}
void starpu_task_list_move(starpu_task_list* target, starpu_task_list* source) {
  if (!source->head) return;
  source->head->prev = target->tail;
  (target->tail ? target->tail->next : target->head) = source->head;
  target->tail = source->tail;
  starpu_task_list_init(source);
}

}  // extern "C"
