// SPDX-License-Identifier: Apache-2.0
// Rules about ranks and the messages between them. Ranks without a common clock are left out: it is
// unknown which of them waited for the other.
#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/message_waits.h"
#include "analysis/rules/context.h"
#include "analysis/sum.h"
#include "analysis/text.h"

namespace tasklens {
namespace {

// Data that returned this often are moved to and fro.
constexpr uint64_t kOften = 3;

// A message of fewer bytes costs as much as an empty one.
constexpr uint64_t kSmallBytes = 4096;
constexpr uint64_t kManyMessages = 100;

std::string RankText(const TraceModel& model, uint32_t row) {
  return "rank " + std::to_string(model.ranks.rank[row]);
}

// The cost of those waits that concern a rule, by site.
class CostBySite {
 public:
  explicit CostBySite(const AdviceContext& context) : context_(context) {}

  void Add(uint32_t site, const MessageWait& wait, int64_t ns) {
    if (ns <= 0) return;
    Cost& cost = costs_[site];
    AddNs(cost.worker_ns, ns);
    ++cost.messages;
    const MessageTable& messages = context_.model.messages;
    cost.ways.emplace(messages.source[wait.message], messages.target[wait.message]);
    AddNs(all_ns_, ns);
    ++all_messages_;
  }

  int64_t all_ns() const { return all_ns_; }
  uint64_t all_messages() const { return all_messages_; }
  // kNone: nothing was added, or the site is unknown.
  uint32_t WorstSite() const { return Worst() == costs_.end() ? kNone : Worst()->first; }
  // "rank 1 waits for data that rank 0 <does>", or "ranks wait for data that others <do>" if the
  // messages of the worst site have several senders or receivers.
  std::string Who(const std::string& does, const std::string& others_do) const {
    const auto worst = Worst();
    if (worst == costs_.end() || worst->second.ways.size() != 1)
      return "ranks wait for data that others " + others_do;
    const auto& [source, target] = *worst->second.ways.begin();
    return RankText(context_.model, target) + " waits for data that " +
           RankText(context_.model, source) + " " + does;
  }

 private:
  struct Cost {
    int64_t worker_ns = 0;
    uint64_t messages = 0;
    std::set<std::pair<uint32_t, uint32_t>> ways;  // source, target
  };
  std::map<uint32_t, Cost>::const_iterator Worst() const {
    return std::max_element(costs_.begin(), costs_.end(), [](const auto& a, const auto& b) {
      return a.second.worker_ns < b.second.worker_ns;
    });
  }

  const AdviceContext& context_;
  std::map<uint32_t, Cost> costs_;
  int64_t all_ns_ = 0;
  uint64_t all_messages_ = 0;
};

uint32_t SiteOf(const TraceModel& model, uint32_t task) {
  return task == kNone ? kNone : model.tasks.site[task];
}

bool OnOneClock(const TraceModel& model, uint32_t message) {
  const auto is_aligned = [&](uint32_t rank) {
    return rank < model.ranks.size() && (model.ranks.aligned[rank] || model.ranks.size() == 1);
  };
  return is_aligned(model.messages.source[message]) && is_aligned(model.messages.target[message]);
}

// Returns the context's waits between ranks with a common clock.
std::vector<MessageWait> WaitsOf(const AdviceContext& context) {
  std::vector<MessageWait> waits = context.message_waits.waits;
  std::erase_if(waits,
                [&](const MessageWait& wait) { return !OnOneClock(context.model, wait.message); });
  return waits;
}

// The usual transmission time of messages of similar size: its lower quartile.
class UsualTravel {
 public:
  explicit UsualTravel(const TraceModel& model) {
    std::map<int, std::vector<int64_t>> travel_ns;
    const MessageTable& messages = model.messages;
    for (uint32_t m = 0; m < messages.size(); ++m)
      if (messages.send_ns[m] != kNever && messages.receive_ns[m] >= messages.send_ns[m])
        travel_ns[std::bit_width(messages.size_bytes[m])].push_back(messages.receive_ns[m] -
                                                                    messages.send_ns[m]);
    for (auto& [width, lengths_ns] : travel_ns) {
      if (lengths_ns.size() < kManyTasks) continue;
      const auto quarter = lengths_ns.begin() + static_cast<std::ptrdiff_t>(lengths_ns.size() / 4);
      std::nth_element(lengths_ns.begin(), quarter, lengths_ns.end());
      usual_ns_[width] = *quarter;
    }
  }
  // nullptr: too few messages of similar size.
  const int64_t* Of(uint64_t bytes) const {
    const auto found = usual_ns_.find(std::bit_width(bytes));
    return found == usual_ns_.end() ? nullptr : &found->second;
  }

