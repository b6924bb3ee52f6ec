// SPDX-License-Identifier: Apache-2.0
// Reads, checks and finds launch configurations.
#include "server/runs/launch_file.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "server/messages/json_reader.h"
#include "server/protocol/fields.h"
#include "server/protocol/parse_json.h"
#include "server/protocol/uri.h"
#include "server/sources/foreign_file.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxFileBytes = uintmax_t{1} << 20;

struct LaunchFile {
  uint32_t version = 0;
  std::vector<json> configurations;
  void Visit(Fields& fields) {
    fields.Required("version", version);
    fields.Required("configurations", configurations);
    if (fields.status().ok() && version != 1) fields.Fail("version", "must be 1");
  }
};

// Converts the byte offset `at` (from 1) to "line:column", from 1: "7:12".
std::string PlaceOf(const std::string& text, size_t at) {
  const std::string_view before = std::string_view(text).substr(0, at > 0 ? at - 1 : 0);
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ":" +
         std::to_string(before.size() - line_begin + 1);
}

// The part of nlohmann's message after "parse error at line 2, column 3: ".
std::string Reason(const json::parse_error& error) {
  const std::string text = error.what();
  const size_t colon = text.find("column");
  const size_t begin = colon == text.npos ? text.npos : text.find(": ", colon);
  return begin == text.npos ? text : text.substr(begin + 2);
}

// Reports member names that are not among the fields. REQUIRES: the fields have been read.
Status CheckNames(const json& object, const Fields& fields, const std::string& where) {
  const std::vector<Fields::Name>& names = fields.names();
  std::string known;
  for (const Fields::Name& field : names) known += (known.empty() ? "" : ", ") + field.name;
  for (const auto& [name, member] : object.items()) {
    const bool is_known =
        std::any_of(names.begin(), names.end(),
                    [&name = name](const Fields::Name& field) { return field.name == name; });
    if (!is_known)
      return Status(ErrorCode::kInvalidArgument,
                    where + "." + name + " is not known; there are " + known);
  }
  return Status::Ok();
}

Result<LaunchFile> ParseFile(const std::string& path, const std::string& text) {
  json root;
  bool is_too_deep = false;
  const auto look = [&](int depth, json::parse_event_t, json&) {
    is_too_deep |= depth > kMaxJsonDepth;
    return !is_too_deep;
  };
  try {
    root = json::parse(text, look, true, /*ignore_comments=*/true);
  } catch (const json::parse_error& error) {
    return Status(ErrorCode::kInvalidArgument,
                  path + ":" + PlaceOf(text, error.byte) + ": " + Reason(error));
  }
  // A deeper value could not be written again.
  if (is_too_deep)
    return Status(ErrorCode::kInvalidArgument,
                  path + ": nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
  Fields fields(root, path + ": file");
  LaunchFile file;
  file.Visit(fields);
  if (!fields.status().ok()) return fields.status();
  if (Status s = CheckNames(root, fields, path + ": file"); !s.ok()) return s;
  return file;
}

// Parses a configuration; `where` names it in messages. Unknown members are errors.
Result<LaunchConfiguration> ParseLaunch(const json& raw, const std::string& where) {
  Fields fields(raw, where);
  messages::LaunchConfiguration given;
  VisitMembers(fields, given);
  if (!fields.status().ok()) return fields.status();
  if (Status s = CheckNames(raw, fields, where); !s.ok()) return s;
  LaunchConfiguration configuration;
  SetGiven(given, configuration);
  return configuration;
}

constexpr std::string_view kSettings = "settings";

// Makes the paths of a configuration absolute. REQUIRES: it was parsed.
void ResolvePaths(const fs::path& folder, json& raw, LaunchConfiguration& configuration) {
  if (!PathOfUri(configuration.working_directory).ok())
    configuration.working_directory = (folder / configuration.working_directory).string();
  raw["workingDirectory"] = configuration.working_directory;
  if (configuration.source.empty()) return;
  raw["source"] = configuration.source = (folder / configuration.source).string();
}

// `folder`: the base for relative paths; "": they stay relative, as for a run.
void Add(LaunchConfigurations& all, const std::vector<json>& raws, const std::string& origin,
         const fs::path& folder = "") {
  std::map<std::string, std::string> origins;  // of the configurations so far, by name
  for (const NamedLaunch& launch : all.found)
    origins.emplace(launch.configuration.name, launch.origin);
  std::set<std::string> own_names;
  for (size_t i = 0; i < raws.size(); ++i) {
    const std::string where = origin + ": configurations[" + std::to_string(i) + "]";
    json raw = raws[i];
    NamedLaunch launch{.origin = origin};
    Result<LaunchConfiguration> parsed = ParseLaunch(raw, where);
    if (parsed.ok()) {
      launch.configuration = std::move(*parsed);
      std::string& name = launch.configuration.name;
      if (name.empty()) {
        launch.problem = where + ".name is missing";
      } else if (launch.configuration.program.empty()) {
        launch.problem = where + ".program is missing";
      } else if (!own_names.insert(name).second) {
        launch.problem = where + ".name is already used: " + name;
      }
      const auto earlier = origins.find(name);
      if (launch.problem.empty() && earlier != origins.end()) {
        if (earlier->second == kSettings) continue;  // hidden by a setting
        raw["name"] = name += " (" + folder.filename().string() + ")";
      }
      if (!folder.empty()) ResolvePaths(folder, raw, launch.configuration);
    } else {
      launch.problem = parsed.status().message();
      if (raw.is_object() && raw.contains("name") && raw["name"].is_string())
        launch.configuration.name = raw["name"];
    }
    if (!launch.problem.empty()) all.problems.push_back(launch.problem);
    launch.text = raw.dump();
    all.found.push_back(std::move(launch));
  }
}

// Adds the configurations in the file of `folder`.
void AddFile(LaunchConfigurations& all, const std::string& folder, bool is_first) {
  const std::string path = LaunchFilePath(folder);
  const Result<std::string> text = ReadForeignFile(path, kMaxFileBytes);
  if (text.status().code() == ErrorCode::kNotFound) return;
  if (!text.ok()) {
    all.problems.push_back(text.status().message());
  } else if (const Result<LaunchFile> parsed = ParseFile(path, *text); parsed.ok()) {
    Add(all, parsed->configurations, path, is_first ? "" : folder);
  } else {
    all.problems.push_back(parsed.status().message());
  }
}

}  // namespace

