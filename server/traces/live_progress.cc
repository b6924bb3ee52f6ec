// SPDX-License-Identifier: Apache-2.0
// Sums up events as they arrive.
#include "server/traces/live_progress.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <unordered_map>
#include <utility>

#include "converters/trace_files.h"
#include "trace/events/event_sink.h"
#include "trace/format/follower.h"

namespace tasklens {
namespace {

// Several viewers of one run share one reading.
constexpr auto kLeastPause = std::chrono::milliseconds(100);
// Per worker: more than a picture has pixels. Beyond this, stretches are merged.
constexpr size_t kMostStretches = 4096;
// The number of ended tasks that are remembered.
constexpr size_t kMostEnded = 65536;

struct Stretch {
  int64_t start_ns, end_ns;
  int64_t busy_ns;     // in tasks
  int64_t longest_ns;  // length of the longest task,
  uint64_t job;        // its number,
  StringId name;       // and its name; 0: not known when it ended
  uint32_t count;
};

// The stretches of one worker.
class Lane {
 public:
  void Start(int64_t time_ns, uint64_t job) {
    start_ns_ = time_ns;
    job_ = job;
  }
  // Records that the task `job`, called `name`, ended.
  void End(int64_t time_ns, uint64_t job, StringId name) {
    if (start_ns_ == kNever) return;
    const int64_t length_ns = std::max<int64_t>(0, time_ns - start_ns_);
    stretches_.push_back({start_ns_, start_ns_ + length_ns, length_ns, length_ns, job, name, 1});
    if (stretches_.size() > kMostStretches) Coarsen();
    start_ns_ = kNever;
  }

  void Forget(int64_t until_ns) {
    stretches_.erase(stretches_.begin(), FirstAfter(until_ns));
    if (stretches_.empty()) detail_ns_ = 0;
  }
  // Returns the stretches that ended after `from_ns`, and the task that runs at `now_ns`.
  std::vector<Stretch> Stretches(int64_t from_ns, int64_t now_ns) const {
    std::vector<Stretch> all(FirstAfter(from_ns), stretches_.end());
    if (start_ns_ != kNever && start_ns_ < now_ns)
      all.push_back({start_ns_, now_ns, now_ns - start_ns_, now_ns - start_ns_, job_, 0, 1});
    return all;
  }

 private:
  std::vector<Stretch>::const_iterator FirstAfter(int64_t time_ns) const {
    return std::find_if(stretches_.begin(), stretches_.end(),
                        [&](const Stretch& stretch) { return stretch.end_ns > time_ns; });
  }

  // Merges neighbours until each stretch is at least as long as a pixel; about half of them remain.
  void Coarsen() {
    const int64_t span_ns = stretches_.back().end_ns - stretches_.front().start_ns;
    detail_ns_ = std::max(2 * detail_ns_, span_ns / static_cast<int64_t>(kMostStretches / 4));
    std::vector<Stretch> joined;
    for (const Stretch& next : stretches_) {
      if (joined.empty() || next.end_ns - joined.back().start_ns > detail_ns_) {
        joined.push_back(next);
        continue;
      }
      Stretch& last = joined.back();
      last.end_ns = next.end_ns;
      last.busy_ns += next.busy_ns;
      last.count += next.count;
      if (next.longest_ns <= last.longest_ns) continue;
      last.longest_ns = next.longest_ns;
      last.job = next.job;
      last.name = next.name;
    }
    stretches_ = std::move(joined);
  }

  std::vector<Stretch> stretches_;
  int64_t detail_ns_ = 0;
  int64_t start_ns_ = kNever;  // of the running task; kNever: none
  uint64_t job_ = 0;
};

}  // namespace

// The sums over the events of one file, in the file's own time.
class LiveProgress::File : public EventSink {
 public:
  explicit File(const std::string& path) : path_(path), follower_(path) {}

  Status ReadNew() { return follower_.ReadNew(*this); }
  bool is_behind() const { return follower_.is_behind(); }

  StringId Intern(std::string_view text) override { return strings_.Intern(text); }
  void OnEvent(const Event& event) override;
  void AddTo(RunProgress& progress, const TraceModel& model, int64_t from_ns, int64_t keep_from_ns);

 private:
  struct Line {
    StringId file, function;
    uint32_t line;
    uint64_t tasks = 0;
    int64_t total_ns = 0;
  };
  // A task that has not ended, or whose records may not be complete.
  struct Job {
    StringId name = 0;
    uint32_t line = kNone;      // of lines_
    int64_t start_ns = kNever;  // of its latest run; for a parallel task, of the first worker
    int64_t busy_ns = 0;        // in its latest run
    uint32_t workers = 0;       // number of workers that run it now
    uint32_t type = 0;          // TaskTypeBits
    bool is_there = false;      // false: only mentioned
    bool has_ended = false;
  };

