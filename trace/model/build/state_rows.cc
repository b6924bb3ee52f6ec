// SPDX-License-Identifier: Apache-2.0
// Moves rows between plain structs and packed columns.
#include "trace/model/build/state_rows.h"

namespace tasklens::build {

void StateRows::SetState(size_t row, StateKind kind, uint32_t task, StringId name) {
  if (row < first_) {
    table_.kind.Set(row, kind);
    table_.task.Set(row, task);
    table_.name.Set(row, name);
    return;
  }
  late_[row - first_].kind = kind;
  late_[row - first_].task = task;
  late_[row - first_].name = name;
}

void StateRows::Erase(size_t row) {
  if (row < first_) UnpackFrom(row);
  late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(row - first_));
}

void StateRows::Finish() {
  while (late_.size() >= kBlock) PackFirst();
  for (const Row& row : late_) {
    table_.start_ns.push_back(row.start_ns);
    table_.end_ns.push_back(row.end_ns);
    table_.kind.push_back(row.kind);
    table_.depth.push_back(row.depth);
    table_.task.push_back(row.task);
    table_.name.Set(table_.kind.size() - 1, row.name);
  }
  late_.clear();
}

void StateRows::PackFirst() {
  table_.start_ns.AppendBlock([&](size_t i) { return late_[i].start_ns; });
  table_.end_ns.AppendBlock([&](size_t i) { return late_[i].end_ns; });
  table_.kind.AppendBlock([&](size_t i) { return late_[i].kind; });
  table_.depth.AppendBlock([&](size_t i) { return late_[i].depth; });
  table_.task.AppendBlock([&](size_t i) { return late_[i].task; });
  for (size_t i = 0; i < kBlock; ++i) table_.name.Set(first_ + i, late_[i].name);
  late_.erase(late_.begin(), late_.begin() + kBlock);
  first_ += kBlock;
}

// For a tile that began many rows ago and has no length yet: its thread enters and leaves states
// while its clock stands still.
void StateRows::UnpackFrom(size_t row) {
  const size_t first = row / kBlock * kBlock;
  std::vector<Row> rows;
  for (size_t i = first; i < first_; ++i)
    rows.push_back({table_.start_ns[i], table_.end_ns[i], table_.task[i], table_.kind[i],
                    table_.depth[i], table_.name[i]});
  late_.insert(late_.begin(), rows.begin(), rows.end());
  table_.start_ns.Resize(first);
  table_.end_ns.Resize(first);
  table_.kind.Resize(first);
  table_.depth.Resize(first);
  table_.task.Resize(first);
  if (table_.name.size() > first) table_.name.Resize(first);
  first_ = first;
}

}  // namespace tasklens::build
