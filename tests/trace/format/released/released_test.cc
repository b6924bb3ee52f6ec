// SPDX-License-Identifier: Apache-2.0
// Files that a released version has written are read as they were when it was released: every event
// with its time, thread and arguments. If a test fails here, users' files are read in another way:
// the change must not be made, or the format needs another version (README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/testing/tlt_file.h"
#include "trace/events/joint_events.h"
#include "trace/format/reader.h"

namespace tasklens {
namespace {

constexpr char kFolder[] = "tests/trace/format/released";

// Version and name, like "0.9/ordinary", of all files.
std::vector<std::string> Files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder))
    if (entry.path().extension() == ".tlt")
      names.push_back(entry.path().lexically_relative(kFolder).replace_extension().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string CurrentVersion() {
  return std::to_string(tlt::kVersionMajor) + "." + std::to_string(tlt::kVersionMinor);
}

std::string BytesOf(const std::string& name) {
  return testing::FileBytes(std::string(kFolder) + "/" + name + ".tlt");
}

// What is read of the file: a line for the header, one for what was wrong, one for each event with
// its time since the first one, its rank and thread.
std::string FactsOf(const std::string& name) {
  const std::string bytes = BytesOf(name);
  const auto header = tlt::ReadHeader(name, std::as_bytes(std::span(bytes)));
  const testing::ReadBack back = testing::ReadTlt(bytes);
  EXPECT_TRUE(header.ok() && back.status.ok()) << name << ": " << back.status.message();
  if (!header.ok() || !back.status.ok()) return "";
  std::string facts = "version " + std::to_string(header->version_major) + "." +
                      std::to_string(header->version_minor) + ", rank " +
                      std::to_string(header->rank) + ", categories " +
                      std::to_string(header->category_mask) +
                      (header->flags & tlt::kClosed ? ", closed\n" : ", not closed\n");
  for (const auto& [code, count] : back.diags.counts())
    facts += std::string(code) + " " + std::to_string(count.count) + "\n";
  const int64_t first_ns = back.log.entries().empty() ? 0 : back.log.entries()[0].time_ns;
  for (const auto& entry : back.log.entries()) {
    std::string text = entry.text;
    for (size_t at = 0; (at = text.find('\n', at)) != text.npos;) text.replace(at, 1, "\\n");
    facts += std::to_string(entry.time_ns - first_ns) + " " + std::to_string(entry.rank) + "/" +
             std::to_string(entry.tid) + " " + text + "\n";
  }
  return facts;
}

TEST(Released, EveryFileIsReadAsWhenItWasReleased) {
  const char* update = std::getenv("UPDATE_PAGES");
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  ASSERT_FALSE(Files().empty());
  for (const std::string& name : Files()) {
    const std::string facts = FactsOf(name);
    // Facts of older versions are never written again.
    if (update != nullptr && workspace != nullptr && name.starts_with(CurrentVersion() + "/")) {
      std::ofstream(std::string(workspace) + "/" + kFolder + "/" + name + ".txt") << facts;
      continue;
    }
    EXPECT_EQ(facts, testing::FileBytes(std::string(kFolder) + "/" + name + ".txt")) << name;
  }
}

TEST(Released, EveryVersionHasTheThreeRuns) {
  std::set<std::string> versions;
  for (const std::string& name : Files()) versions.insert(name.substr(0, name.find('/')));
  EXPECT_TRUE(versions.contains(CurrentVersion()))
      << "this version of the format has no files: see " << kFolder << "/README.md";
  const std::vector<std::string> files = Files();
  for (const std::string& version : versions)
    for (const char* run : {"every_kind", "killed", "ordinary"})
      EXPECT_EQ(std::count(files.begin(), files.end(), version + "/" + run), 1) << version << run;
}

// The kinds of records in a file.
class Kinds : public EventSink {
 public:
  StringId Intern(std::string_view) override { return 0; }
  void OnEvent(const Event& event) override { events.insert(event.kind); }
  void OnJoint(const JointEvent& joint) override { joints.insert(joint.kind); }

  std::set<EventKind> events;
  std::set<Joint> joints;
};

// A kind of record that is new needs another version of the format, and files of it.
TEST(Released, FilesOfThisVersionHaveEveryKindOfRecord) {
  const std::string bytes = BytesOf(CurrentVersion() + "/every_kind");
  Kinds kinds;
  Diagnostics diags;
  ASSERT_TRUE(tlt::ReadTrace("x", std::as_bytes(std::span(bytes)), 0, kinds, diags).ok());
  for (const EventDecl& decl : AllEvents())
    EXPECT_TRUE(IsOfOtherTools(decl.kind) || kinds.events.contains(decl.kind))
        << decl.name << " is not in " << CurrentVersion();
  for (size_t row = 0; row < std::size(kJointTable); ++row)
    EXPECT_TRUE(kinds.joints.contains(static_cast<Joint>(row)))
        << kJointTable[row].name << " is not in " << CurrentVersion();
}

}  // namespace
}  // namespace tasklens
