// SPDX-License-Identifier: Apache-2.0
// Parses lines into tables.
#include "converters/paraver_views/records.h"

#include <algorithm>
#include <optional>

#include "converters/readers/prv_header.h"
#include "converters/readers/prv_lines.h"

namespace tasklens {
namespace {

constexpr uint64_t kMostObjects = 1'000'000;
constexpr int64_t kLastTime = int64_t{1} << 61;

class Loader {
 public:
  Loader(const Source& source, Diagnostics& diags) : source_(source), diags_(diags) {}

  Result<ParaverRecords> Load() {
    const Status read =
        ReadPrvLines(source_, nullptr, diags_, [&](std::string_view line, uint64_t offset) {
          if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
          Line(line, offset);
        });
    if (!read.ok()) return read;
    if (!header_) return NotAPrv(source_.path());
    if (!fault_.ok()) return fault_;
    for (ParaverRecords::Thread& thread : records_.threads) {
      std::stable_sort(thread.states.begin(), thread.states.end(),
                       [](const auto& a, const auto& b) { return a.begin < b.begin; });
      std::stable_sort(thread.events.begin(), thread.events.end(),
                       [](const auto& a, const auto& b) { return a.time < b.time; });
    }
    return std::move(records_);
  }

 private:
  void Line(std::string_view line, uint64_t offset) {
    if (!header_) {
      if (offset != 0) return;
      header_ = ParsePrvHeader(line);
      if (header_) fault_ = AddObjects();
      return;
    }
    if (!fault_.ok() || line.empty() || line[0] == '#') return;
    if (line[0] < '0' || line[0] > '9') {
      if (communicators_ == header_->communicators) return Skip(offset);
      ++communicators_;
      return;
    }
    if (!ParsePrvRecord(line, fields_)) return Skip(offset);
    switch (fields_[0]) {
      case 1: return State(offset);
      case 2: return Event(offset);
      case 3: return Communication(offset);
      case 4: return;
      default: return Skip(offset);
    }
  }

  Status AddObjects() {
    const Status too_many(ErrorCode::kUnsupported, source_.path() + ": line 1: more than " +
                                                       std::to_string(kMostObjects) +
                                                       " threads or CPUs");
    uint64_t threads = 0, cpus = header_->cpus_of_node.empty() ? header_->nodes : 0;
    for (const uint64_t count : header_->cpus_of_node)
      if (count > kMostObjects || (cpus += count) > kMostObjects) return too_many;
    for (const PrvHeader::Task& task : header_->tasks)
      if (task.threads > kMostObjects || (threads += task.threads) > kMostObjects) return too_many;
    if (cpus > kMostObjects || header_->nodes > kMostObjects) return too_many;

    records_.end = header_->duration;
    records_.ns_per_unit = header_->ns_per_unit;
    records_.cpus_of_node.assign(header_->nodes, header_->cpus_of_node.empty() ? 1 : 0);
    for (size_t i = 0; i < std::min<size_t>(header_->nodes, header_->cpus_of_node.size()); ++i)
      records_.cpus_of_node[i] = static_cast<uint32_t>(header_->cpus_of_node[i]);
    for (uint32_t node = 1; node <= records_.cpus_of_node.size(); ++node)
      node_of_cpu_.resize(node_of_cpu_.size() + records_.cpus_of_node[node - 1], node);
    const std::vector<size_t>& first_of = header_->first_of_application;
    records_.applications = static_cast<uint32_t>(first_of.size() - 1);
    for (uint32_t application = 0; application < records_.applications; ++application)
      for (size_t row = first_of[application]; row < first_of[application + 1]; ++row) {
        const PrvHeader::Task& task = header_->tasks[row];
        const auto number = static_cast<uint32_t>(row - first_of[application] + 1);
        const auto task_row = static_cast<uint32_t>(records_.tasks.size());
        records_.tasks.push_back({application + 1, number,
                                  static_cast<uint32_t>(records_.threads.size()),
                                  static_cast<uint32_t>(task.threads)});
        for (uint32_t thread = 1; thread <= task.threads; ++thread)
          records_.threads.push_back({application + 1, number, thread, task_row, {}, {}, {}, {}});
      }
    return Status::Ok();
  }

