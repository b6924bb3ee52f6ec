// SPDX-License-Identifier: Apache-2.0
// Parses from left to right; memory is bounded by the length of the line.
#include "converters/readers/prv_header.h"

#include <algorithm>
#include <chrono>

#include "trace/support/words.h"

namespace tasklens {
namespace {

class HeaderParser {
 public:
  explicit HeaderParser(std::string_view rest) : rest_(rest) {}

  std::optional<PrvHeader> Parse() {
    if (!Take("#Paraver")) return std::nullopt;
    const size_t open = rest_.find('('), close = rest_.find(')');
    if (open == rest_.npos || close == rest_.npos || close < open) return std::nullopt;
    Date(rest_.substr(open + 1, close - open - 1));
    rest_.remove_prefix(std::min(close + 2, rest_.size()));
    if (!Duration() || !Nodes() || !Applications()) return std::nullopt;
    return std::move(header_);
  }

 private:
  bool Take(std::string_view text) { return tasklens::Take(text, rest_); }
  bool Number(uint64_t& value) { return TakeNumber(rest_, value); }

  // "dd/mm/yyyy at hh:mm"; a two-digit year means 1970 to 2069. Other forms are ignored.
  void Date(std::string_view text) {
    const std::string_view after = rest_;
    rest_ = text;
    uint64_t day = 0, month = 0, year = 0, hour = 0, minute = 0;
    const bool whole = Number(day) && Take("/") && Number(month) && Take("/") && Number(year) &&
                       Take(" at ") && Number(hour) && Take(":") && Number(minute);
    rest_ = after;
    if (!whole || year > 9999 || hour > 23 || minute > 59) return;
    if (year < 100) year += year < 70 ? 2000 : 1900;
    using namespace std::chrono;
    const year_month_day date(std::chrono::year(static_cast<int>(year)),
                              std::chrono::month(static_cast<unsigned>(month)),
                              std::chrono::day(static_cast<unsigned>(day)));
    if (!date.ok() || year < 1970 || year > 2261) return;
    const auto time = sys_days(date) + hours(hour) + minutes(minute);
    header_.unix_ns = duration_cast<nanoseconds>(time.time_since_epoch()).count();
  }

  bool Duration() {
    uint64_t duration = 0;
    if (!Number(duration)) return false;
    if (Take("_ns"))
      header_.ns_per_unit = 1;
    else if (Take("_ms"))
      header_.ns_per_unit = 1'000'000;
    else
      Take("_us");
    header_.duration = static_cast<int64_t>(std::min<uint64_t>(duration, INT64_MAX));
    return Take(":");
  }

  bool Nodes() {
    if (!Number(header_.nodes)) return false;
    if (Take("(")) {
      do {
        uint64_t cpus = 0;
        if (!Number(cpus)) return false;
        header_.cpus_of_node.push_back(cpus);
      } while (Take(","));
      if (!Take(")")) return false;
    }
    return Take(":");
  }

  bool Applications() {
    uint64_t applications = 0, threads = 0;
    if (!Number(applications)) return false;
    // Parses as many applications as announced, each after one character of any kind; further ones
    // must follow a colon.
    for (uint64_t i = 0; !rest_.empty() && (i < applications || rest_[0] == ':'); ++i) {
      const std::string_view before = rest_;
      rest_.remove_prefix(1);
      uint64_t tasks = 0;
      if (!Number(tasks) || !Take("(")) {
        if (before[0] != ',') return false;
        rest_ = before;  // the number of communicators
        break;
      }
      header_.first_of_application.push_back(header_.tasks.size());
      do {
        uint64_t count = 0, node = 0;
        if (!Number(count) || !Take(":") || !Number(node)) return false;
        header_.tasks.push_back({count, threads, node});
        threads += count;
      } while (Take(","));
      if (!Take(")")) return false;
    }
    header_.first_of_application.push_back(header_.tasks.size());
    if (Take(",") && !Number(header_.communicators)) return false;
    return !header_.tasks.empty();
  }

  PrvHeader header_;
  std::string_view rest_;
};

}  // namespace

Status NotAPrv(const std::string& path) {
  return {ErrorCode::kCorrupt,
          path +
              ": line 1: not a Paraver header ('#Paraver (date):time:nodes:applications'); is "
              "the file whole?"};
}

std::optional<PrvHeader> ParsePrvHeader(std::string_view line) {
  return HeaderParser(line).Parse();
}

}  // namespace tasklens
