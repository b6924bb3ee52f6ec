// SPDX-License-Identifier: Apache-2.0
// Checks $TASKLENS_ROOT, then the two places of the executable in an installation.
#include "server/runs/home.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace tasklens {

namespace fs = std::filesystem;

Result<Home> FindHome() {
  if (const char* root = std::getenv("TASKLENS_ROOT"); root != nullptr && *root != '\0') {
    const std::string tree = root;
    const std::string bin = tree + "/bazel-bin";
    return Home{tree, tree + "/runtime/include", bin + "/runtime", bin + "/examples", ""};
  }
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  // Only these places: an installation in a folder above a source tree does not belong to that
  // tree.
  for (const std::string_view place : {"bin", "lib/tasklens/program"}) {
    if (error || !folder.string().ends_with("/" + std::string(place))) continue;
    const std::string prefix = folder.string().substr(0, folder.string().size() - place.size() - 1);
    const std::string include_dir = prefix + "/include/tasklens";
    if (fs::exists(include_dir + "/starpu.h", error))
      return Home{prefix, include_dir, prefix + "/lib/tasklens",
                  prefix + "/libexec/tasklens/examples", prefix + "/lib/tasklens/starpu"};
  }
  return Status(ErrorCode::kNotFound,
                "the runtime's headers were not found beside the program; start it through the "
                "script ./tasklens, or set TASKLENS_ROOT to the source tree");
}

}  // namespace tasklens
