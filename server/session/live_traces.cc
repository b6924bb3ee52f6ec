// SPDX-License-Identifier: Apache-2.0
// Schedules and performs the readings of growing traces.
#include "server/session/live_traces.h"

#include <QTimer>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

#include "converters/trace_files.h"
#include "server/session/memory.h"
#include "server/session/underway.h"
#include "server/sources/foreign_file.h"
#include "trace/format/being_recorded.h"
#include "trace/format/reader.h"

namespace tasklens {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kShortestPause = std::chrono::milliseconds(250);
constexpr int kPausePerCost = 9;  // so a tenth of the time is work

// The processor time of all threads, including those that answer requests meanwhile.
nanoseconds ProcessorTime() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

bool IsClosed(const std::string& path) {
  const Result<ForeignFile> file = ForeignFile::Open(path);
  const std::string head = file.ok() ? file->ReadBytes(0, tlt::kHeaderBytes) : "";
  if (head.empty()) return false;
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
  std::shared_ptr<const OpenTrace> trace;  // the latest version
  bool may_run_git = false;
  std::atomic<bool> is_stopped = false;  // cancels the reading of its rest
};

struct LiveTraces::Outcome {
  Result<std::shared_ptr<OpenTrace>> trace{ErrorCode::kInternal, ""};
  bool is_growing = true;
  nanoseconds cost{};
};

// Reports the progress of a reading, and can end it early.
class LiveTraces::ReadingProgress : public Progress {
 public:
  ReadingProgress(LiveTraces& traces, const Followed& followed, uint64_t limit_bytes)
      : traces_(traces), followed_(followed), limit_(limit_bytes) {}

  bool Report(uint64_t done, uint64_t total) override {
    const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
    if (followed_.trace->reading) *followed_.trace->reading = share;
    if (traces_.reading_ && !followed_.trace->IsWhole() && share >= told_ + kTellEvery) {
      told_ = share;
      traces_.queue_.Post(
          [&traces = traces_, id = followed_.trace->id, share] { traces.reading_(id, share); });
    }
    return !limit_.IsExceeded() && !traces_.stopping_ && !followed_.is_stopped;
  }
  bool has_no_room() { return limit_.IsExceeded(); }

 private:
  static constexpr double kTellEvery = 0.02;

  LiveTraces& traces_;
  const Followed& followed_;
  MemoryLimit limit_;
  double told_ = 0;
};

LiveTraces::LiveTraces(MainQueue& queue, Grown grown, Reading reading)
    : queue_(queue), grown_(std::move(grown)), reading_(std::move(reading)) {}

LiveTraces::~LiveTraces() { stopping_ = true; }

void LiveTraces::SetHow(const How& how) {
  const std::lock_guard<std::mutex> lock(mutex_);
  how_ = how;
}

void LiveTraces::Follow(const std::shared_ptr<const OpenTrace>& trace, bool may_run_git) {
  if (trace->IsWhole()) {
    if (!trace->IsUnfinished()) return;
    // A trace that was closed since the last reading is read once more.
    if (!AnyOf(trace->paths, &tlt::IsBeingRecorded) && !AnyOf(trace->paths, &IsClosed)) return;
  }
  const auto followed = std::make_shared<Followed>();
  followed->trace = trace;
  followed->may_run_git = may_run_git;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!followed_.emplace(trace->id, followed).second) return;
  }
  Start(followed);
}

void LiveTraces::KeepOnly(const std::vector<std::shared_ptr<const OpenTrace>>& traces) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(followed_, [&](const auto& one) {
    const bool is_kept = std::any_of(traces.begin(), traces.end(),
                                     [&](const auto& trace) { return trace->id == one.first; });
    if (!is_kept) one.second->is_stopped = true;
    return !is_kept;
  });
}

