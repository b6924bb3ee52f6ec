// SPDX-License-Identifier: Apache-2.0
// Serves the web app and its requests over HTTP:
//
//   GET  ""             the page
//   POST "request"      {"method", "params"}; the answer is {"result"} or {"error": {"code",
//                       "message"}}; with "columns": "bytes" its layout is that of byte_answer.h
//   GET  "changes/N"    {"version", "growing"}, sent when the version exceeds N or no trace grows
//                       any more (the trace of a running program is read again and again)
//   "tsp/api/..."       the Trace Server Protocol, see server/tsp/trace_server.h
//
// Only requests that read traces are answered: the REQUEST rows of requests.inc, and
// tasklens/reveal, which here returns the place and opens nothing. A page cannot run programs or
// open files. Work ends if its client has gone or if it needs more memory than the session's
// settings allow.
//
// Threads: the main thread, with a Qt event loop; handlers of requests run on a pool.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string_view>

#include "server/http/http_server.h"
#include "server/session/live_traces.h"
#include "server/session/loop.h"
#include "server/session/session.h"
#include "server/session/underway.h"
#include "server/tsp/trace_server.h"

namespace tasklens {

// The name of the memory limit in error messages.
inline constexpr std::string_view kLimitOption = "the option --memory-limit-mib";

class ViewService {
 public:
  // `on_end`: called when a trace that was growing, or that was opened with only its beginning,
  // will not change any more.
  using End = std::function<void(const OpenTrace&)>;
  explicit ViewService(Session session, End on_end = nullptr);

  HttpServer::Gone Handle(const HttpRequest& request, HttpServer::Answer answer);

 private:
  HttpServer::Gone Run(const std::string& body, HttpServer::Answer answer);
  // Runs `work` on the pool and answers with its reply. If the work is refused, answers with
  // `refused`.
  using Work = std::function<HttpReply(const Session&, const Call&)>;
  using Refused = std::function<HttpReply(const std::string& why)>;
  HttpServer::Gone RunOnPool(std::string title, HttpServer::Answer answer, Work work,
                             Refused refused);
  HttpServer::Gone AskTraceServer(const HttpRequest& request, HttpServer::Answer answer);
  HttpServer::Gone WaitForChange(uint64_t after, HttpServer::Answer answer);
  HttpReply Changes() const;
  bool IsGrowing() const;

  void Update(const std::function<void(Session&)>& change);
  bool OnGrown(std::shared_ptr<const OpenTrace> trace, bool is_growing);

  const End on_end_;
  std::shared_ptr<const Session> session_;
  uint64_t version_ = 1;  // of the session
  std::map<uint64_t, HttpServer::Answer> waiting_;
  uint64_t next_waiting_ = 0;
  TraceServer trace_server_;
  // Members are destroyed from the last to the first: first the threads end, then the queue goes.
  MainQueue queue_;
  Underway underway_;
  LiveTraces live_traces_;
  Pool pool_{2};
};

}  // namespace tasklens
