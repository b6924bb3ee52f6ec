// SPDX-License-Identifier: Apache-2.0
// The end of the state table while it is being written: rows that may still change are plain
// structs, and are packed into the table's columns a block at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/model/trace_model.h"

namespace tasklens::build {

// Threads: one. Until Finish(), no other code may use the columns of `table` or their rows.
class StateRows {
 public:
  struct Row {
    int64_t start_ns, end_ns;
    uint32_t task;
    StateKind kind;
    uint8_t depth;
    StringId name = 0;
  };

  // `table` must be empty and outlive this.
  explicit StateRows(StateTable& table) : table_(table) {}

  size_t size() const { return first_ + late_.size(); }
  void Add(const Row& row) {
    if (late_.size() >= kMostLate) PackFirst();
    late_.push_back(row);
  }
  // REQUIRES for these: row < size(). Cheap for the last kBlock rows at least.
  int64_t start_ns(size_t row) const {
    return row < first_ ? table_.start_ns[row] : late_[row - first_].start_ns;
  }
  uint32_t task(size_t row) const {
    return row < first_ ? table_.task[row] : late_[row - first_].task;
  }
  StringId name(size_t row) const {
    return row < first_ ? table_.name[row] : late_[row - first_].name;
  }
  StateKind kind(size_t row) const {
    return row < first_ ? table_.kind[row] : late_[row - first_].kind;
  }
  void SetEnd(size_t row, int64_t end_ns) {
    row < first_ ? table_.end_ns.Set(row, end_ns) : void(late_[row - first_].end_ns = end_ns);
  }
  void SetState(size_t row, StateKind kind, uint32_t task, StringId name);
  void Erase(size_t row);

  // Moves all rows into the table.
  void Finish();

 private:
  static constexpr size_t kBlock = PackedWords::kRows;
  static constexpr size_t kMostLate = 2 * kBlock;

  void PackFirst();
  void UnpackFrom(size_t row);

  StateTable& table_;
  size_t first_ = 0;       // rows in the table: whole blocks
  std::vector<Row> late_;  // the rows after those
};

}  // namespace tasklens::build
