// SPDX-License-Identifier: Apache-2.0
// Moves the columns of an answer behind its header.
#include "server/http/byte_answer.h"

#include <QByteArray>
#include <cstdint>
#include <vector>

namespace tasklens {

using nlohmann::json;

namespace {

constexpr size_t kAlignment = 8;  // size of the largest column type
constexpr size_t kLengthBytes = 4;

size_t BytesOfType(const std::string& type) {
  if (type == "i8") return 1;
  if (type == "i16") return 2;
  if (type == "i32" || type == "f32") return 4;
  return type == "f64" ? 8 : 0;
}

// True for {type: base64 text} without further members.
bool IsPacked(const json& value) {
  return value.is_object() && value.size() == 1 && value.begin()->is_string() &&
         BytesOfType(value.begin().key()) > 0;
}

class Columns {
 public:
  // Takes the columns out of `value` and replaces them by their positions in `bytes_`.
  void TakeFrom(json& value) {
    if (IsPacked(value)) {
      const std::string& text = value.begin()->get_ref<const std::string&>();
      const QByteArray bytes = QByteArray::fromBase64(
          QByteArray::fromRawData(text.data(), static_cast<qsizetype>(text.size())));
      const auto size = static_cast<size_t>(bytes.size());
      const std::string type = value.begin().key();
      places_.push_back(&(value[type] = {bytes_.size(), size / BytesOfType(type)}));
      bytes_.append(bytes.data(), size);
      bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
    } else if (value.is_structured()) {
      for (json& part : value) TakeFrom(part);
    }
  }

  // The header with final positions, if the columns begin at `first`.
  std::string Header(const json& answer, size_t first) {
    for (json* place : places_) (*place)[0] = (*place)[0].get<size_t>() + first - first_;
    first_ = first;
    return answer.dump(-1, ' ', false, json::error_handler_t::replace);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::vector<json*> places_;
  size_t first_ = 0;
};

}  // namespace

std::string ByteAnswer(json answer) {
  Columns columns;
  columns.TakeFrom(answer);
  // Positions have more digits the longer the header is, so the loop leaves room for that.
  size_t first = 0;
  std::string header = columns.Header(answer, first);
  while (kLengthBytes + header.size() > first) {
    first = (kLengthBytes + header.size() + kAlignment - 1) / kAlignment * kAlignment;
    header = columns.Header(answer, first);
  }
  header.resize(first - kLengthBytes, ' ');
  std::string bytes;
  bytes.reserve(first + columns.bytes().size());
  for (int shift = 0; shift < 32; shift += 8)
    bytes += static_cast<char>(static_cast<uint32_t>(header.size()) >> shift);
  return bytes + header + columns.bytes();
}

}  // namespace tasklens
