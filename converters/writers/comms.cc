// SPDX-License-Identifier: Apache-2.0
// comms.rec: one record for each message between two ranks.
//
// Read by GNU recutils 1.9, StarVZ 0.8 and StarPU's starpu_send_recv_data_use.py. Deliberate
// difference from StarPU's tool: times are exact, not 32-bit floats.
#include "converters/formats.h"
#include "converters/writers/records.h"
#include "converters/writers/task_graph.h"
#include "trace/model/questions.h"

namespace tasklens {
namespace {

class CommsWriter {
 public:
  CommsWriter(const TraceModel& model, TextBuffer& out)
      : model_(model), messages_(model.messages), out_(out), prefixes_(RankPrefixes(model)) {}

  void Write(uint32_t row) {
    const uint32_t source = messages_.source[row], target = messages_.target[row];
    PutRecordInteger(out_, "Src", model_.ranks.rank[source]);
    PutRecordInteger(out_, "Dst", model_.ranks.rank[target]);
    PutRecordInteger(out_, "Tag", messages_.tag[row]);
    PutTime("SendTime: ", messages_.send_ns[row]);
    PutTime("RecvTime: ", messages_.receive_ns[row]);
    PutRecordHex(out_, "SendHandle", messages_.send_handle[row]);
    PutRecordHex(out_, "RecvHandle", messages_.receive_handle[row]);
    PutJob("SendJobId: ", source, messages_.send_job[row]);
    PutJob("RecvJobId: ", target, messages_.receive_job[row]);
    PutRecordInteger(out_, "Size", messages_.size_bytes[row]);
    PutRecordInteger(out_, "Priority", messages_.priority[row]);
    const MessageType type = messages_.type[row];
    out_.Put(type == MessageType::kPointToPoint ? "Type: PointToPoint\n"
             : type == MessageType::kCollective ? "Type: Collective\n"
                                                : "Type: Unknown\n");
    PutNuma("SendNumaNodes: ", messages_.send_numa[row]);
    PutNuma("RecvNumaNodes: ", messages_.receive_numa[row]);
    out_.Put('\n');
  }

 private:
  void PutTime(std::string_view field, int64_t time_ns) { out_.Put(field, Ms{time_ns}, "000\n"); }
  void PutJob(std::string_view field, uint32_t rank_index, uint64_t job) {
    if (job == 0) return;
    out_.Put(field, prefixes_[rank_index], job, '\n');
  }
  void PutNuma(std::string_view field, int64_t nodes) {
    out_.Put(field);
    PutNumaNodes(out_, nodes);
    out_.Put('\n');
  }

  const TraceModel& model_;
  const MessageTable& messages_;
  TextBuffer& out_;
  std::vector<std::string> prefixes_;
};

Status Write(const TraceModel& model, const WriteOptions&, Outputs& outputs) {
  return WriteText(outputs, "comms.rec", [&](TextBuffer& out) {
    CommsWriter writer(model, out);
    const MessageTable& messages = model.messages;
    for (uint32_t row = 0; row < messages.size(); ++row) {
      // A message with only one end is left out: the other rank's file is missing or was cut.
      if (HasBothEnds(model, row)) writer.Write(row);
    }
  });
}

}  // namespace

extern const WriterSpec kCommsWriter;
const WriterSpec kCommsWriter = {"comms",
                                 "comms.rec, one record for each message between ranks",
                                 "GNU recutils, StarVZ, starpu_send_recv_data_use.py",
                                 /*in_starpu_set=*/true,
                                 {},
                                 kPartMessages,
                                 &Write};

}  // namespace tasklens
