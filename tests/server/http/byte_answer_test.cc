// SPDX-License-Identifier: Apache-2.0
#include "server/http/byte_answer.h"

#include <gtest/gtest.h>

#include <cstring>

#include "server/handlers/columns.h"
#include "server/messages/json_writer.h"

namespace tasklens {
namespace {

json HeaderOf(const std::string& bytes) {
  uint32_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  return json::parse(bytes.substr(4, length));
}

template <class T>
json Packed(std::vector<T> values) {
  return messages::JsonOf(ColumnOf(std::move(values), true));
}

template <class T>
std::vector<T> ValuesAt(const std::string& bytes, const json& place) {
  std::vector<T> values(place.at(1).get<size_t>());
  EXPECT_EQ(place.at(0).get<size_t>() % 8, 0u);
  EXPECT_LE(place.at(0).get<size_t>() + values.size() * sizeof(T), bytes.size());
  std::memcpy(values.data(), bytes.data() + place.at(0).get<size_t>(), values.size() * sizeof(T));
  return values;
}

TEST(ByteAnswer, HasEveryPackedColumnAsBytesAtItsPlace) {
  const json small = Packed<int64_t>({1, -2, 3}), times = Packed<int64_t>({1, int64_t{1} << 40});
  const std::string bytes = ByteAnswer({{"rows", {{{"small", small}}, {{"times", times}}}},
                                        {"values", Packed<double>({0.5, -1})},
                                        {"none", Packed<int64_t>({})},
                                        {"title", "a trace"}});
  const json header = HeaderOf(bytes);
  EXPECT_EQ(header["title"], "a trace");
  EXPECT_EQ(ValuesAt<int8_t>(bytes, header["rows"][0]["small"]["i8"]),
            (std::vector<int8_t>{1, -2, 3}));
  EXPECT_EQ(ValuesAt<double>(bytes, header["rows"][1]["times"]["f64"]),
            (std::vector<double>{1, 1099511627776}));
  EXPECT_EQ(ValuesAt<float>(bytes, header["values"]["f32"]), (std::vector<float>{0.5, -1}));
  EXPECT_TRUE(ValuesAt<int8_t>(bytes, header["none"]["i8"]).empty());
}

TEST(ByteAnswer, LeavesWhatIsNoPackedColumnAsItIs) {
  const json answer = {{"numbers", {1, 2}}, {"i16", "a text"}, {"other", {{"i17", "AAA="}}}};
  EXPECT_EQ(HeaderOf(ByteAnswer(answer)), answer);
  EXPECT_EQ(HeaderOf(ByteAnswer(json::object())), json::object());
}

// The longer the header, the more digits have the places in it.
TEST(ByteAnswer, FindsItsColumnsWhateverTheHeadersLength) {
  for (size_t length = 0; length < 2000; ++length) {
    const std::string bytes =
        ByteAnswer({{"text", std::string(length, 'x')}, {"column", Packed<int64_t>({7})}});
    ASSERT_EQ(ValuesAt<int8_t>(bytes, HeaderOf(bytes)["column"]["i8"]), std::vector<int8_t>{7});
  }
}

}  // namespace
}  // namespace tasklens
