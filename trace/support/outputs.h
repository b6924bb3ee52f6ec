// SPDX-License-Identifier: Apache-2.0
// Named outputs that appear whole or not at all: files of a folder, or strings in a test.
//
// Life cycle: Open() any number of names, Append() to each, Close() each, then Commit(). Until
// Commit() nothing is visible under its final name; a set that was not committed leaves nothing
// behind, even when the process is killed. Errors of Append() are kept and reported by Close(), so
// writers need no check after every line.
//
// Threads: Open() and OpenFolder() from any; each OutputFile from one at a time; Commit() after all
// others.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "trace/support/status.h"

namespace tasklens {

class OutputFile {
 public:
  virtual ~OutputFile() = default;
  virtual void Append(std::string_view text) = 0;
  // The first error since Open(), with the file's name. Called once.
  virtual Status Close() = 0;
};

class Outputs {
 public:
  virtual ~Outputs() = default;
  // `name` is a plain file name ("paje.trace"), never a path. The file lives as long as this.
  virtual Result<OutputFile*> Open(const std::string& name) = 0;
  // Returns the path of an empty folder, for formats whose library writes its files itself.
  // Commit() renames it to `name`. If such a folder exists, files with the same names are replaced
  // and others stay. (Until Commit() the files have temporary names; for those of a killed process,
  // see DirectoryOutputs().)
  virtual Result<std::string> OpenFolder(const std::string& name) = 0;
  // Makes everything visible. REQUIRES: every file was closed without error.
  virtual Status Commit() = 0;
};

// Files in `directory`, which is created (with its parents) if missing. The files have no names
// until Commit(), which replaces older files. If the file system does not support files without
// names (or `nameless` is false), they are called .NAME.PROCESS.NUMBER.part until then and are
// locked; the next Open() in that folder removes those that a killed process left. A link is
// followed. Bytes for a device or a pipe are written at once, and it is not replaced.
std::unique_ptr<Outputs> DirectoryOutputs(std::string directory, bool nameless = true);

// Keeps every output as a string. After Commit(), the name of a file of a folder is "FOLDER/FILE".
class MemoryOutputs : public Outputs {
 public:
  ~MemoryOutputs() override;
  Result<OutputFile*> Open(const std::string& name) override;
  Result<std::string> OpenFolder(const std::string& name) override;
  Status Commit() override;
  // The text of `name`, or "" if it was never opened.
  const std::string& Text(const std::string& name) const;
  std::vector<std::string> Names() const;

 private:
  class File;
  std::mutex mutex_;  // guards the following members during Open() and OpenFolder()
  std::map<std::string, std::string> texts_;
  std::vector<std::unique_ptr<OutputFile>> files_;
  std::map<std::string, std::string> folders_;  // their paths until Commit()
};

}  // namespace tasklens
