// SPDX-License-Identifier: Apache-2.0
// A model into files, for every command that writes some.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "converters/formats.h"
#include "server/command_line/terminal_progress.h"

namespace tasklens {

// The writers that `list` names: format names separated by commas, `starpu` for what StarPU's
// converter writes, `all`. Unknown names are kInvalidArgument, with the nearest known one.
Result<std::vector<const WriterSpec*>> ChooseWriters(std::string_view list);

// The parts of a model (bits of ModelParts) that `writers` read: all that need be kept.
uint32_t PartsFor(std::span<const WriterSpec* const> writers, const WriteOptions& options);

struct WrittenFile {
  std::string name;  // within the folder
  uint64_t bytes;
};

// Writes each format into `directory` (a Paje file where the option paje-file says, from there, in
// folders that are made when missing), all of them whole or none at all, on all cores, with
// progress on the terminal. `scratch`: where columns of the model lie, to be forgotten again and
// again; or nullptr. `since`: when the command began, for the progress.
// Returns what it wrote, by name.
Result<std::vector<WrittenFile>> WriteFormats(
    const TraceModel& model, std::span<const WriterSpec* const> writers,
    const WriteOptions& options, const std::string& directory, ScratchFile* scratch = nullptr,
    TerminalProgress::Clock::time_point since = TerminalProgress::Clock::now());

struct ConvertRequest {
  std::vector<std::string> traces;
  std::vector<const WriterSpec*> writers;
  WriteOptions options;
  std::string directory;
  bool strict = false;                      // fail when something of the trace is missing
  std::vector<std::string> source_roots{};  // for FindSourceDirectory
  // Whether standard output says what was written.
  enum class Says : uint8_t { kNothing, kText, kJson } says = Says::kNothing;
};

// Reads, reports, writes. Relative names of source files are taken from the folder where the
// sources are, if it can be found (see FindSourceDirectory). Returns the exit status.
int ConvertTraces(ConvertRequest request);

}  // namespace tasklens