void LiveTraces::StopReading(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const auto it = followed_.find(id); it != followed_.end()) it->second->is_stopped = true;
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
  Pool& pool = followed->trace->IsWhole() ? reader_ : rest_reader_;
  pool.Submit([this, followed] {
    How how;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      how = how_;
    }
    const auto outcome = std::make_shared<const Outcome>(Read(*followed, how));
    queue_.Post([this, followed, outcome] { OnRead(followed, *outcome); });
  });
}

// Reads the same files again, or more files of the run, under the same id. Looks for sources only
// if the trace names new ones, if the roots changed, or if the trace is complete.
LiveTraces::Outcome LiveTraces::Read(const Followed& followed, const How& how) {
  const OpenTrace& before = *followed.trace;
  const nanoseconds begin = ProcessorTime();
  Outcome outcome;
  outcome.is_growing =
      AnyOf(before.paths, &tlt::IsBeingRecorded);  // checked before reading: no event is missed
  ReadingProgress progress(*this, followed, how.memory_limit_bytes);
  try {
    outcome.trace =
        LoadTrace(before.paths, {.directory = before.directory,
                                 .progress = &progress,
                                 .may_run_git = false,
                                 .first_bytes = before.IsWhole() ? 0 : before.first_bytes,
                                 .more_than = before.share});
    if (outcome.trace.ok()) {
      OpenTrace& trace = **outcome.trace;
      // The file stays locked until the program has ended, and is closed just before.
      if (!trace.IsUnfinished()) outcome.is_growing = false;
      if (!trace.IsWhole()) outcome.is_growing = true;
      trace.id = before.id;
      trace.title = before.title;
      trace.insights = before.insights;
      if (trace.progress && before.progress) trace.progress = before.progress;
      if (outcome.is_growing && how.roots == before.roots &&
          trace.model->sites.size() == before.model->sites.size()) {
        trace.roots = before.roots;
        trace.sources = before.sources;
        trace.texts = before.texts;
      } else {
        trace.FindSources(how.roots, followed.may_run_git);
      }
    }
  } catch (const std::exception& e) {  // there may not be enough memory
    outcome.trace = Status(ErrorCode::kIo, before.title + ": " + e.what());
  }
  if (progress.has_no_room()) {
    const Status no_room = BeyondMemoryLimit(before.title, how.memory_limit_bytes, how.limit_name);
    if (before.IsWhole())
      std::fprintf(stderr, "tasklens: note: %s\n", no_room.message().c_str());
    else
      outcome.trace = no_room;
    outcome.is_growing = false;
  }
  if (!outcome.trace.ok()) GiveMemoryBack();
  outcome.cost = ProcessorTime() - begin;
  return outcome;
}

void LiveTraces::OnRead(const std::shared_ptr<Followed>& followed, const Outcome& outcome) {
  const std::string id = followed->trace->id;
  if (!IsGrowing(id)) return;  // it was closed meanwhile
  const bool was_whole = followed->trace->IsWhole();
  const uint64_t events_before = followed->trace->model->event_count;
  bool is_growing = outcome.is_growing;
  if (outcome.trace.ok()) {
    followed->trace = *outcome.trace;
  } else if (!was_whole) {
    // The part that was read stays. (A trace that is being recorded may be complete next time.)
    auto rest_missing = std::make_shared<OpenTrace>(*followed->trace);
    rest_missing->not_read = outcome.trace.status().message();
    rest_missing->reading = nullptr;
    followed->trace = rest_missing;
    is_growing = false;
  }
  if (!is_growing) {
    Forget(id);
    grown_(followed->trace, false);
    return;
  }
  if (followed->trace->model->event_count != events_before && !grown_(followed->trace, true))
    return Forget(id);
  if (!followed->trace->IsWhole()) return Start(followed);
  const nanoseconds pause = std::max(kShortestPause, kPausePerCost * outcome.cost);
  QTimer::singleShot(std::chrono::duration_cast<std::chrono::milliseconds>(pause), &context_,
                     [this, followed] { Start(followed); });
}

}  // namespace tasklens
