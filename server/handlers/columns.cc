// SPDX-License-Identifier: Apache-2.0
// What graph and timeline answers share.
#include "server/handlers/columns.h"

#include <QByteArray>
#include <algorithm>
#include <bit>
#include <limits>

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

template <class T, class From>
json Packed(std::string_view kind, const std::vector<From>& values) {
  const messages::Packed packed = Pack<T>(kind, values);
  return {{packed.kind, packed.base64}};
}

}  // namespace

json NumberColumn::Take(bool is_packed) {
  if (!is_packed) return json(std::move(values_));
  const auto ends = std::minmax_element(values_.begin(), values_.end());
  const auto holds_all = [&]<class T>(T) {
    return values_.empty() || (*ends.first >= std::numeric_limits<T>::min() &&
                               *ends.second <= std::numeric_limits<T>::max());
  };
  if (holds_all(int8_t{})) return Packed<int8_t>("i8", values_);
  if (holds_all(int16_t{})) return Packed<int16_t>("i16", values_);
  if (holds_all(int32_t{})) return Packed<int32_t>("i32", values_);
  return Packed<double>("f64", values_);
}

messages::Packed TaskMarks::Take() const { return Pack<uint8_t>("i8", bytes_); }

json ValueColumn(const std::vector<double>& values, bool is_packed) {
  return is_packed ? Packed<float>("f32", values) : json(values);
}

ColourBy ReadColour(Fields& fields, ColourBy fallback) {
  std::string name(ColourByName(fallback));
  fields.Optional("colour", name);
  const std::optional<ColourBy> by = ParseColourBy(name);
  if (!by)
    fields.Fail("colour",
                "is codelet, worker, duration, waiting, slack or iteration, not '" + name + "'");
  return by.value_or(fallback);
}

}  // namespace tasklens
