// SPDX-License-Identifier: Apache-2.0
// tasklens/run: builds and runs a program traced, streams its output, and opens its trace.
//
// Programs run only here, on an explicit request, with exactly the arguments that were given; no
// shell is involved. See guarded_process.h for why none outlives the server.
#include <QTimer>
#include <algorithm>
#include <chrono>
#include <filesystem>

#include "analysis/text.h"
#include "server/handlers/client_uri.h"
#include "server/handlers/handlers.h"
#include "server/handlers/kept_run_list.h"
#include "server/handlers/request.h"
#include "server/protocol/uri.h"
#include "server/runs/kept_runs.h"
#include "server/runs/launch_file.h"
#include "server/runs/linked_starpu.h"
#include "server/runs/runtimes.h"
#include "server/runs/traced_run.h"
#include "server/sources/output_links.h"
#include "server/traces/earlier_run.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

// The limit of output that the client has not read yet. Output beyond it is dropped, so that a slow
// editor does not slow down the program that is being measured.
constexpr size_t kMaxUnreadBytes = size_t{4} << 20;
// The time to wait for the end of a line, so that source locations in it can be found.
constexpr int kLineMs = 100;
constexpr size_t kMaxWaitingBytes = 4096;
// srun takes up to 32 seconds with the default of Slurm's KillWait.
constexpr int kLauncherPatienceS = 40;
constexpr size_t kMaxQuotedBytes = 300;  // of the last line that a program wrote

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The configuration that the request names, with the members in the request overriding it.
Result<LaunchConfiguration> ChooseLaunch(const Session& session,
                                         const messages::RunParams& params) {
  LaunchConfiguration launch;
  if (!params.configuration.empty() || params.program.value_or("").empty()) {
    const LaunchConfigurations known =
        ReadLaunchConfigurations(session.workspace_folders, session.settings->configurations);
    const Result<NamedLaunch> found = FindLaunch(known, params.configuration);
    if (!found.ok()) return found.status();
    launch = found->configuration;
  }
  SetGiven(params, launch);
  return launch;
}

// The server's environment, overridden by that of the configuration.
std::map<std::string, std::string> EnvironmentOf(const LaunchConfiguration& launch) {
  std::map<std::string, std::string> variables = OwnEnvironment();
  for (const auto& [name, value] : LaunchVariables(launch)) variables[name] = value;
  for (const auto& [name, value] : launch.environment) variables[name] = value;
  return variables;
}

Result<std::vector<std::string>> EnvironmentBlock(const std::map<std::string, std::string>& all) {
  std::vector<std::string> block;
  for (const auto& [key, value] : all) {
    if (key.empty() || (key + value).find('\0') != std::string::npos || key.find('=') != key.npos)
      return Status(ErrorCode::kInvalidArgument,
                    "not the name of an environment variable: \"" + key + "\"");
    block.push_back(key + "=" + value);
  }
  return block;
}

// Sets the variables that lead a build and a program to the runtime that the configuration names.
Status UseRuntime(const std::string& kind, std::map<std::string, std::string>& variables) {
  if (kind.empty()) return Status::Ok();
  for (const RuntimeChoice& runtime : FindRuntimes(variables)) {
    if (runtime.kind != kind) continue;
    if (!runtime.problem.empty()) return Status(ErrorCode::kUnsupported, runtime.problem);
    // The names that configure scripts use.
    variables["STARPU_CFLAGS"] = runtime.compile_flags;
    variables["STARPU_LIBS"] = runtime.link_flags;
    std::string& path = variables["LD_LIBRARY_PATH"];
    path = runtime.library_directory + (path.empty() ? "" : ":" + path);
    return Status::Ok();
  }
  return Status(ErrorCode::kInternal, "there is no runtime " + kind);
}

// A run from its start to its answer: the build, the program, its trace.
class TracedRun : public std::enable_shared_from_this<TracedRun> {
 public:
  TracedRun(Host& host, std::shared_ptr<Call> call) : host_(host), call_(std::move(call)) {
    flush_timer_.setSingleShot(true);
    QObject::connect(&flush_timer_, &QTimer::timeout, [this] { FlushLines(); });
  }

  void Start(LaunchConfiguration launch) {
    launch_ = std::move(launch);
    if (Status s = Prepare(); !s.ok()) return call_->Answer(s);
    id_ = host_.runs().NewId();
    links_ = std::make_unique<OutputLinks>(directory_, host_.session()->roots);
    progress_ =
        host_.Begin(call_, (launch_.build.empty() ? "Running " : "Building ") + name_, true);
    call_->OnCancel([self = shared_from_this()] {
      // The program has ended: its trace is being read, and will be dropped.
      if (!self->host_.runs().Stop(self->id_).ok()) self->call_->Answer(Cancelled());
    });
    const Status started = launch_.build.empty() ? StartProgram() : StartBuild();
    if (!started.ok()) Refuse(started);
  }

