// SPDX-License-Identifier: Apache-2.0
// format.md says what the code does: each table of the page has exactly the rows of the code. The
// code's side is taken from format.h itself, so that a constant or a member that is new there is
// missed on the page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cstdio>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>

#include "tests/testing/tlt_file.h"
#include "trace/format/format.h"
#include "trace/format/joint_records.h"

namespace tasklens {
namespace {

using ::testing::ElementsAreArray;
using ::testing::SizeIs;

using Cells = std::vector<std::string>;

const std::string& Page() {
  static const auto* text = new std::string(testing::FileBytes("trace/format/format.md"));
  return *text;
}
const std::string& Header() {
  static const auto* text = new std::string(testing::FileBytes("trace/format/format.h"));
  return *text;
}

std::string Trimmed(std::string text) {
  std::erase(text, '`');
  const size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// The part of `text` from `begin` to the next `end`.
std::string Part(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t at = text.find(begin);
  if (at == text.npos) {
    ADD_FAILURE() << "nothing begins with: " << begin;
    return "";
  }
  return text.substr(at + begin.size(), text.find(end, at + begin.size()) - at - begin.size());
}

// The rows of the first table with these columns in the section that is called `section`.
std::vector<Cells> Table(const std::string& section, const std::string& columns) {
  std::istringstream lines(
      Part(Part(Page(), "\n## " + section + "\n", "\n## "), "\n" + columns + "\n", "\n\n"));
  std::vector<Cells> rows;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("|---")) continue;
    Cells& cells = rows.emplace_back();
    std::istringstream row(line.substr(1));
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(Trimmed(cell));
  }
  return rows;
}

// Each match of `pattern` in `text`, its groups.
std::vector<Cells> Matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<Cells> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    found.emplace_back(std::next(at->begin()), at->end());
  return found;
}

// --- Constants ---------------------------------------------------------------------------------

using Constants = std::map<std::string, uint64_t>;

Constants ConstantsOfTheCode() {
#define VALUE(name) \
  { #name, tlt::name }
  return {VALUE(kByteOrderMark),
          VALUE(kVersionMajor),
          VALUE(kVersionMinor),
          VALUE(kUnreleasedMajor),
          VALUE(kAlignBytes),
          VALUE(kHeaderBytes),
          VALUE(kMaxStringBytes),
          VALUE(kClosed),
          VALUE(kTicksAreNanoseconds),
          VALUE(kChunkMagic),
          VALUE(kMinChunkBytes),
          VALUE(kMaxChunkBytes),
          VALUE(kKindBits),
          VALUE(kWordsBits),
          VALUE(kTicksShift),
          VALUE(kMaxDeltaTicks),
          VALUE(kMaxRecordWords),
          VALUE(kStringRecord),
          VALUE(kClockRecord),
          VALUE(kFirstJointKind),
          VALUE(kFirstEventKind),
          {"kMaxArgs", kMaxArgs},
          {"kMaxJointArgs", kMaxJointArgs},
          {"kAccessModeBits", kAccessModeBits}};
#undef VALUE
}

uint64_t Number(const std::string& text) {
  const bool hex = text.starts_with("0x");
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data() + (hex ? 2 : 0), text.data() + text.size(), value, hex ? 16 : 10);
  EXPECT_TRUE(error == std::errc() && end == text.data() + text.size()) << text;
  return value;
}

TEST(FormatPage, HasTheConstantsOfTheCode) {
  Constants of_page;
  for (const Cells& row : Table("Constants", "| name | value | |")) {
    if (row[0] == "kMagic") {
      std::string magic;
      for (const unsigned char byte : tlt::kMagic) {
        char hex[4];
        std::snprintf(hex, sizeof hex, " %02x", byte);
        magic += hex;
      }
      EXPECT_EQ(" " + row[1], magic);
    } else {
      EXPECT_TRUE(of_page.emplace(row[0], Number(row[1])).second)
          << row[0] << " stands there twice";
    }
  }
  EXPECT_EQ(of_page, ConstantsOfTheCode());
}

