// SPDX-License-Identifier: Apache-2.0
// tasklens/run: runs a program traced, streams its output, and opens the trace that it left.
//
// Programs run only here, on an explicit request, with exactly the arguments that were given; no
// shell is involved. See guarded_process.h for why none outlives the server.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analysis/text.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/protocol/uri.h"
#include "server/session/traced_run.h"

extern char** environ;

namespace tasklens {
namespace {

namespace fs = std::filesystem;

// Output that the client has not taken yet may grow up to this; what comes then is left out, so
// that a slow editor does not slow down the program that is measured.
constexpr size_t kMaxUnreadBytes = size_t{4} << 20;

struct Params {
  std::string program, directory;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  void Visit(Fields& fields) {
    fields.Required("program", program);
    fields.Optional("arguments", arguments);
    fields.Optional("environment", environment);
    fields.Optional("workingDirectory", directory);
  }
};

std::string CacheFolder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && cache[0] == '/')
    return std::string(cache) + "/tasklens";
  if (const char* home = std::getenv("HOME"); home && home[0] == '/')
    return std::string(home) + "/.cache/tasklens";
  return "/tmp/tasklens-" + std::to_string(getuid());
}

// A folder for the traces of one run: in the workspace, where version control does not see it,
// else in the user's cache.
Result<std::string> MakeRunDirectory(const std::string& workspace, const std::string& program) {
  if (!workspace.empty()) {
    const fs::path ours = fs::path(workspace) / ".tasklens";
    Result<std::string> made = NewRunDirectory((ours / "runs").string(), program);
    if (made.ok()) {
      if (!fs::exists(ours / ".gitignore")) std::ofstream(ours / ".gitignore") << "*\n";
      return made;
    }
  }
  return NewRunDirectory(CacheFolder() + "/runs", program);
}

// The server's own environment, changed by the request's, and by what makes a program record.
std::map<std::string, std::string> EnvironmentOf(const Params& params) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      variables[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : params.environment) variables[name] = value;
  return variables;
}

// A run from its start to the answer.
class TracedRun : public std::enable_shared_from_this<TracedRun> {
 public:
  TracedRun(Host& host, std::shared_ptr<Call> call) : host_(host), call_(std::move(call)) {}

  void Start(const Params& params) {
    Result<Launch> launch = Prepare(params);
    if (!launch.ok()) return call_->Answer(launch.status());
    const auto self = shared_from_this();
    progress_ = host_.Begin(call_, "Running " + name_, true);
    const Result<std::string> id = host_.runs().Start(
        *launch,
        [self](Runs::Stream stream, std::string_view text) { self->OnOutput(stream, text); },
        [self](const ProcessEnd& end) { self->OnEnd(end); });
    if (!id.ok()) return call_->Answer(id.status());
    id_ = *id;
    call_->OnCancel([self] {
      // Not there any more: its trace is being read, and will be dropped.
      if (!self->host_.runs().Stop(self->id_).ok())
        self->call_->Answer(Status(ErrorCode::kCancelled, "cancelled"));
    });
  }

 private:
  Result<Launch> Prepare(const Params& params) {
    const std::string& workspace = host_.client().workspace_folder;
    Launch launch;
    launch.directory = workspace.empty() ? fs::current_path().string() : workspace;
    if (!params.directory.empty()) {
      // Relative to the workspace, or a URI.
      const Result<std::string> path = PathOfUri(params.directory);
      launch.directory =
          path.ok() ? *path : (fs::path(launch.directory) / params.directory).string();
    }
    std::error_code error;
    if (!fs::is_directory(launch.directory, error))
      return Status(ErrorCode::kNotFound, launch.directory + ": no such folder to run in");
    std::map<std::string, std::string> variables = EnvironmentOf(params);
    Result<std::string> program = FindProgram(params.program, launch.directory, variables["PATH"]);
    if (!program.ok()) return program.status();
    launch.program = *program;
    launch.arguments = params.arguments;
    name_ = fs::path(*program).filename().string();
    Result<std::string> traces = MakeRunDirectory(workspace, *program);
    if (!traces.ok()) return traces.status();
    trace_directory_ = *traces;
    for (const auto& [key, value] : TracedEnvironment(trace_directory_)) variables[key] = value;
    for (const auto& [key, value] : variables) {
      if (key.empty() || (key + value).find('\0') != std::string::npos || key.find('=') != key.npos)
        return Status(ErrorCode::kInvalidArgument, "not the name of a variable: \"" + key + "\"");
      launch.environment.push_back(key + "=" + value);
    }
    run_directory_ = launch.directory;
    return launch;
  }

