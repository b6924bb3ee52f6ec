// SPDX-License-Identifier: Apache-2.0
// Decides when to read a growing trace again, and does.
#include "server/session/live_traces.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <QTimer>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>

#include "converters/trace_files.h"
#include "server/session/memory.h"
#include "trace/format/reader.h"

namespace tasklens {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kShortestPause = std::chrono::milliseconds(250);
constexpr int kPausePerCost = 9;  // a tenth of the time is work

// Of all threads: those that answer questions meanwhile count as well.
nanoseconds ProcessorTime() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

// Our recorder keeps a lock on its file until the program ends, however it ends.
bool IsBeingRecorded(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  const bool is_locked = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return is_locked;
}

bool IsClosed(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(tlt::kHeaderBytes, '\0');
  if (!file.read(head.data(), static_cast<std::streamsize>(head.size()))) return false;
  const Result<tlt::FileHeader> header =
      tlt::ReadHeader(path, std::as_bytes(std::span(head.data(), head.size())));
  return header.ok() && (header->flags & tlt::kClosed) != 0;
}

bool AnyOf(const std::vector<std::string>& paths, bool (*holds)(const std::string&)) {
  const Result<std::vector<std::string>> files = TraceFiles(paths);
  return files.ok() && std::any_of(files->begin(), files->end(), holds);
}

}  // namespace

struct LiveTraces::Followed {
  std::shared_ptr<const OpenTrace> trace;  // as it was read last
  bool may_run_git = false;
};

struct LiveTraces::Reading {
  Result<std::shared_ptr<OpenTrace>> trace{ErrorCode::kInternal, ""};
  bool is_growing = true;
  nanoseconds cost{};
};

// What ends a reading before its time.
class LiveTraces::StopReading : public Progress {
 public:
  StopReading(const std::atomic<bool>& stopping, uint64_t limit_bytes)
      : stopping_(stopping), limit_(limit_bytes) {}

  bool Report(uint64_t, uint64_t) override { return !limit_.IsExceeded() && !stopping_; }
  bool has_no_room() { return limit_.IsExceeded(); }

 private:
  const std::atomic<bool>& stopping_;
  MemoryLimit limit_;
};

LiveTraces::LiveTraces(MainQueue& queue, Grown grown) : queue_(queue), grown_(std::move(grown)) {}

LiveTraces::~LiveTraces() { stopping_ = true; }

void LiveTraces::SetHow(const How& how) {
  const std::lock_guard<std::mutex> lock(mutex_);
  how_ = how;
}

void LiveTraces::Follow(const std::shared_ptr<const OpenTrace>& trace, bool may_run_git) {
  if (!trace->IsUnfinished()) return;
  // What has been closed since it was read is read once more.
  if (!AnyOf(trace->paths, &IsBeingRecorded) && !AnyOf(trace->paths, &IsClosed)) return;
  const auto followed = std::make_shared<Followed>(Followed{trace, may_run_git});
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!followed_.emplace(trace->id, followed).second) return;
  }
  Start(followed);
}

bool LiveTraces::IsGrowing(const std::string& id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return followed_.contains(id);
}

void LiveTraces::Forget(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  followed_.erase(id);
}

void LiveTraces::Start(const std::shared_ptr<Followed>& followed) {
  reader_.Submit([this, followed] {
    How how;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      how = how_;
    }
    const auto reading = std::make_shared<const Reading>(Read(*followed, how));
    queue_.Post([this, followed, reading] { OnRead(followed, *reading); });
  });
}

// The same files once more, under the same id. Sources are looked for only where the trace names
// new ones, where roots changed, and when it is complete.
LiveTraces::Reading LiveTraces::Read(const Followed& followed, const How& how) const {
  const OpenTrace& before = *followed.trace;
  const nanoseconds begin = ProcessorTime();
  Reading reading;
  reading.is_growing = AnyOf(before.paths, &IsBeingRecorded);  // before the rest: nothing is missed
  StopReading stop(stopping_, how.memory_limit_bytes);
  try {
    reading.trace = LoadTrace(before.paths, SourceRoots{}, before.directory, &stop, false);
    if (reading.trace.ok()) {
      OpenTrace& trace = **reading.trace;
      // Its file is locked until the program has ended, and closed a moment before.
      if (!trace.IsUnfinished()) reading.is_growing = false;
      trace.id = before.id;
      trace.title = before.title;
      trace.insights = before.insights;
      if (trace.progress && before.progress) trace.progress = before.progress;
      if (reading.is_growing && how.roots == before.roots &&
          trace.model->sites.size() == before.model->sites.size()) {
        trace.roots = before.roots;
        trace.sources = before.sources;
        trace.texts = before.texts;
      } else {
        trace.FindSources(how.roots, followed.may_run_git);
      }
    }
  } catch (const std::exception& e) {  // of memory there may not be enough
    reading.trace = Status(ErrorCode::kIo, before.title + ": " + e.what());
  }
  if (stop.has_no_room()) {
    std::fprintf(stderr, "tasklens: note: %s has outgrown the memory limit of %llu MiB\n",
                 before.title.c_str(),
                 static_cast<unsigned long long>(how.memory_limit_bytes >> 20));
    reading.is_growing = false;
  }
  reading.cost = ProcessorTime() - begin;
  return reading;
}

void LiveTraces::OnRead(const std::shared_ptr<Followed>& followed, const Reading& reading) {
  const std::string id = followed->trace->id;
  const uint64_t events_before = followed->trace->model->event_count;
  // A file that cannot be read at this moment may be complete the next time.
  if (reading.trace.ok()) followed->trace = *reading.trace;
  if (!reading.is_growing) {
    Forget(id);
    grown_(followed->trace, false);
    return;
  }
  if (followed->trace->model->event_count != events_before && !grown_(followed->trace, true))
    return Forget(id);
  const nanoseconds pause = std::max(kShortestPause, kPausePerCost * reading.cost);
  QTimer::singleShot(std::chrono::duration_cast<std::chrono::milliseconds>(pause), &context_,
                     [this, followed] { Start(followed); });
}

}  // namespace tasklens
