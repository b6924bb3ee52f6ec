// SPDX-License-Identifier: Apache-2.0
// Asks CLI11.
#include "server/tools/command_rows.h"

#include <fmt/format.h>

#include <sstream>

namespace tasklens {
namespace {

// CLI11 writes the members of CLI::IsMember as "TEXT:{a,b}".
std::vector<std::string> ChoicesOf(const std::string& type_name) {
  const size_t open = type_name.find('{');
  const bool is_set = open != std::string::npos && type_name.ends_with('}');
  if (!is_set && type_name.find('|') == std::string::npos) return {};
  std::istringstream text(is_set ? type_name.substr(open + 1, type_name.size() - open - 2)
                                 : type_name);
  std::vector<std::string> choices;
  for (std::string choice; std::getline(text, choice, is_set ? ',' : '|');)
    choices.push_back(choice);
  return choices;
}

OptionRow RowOf(const CLI::Option& option) {
  OptionRow row;
  row.is_operand = option.get_positional();
  if (row.is_operand) {
    row.names.push_back(option.get_single_name());
  } else {
    for (const std::string& name : option.get_lnames()) row.names.push_back("--" + name);
    for (const std::string& name : option.get_snames()) row.names.push_back("-" + name);
  }
  if (option.get_type_size() != 0) row.value = option.get_type_name();
  row.choices = ChoicesOf(row.value);
  if (!row.choices.empty()) row.value = fmt::format("{}", fmt::join(row.choices, "|"));
  row.description = option.get_description();
  row.default_value = option.get_default_str();
  row.is_required = option.get_required();
  row.is_repeatable = option.get_items_expected_max() > 1;
  return row;
}

CommandRow RowOf(const CLI::App& app) {
  CommandRow row{app.get_name(), app.get_description(), app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options()) row.options.push_back(RowOf(*option));
  return row;
}

}  // namespace

std::vector<CommandRow> CommandRows(const CLI::App& root) {
  std::vector<CommandRow> rows = {RowOf(root)};
  rows.front().name.clear();
  for (const CLI::App* command : root.get_subcommands([](const CLI::App*) { return true; }))
    rows.push_back(RowOf(*command));
  return rows;
}

}  // namespace tasklens