TEST(FormatPage, AndEveryConstantOfTheHeaderIsAmongThem) {
  Constants known = ConstantsOfTheCode();
  known.emplace("kMagic", 0);
  std::vector<Cells> names = Matches(Header(), R"(inline constexpr [^=()]*\b(k\w+) =)");
  const std::string flags = Part(Header(), "enum HeaderFlags : uint32_t {", "};");
  for (Cells& flag : Matches(flags, R"((k\w+) =)")) names.push_back(flag);
  EXPECT_THAT(names, SizeIs(known.size() - 3));  // without those of trace/events
  for (const Cells& name : names)
    EXPECT_TRUE(known.contains(name[0])) << name[0] << " is not compared with the page";
}

TEST(FormatPage, CallsItselfByTheVersionOfTheCode) {
  const std::string version =
      std::to_string(tlt::kVersionMajor) + "." + std::to_string(tlt::kVersionMinor);
  EXPECT_EQ(Part(Page(), "\n# The `.tlt` file, version ", "\n"), version);
}

// --- Headers -----------------------------------------------------------------------------------

struct Type {
  size_t bytes;
  std::string on_page;
};

Type TypeOf(const std::string& type, size_t times) {
  static const std::map<std::string, Type> kTypes = {
      {"uint16_t", {2, "u16"}}, {"uint32_t", {4, "u32"}},   {"uint64_t", {8, "u64"}},
      {"int32_t", {4, "i32"}},  {"int64_t", {8, "i64"}},    {"double", {8, "f64"}},
      {"char", {1, ""}},        {"unsigned char", {1, ""}}, {"ClockSample", {24, "24"}},
  };
  const auto found = kTypes.find(type);
  if (found == kTypes.end()) {
    ADD_FAILURE() << "a member of type " << type << ", which this test does not know";
    return {0, ""};
  }
  if (times == 1) return found->second;
  return {found->second.bytes * times, std::to_string(found->second.bytes * times)};
}

// Offset, size and name of each member of a struct of format.h, by its text.
std::vector<Cells> Members(const std::string& name, size_t bytes) {
  std::vector<Cells> rows;
  size_t offset = 0;
  const std::string body = Part(Header(), "struct " + name + " {", "\n};");
  const std::string array = R"(std::array<([\w ]+), (\d+)>)";
  for (const Cells& member :
       Matches(body, R"(\n  (?:)" + array + R"(|(\w+)) (\w+)(?:\[(\d+)\])?;)")) {
    const bool is_array = !member[0].empty();
    const std::string& times = is_array ? member[1] : member[4];
    const Type type =
        TypeOf(is_array ? member[0] : member[2], times.empty() ? 1 : std::stoul(times));
    rows.push_back({std::to_string(offset), type.on_page, member[3]});
    offset += type.bytes;
  }
  EXPECT_EQ(offset, bytes) << name << " has members that were not found, or gaps";
  return rows;
}

std::vector<Cells> RowsOfPage(const std::string& section) {
  std::vector<Cells> rows = Table(section, "| offset | size | field | |");
  for (Cells& row : rows) row.resize(3);
  return rows;
}

TEST(FormatPage, HasTheMembersOfTheHeader) {
  EXPECT_THAT(RowsOfPage("The header"),
              ElementsAreArray(Members("FileHeader", sizeof(tlt::FileHeader))));
}

TEST(FormatPage, HasTheMembersOfAChunk) {
  EXPECT_THAT(RowsOfPage("Chunks"),
              ElementsAreArray(Members("ChunkHeader", sizeof(tlt::ChunkHeader))));
}

TEST(FormatPage, HasTheMembersOfAClockSample) {
  EXPECT_THAT(Members("ClockSample", sizeof(tlt::ClockSample)),
              ElementsAreArray({Cells{"0", "u64", "ticks"}, Cells{"8", "i64", "monotonic_ns"},
                                Cells{"16", "i64", "realtime_ns"}}));
  EXPECT_NE(Page().find("A **clock sample** is `u64 ticks`, `i64` nanoseconds of CLOCK_MONOTONIC, "
                        "`i64` nanoseconds of CLOCK_REALTIME"),
            std::string::npos);
}

// --- Records -----------------------------------------------------------------------------------

TEST(FormatPage, HasTheKindsOfTheFormatItself) {
  const std::vector<Cells> rows = Table("Records", "| kind | payload | |");
  ASSERT_THAT(rows, SizeIs(3));
  EXPECT_EQ(rows[0][0], std::to_string(tlt::kStringRecord));
  EXPECT_EQ(rows[1][0], std::to_string(tlt::kClockRecord));
  EXPECT_EQ(rows[2][0], "from " + std::to_string(tlt::kFirstJointKind));
}

