// SPDX-License-Identifier: Apache-2.0
// data.rec: one record for each piece of data that was registered.
//
// Read by GNU recutils 1.9 and StarVZ 0.8. The same fields as StarPU's, in order of registration
// (StarPU: of unregistration); for traces of StarPU after 1.4, ParentHandle as in its tool.
#include "converters/formats.h"
#include "converters/writers/records.h"

namespace tasklens {
namespace {

void WriteHandle(const TraceModel& model, uint32_t row, bool is_after_14, TextBuffer& out) {
  const HandleTable& handles = model.handles;
  PutRecordHex(out, "Handle", handles.address[row]);
  PutRecordInteger(out, "HomeNode", handles.home_node[row]);
  if (model.ranks.size() > 1)
    PutRecordInteger(out, "MPIRank", model.ranks.rank[handles.rank_index[row]]);
  if (handles.name[row]) PutRecordText(out, "Name", model.str(handles.name[row]));
  PutRecordInteger(out, "Size", handles.size_bytes[row]);
  if (handles.max_size_bytes[row] != -1)
    PutRecordInteger(out, "MaxSize", handles.max_size_bytes[row]);
  PutRecordText(out, "Description", model.str(handles.description[row]));
  if (is_after_14) PutRecordHex(out, "ParentHandle", handles.parent[row]);
  const auto coordinates = handles.coordinates[row];
  if (!coordinates.empty()) {
    out.Put("Coordinates:");
    for (const int32_t value : coordinates) {
      out.Put(' ', value);
    }
    out.Put('\n');
  }
  // Without an MPI owner, data belong to the rank that registered them.
  if (handles.mpi_owner[row] != -1)
    PutRecordInteger(out, "MPIOwner", handles.mpi_owner[row]);
  else if (model.ranks.size() > 1)
    PutRecordInteger(out, "MPIOwner", model.ranks.rank[handles.rank_index[row]]);
  if (handles.mpi_tag[row] != -1) PutRecordInteger(out, "MPITag", handles.mpi_tag[row]);
  out.Put('\n');
}

Status Write(const TraceModel& model, const WriteOptions&, Outputs& outputs) {
  return WriteText(outputs, "data.rec", [&](TextBuffer& out) {
    const bool is_after_14 = IsOfStarpuAfter14(model);
    for (uint32_t row = 0; row < model.handles.size(); ++row) {
      // Handles that were only mentioned, by a task or a transfer, have no record.
      if (model.handles.register_ns[row] != kNever) WriteHandle(model, row, is_after_14, out);
    }
  });
}

}  // namespace

extern const WriterSpec kDataWriter;
const WriterSpec kDataWriter = {"data",
                                "data.rec, one record for each piece of data",
                                "GNU recutils, StarVZ",
                                /*in_starpu_set=*/true,
                                {},
                                kPartData,
                                &Write};

}  // namespace tasklens