 private:
  // Arguments end at a NUL, so a different program than the named one would run.
  Status CheckWords() const {
    std::vector<std::string> all = {launch_.program, launch_.working_directory};
    for (const auto* words : {&launch_.launcher, &launch_.arguments, &launch_.build})
      all.insert(all.end(), words->begin(), words->end());
    for (const std::string& word : all)
      if (word.find('\0') != word.npos)
        return Status(ErrorCode::kInvalidArgument, "there is a NUL byte in the argument " + word);
    return Status::Ok();
  }

  Status Prepare() {
    if (Status s = CheckWords(); !s.ok()) return s;
    if (!host_.session()->settings->trusted)
      return Status(ErrorCode::kUnsupported,
                    "the workspace is not trusted, so its programs are not run; trust it first, in "
                    "the editor or with the setting `trusted`");
    const std::string workspace = host_.session()->workspace_folder();
    directory_ = workspace.empty() ? fs::current_path().string() : workspace;
    if (!launch_.working_directory.empty()) {
      // Relative to the workspace, or a URI.
      const Result<std::string> path = PathOfUri(launch_.working_directory);
      directory_ = path.ok() ? *path : (fs::path(directory_) / launch_.working_directory).string();
    }
    std::error_code error;
    if (!fs::is_directory(directory_, error))
      return Status(ErrorCode::kNotFound, directory_ + ": no such working folder");
    variables_ = EnvironmentOf(launch_);
    if (Status s = UseRuntime(launch_.runtime, variables_); !s.ok()) return s;
    name_ = fs::path(launch_.program).filename().string();
    // The program may not be built yet.
    if (launch_.build.empty()) return FindAll();
    return Status::Ok();
  }

  // Resolves the program and its launcher.
  Status FindAll() {
    Result<std::string> program = FindProgram(launch_.program, directory_, variables_["PATH"]);
    if (!program.ok()) return program.status();
    program_ = *program;
    name_ = fs::path(program_).filename().string();
    words_ = launch_.launcher;
    words_.push_back(program_);
    words_.insert(words_.end(), launch_.arguments.begin(), launch_.arguments.end());
    return FindFirst(words_);
  }

  Status FindFirst(const std::vector<std::string>& words) {
    return FindProgram(words[0], directory_, variables_["PATH"]).status();
  }

  Result<Launch> MakeLaunch(const std::vector<std::string>& words) {
    Result<std::string> first = FindProgram(words[0], directory_, variables_["PATH"]);
    if (!first.ok()) return first.status();
    Result<std::vector<std::string>> environment = EnvironmentBlock(variables_);
    if (!environment.ok()) return environment.status();
    return Launch{*first, words, std::move(*environment), directory_};
  }

  Status StartBuild() {
    if (Status s = FindFirst(launch_.build); !s.ok()) return s.WithPrefix("build");
    const Result<Launch> launch = MakeLaunch(launch_.build);
    if (!launch.ok()) return launch.status();
    record_.built_ns = NowNs();
    return StartOne(*launch, &TracedRun::OnBuilt);
  }

  void OnBuilt(const ProcessEnd& end) {
    FlushLines();
    if (call_->IsCancelled())
      return Refuse(Status(ErrorCode::kCancelled, "cancelled; the build " + Describe(end)));
    if (end.exec_errno != 0 || end.exit_status != 0)
      return Refuse(Status(ErrorCode::kIo, "the build (" + launch_.build[0] + ") " + Describe(end) +
                                               Quoted() + "; " + name_ + " was not run"));
    last_line_.clear();
    if (Status s = FindAll(); !s.ok()) return Refuse(s);
    progress_->Report("running " + name_);
    if (Status s = StartProgram(); !s.ok()) Refuse(s);
  }

  Status StartProgram() {
    Result<std::string> traces = MakeRunDirectory(host_.session()->workspace_folder(), program_);
    if (!traces.ok()) return traces.status();
    trace_directory_ = record_.directory = *traces;
    for (const auto& [key, value] : TracedEnvironment(trace_directory_)) variables_[key] = value;
    Result<Launch> launch = MakeLaunch(words_);
    Status status = launch.status();
    if (launch.ok()) {
      if (launch_.keep_running) launch->log_directory = trace_directory_;
      launch->report_file = GuardReport(trace_directory_);
      if (!launch_.launcher.empty()) launch->patience_s = kLauncherPatienceS;
      status = StartOne(*launch, &TracedRun::OnEnd);
    }
    if (!status.ok()) {
      RemoveRecord(record_);
      RemoveIfEmpty(trace_directory_);
      return status;
    }
    record_.id = fs::path(trace_directory_).filename().string();
    record_.program = program_;
    record_.configuration = launch_;
    record_.started_ns = NowNs();
    record_.is_running = true;
    record_.message = "its end is not recorded: it is still running, or its server ended first";
    is_recorded_ = true;
    SaveRecord();
    host_.NotifyOurs(
        "tasklens/runStarted",
        messages::RunStarted{.run = id_, .directory = trace_directory_, .program = program_});
    return Status::Ok();
  }

