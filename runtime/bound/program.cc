// SPDX-License-Identifier: Apache-2.0
// Columns and rows, in the order in which starpu_lp2paje wants to read their values.
#include "runtime/bound/program.h"

#include <algorithm>
#include <cmath>

namespace tasklens::runtime {
namespace {

using Column = BoundProgram::Column;
using Row = BoundProgram::Row;
using Term = BoundProgram::Term;

class Builder {
 public:
  explicit Builder(const BoundWork& work) : work_(work) { tmax_ = Add("tmax"); }

  BoundProgram Counts() {
    std::vector<std::vector<size_t>> columns(work_.workers.size());
    for (size_t w = 0; w < work_.workers.size(); ++w) {
      Row row{"W" + Text(w), "worker " + work_.workers[w].name, {{tmax_, -1}}};
      for (size_t k = 0; k < work_.kinds.size(); ++k) {
        columns[w].push_back(kNone);
        const double length_ms = work_.kinds[k].length_ms[w];
        if (length_ms == kNever) continue;
        columns[w][k] = Add("w" + Text(w) + "t" + Text(k) + "n", Column::kWhole);
        row.terms.push_back({columns[w][k], length_ms});
      }
      row.high = 0;
      Add(std::move(row));
    }
    for (size_t k = 0; k < work_.kinds.size(); ++k) {
      const BoundKind& kind = work_.kinds[k];
      Row row{"T" + Text(k), "task " + kind.name + " key " + Hex(kind.footprint)};
      for (const auto& of_worker : columns)
        if (of_worker[k] != kNone) row.terms.push_back({of_worker[k], 1});
      row.low = row.high = static_cast<double>(kind.count);
      Add(std::move(row));
    }
    return std::move(program_);
  }

  BoundProgram Schedule(BoundDetail detail) {
    AddFixed("nt", "number of tasks", work_.tasks.size());
    AddFixed("nw", "number of workers", work_.workers.size());
    for (const BoundTask& task : work_.tasks) ends_.push_back(Add("c" + Text(task.id)));
    for (const size_t end : ends_) Add({"", "", {{end, 1}, {tmax_, -1}}, -kUnlimited, 0});
    for (size_t i = 0; i < work_.tasks.size(); ++i) AddPlaces(i);
    for (const BoundTask& task : work_.tasks) starts_.push_back(Add("s" + Text(task.id)));
    for (size_t i = 0; i < work_.tasks.size(); ++i) AddLength(i);
    AddLoads();
    for (size_t i = 0; i < work_.tasks.size(); ++i) AddDependencies(i);
    if (detail == BoundDetail::kWhole) AddOrder();
    return std::move(program_);
  }

 private:
  static constexpr size_t kNone = ~size_t{0};

  static std::string Text(uint64_t number) { return std::to_string(number); }
  static std::string Hex(uint32_t number) {
    char text[9];
    snprintf(text, sizeof(text), "%x", number);
    return text;
  }

  size_t Add(std::string name, Column::Kind kind = Column::kAny) {
    program_.columns.push_back({std::move(name), kind});
    return program_.columns.size() - 1;
  }
  void Add(Row row) {
    if (row.name.empty()) row.name = "R" + Text(program_.rows.size());
    program_.rows.push_back(std::move(row));
  }
  void AddFixed(const char* name, const char* comment, size_t value) {
    const auto number = static_cast<double>(value);
    Add({"", comment, {{Add(name), 1}}, number, number});
  }

  const std::vector<double>& LengthsOf(size_t task) const {
    return work_.kinds[work_.tasks[task].kind].length_ms;
  }

  void AddPlaces(size_t i) {
    const BoundTask& task = work_.tasks[i];
    places_.emplace_back(work_.workers.size(), kNone);
    Row row{"", "", {}, 1, 1};
    for (size_t w = 0; w < work_.workers.size(); ++w) {
      if (LengthsOf(i)[w] == kNever) continue;
      places_[i][w] = Add("t" + Text(task.id) + "w" + Text(w), Column::kZeroOrOne);
      row.terms.push_back({places_[i][w], 1});
    }
    Add(std::move(row));
  }

