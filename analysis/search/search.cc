// SPDX-License-Identifier: Apache-2.0
// Examines each text once, then the tasks.
#include "analysis/search/search.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

#include "trace/model/questions.h"
#include "trace/support/read_number.h"
#include "trace/support/words.h"

namespace tasklens {
namespace {

// The quality of a match; 0: none.
enum Rank : uint8_t { kNo, kOther, kName, kTag, kJob };

std::optional<uint64_t> NumberOf(std::string_view text) {
  uint64_t number = 0;
  return ReadNumberOrHex(text, number) ? std::optional(number) : std::nullopt;
}

class Searcher {
 public:
  Searcher(const TraceModel& model, std::string_view text)
      : model_(model), wanted_(Lower(text)), number_(NumberOf(wanted_)) {
    for (uint32_t site = 0; site < model.sites.size(); ++site)
      is_site_.push_back(
          Has(LineOf(model, site) + " " + std::string(model.str(model.sites.function[site]))));
  }

  bool HasSite(uint32_t site) const { return is_site_[site]; }

  Rank RankOf(uint32_t task) {
    const TaskTable& tasks = model_.tasks;
    if (number_ && tasks.job[task] == *number_) return kJob;
    if (number_ && tasks.has_tag[task] && tasks.tag[task] == *number_) return kTag;
    if (HasName(tasks.name[task], model_.TaskNameOf(task))) return kName;
    if (tasks.site[task] < is_site_.size() && is_site_[tasks.site[task]]) return kOther;
    for (const TaskAccess& access : model_.accesses[task])
      if (HasData(access.handle)) return kOther;
    return kNo;
  }

 private:
  bool Has(std::string_view text) const { return ContainsIgnoringCase(text, wanted_); }
  // Cached, because texts repeat.
  bool HasName(StringId id, std::string_view text) {
    const auto [it, is_new] = has_.try_emplace(id);
    if (is_new) it->second = Has(text);
    return it->second;
  }
  bool HasData(uint32_t handle) {
    if (handle >= model_.handles.size()) return false;
    if (number_ && model_.handles.address[handle] == *number_) return true;
    const std::string_view name = model_.str(model_.handles.name[handle]);
    return !name.empty() && HasName(model_.handles.name[handle], name);
  }

  const TraceModel& model_;
  const std::string wanted_;
  const std::optional<uint64_t> number_;
  std::vector<bool> is_site_;
  std::unordered_map<StringId, bool> has_;
};

}  // namespace

SearchResult Search(const TraceModel& model, std::string_view text, size_t most, Stop stop) {
  SearchResult result;
  text = Trimmed(text);
  if (text.empty()) return result;
  Searcher searcher(model, text);
  for (uint32_t site = 0; site < model.sites.size() && result.sites.size() < most; ++site)
    if (searcher.HasSite(site)) result.sites.push_back(site);
  std::vector<uint32_t> by_rank[kJob + 1];
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    if (task % 4096 == 0 && Stopped(stop)) return result;
    const Rank rank = searcher.RankOf(task);
    if (rank == kNo) continue;
    ++result.count;
    if (by_rank[rank].size() < most) by_rank[rank].push_back(task);
  }
  for (const Rank rank : {kJob, kTag, kName, kOther})
    for (const uint32_t task : by_rank[rank])
      if (result.tasks.size() < most) result.tasks.push_back(task);
  return result;
}

}  // namespace tasklens
