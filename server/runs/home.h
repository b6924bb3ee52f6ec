// SPDX-License-Identifier: Apache-2.0
// Where the parts of TaskLens lie that the program hands to others: headers, library, examples.
//
// Two layouts: a source tree ($TASKLENS_ROOT, which the script ./tasklens sets; results of the
// build in bazel-bin), or an installation, where the program lies in PREFIX/bin, or is run by a
// loader in PREFIX/lib/tasklens/program.
#pragma once

#include <string>

#include "trace/support/status.h"

namespace tasklens {

struct Home {
  std::string root;         // the source tree, or PREFIX
  std::string include_dir;  // holds starpu.h
  std::string library_dir;  // holds libstarpu.so
  std::string example_dir;  // holds the example programs
  std::string starpu_dir;   // a prefix of StarPU's shape; "" in a source tree
};

// Fails with kNotFound when neither layout is there.
Result<Home> FindHome();

}  // namespace tasklens