  // The row of the thread whose "cpu:application:task:thread" begins at `field`.
  std::optional<uint32_t> ThreadAt(size_t field) const {
    const int64_t cpu = fields_[field], application = fields_[field + 1], task = fields_[field + 2],
                  thread = fields_[field + 3];
    const std::vector<size_t>& first_of = header_->first_of_application;
    const auto cpus = static_cast<int64_t>(node_of_cpu_.size());
    if (cpu < 0 || (cpus > 0 && cpu > cpus) || application < 1 ||
        application > records_.applications || task < 1 || thread < 1)
      return std::nullopt;
    const size_t first = first_of[static_cast<size_t>(application) - 1];
    const size_t end = first_of[static_cast<size_t>(application)];
    if (static_cast<uint64_t>(task) > end - first) return std::nullopt;
    // A task runs on its own node only.
    if (cpus > 0 && cpu > 0 &&
        node_of_cpu_[static_cast<size_t>(cpu) - 1] !=
            header_->tasks[first + static_cast<size_t>(task) - 1].node)
      return std::nullopt;
    const ParaverRecords::Task& found = records_.tasks[first + static_cast<size_t>(task) - 1];
    if (thread > found.thread_count) return std::nullopt;
    return found.first_thread + static_cast<uint32_t>(thread) - 1;
  }

  bool IsTime(size_t field) const { return fields_[field] >= 0 && fields_[field] <= kLastTime; }
  void Reaches(int64_t time) { records_.end = std::max(records_.end, time); }

  void State(uint64_t offset) {
    if (fields_.size() != 8) return Skip(offset);
    const auto thread = ThreadAt(1);
    if (fields_[6] == -1) fields_[6] = std::max(records_.end, fields_[5]);  // still open
    if (!thread || !IsTime(5) || !IsTime(6) || fields_[5] > fields_[6] || fields_[7] < 0 ||
        fields_[7] > UINT32_MAX)
      return Skip(offset);
    Reaches(fields_[6]);
    records_.threads[*thread].states.push_back({fields_[5], fields_[6],
                                                static_cast<uint32_t>(fields_[7]),
                                                static_cast<uint32_t>(fields_[1])});
  }
  void Event(uint64_t offset) {
    if (fields_.size() < 8) return Skip(offset);
    const auto thread = ThreadAt(1);
    if (!thread || !IsTime(5)) return Skip(offset);
    if (fields_.size() % 2 != 0) Skip(offset);  // all but the last field are valid
    Reaches(fields_[5]);
    for (size_t i = 6; i + 1 < fields_.size(); i += 2) {
      if (fields_[i] < 0 || fields_[i] > UINT32_MAX) {
        Skip(offset);
        continue;
      }
      records_.threads[*thread].events.push_back({fields_[5], static_cast<uint32_t>(fields_[i]),
                                                  static_cast<uint32_t>(fields_[1]),
                                                  fields_[i + 1]});
    }
  }
  void Communication(uint64_t offset) {
    if (fields_.size() != 15) return Skip(offset);
    const auto from = ThreadAt(1), to = ThreadAt(7);
    if (!from || !to || !IsTime(5) || !IsTime(6) || !IsTime(11) || !IsTime(12)) return Skip(offset);
    for (const size_t time : {5, 6, 11, 12}) Reaches(fields_[time]);
    const auto row = static_cast<uint32_t>(records_.communications.size());
    records_.communications.push_back({*from, *to, static_cast<uint32_t>(fields_[1]),
                                       static_cast<uint32_t>(fields_[7]), fields_[5], fields_[6],
                                       fields_[11], fields_[12], fields_[13], fields_[14]});
    records_.threads[*from].sends.push_back(row);
    records_.threads[*to].receives.push_back(row);
  }

  void Skip(uint64_t offset) {
    diags_.Skip("prv_bad_record", source_.path() + ": byte " + std::to_string(offset));
  }

  const Source& source_;
  Diagnostics& diags_;
  std::optional<PrvHeader> header_;
  Status fault_;
  ParaverRecords records_;
  std::vector<uint32_t> node_of_cpu_;  // CPU and node from 1
  uint64_t communicators_ = 0;
  std::vector<int64_t> fields_;
};

}  // namespace

Result<ParaverRecords> ReadParaverRecords(const Source& source, Diagnostics& diags) {
  return Loader(source, diags).Load();
}

}  // namespace tasklens
