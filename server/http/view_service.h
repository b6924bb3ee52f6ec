// SPDX-License-Identifier: Apache-2.0
// The web app and its requests over HTTP: GET "" is the page, POST "request" with
// {"method", "params"} answers {"result"} or {"error": {"code", "message"}}.
//
// Only what reads the trace is answered (the REQUEST rows of requests.inc, and tasklens/reveal,
// which tells the place and opens nothing): a page cannot run programs or open files.
//
// Threads: the main thread, with a Qt event loop; handlers of requests run on a pool.
#pragma once

#include <memory>

#include "server/http/http_server.h"
#include "server/session/loop.h"
#include "server/session/session.h"

namespace tasklens {

class ViewService {
 public:
  explicit ViewService(Session session);

  void Handle(const HttpRequest& request, HttpServer::Answer answer);

 private:
  void Run(const std::string& body, HttpServer::Answer answer);

  const std::shared_ptr<const Session> session_;
  // Destroyed from below: first nothing runs any more, then nothing is posted.
  MainQueue queue_;
  Pool pool_{2};
};

}  // namespace tasklens
