// SPDX-License-Identifier: Apache-2.0
// Writes the files of all folders, then commits one folder after the other.
#include "server/command_line/whole_files.h"

#include <memory>

#include "trace/support/outputs.h"

namespace tasklens {

Status WriteWholeFiles(const std::map<std::string, std::string>& texts) {
  std::map<std::string, std::unique_ptr<Outputs>> folders;
  for (const auto& [path, text] : texts) {
    const size_t slash = path.rfind('/');
    const std::string folder = slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
    std::unique_ptr<Outputs>& outputs = folders[folder];
    if (!outputs) outputs = DirectoryOutputs(folder);
    const auto file = outputs->Open(slash == path.npos ? path : path.substr(slash + 1));
    if (!file.ok()) return file.status();
    (*file)->Append(text);
    if (Status s = (*file)->Close(); !s.ok()) return s;
  }
  for (auto& [folder, outputs] : folders)
    if (Status s = outputs->Commit(); !s.ok()) return s;
  return Status::Ok();
}

}  // namespace tasklens
