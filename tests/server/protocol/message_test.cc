// SPDX-License-Identifier: Apache-2.0
// JSON-RPC envelopes, right and wrong; parameters with every kind of mistake.
#include "server/protocol/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/protocol/fields.h"

namespace tasklens {
namespace {

using ::testing::HasSubstr;

RpcMessage Parsed(std::string_view text) {
  RpcMessage message{};
  RpcFailure failure{};
  EXPECT_TRUE(ParseRpc(text, message, failure)) << failure.message;
  return message;
}
RpcFailure Refused(std::string_view text) {
  RpcMessage message{};
  RpcFailure failure{};
  EXPECT_FALSE(ParseRpc(text, message, failure)) << text;
  return failure;
}

TEST(ParseRpc, TellsRequestsNotificationsAndResponsesApart) {
  EXPECT_EQ(Parsed(R"({"jsonrpc":"2.0","id":1,"method":"a"})").kind, RpcMessage::Kind::kRequest);
  EXPECT_EQ(Parsed(R"({"jsonrpc":"2.0","id":"x","method":"a"})").id, "x");
  EXPECT_EQ(Parsed(R"({"jsonrpc":"2.0","method":"a","params":[1]})").kind,
            RpcMessage::Kind::kNotification);
  EXPECT_EQ(Parsed(R"({"jsonrpc":"2.0","id":1,"result":null})").kind, RpcMessage::Kind::kResponse);
  EXPECT_EQ(Parsed(R"({"jsonrpc":"2.0","id":null,"error":{}})").kind, RpcMessage::Kind::kResponse);
}

TEST(ParseRpc, RefusesWhatIsNoMessageWithTheRightNumber) {
  for (const char* text : {"", "{", "nonsense", "{\"a\":\"\xff\"}", "{} {}"})
    EXPECT_EQ(Refused(text).code, RpcError::kParseError) << text;
  for (const char* text :
       {"[]", R"([{"jsonrpc":"2.0","id":1,"method":"a"}])", "1", "null", "{}",
        R"({"id":1,"method":"a"})", R"({"jsonrpc":"1.0","id":1,"method":"a"})",
        R"({"jsonrpc":"2.0","id":1.5,"method":"a"})", R"({"jsonrpc":"2.0","id":{},"method":"a"})",
        R"({"jsonrpc":"2.0","id":null,"method":"a"})", R"({"jsonrpc":"2.0","id":1,"method":7})",
        R"({"jsonrpc":"2.0","id":1,"method":"a","params":"x"})", R"({"jsonrpc":"2.0","id":1})",
        R"({"jsonrpc":"2.0","id":1,"result":1,"error":{}})"})
    EXPECT_EQ(Refused(text).code, RpcError::kInvalidRequest) << text;
  EXPECT_THAT(Refused("[]").message, HasSubstr("batches are not part"));
  EXPECT_EQ(Refused(R"({"jsonrpc":"2.0","id":7,"method":7})").id, 7);
}

TEST(ParseRpc, RefusesNestingThatWouldExhaustTheStack) {
  EXPECT_THAT(Refused(std::string(1'000'000, '[')).message, HasSubstr("nested deeper"));
}

TEST(ErrorText, IsOneLineWhateverTheMessageHolds) {
  const json error = json::parse(ErrorText(1, RpcError::kRequestFailed, "no trace 'a\nb'"));
  EXPECT_EQ(error["error"]["message"], "no trace 'a\\nb'");
}

TEST(ErrorText, IsValidUtf8WhateverTheMessageHolds) {
  const json error = json::parse(ErrorText(1, RpcError::kRequestFailed, "bad \xff name"));
  EXPECT_EQ(error["error"]["message"], R"(bad \xff name)");
  EXPECT_EQ(error["error"]["code"], -32803);
}

struct Inner {
  uint32_t line = 0;
  void Visit(Fields& fields) { fields.Required("line", line); }
};
struct Params {
  std::string name;
  uint32_t count = 7;
  int64_t big = 0;
  bool flag = false;
  double share = 0;
  std::vector<std::string> list;
  std::map<std::string, std::string> variables;
  Inner inner;
  void Visit(Fields& fields) {
    fields.Required("name", name);
    fields.Optional("count", count);
    fields.Optional("big", big);
    fields.Optional("flag", flag);
    fields.Optional("share", share);
    fields.Optional("list", list);
    fields.Optional("variables", variables);
    fields.Optional("inner", inner);
  }
};

std::string ErrorOf(const char* text) {
  const json object = json::parse(text);
  Fields fields(object, "params");
  Params params;
  params.Visit(fields);
  return fields.status().message();
}

TEST(Fields, ReadsWhatIsThereAndKeepsDefaults) {
  const json object = json::parse(
      R"({"name":"x","big":-5,"flag":true,"share":1,"list":["a"],"variables":{"A":"1"},
          "inner":{"line":3},"count":null,"unknown":1})");
  Fields fields(object, "params");
  Params params;
  params.Visit(fields);
  ASSERT_TRUE(fields.status().ok()) << fields.status().message();
  EXPECT_EQ(params.name, "x");
  EXPECT_EQ(params.count, 7u);
  EXPECT_EQ(params.big, -5);
  EXPECT_TRUE(params.flag);
  EXPECT_EQ(params.list, std::vector<std::string>{"a"});
  EXPECT_EQ(params.variables.at("A"), "1");
  EXPECT_EQ(params.inner.line, 3u);
}

struct Nested {
  uint32_t site = 0, limit = 5;
  void Visit(Fields& fields) {
    fields.Required("item.data.site", site);
    fields.Optional("item.limit", limit);
  }
};

TEST(Fields, ReadsMembersOfMembers) {
  const auto error_of = [](const char* text) {
    return ReadParams<Nested>(json::parse(text)).status().message();
  };
  const auto read = ReadParams<Nested>(json::parse(R"({"item":{"data":{"site":3}}})"));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->site, 3u);
  EXPECT_EQ(read->limit, 5u);
  EXPECT_EQ(error_of("{}"), "params.item is missing");
  EXPECT_EQ(error_of(R"({"item":null})"), "params.item is missing");
  EXPECT_EQ(error_of(R"({"item":7})"), "params.item must be an object, not 7");
  EXPECT_EQ(error_of(R"({"item":{"data":{}}})"), "params.item.data.site is missing");
  EXPECT_EQ(error_of(R"({"item":{"data":{"site":3},"limit":"x"}})"),
            "params.item.limit must be an integer from 0 to 4294967295, not a string");
}

