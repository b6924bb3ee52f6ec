// SPDX-License-Identifier: Apache-2.0
// Transfers, messages and steals as arrows, and bandwidths computed from them.
#include <algorithm>
#include <numeric>

#include "converters/writers/paje_streams.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

// MB/s (10^6 bytes) of `bytes` in a time; 0 for no time.
double Bandwidth(uint64_t bytes, int64_t start_ns, int64_t end_ns) {
  return end_ns > start_ns
             ? 1e3 * static_cast<double>(bytes) / static_cast<double>(end_ns - start_ns)
             : 0;
}

// A sum of terms that are added and removed; exactly 0 without terms, despite rounding.
class Sum {
 public:
  double Add(double part) {
    ++count_;
    return total_ += part;
  }
  double Remove(double part) {
    total_ = --count_ == 0 ? 0 : total_ - part;
    return total_;
  }

 private:
  double total_ = 0;
  uint64_t count_ = 0;
};

// Bandwidths of all containers, shared by the stream of starts and the stream of ends.
struct Bandwidths {
  explicit Bandwidths(size_t containers) : in(containers), out(containers) {}
  std::vector<Sum> in, out;  // by container
};

// Returns the wanted rows in order of `time_ns`, without those with kNever.
std::vector<uint32_t> SortedBy(const std::vector<int64_t>& time_ns,
                               const std::vector<bool>& wanted) {
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < time_ns.size(); ++row) {
    if (wanted[row]) rows.push_back(row);
  }
  const auto earlier = [&](uint32_t a, uint32_t b) { return time_ns[a] < time_ns[b]; };
  if (!std::is_sorted(rows.begin(), rows.end(), earlier))
    std::stable_sort(rows.begin(), rows.end(), earlier);
  return rows;
}

// One end of all links of a kind: rows of a table, sorted by the time of that end.
class LinkStream : public LineStream {
 public:
  LinkStream(const PajeContext& context, std::vector<uint32_t> rows,
             const std::vector<int64_t>& time_ns)
      : context_(context), rows_(std::move(rows)), time_ns_(time_ns) {
    if (!rows_.empty()) next_ns_ = time_ns_[rows_[0]];
  }

  void Emit() final {
    EmitRow(rows_[next_], next_ns_);
    next_ns_ = ++next_ < rows_.size() ? time_ns_[rows_[next_]] : kEnd;
  }

 protected:
  virtual void EmitRow(uint32_t row, int64_t time_ns) = 0;

  void PutHandle(const HandleIndex& handles, uint32_t rank_index, uint64_t address,
                 int64_t time_ns) const {
    const HandleTable& table = context_.model.handles;
    const uint32_t row = handles.Find(rank_index, address, time_ns);
    TextBuffer& out = context_.out;
    out.Put(
        Hex{address}, '\t',
        PajeString{row == kNone ? ""
                                : context_.options.Shortened(context_.model.str(table.name[row]))});
    std::span<const int32_t> at;
    if (row != kNone) at = table.coordinates[row];
    for (size_t i = 0; i < 2; ++i) {
      out.Put('\t', i < at.size() ? at[i] : 0);
    }
  }

  const PajeContext& context_;

 private:
  std::vector<uint32_t> rows_;
  const std::vector<int64_t>& time_ns_;
  size_t next_ = 0;
};

constexpr std::string_view kTransferTypes[] = {"F", "TF", "PF", "IF"};  // by CopyReason

std::string_view TransferType(CopyReason reason) {
  const size_t index = static_cast<size_t>(reason);
  return kTransferTypes[index < std::size(kTransferTypes) ? index : 0];
}

// Links with a duration and a data flow.
class FlowStream : public LinkStream {
 public:
  FlowStream(const PajeContext& context, std::vector<uint32_t> rows,
             const std::vector<int64_t>& time_ns, const HandleIndex& handles,
             std::shared_ptr<Bandwidths> bandwidths, bool is_start)
      : LinkStream(context, std::move(rows), time_ns),
        handles_(handles),
        is_start_(is_start),
        bandwidths_(std::move(bandwidths)) {}

 protected:
  // Updates the variables of both containers when the link begins or ends.
  void PutBandwidth(double rate, int64_t time_ns, uint32_t source, std::string_view source_variable,
                    uint32_t target, std::string_view target_variable) {
    if (rate == 0) return;
    const auto changed = [&](Sum& sum) { return is_start_ ? sum.Add(rate) : sum.Remove(rate); };
    context_.SetVariable(time_ns, context_.containers.alias(source), source_variable,
                         changed(bandwidths_->out[source]));
    context_.SetVariable(time_ns, context_.containers.alias(target), target_variable,
                         changed(bandwidths_->in[target]));
  }

