// SPDX-License-Identifier: Apache-2.0
// Which submission site of one run is which of another, between which sources were edited or stand
// elsewhere.
//
// Files are the same that have the same path; of the others those of one name, where both runs have
// one of it. The sites of a file are aligned in the order of their lines so that as many as can be
// have the same codelets, and of these as many as can be the same function and line; what is left
// over on the same line is one site as well. Lines that traded places are not found: one of them
// then stands for itself in each run.
//
// Pure; any thread. O(tasks + sites log sites), and for each file its sites before times after; a
// file with more than kMostAligned squared such pairs is matched by line.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "analysis/stop.h"
#include "trace/model/trace_model.h"

namespace tasklens {

inline constexpr uint64_t kMostAligned = 2000;

// From the label of a site before (StatisticsLabel(), "chol.c:102") to that of the same site after.
// Sites that one run alone has are not in it.
std::map<std::string, std::string> MatchSites(const TraceModel& before, const TraceModel& after,
                                              Stop stop = nullptr);

}  // namespace tasklens
