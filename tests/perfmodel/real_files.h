// SPDX-License-Identifier: Apache-2.0
// StarPU's own files of perfmodels, for tests (tests/data/perfmodels).
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace tasklens::testing {

inline const std::string kPerfmodels = "tests/data/perfmodels/";

inline std::string FileText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) ADD_FAILURE() << path << " is not there";
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Path to text, of those that Debian's starpu-examples publishes.
inline std::map<std::string, std::string> PublishedFiles() {
  std::map<std::string, std::string> files;
  std::istringstream all(FileText(kPerfmodels + "published.txt"));
  std::string* text = nullptr;
  for (std::string line; std::getline(all, line);) {
    if (line.starts_with("=== ")) {
      text = &files[line.substr(4)];
    } else {
      *text += line + "\n";
    }
  }
  return files;
}

// All that lie below `folder` of the data.
inline std::map<std::string, std::string> FilesBelow(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kPerfmodels + folder))
    if (!entry.is_directory()) files[entry.path().string()] = FileText(entry.path().string());
  return files;
}

// Models and files of buses of three generations of StarPU.
inline std::map<std::string, std::string> AllFiles() {
  std::map<std::string, std::string> files = PublishedFiles();
  files.merge(FilesBelow("sampling"));
  files.merge(FilesBelow("sampling_1_3"));
  return files;
}

}  // namespace tasklens::testing
