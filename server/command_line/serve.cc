// SPDX-License-Identifier: Apache-2.0
// tasklens serve: connects the server to this process's standard input and output.
#include "server/command_line/serve.h"

#include <fcntl.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QSocketNotifier>
#include <cerrno>
#include <chrono>
#include <clocale>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "server/command_line/command.h"
#include "server/command_line/serve_http.h"
#include "server/command_line/server_commands.h"
#include "server/server.h"
#include "server/version.h"

namespace tasklens {
namespace {

// Writes from its own thread, so that a client that does not read cannot block the server.
class OutputThread {
 public:
  explicit OutputThread(int fd) : fd_(fd), thread_([this] { Work(); }) {}
  // REQUIRES: Flush() returned true; else the thread may wait for the client forever.
  ~OutputThread() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void Write(std::string bytes) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (broken_) return;
      unwritten_bytes_ += bytes.size();
      queue_.push_back(std::move(bytes));
    }
    changed_.notify_all();
  }

  size_t UnwrittenBytes() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return unwritten_bytes_;
  }

  // Waits until everything is written or the client has closed the pipe. Returns false if that
  // takes more than a second.
  bool Flush() {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(1),
                             [this] { return broken_ || unwritten_bytes_ == 0; });
  }

 private:
  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
      if (queue_.empty()) return;
      const std::string bytes = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      const bool written = WriteAll(bytes);
      lock.lock();
      unwritten_bytes_ -= bytes.size();
      if (!written) {
        broken_ = true;
        queue_.clear();
        unwritten_bytes_ = 0;
      }
      changed_.notify_all();
    }
  }

  bool WriteAll(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = write(fd_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
  }

  const int fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> queue_;
  size_t unwritten_bytes_ = 0;  // including those being written
  bool closing_ = false, broken_ = false;
  std::thread thread_;
};

void Log(std::string_view text) {
  std::fprintf(stderr, "tasklens serve: %.*s\n", static_cast<int>(text.size()), text.data());
}

struct Options {
  HttpOptions http;
  bool over_http = false;
};

std::function<int()> Declare(OptionSet& cli) {
  auto options = std::make_shared<Options>();
  cli.Example("tasklens serve --http trace_0.tlt");
  const Option http =
      cli.Flag("--http", options->over_http, "serve a page for a browser on this machine instead");
  cli.Add("trace", options->http.traces,
          "trace files, one per rank, or the folder that holds them (default: the newest run)")
      .Needs(http);
  cli.Add("--port", options->http.port, "port on 127.0.0.1; 0 takes any free port").Needs(http);
  cli.Add("--source-root DIR", options->http.source_roots,
          "folder whose sources may be quoted (default: the current folder)")
      .Needs(http);
  cli.Add("--memory-limit-mib", options->http.memory_limit_mib,
          "refuse traces and answers that need more memory than this; 0 means no limit")
      .Needs(http);
  cli.Add("--first-mib", options->http.first_mib,
          "show this much of a larger trace while the rest is being read; 0 reads all of it first")
      .Needs(http);
  return [options] {
    return options->over_http ? ServeHttp(options->http) : Serve(std::string(kVersion));
  };
}

}  // namespace

int Serve(const std::string& version) {
  std::signal(SIGPIPE, SIG_IGN);
  const int protocol_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (protocol_fd < 0) {
    Log("standard output is closed; start this from an editor");
    return kExitUsage;
  }
  dup2(STDERR_FILENO, STDOUT_FILENO);
  if (isatty(STDIN_FILENO))
    Log("reading the language server protocol from standard input, as editors send it; for a page "
        "in a browser use --http");

  int argc = 1;
  char name[] = "tasklens";
  char* argv[] = {name, nullptr};
  QCoreApplication application(argc, argv);
  std::setlocale(LC_ALL, "C");  // Qt set the user's locale: decimal commas, translated errors
  OutputThread output(protocol_fd);
  int status = 0;
  {
    Server* running = nullptr;
    Server server({.write = [&](std::string bytes) { output.Write(std::move(bytes)); },
                   .unread_bytes = [&] { return output.UnwrittenBytes(); },
                   .exit =
                       [&](int exit_status) {
                         status = exit_status;
                         // Sends the answers that are left. A client that does not read them, or a
                         // trace that is still being read, does not delay the end.
                         if (!output.Flush() || !running->IsIdle()) _exit(status);
                         QCoreApplication::exit(status);
                       },
                   .log = &Log},
                  version);
    running = &server;
    QSocketNotifier input(STDIN_FILENO, QSocketNotifier::Read);
    QObject::connect(&input, &QSocketNotifier::activated, [&] {
      char buffer[65536];
      const ssize_t got = read(STDIN_FILENO, buffer, sizeof buffer);
      if (got > 0) return server.OnBytes({buffer, static_cast<size_t>(got)});
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
      input.setEnabled(false);
      server.OnClientGone("the client has closed the connection");
    });
    QCoreApplication::exec();
  }
  return status;
}

extern const CommandSpec kServeCommand = {kServeText.name, kServeText.summary, &Declare};

}  // namespace tasklens
