// SPDX-License-Identifier: Apache-2.0
// Answers as text, in one piece and row by row.
#include "server/answers/answers.h"

#include <gtest/gtest.h>

#include <string>

namespace tasklens {
namespace {

using Json = nlohmann::ordered_json;

std::string InRows(const Json& answer, const std::string& list, const Json& rows) {
  std::string text;
  DumpRows(
      answer, list, rows.size(), [&](size_t i) { return rows[i]; },
      [&](std::string_view piece) { text += piece; });
  return text;
}

TEST(DumpRows, WritesWhatDumpWrites) {
  const Json row = {{"name", "two\nlines, \"[]\" and 0"}, {"of", {1, 2}}, {"none", Json::array()}};
  for (const Json& rows : {Json::array(), Json{row}, Json{row, nullptr, row}}) {
    EXPECT_EQ(InRows({{"a", "[0]"}, {"rows", Json::array()}}, "/rows", rows),
              Dump({{"a", "[0]"}, {"rows", rows}}));
    EXPECT_EQ(
        InRows({{"in", {{"rows", Json::array()}, {"z", 0}}}, {"b", nullptr}}, "/in/rows", rows),
        Dump({{"in", {{"rows", rows}, {"z", 0}}}, {"b", nullptr}}));
  }
}

TEST(DumpRows, BytesThatAreNoUtf8AreReplacedInRowsToo) {
  EXPECT_EQ(InRows({{"rows", Json::array()}}, "/rows", {"\xff"}), Dump({{"rows", {"\xff"}}}));
}

}  // namespace
}  // namespace tasklens
