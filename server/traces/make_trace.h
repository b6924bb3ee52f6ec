// SPDX-License-Identifier: Apache-2.0
// Builds an open trace from a model, which was read from files or made by a test.
//
// Threads: any. Slow, because it looks for the sources.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/traces/open_trace.h"

namespace tasklens {

struct TraceParts {
  TraceModel model = {};
  std::vector<std::string> paths = {};  // the files of the model; empty: it was not read from files
  Diagnostics diagnostics = {};
  // As written by SaveViews(); empty: the views are made.
  std::span<const std::byte> saved_views = {};
  SourceRoots roots = {};
  std::string directory = {};  // where the program ran; "": as the trace says
  bool may_run_git = true;
};

// Sets all members of an open trace but its id, the share of its files that was read, and what is
// computed later.
std::shared_ptr<OpenTrace> MakeOpenTrace(TraceParts parts);

}  // namespace tasklens
