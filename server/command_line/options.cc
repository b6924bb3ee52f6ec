// SPDX-License-Identifier: Apache-2.0
// The only file that includes CLI11.
#include "server/command_line/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <limits>
#include <sstream>
#include <utility>

#include "server/command_line/command_rows.h"
#include "trace/support/nearest.h"
#include "trace/support/printable.h"
#include "trace/support/read_number.h"

namespace tasklens {
namespace {

// The choices in "codelet|site"; none in "FILE".
std::vector<std::string> ChoicesOf(const std::string& value) {
  if (value.find('|') == std::string::npos) return {};
  std::istringstream text(value);
  std::vector<std::string> choices;
  for (std::string choice; std::getline(text, choice, '|');) choices.push_back(choice);
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

// Returns the fault of `text` as a whole number from `least` to `most`, or "".
std::string WholeNumberFault(const std::string& text, int64_t least, int64_t most) {
  int64_t value = 0;
  if (ReadNumber(text, value) && value >= least && value <= most) return "";
  if (most == std::numeric_limits<int64_t>::max() && least == 0)
    return fmt::format("takes a whole number, 0 or more, not '{}'", text);
  return fmt::format("takes a whole number from {} to {}, not '{}'", least, most, text);
}

constexpr const char* kWholeNumber = "whole number";  // the check that Range() replaces

std::string NumberFault(const std::string& text) {
  double value = 0;
  return ReadNumber(text, value) ? "" : fmt::format("takes a number, not '{}'", text);
}

template <class Value>
CLI::Option* Declare(CLI::App& app, const std::string& names, Value& value,
                     const std::string& description, const std::string& word) {
  const size_t blank = names.find(' ');
  CLI::Option* option = app.add_option(names.substr(0, blank), value, description);
  option->type_name(blank == names.npos ? word : names.substr(blank + 1));
  return option;
}

// Declares an option for a whole number. Our check precedes the conversion by CLI11, so that a
// wrong value gets our message.
template <class Number>
Option Whole(CLI::App& app, const std::string& names, Number& value,
             const std::string& description) {
  CLI::Option* option = Declare(app, names, value, description, "N");
  constexpr auto kMost = std::numeric_limits<Number>::max();
  constexpr int64_t kFits = std::min<uint64_t>(static_cast<uint64_t>(kMost), INT64_MAX);
  const auto least = static_cast<int64_t>(std::numeric_limits<Number>::min());
  option->check([=](const std::string& text) { return WholeNumberFault(text, least, kFits); }, "",
                kWholeNumber);
  return Option(option);
}

bool IsOption(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

std::string Lowered(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(text[0]));
  return text;
}

// The name of an option in messages: its long name; for an operand, its name in capitals.
std::string NameOf(const CLI::Option& option) {
  std::string name = option.get_positional() ? option.get_single_name() : option.get_name();
  if (option.get_positional())
    for (char& letter : name) letter = static_cast<char>(std::toupper(letter));
  return name;
}

// Describes the words that `app` does not accept: the first unknown option, with the nearest known
// name, else the first unexpected operand.
std::string ExtrasText(const CLI::App& app, const std::vector<std::string>& extras) {
  const auto option = std::ranges::find_if(extras, IsOption);
  if (option == extras.end())
    return fmt::format("unexpected argument '{}'", extras.empty() ? "" : extras.front());
  const std::string name = option->substr(0, option->find('='));
  std::vector<std::string> names;
  for (const CLI::Option* known : app.get_options()) {
    for (const std::string& one : known->get_lnames()) names.push_back("--" + one);
    for (const std::string& one : known->get_snames()) names.push_back("-" + one);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  return fmt::format("unknown option {}{}", name, DidYouMean(name, known));
}

// Removes short names: "--svg,-o" becomes "--svg".
std::string WithoutShortNames(std::string text) {
  for (size_t at = 0; (at = text.find(",-", at)) != text.npos;)
    text.erase(at, std::min(text.find(' ', at), text.size()) - at);
  return text;
}

// Returns the message about an error that CLI11 found in the words of `app`.
std::string FaultText(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    std::vector<std::string> extras = app.remaining();
    if (extras.empty() && app.get_parent()) extras = app.get_parent()->remaining();
    return ExtrasText(app, extras);
  }
  std::string text = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error)) {
    for (const CLI::Option* option : app.get_options())
      if (option->get_required() && option->count() == 0)
        return fmt::format("{} is missing: {}", NameOf(*option), option->get_description());
    return Lowered(text);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    // CLI11's text about a flag begins with its name, without dashes.
    if (text.find("flag override") != text.npos)
      for (const CLI::Option* option : app.get_options())
        if (const std::string word = text.substr(0, text.find(' '));
            option->check_lname(word) || option->check_sname(word))
          return fmt::format("{} takes no value", NameOf(*option));
    for (const CLI::Option* option : app.get_options())
      if (text.find(NameOf(*option)) != text.npos || text.find(option->get_name()) != text.npos)
        return option->get_type_size() == 0 ? fmt::format("{} takes no value", NameOf(*option))
                                            : fmt::format("{} needs a value: {}", NameOf(*option),
                                                          option->get_description());
  }
  for (const auto& [theirs, ours] : {std::pair<std::string_view, std::string_view>{
                                         " excludes ", " cannot be used together with "},
                                     {" requires ", " needs "}})
    if (const size_t at = text.find(theirs); at != text.npos)
      return WithoutShortNames(text.replace(at, theirs.size(), ours));
  // The texts of our own checks follow the name of the option: "NAME: takes ...".
  if (dynamic_cast<const CLI::ValidationError*>(&error))
    if (const size_t at = text.find(": "); at != text.npos) return text.replace(at, 2, " ");
  return Lowered(text);
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

const Option& Option::Range(int64_t least, int64_t most) const {
  option_->get_validator(kWholeNumber)->operation([=](std::string& text) {
    return WholeNumberFault(text, least, most);
  });
  return *this;
}

const Option& Option::OneOf(std::initializer_list<const char*> choices) const {
  const std::vector<std::string> all(choices.begin(), choices.end());
  option_->type_name(fmt::format("{}", fmt::join(all, "|")));
  option_->check([all](const std::string& text) {
    if (std::ranges::find(all, text) != all.end()) return std::string();
    const std::vector<std::string_view> known(all.begin(), all.end());
    return fmt::format("takes {}, not '{}'{}", fmt::join(all, ", "), text, DidYouMean(text, known));
  });
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

const Option& Option::SplitAt(char separator) const {
  option_->delimiter(separator);
  return *this;
}

Option OptionSet::Add(const std::string& names, std::string& value,
                      const std::string& description) {
  return Option(Declare(*app_, names, value, description, ""));
}

Option OptionSet::Add(const std::string& names, std::vector<std::string>& value,
                      const std::string& description) {
  CLI::Option* const option = Declare(*app_, names, value, description, "");
  if (IsOption(names)) option->allow_extra_args(false);
  return Option(option);
}

Option OptionSet::Add(const std::string& names, int& value, const std::string& description) {
  return Whole(*app_, names, value, description);
}

Option OptionSet::Add(const std::string& names, uint16_t& value, const std::string& description) {
  return Whole(*app_, names, value, description);
}

Option OptionSet::Add(const std::string& names, uint32_t& value, const std::string& description) {
  return Whole(*app_, names, value, description);
}

Option OptionSet::Add(const std::string& names, uint64_t& value, const std::string& description) {
  return Whole(*app_, names, value, description);
}

Option OptionSet::Add(const std::string& names, double& value, const std::string& description) {
  CLI::Option* option = Declare(*app_, names, value, description, "NUMBER");
  option->check(&NumberFault);
  return Option(option);
}

Option OptionSet::Flag(const std::string& names, bool& value, const std::string& description) {
  CLI::Option* option = names.starts_with('!')
                            ? app_->add_flag_callback(
                                  names.substr(1), [&value] { value = false; }, description)
                            : app_->add_flag(names, value, description);
  return Option(option->disable_flag_override());
}

Option OptionSet::Find(const std::string& name) { return Option(app_->get_option(name)); }

void OptionSet::Footer(const std::string& text) {
  const std::string before = app_->get_footer();
  app_->footer(before.empty() ? text : text + "\n\n" + before);
}

void OptionSet::Example(const std::string& command_line) {
  const std::string before = app_->get_footer();
  app_->footer((before.empty() ? "" : before + "\n\n") + "Example:\n  " + command_line);
}

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
  app_->set_version_flag("-v,--version", version, "print the version and exit");
  app_->set_help_flag("-h,--help", "print this help and exit");
  app_->require_subcommand(0, 1);
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

OptionSet CommandLine::AddCommand(const std::string& name, const std::string& summary,
                                  std::function<void()> chosen) {
  CLI::App* command = app_->add_subcommand(name, summary);
  command->footer("");  // a command would inherit the footer of the program
  command->callback(std::move(chosen));
  return OptionSet(*command);
}

std::string CommandLine::Help() const { return app_->help(); }

CommandLine::Outcome CommandLine::Parse(std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // CLI11 takes words from the end
  try {
    app_->parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    // --help and --version are errors with exit code 0; exit() prints the text.
    if (error.get_exit_code() == 0) return app_->exit(error), Outcome::kAnswered;
    const std::vector<CLI::App*> chosen = app_->get_subcommands();
    const CLI::App& app = chosen.empty() ? *app_ : *chosen.front();
    const std::string name = chosen.empty() ? "" : app.get_name();
    std::fprintf(stderr, "tasklens: %s%s; see `tasklens %s%s--help`\n",
                 name.empty() ? "" : (name + ": ").c_str(),
                 Printable(FaultText(app, error)).c_str(), name.c_str(), name.empty() ? "" : " ");
    return Outcome::kWrong;
  }
  return Outcome::kParsed;
}

}  // namespace tasklens
