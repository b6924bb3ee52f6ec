// SPDX-License-Identifier: Apache-2.0
// Counts tasks and runs the solver.
#include "analysis/bounds.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "analysis/critical_path.h"
#include "analysis/solver/linear_program.h"

namespace tasklens {
namespace {

using WorkersOfKind = std::map<WorkerKind, uint64_t>;

// Adds placements of codelets on kinds where they were not seen: other devices of an arch.
std::vector<Placement> WithUntried(const std::vector<Placement>& seen, const WorkersOfKind& kinds) {
  std::vector<Placement> all;
  ForEachCodelet(seen, [&](std::span<const Placement> codelet) {
    for (const auto& [kind, workers] : kinds) {
      const Placement* there = nullptr;
      const Placement* fastest = nullptr;  // of the arch
      for (const Placement& placement : codelet) {
        if (placement.kind == kind) there = &placement;
        if (placement.kind.arch == kind.arch && (!fastest || placement.mean_ns < fastest->mean_ns))
          fastest = &placement;
      }
      if (!fastest) continue;
      all.push_back(there ? *there : *fastest);
      if (!there) all.back().kind = kind, all.back().ran = 0, all.back().best = 0;
    }
  });
  return all;
}

// The program of bounds.h. Times are in units of `scale_ns` so that all numbers are near 1.
// Codelets that ran on one kind only have no choice and are a constant load.
class AreaProgram {
 public:
  AreaProgram(const std::vector<Placement>& placements, double scale_ns)
      : placements_(placements), scale_ns_(scale_ns) {}

  void AddKind(const WorkerKind& kind, uint64_t workers) {
    row_of_kind_[kind] = static_cast<uint32_t>(program_.low.size());
    program_.low.push_back(-kUnbounded);
    program_.high.push_back(0);
    program_.entries.push_back(
        {static_cast<uint32_t>(program_.low.size() - 1), 0, -static_cast<double>(workers)});
  }

  // REQUIRES: AddKind() for the kinds of all placements.
  LinearSolution Run(Stop stop) {
    ForEachCodelet(placements_, [this](std::span<const Placement> of) { AddCodelet(of); });
    return program_.cost.size() == 1 ? WithoutChoice() : tasklens::Solve(program_, stop);
  }

  // Returns the column of placement i, or kNone if the codelet has no choice.
  uint32_t ColumnOf(size_t i) const { return columns_[i]; }

 private:
  uint32_t RowOf(const Placement& placement) const { return row_of_kind_.at(placement.kind); }

  // If nothing can be moved: the largest load of a kind divided by its workers.
  LinearSolution WithoutChoice() const {
    LinearSolution solution{SolveStatus::kOptimal, 0, {0}};
    for (const LinearProgram::Entry& entry : program_.entries)
      solution.value = std::max(solution.value, program_.high[entry.row] / entry.value);
    return solution;
  }

  void AddCodelet(std::span<const Placement> placements) {
    if (placements.size() == 1) {
      const Placement& only = placements[0];
      program_.high[RowOf(only)] -= static_cast<double>(only.ran) * only.mean_ns / scale_ns_;
      columns_.push_back(kNone);
      return;
    }
    const auto row = static_cast<uint32_t>(program_.low.size());
    double count = 0;
    for (const Placement& placement : placements) {
      const auto column = static_cast<uint32_t>(program_.cost.size());
      program_.cost.push_back(0);
      program_.entries.push_back({row, column, 1});
      program_.entries.push_back({RowOf(placement), column, placement.mean_ns / scale_ns_});
      columns_.push_back(column);
      count += static_cast<double>(placement.ran);
    }
    program_.low.push_back(count);
    program_.high.push_back(count);
  }

  const std::vector<Placement>& placements_;
  const double scale_ns_;
  std::map<WorkerKind, uint32_t> row_of_kind_;
  LinearProgram program_{.cost = {1}};  // column 0 is T
  std::vector<uint32_t> columns_;
};

AreaBound Solve(const std::vector<Placement>& placements, const WorkersOfKind& kinds, Stop stop) {
  AreaBound bound;
  bound.placements = WithUntried(placements, kinds);
  if (bound.placements.empty()) return bound;
  double longest_ns = 1;
  for (const Placement& placement : bound.placements)
    longest_ns = std::max(longest_ns, placement.mean_ns);
  AreaProgram program(bound.placements, longest_ns);
  for (const auto& [kind, workers] : kinds) program.AddKind(kind, workers);
  const LinearSolution solution = program.Run(stop);
  if (solution.status != SolveStatus::kOptimal) {
    bound.status = BoundStatus::kGaveUp;
    return bound;
  }
  bound.status = BoundStatus::kOptimal;
  bound.bound_ns = solution.value * longest_ns;
  for (size_t i = 0; i < bound.placements.size(); ++i)
    if (program.ColumnOf(i) != kNone) bound.placements[i].best = solution.x[program.ColumnOf(i)];
  return bound;
}

}  // namespace

std::vector<AreaBound> AreaBounds(const TraceModel& model, Stop stop) {
  const std::vector<WorkerKind> kind_of = WorkerKinds(model);
  std::vector<WorkersOfKind> kinds(model.ranks.size());
  for (size_t worker = 0; worker < model.workers.size(); ++worker)
    ++kinds[model.workers.rank_index[worker]][kind_of[worker]];
  const std::vector<std::vector<Placement>> placements = Placements(model, kind_of, stop);
  std::vector<AreaBound> bounds;
  for (size_t rank = 0; rank < placements.size() && !Stopped(stop); ++rank)
    bounds.push_back(Solve(placements[rank], kinds[rank], stop));
  return bounds;
}

double Bounds::best_ns() const {
  double best = static_cast<double>(critical_path_ns);
  for (const AreaBound& bound : area) best = std::max(best, bound.bound_ns);
  return best;
}

double Bounds::BoundOverSpan() const {
  return span_ns > 0 ? std::min(1., best_ns() / static_cast<double>(span_ns)) : 1;
}

Bounds ComputeBounds(const TraceModel& model, Stop stop) {
  Bounds bounds;
  bounds.windows = RunWindows(model);
  bounds.area = AreaBounds(model, stop);
  if (Stopped(stop)) return bounds;
  for (const Span& window : bounds.windows)
    bounds.span_ns = std::max(bounds.span_ns, window.length_ns());
  LongestChain chain = LongestDependencyChain(model, stop);
  bounds.critical_path_ns = chain.length_ns;
  bounds.critical_chain = std::move(chain.tasks);
  return bounds;
}

}  // namespace tasklens
