// SPDX-License-Identifier: Apache-2.0
// Answers as text, in one piece and row by row.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "server/answers/printed.h"
#include "server/messages/messages.h"

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

TEST(Dump, CallsMembersOfMessagesInSnakeCaseAndKeepsTheirOrder) {
  messages::Advice advice;
  messages::Finding& finding = advice.findings.emplace_back();
  finding.rule = "slow";
  finding.cost_ns = 5;
  finding.evidence = {{"mean_ns", int64_t{7}}, {"share", 0.5}};
  EXPECT_EQ(Dump(advice), Dump({{"findings",
                                 {{{"rule", "slow"},
                                   {"severity", ""},
                                   {"cost_ns", 5},
                                   {"file", ""},
                                   {"line", 0},
                                   {"site", nullptr},
                                   {"message", ""},
                                   {"evidence", {{"mean_ns", 7}, {"share", 0.5}}}}}}}));
}

TEST(DumpRows, TakesMessages) {
  const auto link = [](size_t i) {
    messages::ChainLink one;
    one.task.task = i;
    one.gap_ns = 10;
    return one;
  };
  messages::LateTask late;
  std::string text;
  DumpRows<messages::ChainLink>(late, "/chain", 2, link,
                                [&](std::string_view piece) { text += piece; });
  const Json read = Json::parse(text);
  EXPECT_EQ(read["task"]["own_rgb"], nullptr);
  ASSERT_EQ(read["chain"].size(), 2u);
  EXPECT_EQ(read["chain"][1]["task"]["task"], 1);
  EXPECT_EQ(read["chain"][1]["gap_ns"], 10);
}

TEST(DumpRows, BytesThatAreNoUtf8AreReplacedInRowsToo) {
  EXPECT_EQ(InRows({{"rows", Json::array()}}, "/rows", {"\xff"}), Dump({{"rows", {"\xff"}}}));
}

}  // namespace
}  // namespace tasklens
