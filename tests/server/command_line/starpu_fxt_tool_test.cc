// SPDX-License-Identifier: Apache-2.0
// The command line of starpu_fxt_tool's twin.
#include "server/command_line/starpu_fxt_tool.h"

#include <gtest/gtest.h>

namespace tasklens {
namespace {

Result<FxtToolRequest> Parse(std::vector<std::string> words) {
  return ParseFxtToolArguments(words);
}

std::string MessageOf(std::vector<std::string> words) {
  return Parse(std::move(words)).status().message();
}

TEST(StarpuFxtTool, TakesSeveralInputsAfterOneOption) {
  const auto request = Parse({"-i", "a", "b", "-d", "out", "-i", "c"});
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->inputs, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(request->directory, "out");
}

TEST(StarpuFxtTool, TurnsItsFlagsIntoOptionsOfTheWriters) {
  const auto request = Parse({"-c", "-no-acquire", "-i", "a", "-o", "my.trace", "-number-events"});
  ASSERT_TRUE(request.ok());
  EXPECT_TRUE(request->options.Has("colors"));
  EXPECT_TRUE(request->options.Has("no-acquire"));
  EXPECT_FALSE(request->options.Has("internal"));
  EXPECT_EQ(request->options.Get("paje-file"), "my.trace");
  EXPECT_TRUE(request->number_events);
}

TEST(StarpuFxtTool, TakesAnUnknownOptionForAnError) {
  EXPECT_EQ(MessageOf({"-i", "a", "-badopt"}), "unknown option '-badopt'; -h lists them");
}

TEST(StarpuFxtTool, WantsATrace) {
  EXPECT_EQ(MessageOf({"-c"}), "no trace is named; use -i TRACE");
  EXPECT_EQ(MessageOf({"-i"}), "-i needs a name");
  EXPECT_EQ(MessageOf({"a"}), "'a' is not an option; name inputs after -i");
}

TEST(StarpuFxtTool, HelpNeedsNoTrace) { EXPECT_TRUE(Parse({"-h"}).ok()); }

TEST(StarpuFxtTool, ReadsFlagsFromAnEnvironmentVariable) {
  FxtToolRequest request;
  ASSERT_TRUE(ParseFxtToolFlags("  -c\t-no-bus ", request).ok());
  EXPECT_TRUE(request.options.Has("colors") && request.options.Has("no-bus"));
  EXPECT_EQ(ParseFxtToolFlags("-c -i x", request).message(), "'-i' is not a flag of the converter");
}

}  // namespace
}  // namespace tasklens