  Status StartOne(const Launch& launch, void (TracedRun::*on_end)(const ProcessEnd&)) {
    const auto self = shared_from_this();
    return host_.runs().Start(
        id_, launch,
        [self](Runs::Stream stream, std::string_view text) { self->OnOutput(stream, text); },
        [self, on_end](const ProcessEnd& end) { ((*self).*on_end)(end); });
  }

  void OnOutput(Runs::Stream stream, std::string_view text) {
    if (host_.UnreadBytes() > kMaxUnreadBytes) {
      left_out_bytes_ += text.size();
      return;
    }
    SayWhatWasLeftOut();
    std::string& waiting = waiting_[stream == Runs::Stream::kErr];
    waiting += text;
    const size_t end = waiting.size() > kMaxWaitingBytes && waiting.rfind('\n') == waiting.npos
                           ? waiting.size()
                           : waiting.rfind('\n') + 1;  // npos + 1 is 0
    if (end > 0) Say(stream, waiting.substr(0, end));
    waiting.erase(0, end);
    if (!waiting.empty() && !flush_timer_.isActive()) flush_timer_.start(kLineMs);
  }

  void FlushLines() {
    for (const Runs::Stream stream : {Runs::Stream::kOut, Runs::Stream::kErr}) {
      std::string& waiting = waiting_[stream == Runs::Stream::kErr];
      if (!waiting.empty()) Say(stream, std::exchange(waiting, ""));
    }
    flush_timer_.stop();
    SayWhatWasLeftOut();
  }

  void SayWhatWasLeftOut() {
    if (left_out_bytes_ == 0) return;
    const size_t bytes = std::exchange(left_out_bytes_, 0);
    Say(Runs::Stream::kErr, "[tasklens: " + CountText(bytes) +
                                " bytes of output left out; the editor reads too slowly]\n");
  }

  void Say(Runs::Stream stream, const std::string& text) {
    if (stream == Runs::Stream::kErr) RememberLastLine(text);
    std::string& line = begun_line_[stream == Runs::Stream::kErr];
    const auto session = host_.session();
    std::map<std::string, std::string> uris;  // by path
    messages::RunOutput output{
        .run = id_, .stream = stream == Runs::Stream::kOut ? "stdout" : "stderr", .text = text};
    for (const OutputLink& link : links_->Find(text, session->encoding, line)) {
      std::string& uri = uris[link.path];
      if (uri.empty()) uri = ClientUri(*session, link.path);
      output.links.push_back({.start = link.begin,
                              .end = link.end,
                              .uri = uri,
                              .line = link.line - 1,
                              .character = link.column > 0 ? link.column - 1 : 0});
    }
    host_.NotifyOurs("tasklens/runOutput", output);
  }

  // The last line that a program prints before it fails usually says why.
  void RememberLastLine(std::string_view text) {
    const size_t end = text.find_last_not_of(" \t\r\n");
    if (end == text.npos) return;
    const size_t line_end = text.rfind('\n', end);
    const size_t begin = line_end == text.npos ? 0 : line_end + 1;
    std::string line(text.substr(begin, std::min(end + 1 - begin, kMaxQuotedBytes)));
    last_line_ = TakeUtf8(line, true);
  }
  std::string Quoted() const { return last_line_.empty() ? "" : ": " + last_line_; }

  void OnEnd(const ProcessEnd& end) {
    FlushLines();
    end_ = end;
    record_.ended_ns = NowNs();
    record_.is_running = false;
    if (end.exec_errno != 0) return Refuse(Status(ErrorCode::kIo, name_ + " " + Describe(end)));
    if (call_->IsCancelled())
      return Refuse(Status(ErrorCode::kCancelled, "cancelled; " + name_ + " " + Describe(end)));
    const Result<std::vector<std::string>> traces = FindTraces(trace_directory_);
    if (!traces.ok()) {
      const Status why = ExplainNoTrace(traces.status(), words_, variables_, directory_);
      return Finish(nullptr, why.message());
    }
    const fs::path first = traces->front();
    runtime_ = first.extension() == ".tlt" ? "tasklens" : "starpu";
    progress_->Report("reading its trace");
    host_.Load(call_, progress_, {*traces, directory_},
               [self = shared_from_this()](const Result<std::shared_ptr<const OpenTrace>>& trace) {
                 if (trace.ok()) self->KeepSources(**trace);
                 self->Finish(trace.ok() ? *trace : nullptr, trace.status().message());
               });
  }

