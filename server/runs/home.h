// SPDX-License-Identifier: Apache-2.0
// Locates the parts of TaskLens that programs need: headers, library, examples.
//
// There are two layouts: a source tree ($TASKLENS_ROOT, set by the script ./tasklens; build results
// in bazel-bin), or an installation, where the executable is in PREFIX/bin, or is run by a loader
// in PREFIX/lib/tasklens/program.
#pragma once

#include <string>

#include "trace/support/status.h"

namespace tasklens {

struct Home {
  std::string root;         // the source tree, or PREFIX
  std::string include_dir;  // holds starpu.h
  std::string library_dir;  // holds libstarpu.so
  std::string example_dir;  // holds the example programs
  std::string starpu_dir;   // an installation prefix laid out like StarPU's; "" in a source tree
};

// Fails with kNotFound if neither layout is found.
Result<Home> FindHome();

}  // namespace tasklens
