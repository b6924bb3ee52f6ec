// SPDX-License-Identifier: Apache-2.0
// Traces, experiments, and the routing to the outputs.
#include "server/tsp/trace_server.h"

#include <QSysInfo>
#include <QUuid>
#include <algorithm>
#include <filesystem>
#include <thread>

#include "server/protocol/parse_json.h"
#include "server/protocol/uri.h"
#include "server/tsp/outputs.h"
#include "server/version.h"
#include "trace/support/words.h"

namespace tasklens {
namespace {

using Reply = TraceServer::Reply;

constexpr std::string_view kProtocolVersion = "0.6.0";

Reply Refusal(int status, std::string_view title, const std::string& detail) {
  return {status, {{"title", title}, {"detail", detail}}};
}
Reply NotFound(const std::string& what) { return Refusal(404, "Not Found", what); }
Reply BadRequest(const std::string& what) { return Refusal(400, "Bad Request", what); }

// The same name gives the same UUID.
std::string UuidOf(const std::string& name) {
  static const QUuid kOurs("{0b7a4c0e-6f3f-4b0e-9a55-3c6b5fb9d1a7}");
  return QUuid::createUuidV5(kOurs, QString::fromStdString(name))
      .toString(QUuid::WithoutBraces)
      .toStdString();
}
std::string TraceUuid(const OpenTrace& trace) { return UuidOf("trace " + trace.id); }

std::string PathOf(const OpenTrace& trace) {
  return trace.paths.size() == 1 ? trace.paths[0] : trace.Folder();
}

std::shared_ptr<const OpenTrace> FindTrace(const Session& session, std::string_view uuid) {
  const auto it = std::find_if(session.traces.begin(), session.traces.end(),
                               [&](const auto& trace) { return TraceUuid(*trace) == uuid; });
  return it == session.traces.end() ? nullptr : *it;
}

// "a/b//c" as {"a", "b", "c"}.
std::vector<std::string_view> Split(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty())
    if (const auto segment = TakeUpTo('/', path); !segment.empty()) segments.push_back(segment);
  return segments;
}

template <class T>
Result<T> Read(const json& parameters) {
  Fields fields(parameters, "parameters");
  T value;
  value.Visit(fields);
  if (!fields.status().ok()) return fields.status();
  return value;
}

struct OpenParameters {
  std::string uri, name;
  void Visit(Fields& fields) {
    fields.Required("uri", uri);
    fields.Optional("name", name);
  }
};
struct ExperimentParameters {
  std::string name;
  std::vector<std::string> traces;
  void Visit(Fields& fields) {
    fields.Required("name", name);
    fields.Required("traces", traces);
  }
};

json DescriptorJson(const tsp::OutputSpec& output) {
  return {{"id", output.id},
          {"name", output.name},
          {"description", output.description},
          {"type", output.type},
          {"capabilities", {{"canCreate", false}, {"canDelete", false}}}};
}

// Tells the viewer to ask again while the trace grows.
Reply ModelReply(bool is_growing, json model) {
  const char* status = is_growing ? "RUNNING" : "COMPLETED";
  return {200, {{"model", std::move(model)}, {"status", status}, {"statusMessage", status}}};
}

Reply AnswerQuestion(const tsp::OutputSpec& output, std::string_view question,
                     const OpenTrace& trace, bool is_growing, const Session& session,
                     const json& parameters, Stop stop) {
  const auto* const end = output.questions.data() + output.questions.size();
  const auto* const found = std::find_if(output.questions.data(), end,
                                         [&](const auto& one) { return one.name == question; });
  if (found == end)
    return NotFound("the output " + std::string(output.id) + " has no " + std::string(question));
  Result<tsp::Parameters> asked = Read<tsp::Parameters>(parameters);
  if (!asked.ok()) return BadRequest(asked.status().message());
  Result<json> model = found->answer({trace, session, stop, std::move(*asked)});
  if (model.ok()) return ModelReply(is_growing, std::move(*model));
  if (model.status().code() == ErrorCode::kInvalidArgument)
    return BadRequest(model.status().message());
  return Refusal(500, "Internal Server Error", model.status().message());
}

// `path` begins after "outputs".
Reply AnswerOutputs(std::string_view method, std::span<const std::string_view> path,
                    const OpenTrace& trace, bool is_growing, const Session& session,
                    const json& parameters, Stop stop) {
  if (path.empty()) {
    json list = json::array();
    for (const tsp::OutputSpec* output : tsp::Outputs()) list.push_back(DescriptorJson(*output));
    return {200, std::move(list)};
  }
  if (path.size() == 1 && path[0] == "markerSets") return ModelReply(is_growing, json::array());
  for (const tsp::OutputSpec* output : tsp::Outputs()) {
    if (path.size() == 1 && path[0] == output->id) return {200, DescriptorJson(*output)};
    if (path.size() == 2 && path[0] == output->id) {
      if (path[1] == "configTypes") return {200, json::array()};
      if (path[1] == "annotations" && method == "GET") {
        const bool has = output->type == "TIME_GRAPH";
        return ModelReply(is_growing,
                          {{"annotationCategories", has ? json{"Events"} : json::array()}});
      }
      if (path[1] == "annotations" && output->type != "TIME_GRAPH")
        return ModelReply(is_growing, {{"annotations", json::object()}});
      if (path[1] == "annotations" || path[1] == "style")
        return AnswerQuestion(*output, path[1], trace, is_growing, session, parameters, stop);
    }
    if (path.size() == 3 && path[0] == output->segment && path[1] == output->id)
      return AnswerQuestion(*output, path[2], trace, is_growing, session, parameters, stop);
  }
  return NotFound("no such output, see outputs");
}

}  // namespace

