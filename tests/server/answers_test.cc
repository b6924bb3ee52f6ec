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

messages::ChainLink Link(size_t i) {
  messages::ChainLink link;
  link.task.task = i;
  link.task.name = "two\nlines, \"[]\" and 0, \xff";
  if (i > 0) link.gap_ns = 10;
  return link;
}

template <class Message>
std::string InRows(const Message& message, const std::string& list, size_t count) {
  std::string text;
  DumpRows<messages::ChainLink>(message, list, count, &Link,
                                [&](std::string_view piece) { text += piece; });
  return text;
}

TEST(DumpRows, WritesOfEachRowWhatIsWrittenOfAll) {
  for (const size_t count : {0, 1, 3}) {
    const Json whole =
        Json::parse(InRows(messages::LateTask{.task = Link(7).task}, "/chain", count));
    ASSERT_EQ(whole["chain"].size(), count);
    messages::IdleWorker idle{.pause =
                                  messages::Pause{.chain = std::vector<messages::ChainLink>()}};
    const Json inner = Json::parse(InRows(idle, "/pause/chain", count));
    EXPECT_EQ(inner["pause"]["chain"], whole["chain"]);
    EXPECT_EQ(inner["instead"], nullptr);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(whole["chain"][i]["task"]["task"], i);
      EXPECT_EQ(whole["chain"][i]["gap_ns"], i > 0 ? Json(10) : Json());
      EXPECT_EQ(whole["chain"][i]["task"]["name"], "two\nlines, \"[]\" and 0, \xEF\xBF\xBD");
    }
  }
}

// The same text as nlohmann's library makes of the whole.
TEST(DumpRows, IndentsRows) {
  for (const size_t count : {0, 1, 3}) {
    const std::string text = InRows(messages::LateTask{.task = Link(7).task}, "/chain", count);
    EXPECT_EQ(text, Json::parse(text).dump(2) + "\n");
  }
}

TEST(Dump, CallsMembersOfMessagesInSnakeCaseAndKeepsTheirOrder) {
  messages::Advice advice;
  messages::Finding& finding = advice.findings.emplace_back();
  finding.rule = "slow";
  finding.cost_ns = 5;
  finding.evidence = {{"mean_ns", int64_t{7}}, {"share", 0.5}};
  const Json expected = {{"version", kAnswerVersion},
                         {"findings",
                          {{{"rule", "slow"},
                            {"severity", ""},
                            {"cost_ns", 5},
                            {"file", ""},
                            {"line", 0},
                            {"site", nullptr},
                            {"message", ""},
                            {"evidence", {{"mean_ns", 7}, {"share", 0.5}}}}}}};
  EXPECT_EQ(Dump(advice), expected.dump(2) + "\n");
}

}  // namespace
}  // namespace tasklens