  // Saves the texts, so that lines are found in later sessions, even if the files are edited
  // meanwhile.
  void KeepSources(const OpenTrace& trace) {
    if (Status s = SaveTracedTexts(*trace.texts, trace_directory_); !s.ok())
      host_.ShowMessage(Host::MessageType::kWarning, s.message());
  }

  // Ends a run without a trace, unless the run was cancelled and left one.
  void Refuse(const Status& status) {
    progress_.reset();
    if (is_recorded_) EndRecord(status.message(), FindTraces(trace_directory_).ok());
    host_.ShowMessage(Host::MessageType::kError, status.message());
    call_->Answer(status);
  }

  // `problem`: why there is no trace.
  void Finish(const std::shared_ptr<const OpenTrace>& trace, const std::string& problem) {
    progress_.reset();
    const std::string message = Sentence(trace.get(), problem);
    const bool is_good = trace && end_.exit_status == 0 && end_.left_behind == 0;
    if (trace) record_.sites = SiteTotalsOf(*trace);
    EndRecord(message, trace || FindTraces(trace_directory_).ok());
    host_.ShowMessage(is_good ? Host::MessageType::kInfo : Host::MessageType::kWarning, message);
    messages::RunAnswer answer{.run = id_,
                               .left_behind = static_cast<uint64_t>(end_.left_behind),
                               .directory = trace_directory_,
                               .runtime = KnownText(runtime_),
                               .message = message};
    if (end_.exit_status >= 0) answer.exit_status = end_.exit_status;
    if (end_.signal > 0) answer.signal = end_.signal;
    if (is_recorded_) answer.kept = record_.id;
    if (trace) {
      answer.trace = trace->id;
      answer.contents = TraceMessage(*trace);
    }
    call_->Answer(answer);
  }

  std::string Sentence(const OpenTrace* trace, const std::string& problem) const {
    std::string text = name_ + " " + Describe(end_);
    if (end_.exit_status != 0) text += Quoted();
    if (trace) {
      text += "; its trace has " + CountText(trace->summary.tasks) + " tasks on " +
              CountText(trace->summary.workers) + " workers in " +
              DurationText(trace->summary.span_ns);
      if (trace->diagnostics.HasDataLoss()) text += ", as far as it was recorded";
    } else {
      text += "; " + problem;
    }
    if (trace && !launch_.runtime.empty() && launch_.runtime != runtime_)
      text += runtime_ == "tasklens"
                  ? "; it used TaskLens' runtime, not the StarPU that was asked for"
                  : "; it used StarPU, not TaskLens' runtime that was asked for";
    if (end_.left_behind > 0)
      text += "; " + std::to_string(end_.left_behind) +
              (end_.left_behind == 1 ? " process that it left behind was ended"
                                     : " processes that it left behind were ended");
    return text;
  }

  void EndRecord(const std::string& message, bool has_trace) {
    record_.message = message;
    record_.exit_status = end_.exit_status;
    record_.signal = end_.signal;
    has_trace ? SaveRecord() : ForgetRecord();
  }

  void SaveRecord() {
    if (Status s = WriteKeptRun(record_); !s.ok())
      host_.ShowMessage(Host::MessageType::kWarning, s.message());
    RememberRun(host_, record_);
  }
  // The run left no trace. Removes the record; other files in the folder are not ours.
  void ForgetRecord() {
    is_recorded_ = false;
    RemoveRecord(record_);
    RemoveIfEmpty(trace_directory_);
    ForgetRun(host_, record_.id);
  }

  Host& host_;
  const std::shared_ptr<Call> call_;
  LaunchConfiguration launch_;
  std::map<std::string, std::string> variables_;
  std::vector<std::string> words_;  // launcher, program and arguments
  std::string id_, name_, program_, directory_, trace_directory_, runtime_;
  std::unique_ptr<OutputLinks> links_;
  std::shared_ptr<WorkProgress> progress_;
  KeptRun record_;
  bool is_recorded_ = false;
  ProcessEnd end_;
  std::string waiting_[2];     // incomplete lines of standard output and error
  std::string begun_line_[2];  // the parts of incomplete lines that were already sent
  QTimer flush_timer_;
  std::string last_line_;
  size_t left_out_bytes_ = 0;
};

void Run(Host& host, const messages::RunParams& params, const std::shared_ptr<Call>& call) {
  Result<LaunchConfiguration> launch = ChooseLaunch(*host.session(), params);
  if (!launch.ok()) return call->Answer(launch.status());
  std::make_shared<TracedRun>(host, call)->Start(std::move(*launch));
}

}  // namespace

extern const ActionSpec kRunAction = Action<&Run>("tasklens/run");

}  // namespace tasklens
