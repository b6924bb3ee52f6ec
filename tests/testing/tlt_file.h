// SPDX-License-Identifier: Apache-2.0
// .tlt files for tests: recorded by the real writer, read back by the real reader.
#pragma once

#include <functional>
#include <string>

#include "tests/testing/event_log.h"
#include "trace/format/reader.h"
#include "trace/format/writer.h"
#include "trace/support/diagnostics.h"

namespace tasklens::testing {

// A folder of its own for the life of this, below the test's temporary folder.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// All bytes of a file. Aborts when it cannot be read.
std::string FileBytes(const std::string& path);

// The bytes of a trace in which `record` recorded on this thread. `options.path` is ignored.
using RecordFunction = std::function<void(tlt::Writer&, tlt::ThreadBuffer&)>;
std::string RecordedBytes(const RecordFunction& record, tlt::WriterOptions options = {});

// What the reader makes of some bytes.
struct ReadBack {
  Status status;
  EventLog log;
  Diagnostics diags;
  // Lines of the events that were recorded, without the header's wall_clock and program_info.
  std::vector<std::string> Recorded() const;
};
ReadBack ReadTlt(const std::string& bytes, double share = 1);
// Reads the file as it is now; that somebody records it is known by its path.
ReadBack ReadTltFile(const std::string& path);

}  // namespace tasklens::testing