json TraceServer::TimesJson(const OpenTrace& trace) const {
  const int64_t begin_ns = std::max<int64_t>(trace.model->wall_clock_ns, 0);
  return {{"start", begin_ns},
          {"end", begin_ns + trace.model->duration_ns},
          {"nbEvents", trace.model->event_count},
          {"indexingStatus", owner_.is_growing(trace.id) ? "RUNNING" : "COMPLETED"}};
}

json TraceServer::TraceJson(const OpenTrace& trace) const {
  json out = TimesJson(trace);
  out.update({{"name", trace.title},
              {"UUID", TraceUuid(trace)},
              {"path", PathOf(trace)},
              {"properties",
               {{"tasks", std::to_string(trace.summary.tasks)},
                {"workers", std::to_string(trace.summary.workers)},
                {"ranks", std::to_string(trace.summary.ranks)}}}});
  return out;
}

json TraceServer::ExperimentJson(const std::string& uuid, const std::string& name,
                                 const OpenTrace& trace) const {
  json out = TimesJson(trace);
  out.update({{"name", name}, {"UUID", uuid}, {"traces", {TraceJson(trace)}}});
  return out;
}

TraceServer::Reply TraceServer::Answer(std::string_view method, std::string_view path,
                                       const std::string& body, const Session& session, Stop stop) {
  const Segments segments = Split(path);
  json parameters = json::object();
  if (!body.empty()) {
    const json message = ParseJson(body);
    if (!message.is_object()) return BadRequest("the body of a request is an object of JSON");
    parameters = message.value("parameters", json::object());
    if (!parameters.is_object()) return BadRequest("parameters must be an object");
  }
  Know(session);
  if (segments.size() == 1 && segments[0] == "health") return {200, {{"status", "UP"}}};
  if (segments.size() == 1 && segments[0] == "identifier")
    return {200,
            {{"version", kVersion},
             {"tspVersion", kProtocolVersion},
             {"os", QSysInfo::kernelType().toStdString()},
             {"osArch", QSysInfo::currentCpuArchitecture().toStdString()},
             {"osVersion", QSysInfo::kernelVersion().toStdString()},
             {"cpuCount", std::to_string(std::thread::hardware_concurrency())},
             {"productId", "tasklens"}}};
  if (segments.size() == 2 && segments[0] == "config" && segments[1] == "types")
    return {200, json::array()};
  if (!segments.empty() && segments[0] == "traces")
    return Traces(method, segments, parameters, session, stop);
  if (!segments.empty() && segments[0] == "experiments")
    return Experiments(method, segments, parameters, session, stop);
  return NotFound("not a part of the Trace Server Protocol that is answered here");
}

void TraceServer::Know(const Session& session) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& trace : session.traces)
    if (known_.emplace(trace->id, true).second)
      experiments_[UuidOf("experiment " + trace->id)] = {trace->title, trace->id};
}

TraceServer::Reply TraceServer::Traces(std::string_view method, const Segments& path,
                                       const json& parameters, const Session& session, Stop stop) {
  if (path.size() == 1 && method == "POST") return Open(parameters, session, stop);
  if (path.size() == 1) {
    json list = json::array();
    for (const auto& trace : session.traces) list.push_back(TraceJson(*trace));
    return {200, std::move(list)};
  }
  const auto trace = FindTrace(session, path[1]);
  if (!trace || path.size() > 2) return NotFound("no such trace");
  return method == "DELETE" ? Delete(*trace) : Reply{200, TraceJson(*trace)};
}

