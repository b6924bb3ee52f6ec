// SPDX-License-Identifier: Apache-2.0
// ide-plugin/protocol.md against the tables of the server, in both directions: every request of
// ours has a section with all its parameters and an example that the server accepts.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {
namespace {

std::string Page() {
  std::ifstream file("ide-plugin/protocol.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

// The text of each "### `NAME`" section.
std::map<std::string, std::string> Sections() {
  std::map<std::string, std::string> sections;
  const std::string page = Page();
  const std::regex heading("\n### `([^`]+)`\n");
  for (std::sregex_iterator it(page.begin(), page.end(), heading), end; it != end; ++it) {
    const size_t start = it->position() + it->length();
    sections[(*it)[1]] = page.substr(start, page.find("\n##", start) - start);
  }
  return sections;
}

std::map<std::string, std::vector<Fields::Name>> Table() {
  std::map<std::string, std::vector<Fields::Name>> table;
  for (const RequestSpec* spec : Requests())
    if (spec->method.starts_with(kMethodPrefix)) table[std::string(spec->method)] = spec->fields();
  for (const ActionSpec* spec : Actions()) table[std::string(spec->method)] = spec->fields();
  return table;
}

json Example(const std::string& section) {
  std::smatch match;
  if (!std::regex_search(section, match, std::regex("\n    (\\{.*\\})\n"))) return json();
  return json::parse(match[1].str(), nullptr, false);
}

// Notifications are sent where something happens, so the page is their table.
const std::set<std::string> kNotifications = {"tasklens/runOutput", "tasklens/runStarted",
                                              "tasklens/traceGrew", "tasklens/traceUpdated"};

TEST(ProtocolPage, HasASectionForEachRequestAndNoOther) {
  const auto sections = Sections();
  const auto table = Table();
  for (const auto& [method, fields] : table) EXPECT_TRUE(sections.contains(method)) << method;
  for (const auto& [name, text] : sections)
    EXPECT_TRUE(table.contains(name) || kNotifications.contains(name)) << name;
  for (const std::string& name : kNotifications) EXPECT_TRUE(sections.contains(name)) << name;
}

TEST(ProtocolPage, NamesTheParametersOfEachRequestAndNoOther) {
  const auto sections = Sections();
  for (const auto& [method, fields] : Table()) {
    if (!sections.contains(method)) continue;
    std::map<std::string, bool> on_page;  // name, whether it may be left out
    const std::regex row("\n\\| `(\\w+)` \\| (optional)?");
    const std::string& text = sections.at(method);
    for (std::sregex_iterator it(text.begin(), text.end(), row), end; it != end; ++it)
      on_page[(*it)[1]] = (*it)[2].matched;
    std::map<std::string, bool> in_table;
    for (const Fields::Name& field : fields) in_table[field.name] = !field.required;
    // One of the two is needed.
    if (method == "tasklens/reveal") on_page["task"] = on_page["site"] = true;
    EXPECT_EQ(on_page, in_table) << method;
  }
}

TEST(ProtocolPage, HasExamplesThatAreParametersOfTheRequest) {
  const auto sections = Sections();
  for (const auto& [method, fields] : Table()) {
    if (!sections.contains(method)) continue;
    const json example = Example("\n" + sections.at(method));
    ASSERT_TRUE(example.is_object()) << method << " has no example";
    std::set<std::string> known;
    for (const Fields::Name& field : fields) {
      known.insert(field.name);
      EXPECT_TRUE(!field.required || example.contains(field.name)) << method << " " << field.name;
    }
    for (const auto& [name, value] : example.items())
      EXPECT_TRUE(known.contains(name)) << method << " " << name;
  }
  for (const std::string& name : kNotifications)
    EXPECT_TRUE(Example("\n" + sections.at(name)).is_object()) << name;
}

}  // namespace
}  // namespace tasklens