std::string LaunchFilePath(const std::string& folder) {
  return (fs::path(folder) / ".tasklens" / "launch.json").string();
}

LaunchConfigurations ReadLaunchConfigurations(const std::vector<std::string>& folders,
                                              const std::vector<std::string>& settings) {
  LaunchConfigurations all;
  std::vector<json> raws;
  for (const std::string& text : settings) raws.push_back(ParseJson(text));
  Add(all, raws, std::string(kSettings));
  for (size_t i = 0; i < folders.size(); ++i) AddFile(all, folders[i], i == 0);
  return all;
}

Result<NamedLaunch> FindLaunch(const LaunchConfigurations& configurations, std::string_view name) {
  const auto& found = configurations.found;
  const NamedLaunch* launch = nullptr;
  if (name.empty() && found.size() == 1) launch = &found[0];
  std::string known;
  for (const NamedLaunch& candidate : found) {
    const std::string& its_name = candidate.configuration.name;
    if (!name.empty() && its_name == name) {
      launch = &candidate;
      break;
    }
    known += (known.empty() ? "" : ", ") + (its_name.empty() ? "(no name)" : its_name);
  }
  if (launch && launch->problem.empty()) return *launch;
  if (launch) return Status(ErrorCode::kInvalidArgument, launch->problem);
  if (found.empty() && !configurations.problems.empty())
    return Status(ErrorCode::kInvalidArgument, configurations.problems[0]);
  if (found.empty())
    return Status(ErrorCode::kNotFound,
                  (name.empty() ? "no program is given, and there is no launch configuration"
                                : "no launch configuration is called '" + std::string(name) +
                                      "', and there is none at all") +
                      "; write one into .tasklens/launch.json");
  return Status(
      ErrorCode::kNotFound,
      name.empty()
          ? "no program is given; name one of the launch configurations: " + known
          : "no launch configuration is called '" + std::string(name) + "'; there are: " + known);
}

namespace {

// Calls `visit` for each member of the message and of the configuration.
template <class Message, class Configuration, class Visit>
void ForEachMember(Message& message, Configuration& c, const Visit& visit) {
  visit(message.name, c.name);
  visit(message.program, c.program);
  visit(message.arguments, c.arguments);
  visit(message.environment, c.environment);
  visit(message.working_directory, c.working_directory);
  visit(message.cpus, c.cpus);
  visit(message.gpus, c.gpus);
  visit(message.scheduler, c.scheduler);
  visit(message.calibrate, c.calibrate);
  visit(message.build, c.build);
  visit(message.launcher, c.launcher);
  visit(message.runtime, c.runtime);
  visit(message.source, c.source);
  visit(message.keep_running, c.keep_running);
}

bool IsGiven(uint32_t count) { return count != LaunchConfiguration::kDefault; }
bool IsGiven(bool value) { return value; }
template <class Values>
bool IsGiven(const Values& values) {
  return !values.empty();
}

}  // namespace

void SetGiven(const messages::LaunchConfiguration& given, LaunchConfiguration& c) {
  ForEachMember(given, c, [](const auto& value, auto& member) {
    if (value) member = *value;
  });
}

messages::LaunchConfiguration LaunchMessage(const LaunchConfiguration& c) {
  messages::LaunchConfiguration message;
  ForEachMember(message, c, [](auto& value, const auto& member) {
    if (IsGiven(member)) value = member;
  });
  return message;
}

json LaunchJson(const LaunchConfiguration& configuration) {
  json out;
  Write(LaunchMessage(configuration), out);
  return out;
}

std::map<std::string, std::string> LaunchVariables(const LaunchConfiguration& c) {
  std::map<std::string, std::string> variables;
  if (c.cpus != LaunchConfiguration::kDefault) variables["STARPU_NCPU"] = std::to_string(c.cpus);
  if (c.gpus != LaunchConfiguration::kDefault) {
    // A machine has GPUs of one maker. OpenCL would count the same GPUs again.
    variables["STARPU_NCUDA"] = variables["STARPU_NHIP"] = std::to_string(c.gpus);
    variables["STARPU_NOPENCL"] = "0";
  }
  if (!c.scheduler.empty()) variables["STARPU_SCHED"] = c.scheduler;
  if (c.calibrate) variables["STARPU_CALIBRATE"] = "1";
  return variables;
}

}  // namespace tasklens
