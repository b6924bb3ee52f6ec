// SPDX-License-Identifier: Apache-2.0
// Converts every kind of column to bytes and back.
#include "trace/model/saved_model.h"

#include <utility>

#include "trace/model/check_model.h"
#include "trace/model/model_columns.h"
#include "trace/model/saved_columns.h"

namespace tasklens {

void SaveModel(const TraceModel& model, const Diagnostics& diags,
               const std::function<void(std::string_view)>& write) {
  ColumnSaver save(write);
  save(diags);
  VisitColumns(model, [&](const auto& column) { save(column); });
  save.End();
}

Result<TraceModel> LoadModel(std::span<const std::byte> bytes, std::shared_ptr<const void> storage,
                             Diagnostics& diags) {
  ColumnLoader load(bytes);
  Diagnostics said;
  TraceModel model;
  load(said);
  VisitColumns(model, [&](auto& column) { load(column); });
  load.End();
  if (!load.ok()) return Status(ErrorCode::kCorrupt, "not a saved model");
  if (Status s = CheckModel(model); !s.ok()) return s;
  model.storage = std::move(storage);
  diags.Merge(said);
  return model;
}

}  // namespace tasklens
