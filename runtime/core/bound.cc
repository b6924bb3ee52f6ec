// SPDX-License-Identifier: Apache-2.0
// Counting and timing by kind, and the linear program of workers that are all alike.
#include "runtime/core/bound.h"

#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/core/codelet.h"
#include "runtime/core/runtime.h"

namespace tasklens::runtime {

std::atomic<bool> Bound::on_{false};
std::atomic<bool> Bound::dependencies_{false};

namespace {

// Tasks of one codelet and footprint.
struct Kind {
  std::string name;
  uint32_t footprint = 0;
  uint64_t submitted = 0;
  uint64_t measured = 0;
  uint64_t total_ns = 0;
  double MeanMs() const {
    return measured ? static_cast<double>(total_ns) / static_cast<double>(measured) / 1e6 : 0;
  }
};

struct Notes {
  std::mutex lock;
  std::map<std::pair<const starpu_codelet*, uint32_t>, size_t> index;
  std::vector<Kind> kinds;
  std::map<uint64_t, std::string> tasks;  // for the picture
  std::vector<std::pair<uint64_t, uint64_t>> dependencies;

  Kind& KindOf(const Job* job) {
    const starpu_task& task = *job->task;
    const uint32_t footprint =
        starpu_task_footprint(task.cl->model, job->task, nullptr, job->implementation);
    const auto [it, is_new] = index.try_emplace({task.cl, footprint}, kinds.size());
    if (is_new) kinds.push_back({NameOf(task), footprint});
    return kinds[it->second];
  }
};
Notes& TheNotes() {
  static Notes* notes = new Notes;
  return *notes;
}

size_t Workers() {
  const Runtime* runtime = Runtime::Instance();
  return runtime ? const_cast<Runtime*>(runtime)->workers().size() : 1;
}

struct Times {
  double even_ms = 0;
  double whole_ms = 0;
};

Times Compute() {
  Notes& notes = TheNotes();
  std::lock_guard guard(notes.lock);
  const auto workers = static_cast<double>(Workers());
  Times times;
  for (const Kind& kind : notes.kinds) {
    const double mean = kind.MeanMs();
    times.even_ms += mean * static_cast<double>(kind.submitted) / workers;
    // Some worker has at least this many of the kind.
    const double most = std::ceil(static_cast<double>(kind.submitted) / workers);
    times.whole_ms = std::max(times.whole_ms, most * mean);
  }
  times.whole_ms = std::max(times.whole_ms, times.even_ms);
  return times;
}

}  // namespace

void Bound::Start(bool dependencies) {
  Notes& notes = TheNotes();
  {
    std::lock_guard guard(notes.lock);
    notes.index.clear();
    notes.kinds.clear();
    notes.tasks.clear();
    notes.dependencies.clear();
  }
  dependencies_ = dependencies;
  on_ = true;
}

void Bound::Stop() {
  on_ = false;
  dependencies_ = false;
}

void Bound::Submitted(const Job* job) {
  if (!HasWork(*job->task)) return;
  Notes& notes = TheNotes();
  std::lock_guard guard(notes.lock);
  ++notes.KindOf(job).submitted;
  if (WithDependencies()) notes.tasks[job->id.load()] = NameOf(*job->task);
}

void Bound::Depends(uint64_t predecessor, const Job* successor) {
  Notes& notes = TheNotes();
  std::lock_guard guard(notes.lock);
  notes.dependencies.emplace_back(predecessor, successor->id.load());
}

void Bound::Ran(const Job* job, uint64_t length_ns) {
  Notes& notes = TheNotes();
  std::lock_guard guard(notes.lock);
  Kind& kind = notes.KindOf(job);
  ++kind.measured;
  kind.total_ns += length_ns;
}

}  // namespace tasklens::runtime

using tasklens::runtime::Bound;
using tasklens::runtime::Compute;
using tasklens::runtime::Kind;
using tasklens::runtime::Notes;
using tasklens::runtime::TheNotes;

