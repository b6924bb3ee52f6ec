// SPDX-License-Identifier: Apache-2.0
// Reports on each submission site and each codelet, for the hovers, hints and call hierarchies of
// editors.
//
// Pure; any thread; stops early (stop.h). O(n log n) time for n tasks, O(dependencies) besides.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/statistics.h"
#include "analysis/stop.h"
#include "trace/model/trace_model.h"

namespace tasklens {

// A group of tasks: those of one submission line, or of one name.
struct SiteReport {
  // The tasks of one codelet on one kind of worker.
  struct Part {
    StringId name;
    WorkerArch arch;
    uint64_t ran = 0;
    int64_t total_ns = 0, min_ns = 0, max_ns = 0;
    int64_t MeanNs() const { return ran ? total_ns / static_cast<int64_t>(ran) : 0; }
  };
  // Another site, and the dependencies between its tasks and this group's.
  struct Neighbour {
    uint32_t site;
    uint64_t dependencies;
  };

  uint64_t tasks = 0;         // of the group
  uint32_t workers = 0;       // number of workers that ran them
  DurationSummary durations;  // of those that ran
  EstimateSummary estimates;
  double flops = 0;
  int64_t flops_ns = 0;
  int64_t waiting_ns = 0;                     // from ready to start, all tasks together
  uint64_t waited = 0;                        // tasks with both times known
  uint64_t size_bytes = 0;                    // of the data of all tasks
  std::vector<Part> parts;                    // the costliest first
  std::vector<Neighbour> feeds_it, it_feeds;  // of sites: the most dependencies first
};

// By row of model.sites. Sites without tasks have empty reports.
std::vector<SiteReport> ReportSites(const TraceModel& model, Stop stop = nullptr);

struct CodeletReport {
  StringId name;
  SiteReport report;
};
// The costliest first.
std::vector<CodeletReport> ReportCodelets(const TraceModel& model, Stop stop = nullptr);

}  // namespace tasklens