TEST(Fields, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(ErrorOf("[]"), "params must be an object, not an array");
  EXPECT_EQ(ErrorOf("{}"), "params.name is missing");
  EXPECT_EQ(ErrorOf(R"({"name":1})"), "params.name must be a string, not 1");
  EXPECT_EQ(ErrorOf(R"({"name":"","count":-1})"),
            "params.count must be an integer from 0 to 4294967295, not -1");
  EXPECT_EQ(ErrorOf(R"({"name":"","count":4294967296})"),
            "params.count must be an integer from 0 to 4294967295, not 4294967296");
  EXPECT_EQ(ErrorOf(R"({"name":"","count":1.5})"),
            "params.count must be an integer from 0 to 4294967295, not a number with a fraction");
  EXPECT_EQ(ErrorOf(R"({"name":"","big":18446744073709551615})"),
            "params.big must be an integer, not 18446744073709551615");
  EXPECT_EQ(ErrorOf(R"({"name":"","flag":"yes"})"),
            "params.flag must be true or false, not a string");
  EXPECT_EQ(ErrorOf(R"({"name":"","share":[]})"), "params.share must be a number, not an array");
  EXPECT_EQ(ErrorOf(R"({"name":"","list":{}})"), "params.list must be an array, not an object");
  EXPECT_EQ(ErrorOf(R"({"name":"","list":["a",true]})"),
            "params.list[1] must be a string, not a boolean");
  EXPECT_EQ(ErrorOf(R"({"name":"","variables":{"A":{}}})"),
            "params.variables.A must be a string, not an object");
  EXPECT_EQ(ErrorOf(R"({"name":"","inner":{"line":"x"}})"),
            "params.inner.line must be an integer from 0 to 4294967295, not a string");
}

}  // namespace
}  // namespace tasklens
