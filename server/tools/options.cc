// SPDX-License-Identifier: Apache-2.0
// The only file that includes CLI11.
#include "server/tools/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <utility>

#include "server/tools/command_rows.h"

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

std::string Joined(const std::vector<std::string>& choices) {
  std::string joined;
  for (const std::string& choice : choices) joined += (joined.empty() ? "" : "|") + choice;
  return joined;
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
  if (!row.choices.empty()) row.value = Joined(row.choices);
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

const Option& Option::Required() const {
  option_->required();
  return *this;
}

const Option& Option::ShowDefault() const {
  option_->capture_default_str();
  return *this;
}

const Option& Option::Value(const std::string& word) const {
  option_->type_name(word);
  return *this;
}

const Option& Option::Range(int64_t least, int64_t most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

const Option& Option::OneOf(std::initializer_list<const char*> choices) const {
  option_->check(CLI::IsMember(std::vector<std::string>(choices.begin(), choices.end())));
  return *this;
}

const Option& Option::Check(std::function<std::string(const std::string&)> check) const {
  option_->check(std::move(check));
  return *this;
}

const Option& Option::Needs(const Option& other) const {
  option_->needs(other.option_);
  return *this;
}

const Option& Option::Excludes(const Option& other) const {
  option_->excludes(other.option_);
  return *this;
}

const Option& Option::OneValueEach() const {
  option_->allow_extra_args(false);
  return *this;
}

const Option& Option::TakeAll() const {
  option_->take_all();
  return *this;
}

const Option& Option::SplitAt(char separator) const {
  option_->delimiter(separator);
  return *this;
}

Option OptionSet::Add(const std::string& names, std::string& value,
                      const std::string& description) {
  return Option(app_->add_option(names, value, description));
}

Option OptionSet::Add(const std::string& names, std::vector<std::string>& value,
                      const std::string& description) {
  return Option(app_->add_option(names, value, description));
}

Option OptionSet::Add(const std::string& names, int& value, const std::string& description) {
  return Option(app_->add_option(names, value, description));
}

Option OptionSet::Add(const std::string& names, uint16_t& value, const std::string& description) {
  return Option(app_->add_option(names, value, description));
}

Option OptionSet::Add(const std::string& names, uint32_t& value, const std::string& description) {
  return Option(app_->add_option(names, value, description));
}

Option OptionSet::Add(const std::string& names, uint64_t& value, const std::string& description) {
  return Option(app_->add_option(names, value, description));
}

Option OptionSet::Add(const std::string& names, double& value, const std::string& description) {
  return Option(app_->add_option(names, value, description));
}

Option OptionSet::Flag(const std::string& names, bool& value, const std::string& description) {
  return Option(app_->add_flag(names, value, description));
}

Option OptionSet::Find(const std::string& name) { return Option(app_->get_option(name)); }

void OptionSet::Footer(const std::string& text) { app_->footer(text); }

std::vector<CommandRow> OptionSet::ProgramRows() const {
  const CLI::App* root = app_;
  while (root->get_parent() != nullptr) root = root->get_parent();
  std::vector<CommandRow> rows = {RowOf(*root)};
  rows.front().name.clear();
  for (const CLI::App* command : root->get_subcommands([](const CLI::App*) { return true; }))
    rows.push_back(RowOf(*command));
  return rows;
}

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::string& version, const std::string& footer)
    : app_(std::make_unique<CLI::App>(description)) {
  app_->name(name);
  app_->set_version_flag("--version", version);
  app_->require_subcommand(0, 1);
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

OptionSet CommandLine::AddCommand(const std::string& name, const std::string& summary,
                                  std::function<void()> chosen) {
  CLI::App* command = app_->add_subcommand(name, summary);
  command->callback(std::move(chosen));
  return OptionSet(*command);
}

std::string CommandLine::Help() const { return app_->help(); }

CommandLine::Outcome CommandLine::Parse(std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app_->parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    // Help and version arrive as errors, too; CLI11 prints them and calls that success.
    return app_->exit(error) == 0 ? Outcome::kAnswered : Outcome::kWrong;
  }
  return Outcome::kParsed;
}

}  // namespace tasklens
