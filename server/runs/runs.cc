// SPDX-License-Identifier: Apache-2.0
// One notifier for each pipe of a run; a run is over when all three pipes are at their ends. Files
// signal no end, so they are polled, with a last read when the report ends. Pipes get that last
// read too if the guard was killed, because other processes may keep them open.
#include "server/runs/runs.h"

#include <fcntl.h>
#include <unistd.h>

#include <QSocketNotifier>
#include <QTimer>
#include <algorithm>
#include <cerrno>

#include "server/protocol/text.h"

namespace tasklens {

namespace {
constexpr int kLookMs = 100;
constexpr int kPatienceMs = 3000;  // between the request to stop and the kill
}  // namespace

struct Runs::Channel {
  int fd = -1;
  Stream stream = Stream::kOut;
  bool is_report = false;
  std::string bytes;  // not passed on yet
  std::unique_ptr<QSocketNotifier> notifier;
};

struct Runs::Run {
  std::string id;
  GuardedProcess process;
  Channel out, err, report;
  OnOutput on_output;
  OnEnd on_end;
  QTimer kill_timer;
  QTimer look_timer;  // polls outputs that are files
  bool outlives = false;
  int patience_s = 0;
};

Runs::Runs() = default;

Runs::~Runs() { EndAllNow(); }

Status Runs::Start(const std::string& id, const Launch& launch, OnOutput on_output, OnEnd on_end) {
  Result<GuardedProcess> process = StartGuarded(launch);
  if (!process.ok()) return process.status();
  auto run = std::make_unique<Run>();
  run->id = id;
  run->outlives = !launch.log_directory.empty();
  run->patience_s = launch.patience_s;
  run->process = *process;
  run->on_output = std::move(on_output);
  run->on_end = std::move(on_end);
  run->err.stream = Stream::kErr;
  run->report.is_report = true;
  Watch(*run, run->report, process->report_fd);
  if (run->outlives) {
    run->out.fd = process->out_fd;
    run->err.fd = process->err_fd;
    QObject::connect(&run->look_timer, &QTimer::timeout, [this, r = run.get()] {
      ReadSome(*r, r->out);
      ReadSome(*r, r->err);
    });
    run->look_timer.start(kLookMs);
  } else {
    Watch(*run, run->out, process->out_fd);
    Watch(*run, run->err, process->err_fd);
  }
  run->kill_timer.setSingleShot(true);
  QObject::connect(&run->kill_timer, &QTimer::timeout, [r = run.get()] { EndNow(r->process); });
  runs_[id] = std::move(run);
  return Status::Ok();
}

void Runs::Watch(Run& run, Channel& channel, int fd) {
  channel.fd = fd;
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  channel.notifier = std::make_unique<QSocketNotifier>(fd, QSocketNotifier::Read);
  QObject::connect(channel.notifier.get(), &QSocketNotifier::activated,
                   [this, r = &run, c = &channel] { Read(*r, *c); });
}

void Runs::Read(Run& run, Channel& channel) {
  if (ReadSome(run, channel)) return;
  // The program has ended, so its files are complete.
  if (run.outlives && channel.is_report) {
    run.look_timer.stop();
    for (Channel* file : {&run.out, &run.err})
      while (ReadSome(run, *file)) {
      }
  }
  FinishIfOver(run);
}

bool Runs::ReadSome(Run& run, Channel& channel) {
  char buffer[65536];
  // Reads once, up to the capacity of a pipe, so that a program that writes all the time does not
  // block the main thread.
  const ssize_t got = read(channel.fd, buffer, sizeof buffer);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got > 0) {
    channel.bytes.append(buffer, static_cast<size_t>(got));
    if (!channel.is_report) Emit(run, channel, false);
    return true;
  }
  // A file may grow while the program runs.
  if (run.outlives && !channel.is_report && run.report.fd >= 0) return true;
  Close(run, channel);
  return false;
}

void Runs::Close(Run& run, Channel& channel) {
  if (!channel.is_report) Emit(run, channel, true);
  if (channel.notifier) channel.notifier->setEnabled(false);
  close(channel.fd);
  channel.fd = -1;
}

void Runs::Emit(Run& run, Channel& channel, bool at_end) {
  const std::string text = TakeUtf8(channel.bytes, at_end);
  if (!text.empty()) run.on_output(channel.stream, text);
}

void Runs::FinishIfOver(Run& run) {
  if (run.report.fd >= 0) return;
  const bool is_reported = IsEndReported(run.report.bytes);
  if (is_reported && (run.out.fd >= 0 || run.err.fd >= 0)) return;
  const ProcessEnd end = Collect(run.process, run.report.bytes);
  if (!is_reported) EndOrphans(KeepersBut(run));
  for (Channel* channel : {&run.out, &run.err})
    if (channel->fd >= 0 && ReadSome(run, *channel)) Close(run, *channel);
  const OnEnd on_end = std::move(run.on_end);
  // deleteLater(), because this may run inside a signal of these notifiers.
  for (Channel* channel : {&run.out, &run.err, &run.report})
    if (channel->notifier) channel->notifier.release()->deleteLater();
  const std::string id = run.id;
  runs_.erase(id);
  on_end(end);
}

std::vector<pid_t> Runs::KeepersBut(const Run& run) const {
  std::vector<pid_t> keepers;
  for (const auto& [id, other] : runs_)
    if (other.get() != &run) keepers.push_back(other->process.keeper);
  return keepers;
}

Status Runs::Stop(const std::string& id) {
  const auto it = runs_.find(id);
  if (it == runs_.end())
    return Status(ErrorCode::kNotFound, "the run " + id + " is not known (it may have ended)");
  AskToEnd(it->second->process);
  if (!it->second->kill_timer.isActive())
    it->second->kill_timer.start(std::max(kPatienceMs, it->second->patience_s * 1000));
  return Status::Ok();
}

void Runs::EndAllNow() {
  if (runs_.empty()) return;
  std::vector<pid_t> at_work;
  for (auto& [id, run] : runs_)
    if (!run->outlives) EndNow(run->process);
  for (auto& [id, run] : runs_) {
    // A guard with a long patience ends the program itself; the client does not wait that long.
    if (!run->outlives && run->patience_s * 1000 < kPatienceMs) {
      Collect(run->process, "");
    } else {
      at_work.push_back(run->process.keeper);
    }
    for (Channel* channel : {&run->out, &run->err, &run->report}) {
      channel->notifier.reset();
      if (channel->fd >= 0) close(channel->fd);
    }
  }
  EndOrphans(at_work);
  runs_.clear();
}

std::vector<std::string> Runs::Ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, run] : runs_) ids.push_back(id);
  return ids;
}

}  // namespace tasklens