  void AddLength(size_t i) {
    const BoundKind& kind = work_.kinds[work_.tasks[i].kind];
    Row row{"", kind.name + " " + Hex(kind.footprint), {{ends_[i], 1}, {starts_[i], -1}}, 0, 0};
    for (size_t w = 0; w < work_.workers.size(); ++w)
      if (places_[i][w] != kNone) row.terms.push_back({places_[i][w], -kind.length_ms[w]});
    Add(std::move(row));
  }

  // Follows from the order of tasks, and holds without it.
  void AddLoads() {
    for (size_t w = 0; w < work_.workers.size(); ++w) {
      Row row{"", "worker " + work_.workers[w].name, {{tmax_, -1}}, -kUnlimited, 0};
      for (size_t i = 0; i < work_.tasks.size(); ++i)
        if (places_[i][w] != kNone) row.terms.push_back({places_[i][w], LengthsOf(i)[w]});
      Add(std::move(row));
    }
  }

  void AddDependencies(size_t i) {
    const BoundTask& task = work_.tasks[i];
    for (const BoundTask::After& after : task.after) {
      const std::vector<Row> transfers = Transfers(i, after);
      Row row{"", Text(after.bytes) + " bytes", {{starts_[i], 1}, {ends_[after.task], -1}}, 0};
      if (!transfers.empty()) row.terms.push_back({transfers[0].terms[0].column, -1});
      Add(std::move(row));
      for (const Row& transfer : transfers) Add(transfer);
    }
  }

  // A time that is no shorter than from the one's memory node to the other's.
  std::vector<Row> Transfers(size_t i, const BoundTask::After& after) {
    std::vector<unsigned> nodes;
    for (const BoundWorker& worker : work_.workers) nodes.push_back(worker.node);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::vector<Row> rows;
    size_t time = kNone;
    double longest_ms = 0;
    for (const unsigned from : nodes)
      for (const unsigned to : nodes) {
        const double length_ms =
            from == to || after.bytes == 0 ? 0 : work_.transfer_ms(from, to, after.bytes);
        if (length_ms <= 0) continue;
        longest_ms = std::max(longest_ms, length_ms);
        if (time == kNone)
          time = Add("d_t" + Text(work_.tasks[after.task].id) + "t" + Text(work_.tasks[i].id));
        Row row{"", "", {{time, 1}}, -length_ms};
        for (size_t w = 0; w < work_.workers.size(); ++w) {
          if (work_.workers[w].node == from && places_[after.task][w] != kNone)
            row.terms.push_back({places_[after.task][w], -length_ms});
          if (work_.workers[w].node == to && places_[i][w] != kNone)
            row.terms.push_back({places_[i][w], -length_ms});
        }
        rows.push_back(std::move(row));
      }
    all_transfers_ms_ += longest_ms;
    return rows;
  }

  std::vector<size_t> PredecessorsFirst() const {
    const size_t count = work_.tasks.size();
    std::vector<std::vector<size_t>> successors(count);
    std::vector<size_t> missing(count), order;
    for (size_t i = 0; i < count; ++i) {
      missing[i] = work_.tasks[i].after.size();
      if (missing[i] == 0) order.push_back(i);
      for (const BoundTask::After& after : work_.tasks[i].after)
        successors[after.task].push_back(i);
    }
    for (size_t next = 0; next < order.size(); ++next)
      for (const size_t successor : successors[order[next]])
        if (--missing[successor] == 0) order.push_back(successor);
    return order;
  }

  // Whether the first waits for the second, by others as well.
  std::vector<std::vector<bool>> Ancestors() const {
    const size_t count = work_.tasks.size();
    std::vector<std::vector<bool>> ancestors(count, std::vector<bool>(count));
    for (const size_t task : PredecessorsFirst()) {
      for (const BoundTask::After& after : work_.tasks[task].after) {
        ancestors[task][after.task] = true;
        for (size_t i = 0; i < count; ++i)
          if (ancestors[after.task][i]) ancestors[task][i] = true;
      }
    }
    return ancestors;
  }

