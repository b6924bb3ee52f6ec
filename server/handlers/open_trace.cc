// SPDX-License-Identifier: Apache-2.0
// tasklens/openTrace: reads the files of one run (or their folder) and makes it the newest trace.
#include <QCoreApplication>
#include <QTimer>
#include <algorithm>
#include <filesystem>

#include "converters/trace_files.h"
#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/protocol/uri.h"

namespace tasklens {
namespace {

// The interval at which to check whether a trace exists.
constexpr int kLookMs = 100;

void Load(Host& host, Host::TraceToLoad what, const std::shared_ptr<Call>& call,
          std::shared_ptr<WorkProgress> progress) {
  host.Load(call, std::move(progress), std::move(what),
            [call](const Result<std::shared_ptr<const OpenTrace>>& trace) {
              if (!trace.ok()) return call->Answer(trace.status());
              call->Answer(TraceMessage(**trace));
            });
}

bool AreThere(const std::vector<std::string>& paths) {
  const Result<std::vector<std::string>> files = TraceFiles(paths);
  return files.ok() && std::all_of(files->begin(), files->end(), [](const std::string& file) {
           std::error_code error;
           return std::filesystem::exists(file, error);
         });
}

// Waits until the program has begun to record. `progress` ends with the call.
void LoadWhenThere(Host& host, Host::TraceToLoad what, const std::shared_ptr<Call>& call,
                   const std::weak_ptr<WorkProgress>& progress) {
  if (call->IsAnswered()) return;
  if (AreThere(what.paths)) return Load(host, std::move(what), call, progress.lock());
  QTimer::singleShot(kLookMs, QCoreApplication::instance(),
                     [&host, what = std::move(what), call, progress] {
                       LoadWhenThere(host, what, call, progress);
                     });
}

void OpenTraceFiles(Host& host, const messages::OpenTraceParams& params,
                    const std::shared_ptr<Call>& call) {
  const auto refuse = [&](const char* why) {
    call->Answer(Status(ErrorCode::kInvalidArgument, why));
  };
  if (params.uris.empty()) return refuse("params.uris names no file");
  if (params.first_bytes < 0) return refuse("params.firstBytes must be at least 0");
  Host::TraceToLoad what{.first_bytes = static_cast<uint64_t>(params.first_bytes)};
  std::vector<std::string>& paths = what.paths;
  for (const std::string& uri : params.uris) {
    Result<std::string> path = PathOfUri(uri);
    if (!path.ok()) return call->Answer(path.status());
    paths.push_back(std::move(*path));
  }
  auto progress = host.Begin(call, "Reading " + paths[0], true);
  if (!params.wait) return Load(host, std::move(what), call, std::move(progress));
  if (!AreThere(paths)) progress->Report("waiting for the file");
  call->Hold(progress);
  LoadWhenThere(host, std::move(what), call, progress);
}

}  // namespace

extern const ActionSpec kOpenTraceAction = Action<&OpenTraceFiles>("tasklens/openTrace");

}  // namespace tasklens