  // Changes a task and updates the sums.
  template <class Change>
  void Update(uint64_t number, Change change);
  bool IsUserTask(const Job& job) const;
  StringId NameOf(const Stretch& stretch) const;
  void Site(const Event& event);
  void End(const Event& event);
  uint32_t RankIndex(const TraceModel& model) const;
  void AddWorkers(RunProgress& progress, const TraceModel& model, uint32_t rank_index,
                  int64_t offset_ns, int64_t from_ns) const;

  const std::string path_;
  tlt::Follower follower_;
  StringPool strings_;
  std::unordered_map<uint64_t, Job> jobs_;
  std::deque<uint64_t> ended_;  // of jobs_, the earliest first
  std::vector<Line> lines_;
  std::map<std::pair<uint64_t, StringId>, uint32_t> line_of_;  // by (file and line) and function
  std::map<uint32_t, Lane> lanes_;                             // by worker id
  uint64_t tasks_ = 0, ran_ = 0;
  int64_t busy_ns_ = 0;
  int64_t first_ns_ = std::numeric_limits<int64_t>::max();  // of the first submission
  int64_t last_end_ns_ = kNever, last_ns_ = kNever;
};

void LiveProgress::File::OnEvent(const Event& event) {
  const auto args = event.args;
  last_ns_ = std::max(last_ns_, event.time_ns);
  switch (event.kind) {
    case EventKind::kTaskSubmit:
      first_ns_ = std::min(first_ns_, event.time_ns);
      return Update(args[0], [&](Job& job) {
        job.type = static_cast<uint32_t>(args[5]);
        job.is_there = true;
      });
    case EventKind::kTaskSite: return Site(event);
    case EventKind::kTaskName:
      return Update(args[0], [&](Job& job) { job.name = static_cast<StringId>(args[1]); });
    case EventKind::kTaskStart:
      first_ns_ = std::min(first_ns_, event.time_ns);
      return Update(args[0], [&](Job& job) {
        job.is_there = true;
        if (job.workers++ == 0) job.start_ns = event.time_ns;
        lanes_[static_cast<uint32_t>(args[1])].Start(event.time_ns, args[0]);
      });
    case EventKind::kTaskEnd: return End(event);
    default: return;
  }
}

// The rule of analysis/sites.h.
bool LiveProgress::File::IsUserTask(const Job& job) const {
  return job.is_there && (job.type & (kTaskInternal | kTaskDataAcquire)) == 0 &&
         !strings_.Get(job.name).starts_with("_starpu_");
}

template <class Change>
void LiveProgress::File::Update(uint64_t number, Change change) {
  Job& job = jobs_[number];
  const bool had_ended = job.has_ended;
  tasks_ -= IsUserTask(job);
  ran_ -= had_ended && IsUserTask(job);
  busy_ns_ -= IsUserTask(job) ? job.busy_ns : 0;
  change(job);
  tasks_ += IsUserTask(job);
  ran_ += job.has_ended && IsUserTask(job);
  busy_ns_ += IsUserTask(job) ? job.busy_ns : 0;
  if (!job.has_ended || had_ended) return;
  // A short task may end before the record of its submission is written.
  ended_.push_back(number);
  if (ended_.size() <= kMostEnded) return;
  jobs_.erase(ended_.front());
  ended_.pop_front();
}

void LiveProgress::File::Site(const Event& event) {
  const auto line = static_cast<uint32_t>(event.args[1]);
  const auto file = static_cast<StringId>(event.args[2]);
  const auto function = static_cast<StringId>(event.args[3]);
  const auto next = static_cast<uint32_t>(lines_.size());
  const uint32_t at =
      line_of_.try_emplace({uint64_t{file} << 32 | line, function}, next).first->second;
  if (at == next) lines_.push_back({file, function, line});
  ++lines_[at].tasks;
  Update(event.args[0], [&](Job& job) {
    if (job.line == kNone) lines_[at].total_ns += job.busy_ns;
    job.line = at;
    job.is_there = true;
  });
}

// A parallel task ends once for each worker, and runs until the last has ended it.
void LiveProgress::File::End(const Event& event) {
  last_end_ns_ = std::max(last_end_ns_, event.time_ns);
  Update(event.args[0], [&](Job& job) {
    lanes_[static_cast<uint32_t>(event.args[1])].End(event.time_ns, event.args[0], job.name);
    if (job.workers > 0) --job.workers;
    job.has_ended = true;
    if (job.start_ns == kNever) return;
    const int64_t busy_ns = std::max<int64_t>(0, event.time_ns - job.start_ns);
    if (job.line != kNone) lines_[job.line].total_ns += busy_ns - job.busy_ns;
    job.busy_ns = busy_ns;
  });
}

// The name of a short task may arrive after its end.
StringId LiveProgress::File::NameOf(const Stretch& stretch) const {
  if (stretch.name != 0) return stretch.name;
  const auto job = jobs_.find(stretch.job);
  return job == jobs_.end() ? 0 : job->second.name;
}

// Returns the row of the rank in the model; kNone: the model does not have it yet.
uint32_t LiveProgress::File::RankIndex(const TraceModel& model) const {
  if (model.ranks.size() == 1) return 0;
  const int64_t rank = follower_.rank() >= 0 ? follower_.rank() : RankInName(path_);
  const auto& ranks = model.ranks.rank;
  const auto found = std::find(ranks.begin(), ranks.end(), static_cast<uint32_t>(rank));
  return rank < 0 || found == ranks.end() ? kNone : static_cast<uint32_t>(found - ranks.begin());
}

void LiveProgress::File::AddTo(RunProgress& progress, const TraceModel& model, int64_t from_ns,
                               int64_t keep_from_ns) {
  const uint32_t rank_index = RankIndex(model);
  if (rank_index == kNone || last_ns_ == kNever) return;
  const int64_t offset_ns = model.ranks.clock_offset_ns[rank_index];
  for (auto& [id, lane] : lanes_) lane.Forget(keep_from_ns - offset_ns);
  progress.is_behind = progress.is_behind || is_behind();
  progress.end_ns = std::max(progress.end_ns, last_ns_ + offset_ns);
  progress.tasks += tasks_;
  progress.ran += ran_;
  progress.busy_ns += busy_ns_;
  if (last_end_ns_ != kNever)
    progress.span_ns = std::max(progress.span_ns, last_end_ns_ - first_ns_);
  for (const Line& line : lines_)
    progress.lines.push_back({std::string(strings_.Get(line.file)),
                              std::string(strings_.Get(line.function)), line.line, line.tasks,
                              line.total_ns});
  AddWorkers(progress, model, rank_index, offset_ns, from_ns);
}

void LiveProgress::File::AddWorkers(RunProgress& progress, const TraceModel& model,
                                    uint32_t rank_index, int64_t offset_ns, int64_t from_ns) const {
  std::unordered_map<StringId, uint32_t> name_of;
  for (uint32_t row = 0; row < model.workers.size(); ++row) {
    if (model.workers.rank_index[row] != rank_index) continue;
    const auto lane = lanes_.find(model.workers.id[row]);
    if (lane == lanes_.end()) continue;
    RunProgress::Worker& worker = progress.workers.emplace_back(RunProgress::Worker{row, {}});
    for (const Stretch& stretch : lane->second.Stretches(from_ns - offset_ns, last_ns_)) {
      const StringId id = NameOf(stretch);
      const auto [name, is_new] =
          name_of.try_emplace(id, static_cast<uint32_t>(progress.names.size()));
      if (is_new) progress.names.emplace_back(id == 0 ? "unknown" : strings_.Get(id));
      worker.stretches.push_back({stretch.start_ns + offset_ns, stretch.end_ns + offset_ns,
                                  stretch.busy_ns, name->second, stretch.count});
    }
  }
}

LiveProgress::LiveProgress(std::vector<std::string> paths) : paths_(std::move(paths)) {}
LiveProgress::~LiveProgress() = default;

Status LiveProgress::ReadNew() {
  const auto now = std::chrono::steady_clock::now();
  if (now - read_at_ < kLeastPause) return {};
  const Result<std::vector<std::string>> paths = TraceFiles(paths_);
  if (!paths.ok()) return paths.status();
  for (const std::string& path : *paths) {
    std::unique_ptr<File>& file = files_[path];
    if (file == nullptr) file = std::make_unique<File>(path);
    if (Status s = file->ReadNew(); !s.ok()) return s;
  }
  read_at_ = std::chrono::steady_clock::now();
  return {};
}

Result<RunProgress> LiveProgress::Look(const TraceModel& model, int64_t from_ns) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Status s = ReadNew(); !s.ok()) return s;
  if (from_ns > latest_from_ns_) from_ns_before_ = std::exchange(latest_from_ns_, from_ns);
  RunProgress progress;
  for (const auto& [path, file] : files_) file->AddTo(progress, model, from_ns, from_ns_before_);
  return progress;
}

}  // namespace tasklens