TraceServer::Reply TraceServer::Open(const json& parameters, const Session& session, Stop stop) {
  const Result<OpenParameters> open = Read<OpenParameters>(parameters);
  if (!open.ok()) return BadRequest(open.status().message());
  const Result<std::string> named = PathOfUri(open->uri);
  const std::string path = named.ok() ? *named : open->uri;
  std::error_code error;
  for (const auto& trace : session.traces)
    if (std::filesystem::equivalent(PathOf(*trace), path, error) && !error)
      return {200, TraceJson(*trace)};
  if (const Status s = CheckAreFiles({path}); !s.ok()) return NotFound(s.message());
  class Progress : public tasklens::Progress {
   public:
    explicit Progress(Stop stop) : stop_(stop) {}
    bool Report(uint64_t, uint64_t) override { return !Stopped(stop_); }

   private:
    const Stop stop_;
  } progress(stop);
  // The trace names folders; nobody has permitted git to run in these.
  const Result<std::shared_ptr<OpenTrace>> loaded =
      LoadTrace({path}, {.roots = session.roots, .progress = &progress, .may_run_git = false});
  if (!loaded.ok()) return NotFound(loaded.status().message());
  (*loaded)->id = [this] {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string id = "v" + std::to_string(next_++);
    known_[id] = true;  // the viewer creates its experiment
    return id;
  }();
  if (!open->name.empty()) (*loaded)->title = open->name;
  json answer = TraceJson(**loaded);
  owner_.add(std::move(*loaded));
  return {200, std::move(answer)};
}

TraceServer::Reply TraceServer::Delete(const OpenTrace& trace) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [uuid, experiment] : experiments_)
    if (experiment.trace == trace.id)
      return Refusal(409, "Conflict", "the experiment " + experiment.name + " uses this trace");
  owner_.remove(trace.id);
  return {200, TraceJson(trace)};
}

TraceServer::Reply TraceServer::Experiments(std::string_view method, const Segments& path,
                                            const json& parameters, const Session& session,
                                            Stop stop) {
  if (path.size() == 1 && method == "POST") return Create(parameters, session);
  std::unique_lock<std::mutex> lock(mutex_);
  if (path.size() == 1) {
    json list = json::array();
    for (const auto& [uuid, experiment] : experiments_)
      if (const auto trace = session.Find(experiment.trace); trace.ok())
        list.push_back(ExperimentJson(uuid, experiment.name, **trace));
    return {200, std::move(list)};
  }
  const auto found = experiments_.find(std::string(path[1]));
  const auto trace = found == experiments_.end()
                         ? Result<std::shared_ptr<const OpenTrace>>(ErrorCode::kNotFound, "")
                         : session.Find(found->second.trace);
  if (!trace.ok()) return NotFound("no such experiment");
  const json about = ExperimentJson(found->first, found->second.name, **trace);
  if (path.size() == 2 && method == "DELETE") experiments_.erase(found);
  if (path.size() == 2) return {200, about};
  lock.unlock();
  if (path[2] != "outputs") return NotFound("an experiment has outputs");
  return AnswerOutputs(method, std::span(path).subspan(3), **trace, owner_.is_growing((*trace)->id),
                       session, parameters, stop);
}

TraceServer::Reply TraceServer::Create(const json& parameters, const Session& session) {
  const Result<ExperimentParameters> wanted = Read<ExperimentParameters>(parameters);
  if (!wanted.ok()) return BadRequest(wanted.status().message());
  if (wanted->traces.size() != 1)
    return BadRequest("an experiment is of one trace; open the folder of all its ranks as one");
  const auto trace = FindTrace(session, wanted->traces[0]);
  if (!trace) return NotFound("no such trace");
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [uuid, experiment] : experiments_) {
    if (experiment.name != wanted->name) continue;
    if (experiment.trace == trace->id) return {200, ExperimentJson(uuid, experiment.name, *trace)};
    return Refusal(409, "Conflict", "another experiment has the name " + wanted->name);
  }
  const std::string uuid = UuidOf("experiment " + trace->id + " " + wanted->name);
  experiments_[uuid] = {wanted->name, trace->id};
  return {200, ExperimentJson(uuid, wanted->name, *trace)};
}

}  // namespace tasklens
