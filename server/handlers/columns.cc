// SPDX-License-Identifier: Apache-2.0
// Packs columns for graph and timeline answers.
#include "server/handlers/columns.h"

#include <QByteArray>
#include <algorithm>
#include <bit>
#include <limits>

#include "server/handlers/task_marks.h"

namespace tasklens {
namespace {

static_assert(std::endian::native == std::endian::little, "packed columns are little-endian");

template <class T, class From>
messages::Packed Pack(std::string_view kind, const std::vector<From>& values) {
  QByteArray bytes(static_cast<qsizetype>(values.size() * sizeof(T)), Qt::Uninitialized);
  std::transform(values.begin(), values.end(), reinterpret_cast<T*>(bytes.data()),
                 [](From value) { return static_cast<T>(value); });
  return {std::string(kind), bytes.toBase64().toStdString()};
}

}  // namespace

NumberColumn ColumnOf(std::vector<int64_t> values, bool is_packed) {
  if (!is_packed) return values;
  const auto ends = std::minmax_element(values.begin(), values.end());
  const auto holds_all = [&]<class T>(T) {
    return values.empty() || (*ends.first >= std::numeric_limits<T>::min() &&
                              *ends.second <= std::numeric_limits<T>::max());
  };
  if (holds_all(int8_t{})) return Pack<int8_t>("i8", values);
  if (holds_all(int16_t{})) return Pack<int16_t>("i16", values);
  if (holds_all(int32_t{})) return Pack<int32_t>("i32", values);
  return Pack<double>("f64", values);
}

ValueColumn ColumnOf(std::vector<double> values, bool is_packed) {
  if (!is_packed) return values;
  return Pack<float>("f32", values);
}

messages::Packed TaskMarks::Take() const { return Pack<uint8_t>("i8", bytes_); }

messages::Packed TaskMarks::Of(const TraceModel& model, std::span<const uint32_t> tasks) {
  TaskMarks marks(model);
  for (const uint32_t task : tasks) marks.Add(task);
  return marks.Take();
}

}  // namespace tasklens
