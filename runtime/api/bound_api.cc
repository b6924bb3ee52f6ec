// SPDX-License-Identifier: Apache-2.0
// starpu_bound.h: prints the recorded tasks as linear programs, and solves these.
#include <starpu.h>

#include <string>

#include "runtime/bound/program.h"
#include "runtime/bound/solver.h"
#include "runtime/core/bound.h"
#include "runtime/support/message.h"
#include "trace/support/plain_numbers.h"

using namespace tasklens;           // NOLINT: the definitions below are all of them short
using namespace tasklens::runtime;  // NOLINT

namespace {

// Whether there are tasks and all their lengths are known; warns of tasks of unknown length.
bool CanBeBound(const BoundWork& work, const char* function) {
  for (const BoundKind& kind : work.kinds) {
    if (kind.IsKnown()) continue;
    Warn(
        "%s(): no model knows what tasks '%s' (footprint %08x) take, and none of them ran: there "
        "is no bound",
        function, kind.name.c_str(), kind.footprint);
    return false;
  }
  return !work.kinds.empty() && !work.workers.empty();
}

Result<BoundSolution> Solved(const BoundProgram& program, bool whole, const char* function) {
  auto solution = SolveBound(program, whole);
  if (!solution.ok())
    Warn("%s(): %s", function, solution.status().message().c_str());
  else if (solution->gave_up)
    Warn("%s(): the best schedule was not found in a minute; no schedule is shorter than %f ms",
         function, solution->value);
  return solution;
}

double BoundOf(const BoundWork& work, bool whole, const char* function) {
  const auto detail = whole ? BoundDetail::kWhole : BoundDetail::kRelaxed;
  const auto solution = Solved(ProgramOf(work, detail), whole, function);
  return solution.ok() ? solution->value : 0;
}

// The recorded work; without kinds and tasks if CanBeBound() is false.
BoundWork WorkFor(const char* function) {
  BoundWork work = Bound::Noted();
  if (!CanBeBound(work, function)) work.kinds.clear(), work.tasks.clear();
  return work;
}

void Print(FILE* output, const std::string& text) { fwrite(text.data(), 1, text.size(), output); }

void PrintCounts(FILE* output, const BoundWork& work, const BoundProgram& program,
                 const BoundSolution& solution) {
  size_t column = 1;
  std::vector<std::string> lines;
  for (const BoundKind& kind : work.kinds) {
    char text[16];
    snprintf(text, sizeof(text), "%x", kind.footprint);
    lines.push_back(kind.name + " key " + text + "\n");
  }
  for (size_t w = 0; w < work.workers.size(); ++w)
    for (size_t k = 0; k < work.kinds.size(); ++k) {
      if (work.kinds[k].length_ms[w] == kNever) continue;
      lines[k] += "\t" + program.columns[column].name + " " + std::to_string(solution.x[column]);
      ++column;
    }
  for (const std::string& line : lines) Print(output, line + "\n");
}

void PrintSchedule(FILE* output, const BoundProgram& program, const BoundSolution& solution) {
  for (size_t i = 0; i < program.columns.size(); ++i) {
    const std::string& name = program.columns[i].name;
    const bool is_place = name[0] == 't' && name.find('w') != std::string::npos;
    if (name[0] == 's' || name[0] == 'c' || (is_place && solution.x[i] > 1e-6))
      fprintf(output, "\t%s %f\n", name.c_str(), solution.x[i]);
  }
}

std::string Quoted(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

extern "C" {

void starpu_bound_start(int deps, int prio) { Bound::Start(deps != 0, prio != 0); }
void starpu_bound_stop(void) { Bound::Stop(); }

void starpu_bound_compute(double* relaxed, double* whole, int integer) {
  const BoundWork work = WorkFor(__func__);
  if (relaxed) *relaxed = work.kinds.empty() ? 0 : BoundOf(work, false, __func__);
  if (whole && integer) *whole = work.kinds.empty() ? 0 : BoundOf(work, true, __func__);
}

void starpu_bound_print(FILE* output, int integer) {
  const PlainNumbers plain;
  const BoundWork work = WorkFor(__func__);
  if (work.kinds.empty()) return;
  const bool whole = integer != 0;
  const BoundProgram program = ProgramOf(work, whole ? BoundDetail::kWhole : BoundDetail::kRelaxed);
  const auto solution = Solved(program, whole, __func__);
  if (!solution.ok()) return;
  fprintf(output, "Theoretical minimum execution time: %f ms\n", solution->value);
  if (solution->gave_up) return;
  if (work.with_dependencies) {
    PrintSchedule(output, program, *solution);
  } else {
    PrintCounts(output, work, program, *solution);
  }
}

void starpu_bound_print_lp(FILE* output) {
  const BoundWork work = WorkFor(__func__);
  if (!work.kinds.empty())
    Print(output, LpText(ProgramOf(work, BoundDetail::kWhole), !work.with_dependencies));
}
void starpu_bound_print_mps(FILE* output) {
  const BoundWork work = WorkFor(__func__);
  if (!work.kinds.empty())
    Print(output, MpsText(ProgramOf(work, BoundDetail::kWhole), !work.with_dependencies));
}

void starpu_bound_print_dot(FILE* output) {
  const BoundWork work = Bound::Noted();
  fprintf(output, "strict digraph bounddeps {\n");
  if (!work.with_dependencies)
    fprintf(output, "/* starpu_bound_start() was not asked for dependencies */\n");
  for (const BoundTask& task : work.tasks) {
    const std::string number = std::to_string(task.id);
    Print(output, "\"t" + number + "\" [label=\"" + number + ": " +
                      Quoted(work.kinds[task.kind].name) + "\"]\n");
    for (const BoundTask::After& after : task.after)
      Print(output,
            "\"t" + std::to_string(work.tasks[after.task].id) + "\" -> \"t" + number + "\"\n");
  }
  for (const auto& [tag, before] : work.tags)
    Print(output, "\"tag" + std::to_string(before) + "\" -> \"tag" + std::to_string(tag) + "\";\n");
  fprintf(output, "}\n");
}

}  // extern "C"
