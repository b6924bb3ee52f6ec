// SPDX-License-Identifier: Apache-2.0
// Looks at $TASKLENS_ROOT, then above the program itself.
#include "server/session/home.h"

#include <cstdlib>
#include <filesystem>

namespace tasklens {

namespace fs = std::filesystem;

Result<Home> FindHome() {
  if (const char* root = std::getenv("TASKLENS_ROOT"); root != nullptr && *root != '\0') {
    const std::string tree = root;
    const std::string bin = tree + "/bazel-bin";
    return Home{tree, tree + "/runtime/include", bin + "/runtime", bin + "/examples"};
  }
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  while (!error && folder.has_relative_path()) {
    folder = folder.parent_path();
    const std::string prefix = folder.string(), include_dir = folder / "include/tasklens";
    if (fs::exists(include_dir + "/starpu.h", error))
      return Home{prefix, include_dir, prefix + "/lib/tasklens",
                  prefix + "/libexec/tasklens/examples"};
  }
  return Status(ErrorCode::kNotFound,
                "the runtime's headers were not found beside the program; start it through the "
                "script ./tasklens, or set TASKLENS_ROOT to the source tree");
}

}  // namespace tasklens