// The events of a joint one in which every number and text is `value`.
std::vector<std::string> NamesOfEvents(Joint joint, uint64_t value) {
  const EventDecl& decl = Decl(joint);
  // Two repetitions; an access is two numbers.
  const size_t repeats = decl.arg_names[decl.arg_count - 1u] == "access" ? 4 : 2;
  const std::vector<uint64_t> args(tlt::FixedArgs(decl) + (decl.repeats_last ? repeats : 0), value);
  std::vector<std::string> names;
  TakeApart(joint, args, [&](auto kind, std::span<const uint64_t>) {
    names.emplace_back(Decl(EventKind{kind}).name);
  });
  return names;
}

// What a cell of the page's column `events` says; with `optional` also what is in brackets.
std::vector<std::string> NamesOnPage(const std::string& cell, bool optional) {
  std::vector<std::string> names;
  for (const Cells& event : Matches(cell, R"((\[)?(\w+)\]?(\.\.\.)?)"))
    if (event[0].empty() || optional) names.insert(names.end(), event[2].empty() ? 1 : 2, event[1]);
  return names;
}

TEST(FormatPage, HasTheRecordsForSeveralEvents) {
  const std::vector<Cells> rows =
      Table("Records for several events", "| kind | name | arguments | events |");
  ASSERT_THAT(rows, SizeIs(std::size(kJointTable)));
  for (size_t row = 0; row < rows.size(); ++row) {
    const auto joint = static_cast<Joint>(row);
    EXPECT_EQ(rows[row][0], std::to_string(tlt::RecordKind(joint)));
    EXPECT_EQ(rows[row][1], Decl(joint).name);
    EXPECT_EQ(rows[row][2], Decl(joint).args) << rows[row][1];
    EXPECT_EQ(NamesOnPage(rows[row][3], true), NamesOfEvents(joint, ~uint64_t{0})) << rows[row][1];
    EXPECT_EQ(NamesOnPage(rows[row][3], false), NamesOfEvents(joint, 0)) << rows[row][1];
  }
}

TEST(FormatPage, SaysHowNumbersArePacked) {
  std::map<std::string, std::string> packed;
  for (const Cells& row : Table("Records for several events", "| argument | is |"))
    packed[row[0]] = row[1];
  EXPECT_THAT(packed, SizeIs(4));
  EXPECT_TRUE(packed["access"].ends_with("size_bytes times 65,536 plus mode"));
  EXPECT_EQ(SizeAndMode(3, 5), 3 * 65'536 + 5u);
  EXPECT_TRUE(packed["type_and_line"].starts_with("line times 512, plus 256 where"));
  EXPECT_EQ(TypeAndLine(7, true, 3), 3 * 512 + 256 + 7u);
  EXPECT_TRUE(
      packed["worker_node_ctx"].starts_with("worker times 65,536, plus node times 256, plus ctx"));
  EXPECT_EQ(WorkerNodeCtx(3, 5, 7), 3 * 65'536 + 5 * 256 + 7u);
  EXPECT_TRUE(packed["worker_and_state"].starts_with("worker times 2, plus 1 where"));
  EXPECT_EQ(WorkerAndState(3, true), 3 * 2 + 1u);
}

// The chunk that the page shows byte by byte, behind a header.
TEST(FormatPage, ShowsAChunkThatCanBeRead) {
  std::string chunk;
  for (const Cells& line :
       Matches(Part(Page(), "\n## Example\n", "\n## "), R"(\n1\d\d0: ((?:[0-9a-f]{4} ?)+))"))
    for (const Cells& byte : Matches(line[0], "([0-9a-f]{2})"))
      chunk += static_cast<char>(std::stoi(byte[0], nullptr, 16));
  ASSERT_EQ(chunk.size(), 120u);
  const std::string bytes =
      testing::RecordedBytes([](tlt::Writer&, tlt::ThreadBuffer&) {}).substr(0, tlt::kHeaderBytes) +
      chunk;
  EXPECT_THAT(testing::ReadTlt(bytes).Recorded(),
              ElementsAreArray({"task_site job=17 line=42 file='chol.c' function=''"}));
}

}  // namespace
}  // namespace tasklens
