// SPDX-License-Identifier: Apache-2.0
// The command line of starpu_fxt_tool.
#include "server/command_line/starpu_fxt_tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "server/command_line/command.h"
#include "server/command_line/convert.h"
#include "server/version.h"
#include "trace/support/words.h"

namespace tasklens {
namespace {

struct Flag {
  std::string_view word;
  std::string_view key;  // in WriteOptions; "": the parser handles the flag
  std::string_view text;
};

constexpr Flag kFlags[] = {
    {"-c", "colors", "give each task name its own colour"},
    {"-no-events", "no-events", "leave out events"},
    {"-no-counter", "no-counter", "leave out the counters of submitted and ready tasks"},
    {"-no-bus", "no-bus", "leave out transfers and memory states"},
    {"-no-flops", "no-flops", "leave out the GFlop/s"},
    {"-no-smooth", "no-smooth", "do not count a short gap before a task with the task"},
    {"-no-acquire", "no-acquire", "hide data acquisitions in the graph"},
    {"-internal", "internal", "show the runtime's own tasks in the graph"},
    {"-label-deps", "label-deps", "label the edges of the graph"},
    {"-memory-states", "memory-states", "show what happens to each piece of data"},
    {"-number-events", "", "count the events by their code"},
    {"-use-task-color", "use-task-color", "colour contexts by the task's colour as well"},
    {"-show-workers", "show-workers", "show the workers in the graph, in a box"},
    {"-iter-clusters", "iter-clusters", "frame the tasks of each iteration in the graph"},
};

constexpr const char* kFlagsVariable = "STARPU_GENERATE_TRACE_OPTIONS";

const Flag* FindFlag(std::string_view word) {
  const auto* flag = std::find_if(std::begin(kFlags), std::end(kFlags),
                                  [&](const Flag& row) { return row.word == word; });
  return flag == std::end(kFlags) ? nullptr : flag;
}

void Apply(const Flag& flag, FxtToolRequest& request) {
  if (flag.key.empty()) {
    request.number_events = true;
  } else {
    request.options.values[std::string(flag.key)].assign(1, '1');  // g++ 12 warns of = "1"
  }
}

void PrintUsage() {
  fmt::print(
      "usage: starpu_fxt_tool -i TRACE... [-d FOLDER] [-o PAJE_FILE] [flags]\n"
      "Converts traces of StarPU (FxT) and of TaskLens into paje.trace, dag.dot, tasks.rec "
      "and more.\n"
      "  -i TRACE...      one file per rank\n"
      "  -d FOLDER        folder to write to (default: the current folder)\n"
      "  -o PAJE_FILE     the Paje file, in FOLDER or below (default: paje.trace)\n");
  for (const Flag& flag : kFlags) fmt::print("  {:<16} {}\n", flag.word, flag.text);
  fmt::print(
      "  -h, -v           print this help, print the version\n"
      "Flags are also read from {}.\n",
      kFlagsVariable);
}

std::vector<const WriterSpec*> WritersFor(const FxtToolRequest& request) {
  std::vector<const WriterSpec*> writers;
  for (const WriterSpec* writer : Writers())
    if (writer->in_starpu_set || (request.number_events && writer->name == "number-events"))
      writers.push_back(writer);
  return writers;
}

}  // namespace

Result<FxtToolRequest> ParseFxtToolArguments(std::span<const std::string> arguments) {
  FxtToolRequest request;
  bool expect_inputs = false;  // words after -i are inputs until the next option
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool has_next = i + 1 < arguments.size();
    if (word == "-i" || word == "-o" || word == "-d") {
      if (!has_next) return Status(ErrorCode::kInvalidArgument, word + " needs a name");
      const std::string& name = arguments[++i];
      expect_inputs = word == "-i";
      if (word == "-i") request.inputs.push_back(name);
      if (word == "-o") request.options.values["paje-file"] = name;
      if (word == "-d") request.directory = name;
    } else if (word == "-h" || word == "--help") {
      request.help = true;
    } else if (word == "-v" || word == "--version") {
      request.version = true;
    } else if (const Flag* flag = FindFlag(word)) {
      expect_inputs = false;
      Apply(*flag, request);
    } else if (word.starts_with('-') && word != "-") {
      return Status(ErrorCode::kInvalidArgument, "unknown option '" + word + "'; -h lists them");
    } else if (expect_inputs) {
      request.inputs.push_back(word);
    } else {
      return Status(ErrorCode::kInvalidArgument,
                    "'" + word + "' is not an option; name inputs after -i");
    }
  }
  if (request.inputs.empty() && !request.help && !request.version)
    return Status(ErrorCode::kInvalidArgument, "no trace is named; use -i TRACE");
  return request;
}

Status ParseFxtToolFlags(std::string_view words, FxtToolRequest& request) {
  for (std::string_view word = TakeWord(words); !word.empty(); word = TakeWord(words)) {
    const Flag* flag = FindFlag(word);
    if (flag == nullptr)
      return {ErrorCode::kInvalidArgument,
              fmt::format("'{}' is not a flag of the converter", word)};
    Apply(*flag, request);
  }
  return Status::Ok();
}

int StarpuFxtTool(std::span<const std::string> arguments) {
  Result<FxtToolRequest> request = ParseFxtToolArguments(arguments);
  if (!request.ok()) return Fail(request.status());
  if (const char* flags = std::getenv(kFlagsVariable)) {
    if (Status s = ParseFxtToolFlags(flags, *request); !s.ok())
      return Fail(s.WithPrefix(kFlagsVariable));
  }
  if (request->help) {
    PrintUsage();
    return kExitDone;
  }
  if (request->version) {
    fmt::print("starpu_fxt_tool (TaskLens) {}\n", kVersion);
    return kExitDone;
  }
  return ConvertTraces({std::move(request->inputs), WritersFor(*request),
                        std::move(request->options), std::move(request->directory)});
}

}  // namespace tasklens