  void OnOutput(Runs::Stream stream, std::string_view text) {
    if (host_.UnreadBytes() > kMaxUnreadBytes) {
      left_out_bytes_ += text.size();
      return;
    }
    SayWhatWasLeftOut();
    Say(stream == Runs::Stream::kOut ? "stdout" : "stderr", std::string(text));
  }

  void SayWhatWasLeftOut() {
    if (left_out_bytes_ == 0) return;
    Say("stderr", "[tasklens: " + CountText(left_out_bytes_) +
                      " bytes of output left out; the editor reads too slowly]\n");
    left_out_bytes_ = 0;
  }

  void Say(std::string_view stream, std::string text) {
    host_.NotifyOurs("tasklens/runOutput",
                     {{"run", id_}, {"stream", stream}, {"text", std::move(text)}});
  }

  void OnEnd(const ProcessEnd& end) {
    SayWhatWasLeftOut();
    end_ = end;
    if (end.exec_errno != 0) {
      RemoveIfEmpty(trace_directory_);
      return Refuse(Status(ErrorCode::kIo, name_ + " " + Describe(end)));
    }
    if (call_->IsCancelled()) {
      RemoveIfEmpty(trace_directory_);
      return Refuse(Status(ErrorCode::kCancelled, "cancelled; " + name_ + " " + Describe(end)));
    }
    const Result<std::vector<std::string>> traces = FindTraces(trace_directory_);
    if (!traces.ok()) {
      RemoveIfEmpty(trace_directory_);
      return Finish(nullptr, traces.status().message());
    }
    progress_->Report("reading its trace");
    host_.Load(call_, progress_, *traces, run_directory_,
               [self = shared_from_this()](const Result<std::shared_ptr<const OpenTrace>>& trace) {
                 if (trace.ok()) self->KeepSources(**trace);
                 self->Finish(trace.ok() ? *trace : nullptr, trace.status().message());
               });
  }

  // So that lines are found again in later sessions, however the files were edited meanwhile.
  void KeepSources(const OpenTrace& trace) {
    if (Status s = SaveTracedTexts(*trace.texts, trace_directory_); !s.ok())
      host_.ShowMessage(Host::MessageType::kWarning, s.message());
  }

  void Refuse(const Status& status) {
    progress_.reset();
    host_.ShowMessage(Host::MessageType::kError, status.message());
    call_->Answer(status);
  }

  // `problem`: why there is no trace.
  void Finish(const std::shared_ptr<const OpenTrace>& trace, const std::string& problem) {
    progress_.reset();
    const std::string message = Sentence(trace.get(), problem);
    const bool is_good = trace && end_.exit_status == 0 && end_.left_behind == 0;
    host_.ShowMessage(is_good ? Host::MessageType::kInfo : Host::MessageType::kWarning, message);
    call_->Answer(json{
        {"run", id_},
        {"exitStatus", end_.exit_status >= 0 ? json(end_.exit_status) : json()},
        {"signal", end_.signal > 0 ? json(end_.signal) : json()},
        {"leftBehind", end_.left_behind},
        {"directory", trace_directory_},
        {"trace", trace ? json(trace->id) : json()},
        {"contents", trace ? TraceJson(*trace) : json()},
        {"message", message},
    });
  }

  std::string Sentence(const OpenTrace* trace, const std::string& problem) const {
    std::string text = name_ + " " + Describe(end_);
    if (trace) {
      text += "; its trace has " + CountText(trace->summary.tasks) + " tasks on " +
              CountText(trace->summary.workers) + " workers in " +
              DurationText(trace->summary.span_ns);
    } else {
      text += "; " + problem;
    }
    if (end_.left_behind > 0)
      text += "; " + std::to_string(end_.left_behind) +
              (end_.left_behind == 1 ? " process that it left behind was ended"
                                     : " processes that it left behind were ended");
    return text;
  }

  Host& host_;
  const std::shared_ptr<Call> call_;
  std::string id_, name_, trace_directory_, run_directory_;
  std::shared_ptr<WorkProgress> progress_;
  ProcessEnd end_;
  size_t left_out_bytes_ = 0;
};

void Run(Host& host, const Params& params, const std::shared_ptr<Call>& call) {
  std::make_shared<TracedRun>(host, call)->Start(params);
}

}  // namespace

extern const ActionSpec kRunAction;
const ActionSpec kRunAction = Action<&Run>("tasklens/run");

}  // namespace tasklens
