// SPDX-License-Identifier: Apache-2.0
// The part of HTTP/1.1 that a local browser needs: one request a connection, read in full before it
// is answered. Qt's QHttpServer reads bodies of any length before the program can refuse them.
// cpp-httplib answers on threads of its own, while here all answers belong to the main thread.
//
// Requests are untrusted: any user of the machine, and any web page in the user's browser, can send
// them. So the server listens on loopback only. It refuses a request without the secret in the
// address, with a Host other than its own (DNS rebinding), or with another Origin (a foreign page),
// unless kOpenPath allows it. A connection is closed if its request has more than a megabyte or
// takes more than ten seconds to arrive.
//
// Threads: the main thread, with a Qt event loop.
#pragma once

#include <QTcpServer>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "trace/support/status.h"

namespace tasklens {

struct HttpRequest {
  std::string method;
  std::string path;  // after the secret: "", "request"
  std::string content_type;
  std::string body;
};

struct HttpReply {
  int status = 200;
  std::string content_type;
  std::string body;
};

class HttpServer {
 public:
  // Pages of any origin may send requests below this path if they know the secret: viewers of other
  // programs serve their own pages.
  static constexpr std::string_view kOpenPath = "tsp/api/";

  // Sends the reply, now or later, once. Does nothing if the client has gone.
  using Answer = std::function<void(HttpReply)>;
  // Called if the client goes before the answer was sent.
  using Gone = std::function<void()>;
  // Returns the function to call if the client goes; may be empty.
  using Handler = std::function<Gone(const HttpRequest&, Answer)>;
  explicit HttpServer(Handler handler);
  ~HttpServer();

  // Listens on 127.0.0.1; port 0: any free port.
  Status Listen(uint16_t port);
  // Returns "http://127.0.0.1:PORT/SECRET/". REQUIRES: Listen() succeeded.
  std::string Address() const;

 private:
  class Connection;
  friend class Connection;

  const Handler handler_;
  const std::string secret_;
  int open_ = 0;  // number of connections
  QTcpServer server_;
};

}  // namespace tasklens
