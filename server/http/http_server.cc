// SPDX-License-Identifier: Apache-2.0
// Reads a request, checks whether it may be answered, and writes the reply.
#include "server/http/http_server.h"

#include <QPointer>
#include <QRandomGenerator>
#include <QTcpSocket>
#include <QTimer>
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "trace/support/read_number.h"
#include "trace/support/words.h"

namespace tasklens {
namespace {

constexpr size_t kMaxHeadBytes = 16 << 10;
constexpr size_t kMaxBodyBytes = 1 << 20;
constexpr int kMostConnections = 64;
constexpr int kMaxReadMs = 10'000;

std::string MakeSecret() {
  std::string secret;
  for (int i = 0; i < 4; ++i) {
    const uint32_t word = QRandomGenerator::system()->generate();
    for (int shift = 28; shift >= 0; shift -= 4) secret += "0123456789abcdef"[(word >> shift) & 15];
  }
  return secret;
}

// Takes the same time wherever the secrets differ.
bool SameSecret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

std::string_view Reason(int status) {
  switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    default: return "Error";
  }
}

struct Head {
  std::string method, target;
  std::map<std::string, std::string> fields;  // names in lower case
  size_t body_bytes = 0;

  std::string Field(const std::string& name) const {
    const auto it = fields.find(name);
    return it == fields.end() ? "" : it->second;
  }
};

// Parses the head up to the empty line. Rejects anything ambiguous.
std::optional<Head> ParseHead(std::string_view text) {
  Head head;
  size_t end = text.find("\r\n");
  const std::string_view line = text.substr(0, end);
  const size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || first == last || !line.substr(last + 1).starts_with("HTTP/1."))
    return std::nullopt;
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  while (end != text.npos) {
    text.remove_prefix(end + 2);
    end = text.find("\r\n");
    const std::string_view field = text.substr(0, end);
    const size_t colon = field.find(':');
    if (colon == field.npos || colon == 0) return std::nullopt;
    if (!head.fields.emplace(Lower(field.substr(0, colon)), Trimmed(field.substr(colon + 1)))
             .second)
      return std::nullopt;
  }
  if (head.fields.contains("transfer-encoding")) return std::nullopt;
  const std::string length = head.Field("content-length");
  if (!length.empty() && !ReadNumber(length, head.body_bytes)) return std::nullopt;
  return head;
}

HttpReply Refusal(int status, std::string text) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = text + "\n"};
}

}  // namespace

// Lives as long as its socket.
class HttpServer::Connection : public QObject {
 public:
  Connection(HttpServer& server, QTcpSocket* socket)
      : QObject(socket), server_(server), socket_(socket) {
    connect(socket, &QTcpSocket::readyRead, this, [this] { Read(); });
    connect(socket, &QTcpSocket::disconnected, this, [this] {
      if (gone_) std::exchange(gone_, nullptr)();
      socket_->deleteLater();
    });
    QTimer::singleShot(kMaxReadMs, this, [this] {
      if (!asked_) socket_->abort();
    });
  }

 private:
  void Read() {
    const QByteArray bytes = socket_->readAll();
    if (asked_) return;
    input_.append(bytes.data(), static_cast<size_t>(bytes.size()));
    const size_t end = input_.find("\r\n\r\n");
    if (end == input_.npos || end > kMaxHeadBytes) {
      if (input_.size() > kMaxHeadBytes) Reply(Refusal(400, "the request is too long"));
      return;
    }
    const std::optional<Head> head = ParseHead(std::string_view(input_).substr(0, end));
    if (!head) return Reply(Refusal(400, "not an HTTP/1.1 request"));
    HttpRequest request{.method = head->method, .content_type = Lower(head->Field("content-type"))};
    if (std::optional<HttpReply> refusal = Check(*head, request.path)) return Reply(*refusal);
    if (is_open_ && request.method == "OPTIONS") return Reply({.status = 204});
    if (head->body_bytes > kMaxBodyBytes) return Reply(Refusal(413, "the request is too long"));
    const size_t have = input_.size() - end - 4;
    if (have < head->body_bytes) return;
    if (have > head->body_bytes) return Reply(Refusal(400, "only one request per connection"));
    request.body = input_.substr(end + 4);
    asked_ = true;
    const QPointer<Connection> self(this);
    Gone gone = server_.handler_(request, [self](HttpReply reply) {
      if (self) self->Reply(reply);
    });
    if (self && !is_answered_) gone_ = std::move(gone);
  }

