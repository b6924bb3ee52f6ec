// SPDX-License-Identifier: Apache-2.0
// Writes a model to files, for all commands that convert traces.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "converters/formats.h"
#include "server/command_line/terminal_progress.h"

namespace tasklens {

// Returns the writers in `list`: format names separated by commas, `starpu` for the formats of
// StarPU's converter, or `all`. An unknown name is kInvalidArgument, with the nearest known name.
Result<std::vector<const WriterSpec*>> ChooseWriters(std::string_view list);

// The parts of a model (bits of ModelParts) that `writers` need; other parts can be dropped.
uint32_t PartsFor(std::span<const WriterSpec* const> writers, const WriteOptions& options);

struct WrittenFile {
  std::string name;  // within the folder
  uint64_t bytes;
};

// Writes each format into `directory` and returns the files, sorted by name. The option paje-file
// gives the Paje file another path; missing folders are created. Writes all files completely or
// none, on all cores, with progress on the terminal.
// `scratch`: the file with the columns of the model, whose pages are dropped from memory
// repeatedly; or nullptr. `since`: the start of the command, for the progress.
Result<std::vector<WrittenFile>> WriteFormats(
    const TraceModel& model, std::span<const WriterSpec* const> writers,
    const WriteOptions& options, const std::string& directory, ScratchFile* scratch = nullptr,
    TerminalProgress::Clock::time_point since = TerminalProgress::Clock::now());

struct ConvertRequest {
  std::vector<std::string> traces;
  std::vector<const WriterSpec*> writers;
  WriteOptions options;
  std::string directory;
  bool strict = false;                      // fail if the trace is incomplete
  std::vector<std::string> source_roots{};  // for FindSourceDirectory
  // What to print on standard output about the written files.
  enum class Says : uint8_t { kNothing, kText, kJson } says = Says::kNothing;
};

// Reads the trace, reports its problems, and writes the files. Relative names of source files are
// resolved below the folder that FindSourceDirectory() finds, unless the option `directory` is
// given. Returns the exit status.
int ConvertTraces(ConvertRequest request);

}  // namespace tasklens