extern "C" {

void starpu_bound_start(int deps, int) { Bound::Start(deps != 0); }
void starpu_bound_stop(void) { Bound::Stop(); }

void starpu_bound_compute(double* even, double* whole, int integer) {
  const auto times = Compute();
  if (even) *even = times.even_ms;
  if (whole) *whole = integer ? times.whole_ms : 0;
}

void starpu_bound_print(FILE* output, int integer) {
  const auto times = Compute();
  fprintf(output, "Theoretical minimum execution time: %f ms\n",
          integer ? times.whole_ms : times.even_ms);
}

// Variables: w<worker>t<kind>n, how many tasks of a kind a worker takes, and tmax.
void starpu_bound_print_lp(FILE* output) {
  Notes& notes = TheNotes();
  std::lock_guard guard(notes.lock);
  const size_t workers = tasklens::runtime::Workers();
  fprintf(output, "/* %zu kinds of tasks on %zu workers */\nmin: tmax;\n", notes.kinds.size(),
          workers);
  for (size_t w = 0; w < workers; ++w) {
    fprintf(output, "/* worker %zu */\n0", w);
    for (size_t t = 0; t < notes.kinds.size(); ++t) {
      fprintf(output, " + %f w%zut%zun", notes.kinds[t].MeanMs(), w, t);
    }
    fprintf(output, " <= tmax;\n");
  }
  for (size_t t = 0; t < notes.kinds.size(); ++t) {
    const Kind& kind = notes.kinds[t];
    fprintf(output, "/* %s %08x */\n0", kind.name.c_str(), kind.footprint);
    for (size_t w = 0; w < workers; ++w) fprintf(output, " + w%zut%zun", w, t);
    fprintf(output, " = %llu;\n", static_cast<unsigned long long>(kind.submitted));
  }
}

void starpu_bound_print_mps(FILE* output) {
  Notes& notes = TheNotes();
  std::lock_guard guard(notes.lock);
  const size_t workers = tasklens::runtime::Workers();
  fprintf(output, "NAME           BOUND\n\nROWS\n N  OBJ\n");
  for (size_t w = 0; w < workers; ++w) fprintf(output, " L  W%zu\n", w);
  for (size_t t = 0; t < notes.kinds.size(); ++t) fprintf(output, " E  T%zu\n", t);
  fprintf(output, "\nCOLUMNS\n");
  for (size_t t = 0; t < notes.kinds.size(); ++t) {
    for (size_t w = 0; w < workers; ++w) {
      fprintf(output, "    W%zuT%zu  W%zu  %f\n", w, t, w, notes.kinds[t].MeanMs());
      fprintf(output, "    W%zuT%zu  T%zu  1\n", w, t, t);
    }
  }
  fprintf(output, "    TMAX  OBJ  1\n");
  for (size_t w = 0; w < workers; ++w) fprintf(output, "    TMAX  W%zu  -1\n", w);
  fprintf(output, "\nRHS\n");
  for (size_t t = 0; t < notes.kinds.size(); ++t) {
    fprintf(output, "    NT  T%zu  %llu\n", t,
            static_cast<unsigned long long>(notes.kinds[t].submitted));
  }
  fprintf(output, "ENDATA\n");
}

void starpu_bound_print_dot(FILE* output) {
  Notes& notes = TheNotes();
  std::lock_guard guard(notes.lock);
  fprintf(output, "strict digraph bounddeps {\n");
  for (const auto& [id, name] : notes.tasks) {
    std::string label;
    for (const char c : name) {
      if (c == '"' || c == '\\') label += '\\';
      label += c;
    }
    const auto number = static_cast<unsigned long long>(id);
    fprintf(output, "\"t%llu\" [label=\"%llu: %s\"]\n", number, number, label.c_str());
  }
  for (const auto& [before, after] : notes.dependencies) {
    if (!notes.tasks.count(before) || !notes.tasks.count(after)) continue;
    fprintf(output, "\"t%llu\" -> \"t%llu\"\n", static_cast<unsigned long long>(before),
            static_cast<unsigned long long>(after));
  }
  fprintf(output, "}\n");
}

}  // extern "C"