 private:
  std::map<int, int64_t> usual_ns_;  // by the number of bits of the size
};

// Returns how long a message had arrived before its receiver asked for it; if the trace does not
// have that time, how much longer than usual it was under way.
int64_t LateBy(const TraceModel& model, uint32_t message, const UsualTravel& usual) {
  const MessageTable& messages = model.messages;
  const int64_t sent_ns = messages.send_ns[message], received_ns = messages.receive_ns[message];
  if (messages.asked_ns[message] != kNever)
    return std::clamp(messages.asked_ns[message], sent_ns, received_ns) - sent_ns;
  const int64_t* const usual_ns = usual.Of(messages.size_bytes[message]);
  return usual_ns == nullptr ? 0 : received_ns - sent_ns - *usual_ns;
}

std::string BytesText(uint64_t bytes) {
  return CountText(bytes) + (bytes == 1 ? " byte" : " bytes");
}

}  // namespace

// Workers of a rank were idle until a message came, while the task that produces its data waited
// for a worker of the other rank, or while the data were ready but not sent.
void FindLateSender(const AdviceContext& context, std::vector<Finding>& findings) {
  CostBySite queued(context), unsent(context);
  for (const MessageWait& wait : WaitsOf(context)) {
    const uint32_t site = SiteOf(context.model, wait.producer);
    queued.Add(site, wait, wait.queued_ns);
    unsent.Add(site, wait, wait.unsent_ns);
  }
  const auto say = [&](const CostBySite& cost, const std::string& who, const char* meanwhile,
                       const char* what, const char* name) {
    const int64_t cost_ns = context.RunNs(cost.all_ns());
    if (!context.WorthSaying(cost_ns)) return;
    findings.push_back(context.Make(
        cost_ns, cost.WorstSite(),
        who + ": workers lost " + DurationText(cost.all_ns()) + " while " + meanwhile + " of " +
            CountText(cost.all_messages(), "message") + " were ready " + what,
        {{name, cost.all_ns()}, {"messages", static_cast<int64_t>(cost.all_messages())}}));
  };
  say(queued, queued.Who("produces late", "produce late"), "the tasks that produce the data",
      "and their rank ran others; give the tasks of this line a higher priority, or submit them "
      "earlier",
      "producer_queued_ns");
  say(unsent, unsent.Who("has but does not send", "have but do not send"), "the data",
      "but not sent; submit the tasks that receive them earlier, and leave a core to the "
      "communication thread (STARPU_RESERVE_NCPU=1)",
      "unsent_ns");
}

// Messages waited for their receiver, or were under way much longer than others of their size,
// while workers of the receiving rank were idle.
void FindLateReceiver(const AdviceContext& context, std::vector<Finding>& findings) {
  const UsualTravel usual(context.model);
  CostBySite cost(context);
  int64_t late_ns = 0;
  for (const MessageWait& wait : WaitsOf(context)) {
    const int64_t message_late_ns = LateBy(context.model, wait.message, usual);
    const int64_t travel_ns = context.model.messages.receive_ns[wait.message] -
                              context.model.messages.send_ns[wait.message];
    if (message_late_ns <= 0 || travel_ns <= 0) continue;
    // The share of the workers' wait while it was under way.
    const double share = static_cast<double>(message_late_ns) / static_cast<double>(travel_ns);
    cost.Add(SiteOf(context.model, wait.consumer), wait,
             static_cast<int64_t>(share * static_cast<double>(wait.travelling_ns)));
    AddNs(late_ns, message_late_ns);
  }
  const int64_t cost_ns = context.RunNs(cost.all_ns());
  if (!context.WorthSaying(cost_ns)) return;
  const auto messages = static_cast<int64_t>(cost.all_messages());
  findings.push_back(context.Make(
      cost_ns, cost.WorstSite(),
      cost.Who("sent long ago", "sent long ago") + ": " +
          CountText(cost.all_messages(), "message") + " took " + DurationText(late_ns / messages) +
          " longer than necessary, on average; let the receiver submit the tasks of this line "
          "earlier, and leave a core to the communication thread (STARPU_RESERVE_NCPU=1)",
      {{"messages", messages}, {"late_ns", late_ns}}));
}

// Workers wait for messages so small that their number is the cost, not their bytes.
void FindSmallMessages(const AdviceContext& context, std::vector<Finding>& findings) {
  const MessageTable& table = context.model.messages;
  CostBySite cost(context);
  for (const MessageWait& wait : WaitsOf(context))
    if (table.size_bytes[wait.message] < kSmallBytes)
      cost.Add(SiteOf(context.model, wait.consumer), wait, wait.travelling_ns);
  uint64_t small = 0, bytes = 0;
  for (uint32_t m = 0; m < table.size(); ++m) {
    if (table.size_bytes[m] >= kSmallBytes) continue;
    ++small;
    bytes += table.size_bytes[m];
  }
  const int64_t cost_ns = context.RunNs(cost.all_ns());
  if (small < kManyMessages || !context.WorthSaying(cost_ns)) return;
  findings.push_back(
      context.Make(cost_ns, cost.WorstSite(),
                   CountText(small, "message") + " of " + BytesText(bytes / small) +
                       " on average: the cost of such a message does not depend on its size; let "
                       "tasks work on larger pieces of data, so that there are fewer messages",
                   {{"messages", static_cast<int64_t>(small)},
                    {"mean_bytes", static_cast<int64_t>(bytes / small)}}));
}

// The same data, identified by their tag, are sent from one rank to another and back repeatedly.
void FindDataBetweenRanks(const AdviceContext& context, std::vector<Finding>& findings) {
  const MessageTable& table = context.model.messages;
  struct Journey {
    uint32_t last_source = kNone;
    uint64_t returns = 0, bytes = 0;
  };
  using Piece = std::tuple<uint32_t, uint32_t, int64_t>;  // the ranks, lower first, and the tag
  const auto piece_of = [&](uint32_t m) {
    const auto [low, high] = std::minmax(table.source[m], table.target[m]);
    return Piece(low, high, table.tag[m]);
  };
  std::vector<uint32_t> in_time;
  for (uint32_t m = 0; m < table.size(); ++m)
    if (table.send_ns[m] != kNever && table.receive_ns[m] != kNever) in_time.push_back(m);
  std::stable_sort(in_time.begin(), in_time.end(),
                   [&](uint32_t a, uint32_t b) { return table.send_ns[a] < table.send_ns[b]; });
  std::map<Piece, Journey> journeys;
  for (const uint32_t m : in_time) {
    Journey& journey = journeys[piece_of(m)];
    journey.returns += journey.last_source != kNone && journey.last_source != table.source[m];
    journey.last_source = table.source[m];
    journey.bytes += table.size_bytes[m];
  }
  std::erase_if(journeys, [](const auto& entry) { return entry.second.returns < kOften; });
  CostBySite cost(context);
  for (const MessageWait& wait : WaitsOf(context))
    if (journeys.contains(piece_of(wait.message)))
      cost.Add(SiteOf(context.model, wait.consumer), wait, wait.travelling_ns);
  const int64_t cost_ns = context.RunNs(cost.all_ns());
  if (!context.WorthSaying(cost_ns)) return;
  uint64_t returns = 0, bytes = 0;
  for (const auto& [piece, journey] : journeys) {
    returns += journey.returns;
    bytes += journey.bytes;
  }
  findings.push_back(context.Make(
      cost_ns, cost.WorstSite(),
      CountText(journeys.size(), "piece") + " of data " + (journeys.size() == 1 ? "goes" : "go") +
          " from rank to rank and back, " + CountText(returns, "time") + " in all (" +
          BytesText(bytes) +
          "); run the tasks where the data are (STARPU_EXECUTE_ON_DATA), or move the data "
          "permanently "
          "(starpu_mpi_data_migrate())",
      {{"returns", static_cast<int64_t>(returns)}, {"bytes", static_cast<int64_t>(bytes)}}));
}

// Workers were idle while messages were under way for a usual time, and the rules above explain
// less than half of it.
void FindMessageWait(const AdviceContext& context, std::vector<Finding>& findings) {
  CostBySite cost(context);
  for (const MessageWait& wait : WaitsOf(context))
    cost.Add(SiteOf(context.model, wait.consumer), wait, wait.travelling_ns);
  const int64_t cost_ns = context.RunNs(cost.all_ns());
  const auto says_why = [&](const Finding& finding) {
    constexpr std::string_view kWhy[] = {"late_receiver", "small_messages", "data_between_ranks"};
    return std::find(std::begin(kWhy), std::end(kWhy), finding.rule) != std::end(kWhy) &&
           finding.cost_ns >= cost_ns / 2;
  };
  if (!context.WorthSaying(cost_ns) || std::any_of(findings.begin(), findings.end(), says_why))
    return;
  const auto messages = static_cast<int64_t>(cost.all_messages());
  findings.push_back(
      context.Make(cost_ns, cost.WorstSite(),
                   "workers wait for messages in transit: " + DurationText(cost.all_ns()) +
                       " for " + CountText(cost.all_messages(), "message") +
                       "; give them other work meanwhile: submit tasks further ahead, raise the "
                       "priority of the tasks that produce and use these data, or distribute the "
                       "data so that fewer go between ranks",
                   {{"messages", messages}, {"travelling_ns", cost.all_ns()}}));
}

// One rank has more work per worker than the average. The cost is how much earlier the work would
// end if it were shared evenly.
void FindRankImbalance(const AdviceContext& context, std::vector<Finding>& findings) {
  const TraceModel& model = context.model;
  const uint32_t ranks = static_cast<uint32_t>(model.ranks.size());
  if (ranks < 2 || std::find(model.ranks.aligned.begin(), model.ranks.aligned.end(), false) !=
                       model.ranks.aligned.end())
    return;
  struct Load {
    int64_t busy_ns = 0, workers = 0;
    int64_t PerWorkerNs() const { return workers == 0 ? 0 : busy_ns / workers; }
  };
  std::vector<Load> loads(ranks);
  Load whole;
  for (uint32_t worker = 0; worker < model.workers.size(); ++worker) {
    if (!context.idle.workers[worker].counts) continue;
    for (Load* load : {&loads[model.workers.rank_index[worker]], &whole}) {
      AddNs(load->busy_ns, context.idle.workers[worker].busy_ns);
      ++load->workers;
    }
  }
  const auto by_load = [&](const Load& a, const Load& b) {
    return a.PerWorkerNs() < b.PerWorkerNs();
  };
  const auto [least, most] = std::minmax_element(loads.begin(), loads.end(), by_load);
  const int64_t cost_ns = most->PerWorkerNs() - whole.PerWorkerNs();
  // If the busiest rank was itself mostly idle, its work is not the reason for the length of the
  // run.
  if (most->PerWorkerNs() < context.span_ns / 2 || !context.WorthSaying(cost_ns)) return;
  const auto busiest = static_cast<uint32_t>(most - loads.begin());
  std::map<uint32_t, int64_t> beyond_ns;  // by site: the excess over the other ranks
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    if (!Executed(model.tasks, task)) continue;
    const int64_t run_ns = model.tasks.RunNs(task);
    beyond_ns[model.tasks.site[task]] +=
        model.tasks.rank_index[task] == busiest ? run_ns : -run_ns / (ranks - 1);
  }
  findings.push_back(context.Make(
      cost_ns, KeyOfMost(beyond_ns, kNone),
      RankText(model, busiest) + " has " + DurationText(most->PerWorkerNs()) +
          " of work for each worker, " +
          RankText(model, static_cast<uint32_t>(least - loads.begin())) + " " +
          DurationText(least->PerWorkerNs()) + ", all ranks " + DurationText(whole.PerWorkerNs()) +
          " on average; distribute the data by the work on them (starpu_mpi_data_set_rank()), or "
          "rebalance at run time (starpu_mpi_lb_init())",
      {{"most_ns", most->PerWorkerNs()},
       {"least_ns", least->PerWorkerNs()},
       {"mean_ns", whole.PerWorkerNs()},
       {"ranks", static_cast<int64_t>(ranks)}}));
}

