// SPDX-License-Identifier: Apache-2.0
// The one place where an open trace is put together: of a model that was read, or that a test made.
//
// Any thread. Slow, as it looks for the sources.
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
  std::vector<std::string> paths = {};  // of its files; empty: of a model that was in none
  Diagnostics diagnostics = {};
  // See SaveViews(); empty: they are made.
  std::span<const std::byte> saved_views = {};
  SourceRoots roots = {};
  std::string directory = {};  // where the program ran; "" as the trace says
  bool may_run_git = true;
};

// All of an open trace but its id, how much of its files was read, and what is found out later.
std::shared_ptr<OpenTrace> MakeOpenTrace(TraceParts parts);

}  // namespace tasklens
