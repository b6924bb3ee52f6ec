// SPDX-License-Identifier: Apache-2.0
// As much of HTTP/1.1 as a browser on the same machine needs of us: one request a connection, read
// in full before it is answered. Qt's QHttpServer would do more, and reads bodies of any length
// before anybody can say no. cpp-httplib, Debian's other one, answers from threads of its own, and
// all that is answered here belongs to the main thread.
//
// What may come is what anyone on the machine, or a page of anyone in the user's browser, may send.
// So: loopback only; nothing is answered without the secret in the address, for another Host than
// our own (a name that was bound to this address), or for another Origin (a foreign page) but where
// kOpenPath allows it; a request of more than a megabyte or that takes longer than ten seconds to
// come ends the connection.
//
// Threads: the main thread, with a Qt event loop.
#pragma once

#include <QTcpServer>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "trace/support/status.h"

namespace tasklens {

struct HttpRequest {
  std::string method;
  std::string path;  // behind the secret: "", "request"
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
  // Below this path pages of any origin may ask, if they know the secret: viewers of other
  // programs, whose pages are their own.
  static constexpr std::string_view kOpenPath = "tsp/api/";

  // Answers now or later, once; what is answered after the client has gone goes nowhere.
  using Answer = std::function<void(HttpReply)>;
  // Called when the client has gone before it was answered.
  using Gone = std::function<void()>;
  // Returns what to do when the client goes; empty: nothing.
  using Handler = std::function<Gone(const HttpRequest&, Answer)>;
  explicit HttpServer(Handler handler);
  ~HttpServer();

  // On 127.0.0.1; port 0: any that is free.
  Status Listen(uint16_t port);
  // "http://127.0.0.1:PORT/SECRET/". REQUIRES: it listens.
  std::string Address() const;

 private:
  class Connection;
  friend class Connection;

  const Handler handler_;
  const std::string secret_;
  int open_ = 0;  // connections
  QTcpServer server_;
};

}  // namespace tasklens