  void AddOrder() {
    // As long as the longest schedule that is worth a thought: everything one after the other.
    horizon_ms_ = all_transfers_ms_;
    for (size_t i = 0; i < work_.tasks.size(); ++i) {
      double longest_ms = 0;
      for (const double length_ms : LengthsOf(i))
        if (length_ms != kNever) longest_ms = std::max(longest_ms, length_ms);
      horizon_ms_ += longest_ms;
    }
    const auto ancestors = Ancestors();
    for (size_t i = 0; i < work_.tasks.size(); ++i)
      for (size_t j = i + 1; j < work_.tasks.size(); ++j)
        if (!ancestors[i][j] && !ancestors[j][i] && (CanMeet(i, j) || IsRanked(i, j)))
          AddOrder(i, j);
  }

  bool CanMeet(size_t i, size_t j) const {
    for (size_t w = 0; w < work_.workers.size(); ++w)
      if (places_[i][w] != kNone && places_[j][w] != kNone) return true;
    return false;
  }
  bool IsRanked(size_t i, size_t j) const {
    return work_.with_priorities && work_.tasks[i].priority != work_.tasks[j].priority;
  }

  void AddOrder(size_t i, size_t j) {
    const size_t after =
        Add("t" + Text(work_.tasks[i].id) + "after" + Text(work_.tasks[j].id), Column::kZeroOrOne);
    const double most = horizon_ms_;
    for (size_t w = 0; w < work_.workers.size(); ++w) {
      if (places_[i][w] == kNone || places_[j][w] == kNone) continue;
      const Term here_i{places_[i][w], -most}, here_j{places_[j][w], -most};
      Add({"", "", {{starts_[i], 1}, {ends_[j], -1}, here_i, here_j, {after, -most}}, -3 * most});
      Add({"", "", {{starts_[j], 1}, {ends_[i], -1}, here_i, here_j, {after, most}}, -2 * most});
    }
    if (!IsRanked(i, j)) return;
    if (work_.tasks[i].priority > work_.tasks[j].priority) {
      AddPriority(i, j, {after, 1}, 0);
    } else {
      AddPriority(j, i, {after, -1}, 1);
    }
  }

  // `late` + `offset` is 1 where the high one is after the low one, else 0.
  void AddPriority(size_t high, size_t low, Term late, double offset) {
    const double most = horizon_ms_;
    Term is_late = late;
    is_late.factor *= most;
    Add({"", "", {{starts_[low], 1}, {starts_[high], -1}, is_late}, -most * offset});
    const auto& before = work_.tasks[high].after;
    if (before.empty()) return Add({"", "", {late}, -offset, -offset});
    Row one{"", "", {}, 1, 1};
    for (size_t d = 0; d < before.size(); ++d) {
      const size_t chosen =
          Add("t" + Text(work_.tasks[low].id) + "t" + Text(work_.tasks[high].id) + "d" + Text(d),
              Column::kZeroOrOne);
      one.terms.push_back({chosen, 1});
      Term not_late = is_late;
      not_late.factor = -is_late.factor;
      // end - start >= -most * ((1 - chosen) + (1 - late - offset))
      Add({"",
           "",
           {{ends_[before[d].task], 1}, {starts_[low], -1}, {chosen, -most}, not_late},
           -most * (2 - offset)});
    }
    Add(std::move(one));
  }

  const BoundWork& work_;
  BoundProgram program_;
  size_t tmax_ = 0;
  std::vector<size_t> starts_, ends_;        // by task
  std::vector<std::vector<size_t>> places_;  // by task and worker; kNone: not there
  double all_transfers_ms_ = 0, horizon_ms_ = 0;
};

}  // namespace

bool BoundKind::IsKnown() const {
  return std::any_of(length_ms.begin(), length_ms.end(),
                     [](double length) { return length != kNever; });
}

BoundProgram ProgramOf(const BoundWork& work, BoundDetail detail) {
  Builder builder(work);
  return work.with_dependencies ? builder.Schedule(detail) : builder.Counts();
}

}  // namespace tasklens::runtime
