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
  // The path of an empty folder, for formats whose library writes its files itself; Commit() makes
  // it the folder `name`. Of an older folder of that name, files with the same names are replaced
  // and others stay. (Its files have names meanwhile: those of a killed process go as below.)
  virtual Result<std::string> OpenFolder(const std::string& name) = 0;
  // Makes everything visible. REQUIRES: every file was closed without error.
  virtual Status Commit() = 0;
};

// Files in `directory`, which is created (with its parents) when missing. They have no names until
// Commit() gives them theirs, replacing older files. Where the file system knows no such files (or
// `nameless` is false) they are called .NAME.PROCESS.NUMBER.part until then and locked; those that
// a killed process left there go with the next Open() in that folder. A link is followed; to a
// device or a pipe the bytes go at once, and it stays what it is.
std::unique_ptr<Outputs> DirectoryOutputs(std::string directory, bool nameless = true);

// Keeps every output as a string; a file of a folder, from Commit() on, as "FOLDER/FILE".
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
  std::mutex mutex_;  // guards what follows during Open() and OpenFolder()
  std::map<std::string, std::string> texts_;
  std::vector<std::unique_ptr<OutputFile>> files_;
  std::map<std::string, std::string> folders_;  // where they lie meanwhile
};

}  // namespace tasklens
