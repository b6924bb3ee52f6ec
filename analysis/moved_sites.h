// SPDX-License-Identifier: Apache-2.0
// Matches the submission sites of two runs whose sources were edited or moved in between.
//
// Files match if they have the same path; of the others, files of one name match if each run has
// one of that name. The sites of a file are aligned in the order of their lines so that the most of
// them have the same codelets, and among such alignments the most have the same function and line;
// remaining sites on the same line match as well. Lines that were swapped are not detected: one of
// them then remains unmatched in each run.
//
// Pure; any thread. O(tasks + sites log sites), and for each file the product of its sites before
// and after; a file with more than kMostAligned squared such pairs is matched by line.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "analysis/stop.h"
#include "trace/model/trace_model.h"

namespace tasklens {

inline constexpr uint64_t kMostAligned = 2000;

// Maps the label of a site before (StatisticsLabel(), "chol.c:102") to that of the same site after.
// Sites that exist in only one run are left out.
std::map<std::string, std::string> MatchSites(const TraceModel& before, const TraceModel& after,
                                              Stop stop = nullptr);

}  // namespace tasklens
