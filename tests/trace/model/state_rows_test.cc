// SPDX-License-Identifier: Apache-2.0
// The end of the state table, against plain rows, under every kind of change.
#include "trace/model/build/state_rows.h"

#include <gtest/gtest.h>

#include <random>

namespace tasklens::build {
namespace {

using Row = StateRows::Row;

void ExpectSame(const StateTable& table, const std::vector<Row>& rows) {
  ASSERT_EQ(table.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(table.start_ns[i], rows[i].start_ns) << i;
    ASSERT_EQ(table.end_ns[i], rows[i].end_ns) << i;
    ASSERT_EQ(table.task[i], rows[i].task) << i;
    ASSERT_EQ(table.kind[i], rows[i].kind) << i;
    ASSERT_EQ(table.depth[i], rows[i].depth) << i;
    ASSERT_EQ(table.name[i], rows[i].name) << i;
  }
}

TEST(StateRows, AreThoseThatWereAddedChangedAndErased) {
  std::mt19937 random(7);
  for (const size_t most_back : {1, 100, 1500, 5000}) {
    StateTable table;
    StateRows rows(table);
    std::vector<Row> expected;
    const auto some_row = [&] {
      return expected.size() - 1 - random() % std::min(most_back, expected.size());
    };
    for (int64_t step = 0; step < 20'000; ++step) {
      if (expected.empty() || random() % 4 != 0) {
        const Row row{step * 1000,
                      step * 1000 + 5,
                      static_cast<uint32_t>(random() % 100),
                      static_cast<StateKind>(random() % 10),
                      static_cast<uint8_t>(random() % 3),
                      static_cast<StringId>(random() % 40 == 0 ? random() % 9 : 0)};
        rows.Add(row);
        expected.push_back(row);
      }
      const size_t row = some_row();
      switch (random() % 50) {
        case 0:
          rows.Erase(row);
          expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(row));
          break;
        case 1:
        case 2:
          rows.SetState(row, StateKind::kTask, 7, 3);
          expected[row].kind = StateKind::kTask;
          expected[row].task = 7;
          expected[row].name = 3;
          break;
        default: rows.SetEnd(row, step * 1000 + 500); expected[row].end_ns = step * 1000 + 500;
      }
      ASSERT_EQ(rows.size(), expected.size());
      if (expected.empty()) continue;
      const size_t other = some_row();
      ASSERT_EQ(rows.start_ns(other), expected[other].start_ns);
      ASSERT_EQ(rows.task(other), expected[other].task);
      ASSERT_EQ(rows.kind(other), expected[other].kind);
    }
    rows.Finish();
    ExpectSame(table, expected);
  }
}

TEST(StateRows, FillATableThatIsReadBeforeABlockIsFull) {
  StateTable table;
  StateRows rows(table);
  rows.Add({1, 2, 3, StateKind::kTask, 0});
  rows.Finish();
  ExpectSame(table, {{1, 2, 3, StateKind::kTask, 0}});
}

}  // namespace
}  // namespace tasklens::build