  // Returns the refusal of a request, or sets `path` and returns nullopt.
  std::optional<HttpReply> Check(const Head& head, std::string& path) {
    const std::string port = std::to_string(server_.server_.serverPort());
    const std::string hosts[] = {"127.0.0.1:" + port, "localhost:" + port};
    const auto is_ours = [&](std::string_view host) {
      return std::find(std::begin(hosts), std::end(hosts), host) != std::end(hosts);
    };
    if (!is_ours(head.Field("host"))) return Refusal(403, "the Host header names another host");
    // "/SECRET/path"
    const std::string_view target = head.target;
    const size_t slash = target.find('/', 1);
    if (!target.starts_with('/') || slash == target.npos ||
        !SameSecret(target.substr(1, slash - 1), server_.secret_))
      return Refusal(404, "not found");
    path = target.substr(slash + 1, target.find('?') - slash - 1);
    is_open_ = path.starts_with(kOpenPath);
    if (const std::string origin = head.Field("origin"); !origin.empty() && !is_open_) {
      constexpr std::string_view kScheme = "http://";
      if (!origin.starts_with(kScheme) || !is_ours(origin.substr(kScheme.size())))
        return Refusal(403, "requests of other pages are refused");
    }
    return std::nullopt;
  }

  void Reply(const HttpReply& reply) {
    asked_ = is_answered_ = true;
    gone_ = nullptr;
    std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " ";
    text += Reason(reply.status);
    if (!reply.content_type.empty()) text += "\r\nContent-Type: " + reply.content_type;
    text += "\r\nContent-Length: " + std::to_string(reply.body.size());
    text +=
        "\r\nConnection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff"
        "\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY"
        "\r\nCross-Origin-Resource-Policy: ";
    text += is_open_ ? "cross-origin\r\nAccess-Control-Allow-Origin: *"
                       "\r\nAccess-Control-Allow-Headers: Content-Type, Accept"
                       "\r\nAccess-Control-Allow-Methods: GET, POST, PUT, DELETE, OPTIONS"
                     : "same-origin";
    text += "\r\n\r\n";
    text += reply.body;
    socket_->write(text.data(), static_cast<qint64>(text.size()));
    socket_->disconnectFromHost();
  }

  HttpServer& server_;
  QTcpSocket* const socket_;
  std::string input_;
  bool asked_ = false;  // the request was passed on; nothing more is read
  bool is_answered_ = false;
  bool is_open_ = false;  // the path is below kOpenPath
  Gone gone_;
};

HttpServer::HttpServer(Handler handler) : handler_(std::move(handler)), secret_(MakeSecret()) {
  QObject::connect(&server_, &QTcpServer::newConnection, &server_, [this] {
    while (QTcpSocket* socket = server_.nextPendingConnection()) {
      if (open_ == kMostConnections) {
        socket->abort();
        socket->deleteLater();
        continue;
      }
      ++open_;
      QObject::connect(socket, &QObject::destroyed, &server_, [this] { --open_; });
      socket->setReadBufferSize(kMaxHeadBytes + kMaxBodyBytes);
      new Connection(*this, socket);
    }
  });
}

HttpServer::~HttpServer() = default;

Status HttpServer::Listen(uint16_t port) {
  if (server_.listen(QHostAddress::LocalHost, port)) return Status::Ok();
  return Status(ErrorCode::kIo, "port " + std::to_string(port) +
                                    " of 127.0.0.1: " + server_.errorString().toStdString() +
                                    "; choose another with --port");
}

std::string HttpServer::Address() const {
  return "http://127.0.0.1:" + std::to_string(server_.serverPort()) + "/" + secret_ + "/";
}

}  // namespace tasklens