  const HandleIndex& handles_;
  const bool is_start_;

 private:
  const std::shared_ptr<Bandwidths> bandwidths_;
};

class TransferStream : public FlowStream {
 public:
  TransferStream(const PajeContext& context, std::vector<uint32_t> rows,
                 const std::vector<int64_t>& time_ns, const HandleIndex& handles,
                 std::shared_ptr<const std::vector<int64_t>> ends,
                 std::shared_ptr<Bandwidths> bandwidths, bool is_start)
      : FlowStream(context, std::move(rows), time_ns, handles, std::move(bandwidths), is_start),
        ends_(std::move(ends)) {}

 private:
  void EmitRow(uint32_t row, int64_t time_ns) override {
    const TransferTable& transfers = context_.model.transfers;
    const uint32_t rank = transfers.rank_index[row];
    const uint32_t source = context_.containers.OfMemory(rank, transfers.source_node[row]);
    const uint32_t target = context_.containers.OfMemory(rank, transfers.target_node[row]);
    TextBuffer& out = context_.out;
    const std::string& prefix = context_.containers.prefix(rank);
    if (context_.options.memory_states) EmitMemoryEvent(row, time_ns, source, target);
    context_.Begin(is_start_ ? PajeId::kStartTransfer : PajeId::kEndLink, time_ns);
    out.Put(TransferType(transfers.reason[row]), '\t',
            context_.containers.alias(context_.containers.Program(rank)), '\t',
            transfers.size_bytes[row], '\t', context_.containers.alias(is_start_ ? source : target),
            '\t', prefix, "com_");
    // StarPU numbers copies of all nodes together; the row is a unique key, because numbers may
    // repeat.
    out.PutInteger(row);
    if (is_start_) {
      out.Put('\t');
      PutHandle(handles_, rank, transfers.handle[row], time_ns);
    }
    out.Put('\n');
    const double rate =
        Bandwidth(transfers.size_bytes[row], transfers.start_ns[row], (*ends_)[row]);
    PutBandwidth(rate, time_ns, source, "bwo_mm", target, "bwi_mm");
  }

  void EmitMemoryEvent(uint32_t row, int64_t time_ns, uint32_t source, uint32_t target) {
    const TransferTable& transfers = context_.model.transfers;
    TextBuffer& out = context_.out;
    context_.Begin(PajeId::kNewMemoryEvent, time_ns);
    out.Put(is_start_ ? "DCo\t" : "DCoE\t", context_.containers.alias(target), "\t0\t",
            Hex{transfers.handle[row]}, '\t', transfers.copy_id[row], '\t',
            transfers.size_bytes[row], '\t', context_.containers.alias(source), '\n');
  }

  // Shared by the streams of starts and of ends.
  const std::shared_ptr<const std::vector<int64_t>> ends_;
};

class MessageStream : public FlowStream {
 public:
  using FlowStream::FlowStream;

 private:
  void EmitRow(uint32_t row, int64_t time_ns) override {
    const MessageTable& messages = context_.model.messages;
    TextBuffer& out = context_.out;
    const auto [source, target, are_rows] = context_.containers.EndsOf(row);
    const auto& all = context_.containers.all();
    context_.Begin(is_start_ ? PajeId::kStartMessage : PajeId::kEndLink, time_ns);
    out.Put(are_rows ? PajeNames::MessageAlias(all[source].type, all[target].type) : "MPIL",
            "\tMPIroot\t", messages.size_bytes[row], '\t',
            context_.containers.alias(is_start_ ? source : target), "\tmpicom_", row);
    if (is_start_) {
      out.Put('\t', messages.tag[row]);
      const MessageType type = messages.type[row];
      out.Put(type == MessageType::kPointToPoint ? "\tPointToPoint\t"
              : type == MessageType::kCollective ? "\tCollective\t"
                                                 : "\tUnknown\t",
              messages.priority[row], '\t');
      PutHandle(handles_, messages.source[row], messages.send_handle[row], time_ns);
    }
    out.Put('\n');
    if (are_rows) return;  // rows have no such variables
    const double rate =
        Bandwidth(messages.size_bytes[row], messages.send_ns[row], messages.receive_ns[row]);
    PutBandwidth(rate, time_ns, source, "bwo_mpi", target, "bwi_mpi");
  }
};

