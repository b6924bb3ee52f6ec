// SPDX-License-Identifier: Apache-2.0
// Messages in pieces, headers with mistakes, and bytes that are no messages at all.
#include "server/protocol/framing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tasklens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What came out, errors as "error: ...".
std::vector<std::string> Texts(const std::vector<Result<std::string>>& results) {
  std::vector<std::string> texts;
  for (const Result<std::string>& result : results)
    texts.push_back(result.ok() ? *result : "error: " + result.status().message());
  return texts;
}
std::vector<std::string> Read(std::string_view bytes) { return Texts(FrameReader().Feed(bytes)); }

TEST(FrameReader, ReadsWhatFrameWrote) {
  EXPECT_THAT(Read(Frame("{}") + Frame("") + Frame("[1]")), ElementsAre("{}", "", "[1]"));
}

TEST(FrameReader, ReadsMessagesThatComeByteByByte) {
  FrameReader reader;
  std::vector<std::string> texts;
  for (const char byte : Frame("{\"a\":1}") + Frame("{}"))
    for (const std::string& text : Texts(reader.Feed({&byte, 1}))) texts.push_back(text);
  EXPECT_THAT(texts, ElementsAre("{\"a\":1}", "{}"));
  EXPECT_FALSE(reader.HasPartialMessage());
}

TEST(FrameReader, KnowsThatAMessageIsHalf) {
  for (const char* half : {"Con", "Content-Length: 5\r\n\r\n", "Content-Length: 5\r\n\r\n{"}) {
    FrameReader reader;
    EXPECT_TRUE(reader.Feed(half).empty());
    EXPECT_TRUE(reader.HasPartialMessage()) << half;
  }
}

TEST(FrameReader, TakesHeadersInAnyCaseAndWithAContentType) {
  EXPECT_THAT(Read("content-length:2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8"
                   "\r\n\r\n{}Content-Length: 2 \r\nContent-Type: x; charset=utf8\r\n\r\n[]"),
              ElementsAre("{}", "[]"));
}

TEST(FrameReader, ReportsGarbageAndReadsTheMessageBehindIt) {
  EXPECT_THAT(Read("hello\nContent-Length: 2\r\n\r\n{}"),
              ElementsAre("error: a header line must end in CR LF: \"hello\"", "{}"));
  EXPECT_THAT(Read("GET / HTTP/1.1\r\n\r\n" + Frame("{}")),
              ElementsAre("error: expected \"Name: value\" in a message header, got "
                          "\"GET / HTTP/1.1\"",
                          "{}"));
}

TEST(FrameReader, ReportsEachMistakeInAHeaderOnce) {
  EXPECT_THAT(Read("\r\n\r\n" + Frame("{}")),
              ElementsAre("error: a message header without Content-Length", "{}"));
  EXPECT_THAT(Read("Content-Length: two\r\n\r\n" + Frame("{}")),
              ElementsAre("error: Content-Length must be a number of bytes, got \"two\"", "{}"));
  EXPECT_THAT(Read("Content-Length: -2\r\n\r\n" + Frame("{}")),
              ElementsAre("error: Content-Length must be a number of bytes, got \"-2\"", "{}"));
  EXPECT_THAT(Read("Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}." + Frame("{}")),
              ElementsAre("error: two different Content-Length in one message header", "{}"));
  EXPECT_THAT(Read("Content-Length: 2\r\nContent-Type: a; charset=utf-16\r\n\r\n{}" + Frame("[]")),
              ElementsAre("error: messages must be UTF-8, not \"utf-16\"", "[]"));
}

TEST(FrameReader, PassesOverAMessageAboveTheLimit) {
  FrameReader reader(10);
  EXPECT_THAT(Texts(reader.Feed("Content-Length: 11\r\n\r\n01234")),
              ElementsAre("error: a message of 11 bytes is above the limit of 10"));
  EXPECT_THAT(Texts(reader.Feed("567890" + Frame("{}"))), ElementsAre("{}"));
  EXPECT_FALSE(reader.IsLost());
}

TEST(FrameReader, GivesUpOnAnEndlessHeaderOrLength) {
  FrameReader endless;
  EXPECT_THAT(Texts(endless.Feed(std::string(kMaxHeaderBytes, 'x'))),
              ElementsAre(HasSubstr("this is not the language server protocol")));
  EXPECT_TRUE(endless.IsLost());
  EXPECT_TRUE(endless.Feed(Frame("{}")).empty());

  FrameReader absurd;
  EXPECT_THAT(Texts(absurd.Feed("Content-Length: 18446744073709551615\r\n\r\n")),
              ElementsAre(HasSubstr("above the limit")));
  EXPECT_TRUE(absurd.IsLost());
}

TEST(FrameReader, SurvivesRandomBytes) {
  std::mt19937 random(1);  // always the same bytes
  const std::string_view pieces[] = {"Content-Length: ", "\r\n", "\r\n\r\n", "7", "{\"a\":1}", ":"};
  for (int round = 0; round < 10'000; ++round) {
    FrameReader reader(1000);
    size_t fed = 0, out = 0;
    for (int i = 0; i < 20 && !reader.IsLost(); ++i) {
      std::string bytes(random() % 8, '\0');
      for (char& byte : bytes) byte = static_cast<char>(random());
      if (random() % 2) bytes = pieces[random() % std::size(pieces)];
      fed += bytes.size();
      for (const Result<std::string>& result : reader.Feed(bytes))
        if (result.ok()) out += result->size();
    }
    ASSERT_LE(out, fed);
  }
}

}  // namespace
}  // namespace tasklens
