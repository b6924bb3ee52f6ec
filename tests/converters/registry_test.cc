// SPDX-License-Identifier: Apache-2.0
// The tables of formats are well formed.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "converters/formats.h"
#include "tests/testing/starpu_traces.h"

namespace tasklens {
namespace {

bool IsIdentifier(std::string_view name) {
  if (name.empty()) return false;
  for (char c : name)
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_' && c != '.')
      return false;
  return true;
}

TEST(Registry, ReadersStandInOrderOfTheirUniqueSniffOrder) {
  for (size_t i = 1; i < Readers().size(); ++i)
    EXPECT_LT(Readers()[i - 1]->sniff_order, Readers()[i]->sniff_order) << Readers()[i]->name;
}

TEST(Registry, EveryReaderHasAUniqueNameADescriptionAndItsFunctions) {
  std::set<std::string_view> names;
  for (const ReaderSpec* reader : Readers()) {
    EXPECT_TRUE(IsIdentifier(reader->name)) << reader->name;
    EXPECT_TRUE(names.insert(reader->name).second) << reader->name << " is there twice";
    EXPECT_FALSE(reader->description.empty()) << reader->name;
    EXPECT_NE(reader->sniff, nullptr) << reader->name;
    EXPECT_NE(reader->rank, nullptr) << reader->name;
    EXPECT_NE(reader->read, nullptr) << reader->name;
  }
}

TEST(Registry, EveryReaderIsFuzzed) {
  // A fuzz test is made for each folder of this one.
  const std::string corpus = "tests/converters/readers/corpus/";
  for (const ReaderSpec* reader : Readers())
    EXPECT_TRUE(std::filesystem::is_directory(corpus + std::string(reader->name)))
        << corpus << reader->name << " is missing";
}

TEST(Registry, EveryWriterHasAUniqueNameADescriptionAndItsReaders) {
  std::set<std::string_view> names;
  for (const WriterSpec* writer : Writers()) {
    EXPECT_TRUE(IsIdentifier(writer->name)) << writer->name;
    EXPECT_TRUE(names.insert(writer->name).second) << writer->name << " is there twice";
    EXPECT_FALSE(writer->description.empty()) << writer->name;
    EXPECT_FALSE(writer->read_by.empty()) << writer->name;
    EXPECT_NE(writer->write, nullptr) << writer->name;
    EXPECT_EQ(FindWriter(writer->name), writer);
  }
}

TEST(Registry, AnUnknownWriterIsNotFound) { EXPECT_EQ(FindWriter("no-such-format"), nullptr); }

TEST(Registry, EveryFormatAndOptionStandsInItsPage) {
  const std::string page = testing::ReadFile("converters/formats.md");
  ASSERT_FALSE(page.empty());
  const auto names = [&](std::string_view name) {
    return page.find("`" + std::string(name) + "`") != std::string::npos;
  };
  for (const ReaderSpec* reader : Readers()) EXPECT_TRUE(names(reader->name)) << reader->name;
  for (const WriterSpec* writer : Writers()) {
    EXPECT_TRUE(names(writer->name)) << writer->name;
    for (std::string_view option : writer->options) EXPECT_TRUE(names(option)) << option;
  }
}

TEST(Registry, NoReaderTakesEmptyOrForeignBytes) {
  const std::string texts[] = {"",
                               "\n",
                               "%PDF-1.4\n",
                               "#!/bin/sh\nexit 0\n",
                               std::string(5000, '\0'),
                               std::string(5000, '\xff')};
  for (const std::string& text : texts)
    EXPECT_EQ(GuessReader(std::as_bytes(std::span(text))), nullptr) << text.substr(0, 10);
}

TEST(Registry, TheTracesOfStarpuAreReadByTheFxtReaderAlone) {
  for (const std::string& trace : testing::StarpuTraces())
    for (const std::string& file : testing::StarpuTraceFiles(trace)) {
      const std::string bytes = testing::ReadFile(file);
      for (const ReaderSpec* reader : Readers())
        EXPECT_EQ(reader->sniff(std::as_bytes(std::span(bytes)).first(4096)), reader->name == "fxt")
            << file << " and " << reader->name;
    }
}

}  // namespace
}  // namespace tasklens