// A steal has no duration: the arrow from victim to thief starts and ends at its time.
class StealStream : public LinkStream {
 public:
  using LinkStream::LinkStream;

 private:
  void EmitRow(uint32_t row, int64_t time_ns) override {
    const StealTable& steals = context_.model.steals;
    const uint32_t rank = steals.rank_index[row];
    const auto write = [&](PajeId id, uint32_t worker) {
      TextBuffer& out = context_.out;
      context_.Begin(id, time_ns);
      out.Put("WSL\t", context_.containers.alias(context_.containers.Program(rank)), "\t0\t",
              context_.containers.alias(context_.containers.OfWorkerId(rank, worker)), '\t',
              context_.containers.prefix(rank), "steal_", row, '\n');
    };
    write(PajeId::kStartLink, steals.victim[row]);
    write(PajeId::kEndLink, steals.thief[row]);
  }
};

void AddTransfers(const PajeContext& context, const HandleIndex& handles, LineStreams& streams) {
  const TransferTable& transfers = context.model.transfers;
  auto ends = std::make_shared<std::vector<int64_t>>();
  std::vector<bool> wanted(transfers.size());
  for (uint32_t row = 0; row < transfers.size(); ++row) {
    ends->push_back(EndOfTransfer(context.model, row));
    wanted[row] = transfers.start_ns[row] != kNever;
  }
  auto bandwidths = std::make_shared<Bandwidths>(context.containers.all().size());
  streams.push_back(std::make_unique<TransferStream>(context, SortedBy(transfers.start_ns, wanted),
                                                     transfers.start_ns, handles, ends, bandwidths,
                                                     true));
  streams.push_back(std::make_unique<TransferStream>(context, SortedBy(*ends, wanted), *ends,
                                                     handles, ends, bandwidths, false));
}

void AddMessages(const PajeContext& context, const HandleIndex& handles, LineStreams& streams) {
  const MessageTable& messages = context.model.messages;
  std::vector<bool> wanted(messages.size());
  // (The end may precede the start, if the clocks of two ranks disagree.)
  for (uint32_t row = 0; row < messages.size(); ++row)
    wanted[row] = HasBothEnds(context.model, row);
  auto bandwidths = std::make_shared<Bandwidths>(context.containers.all().size());
  streams.push_back(std::make_unique<MessageStream>(context, SortedBy(messages.send_ns, wanted),
                                                    messages.send_ns, handles, bandwidths, true));
  streams.push_back(std::make_unique<MessageStream>(context, SortedBy(messages.receive_ns, wanted),
                                                    messages.receive_ns, handles, bandwidths,
                                                    false));
}

}  // namespace

HandleIndex::HandleIndex(const HandleTable& handles) : handles_(handles), rows_(handles.size()) {
  std::iota(rows_.begin(), rows_.end(), 0);
  std::stable_sort(rows_.begin(), rows_.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(handles.rank_index[a], handles.address[a]) <
           std::pair(handles.rank_index[b], handles.address[b]);
  });
}

uint32_t HandleIndex::Find(uint32_t rank_index, uint64_t address, int64_t time_ns) const {
  auto at =
      std::lower_bound(rows_.begin(), rows_.end(), std::pair(rank_index, address),
                       [&](uint32_t row, const auto& key) {
                         return std::pair(handles_.rank_index[row], handles_.address[row]) < key;
                       });
  uint32_t found = kNone;
  for (; at != rows_.end() && handles_.rank_index[*at] == rank_index &&
         handles_.address[*at] == address;
       ++at) {
    if (found == kNone || handles_.register_ns[*at] <= time_ns) found = *at;
    if (handles_.register_ns[*at] > time_ns) break;
  }
  return found;
}

void AddLinkStreams(const PajeContext& context, const HandleIndex& handles, LineStreams& streams) {
  if (context.options.bus) AddTransfers(context, handles, streams);
  AddMessages(context, handles, streams);
  const StealTable& steals = context.model.steals;
  std::vector<bool> wanted(steals.size());
  for (uint32_t row = 0; row < steals.size(); ++row) {
    const uint32_t rank = steals.rank_index[row];
    wanted[row] = context.containers.OfWorkerId(rank, steals.thief[row]) != kNone &&
                  context.containers.OfWorkerId(rank, steals.victim[row]) != kNone;
  }
  streams.push_back(
      std::make_unique<StealStream>(context, SortedBy(steals.time_ns, wanted), steals.time_ns));
}

}  // namespace tasklens