// Two pieces of data of one rank had the same tag at one time, and messages were sent with it:
// which data a message is for depends on the order of the calls.
void FindTagUsedTwice(const AdviceContext& context, std::vector<Finding>& findings) {
  const TraceModel& model = context.model;
  const HandleTable& handles = model.handles;
  if (model.messages.size() == 0) return;
  const std::set<int64_t> sent_tags(model.messages.tag.begin(), model.messages.tag.end());
  std::map<std::pair<uint32_t, int64_t>, std::vector<uint32_t>> handles_of;  // rank, tag
  for (uint32_t handle = 0; handle < handles.size(); ++handle)
    if (handles.mpi_tag[handle] >= 0 && sent_tags.contains(handles.mpi_tag[handle]))
      handles_of[{handles.rank_index[handle], handles.mpi_tag[handle]}].push_back(handle);
  struct Twice {
    uint32_t rank, first, second;
    int64_t tag;
  };
  std::vector<Twice> found;
  for (auto& [rank_and_tag, of_tag] : handles_of) {
    std::stable_sort(of_tag.begin(), of_tag.end(), [&](uint32_t a, uint32_t b) {
      return handles.register_ns[a] < handles.register_ns[b];
    });
    for (size_t i = 1; i < of_tag.size(); ++i) {
      const int64_t until_ns = handles.unregister_ns[of_tag[i - 1]];
      if (until_ns != kNever && until_ns <= handles.register_ns[of_tag[i]]) continue;
      found.push_back({rank_and_tag.first, of_tag[i - 1], of_tag[i], rank_and_tag.second});
      break;
    }
  }
  if (found.empty()) return;
  const Twice& first = found.front();
  findings.push_back(context.Make(
      0, kNone,
      "on " + RankText(model, first.rank) + ", " + context.DataText(first.first) + " and " +
          context.DataText(first.second) + " have the same tag " + std::to_string(first.tag) +
          (found.size() > 1 ? " (as do data of " + CountText(found.size() - 1, "other tag") + ")"
                            : "") +
          ": a message may reach the wrong one; give each its own (starpu_mpi_tags_allocate())",
      {{"tag", first.tag}, {"tags", static_cast<int64_t>(found.size())}}));
}

}  // namespace tasklens
