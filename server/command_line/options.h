// SPDX-License-Identifier: Apache-2.0
// The command line: which commands there are, what each accepts, and reading a user's words.
//
// A face in front of CLI11, whose headers cost more to compile than most commands: options.cc alone
// knows it.
//
// Threads: used from the main thread only. What an option writes to must live until Parse() is
// done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tasklens {

// One option or operand that was declared; a handle, copied freely. Each call returns the handle.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  const Option& Required() const;
  // The variable's value of now is named as the default in --help.
  const Option& ShowDefault() const;
  // Whole numbers.
  const Option& Range(int64_t least, int64_t most) const;
  const Option& OneOf(std::initializer_list<const char*> choices) const;
  // `check` answers what is wrong with a value, "" for nothing.
  const Option& Check(std::function<std::string(const std::string&)> check) const;
  const Option& Needs(const Option& other) const;
  const Option& Excludes(const Option& other) const;
  // A list: one value each time the option is written, so that an operand may follow.
  const Option& OneValueEach() const;
  // A list: one word each time, and all times count. (Otherwise the last would.)
  const Option& TakeAll() const;
  // A list: values may also be written as one word, with `separator` between.
  const Option& SplitAt(char separator) const;

 private:
  CLI::Option* option_;
};

// What one command accepts. `names` of an option begin with dashes, and end with what stands for
// its value in --help: "-o,--output FILE", or all choices, "--by codelet|site". A name without
// dashes is that of an operand.
class OptionSet {
 public:
  explicit OptionSet(CLI::App& app) : app_(&app) {}

  Option Add(const std::string& names, std::string& value, const std::string& description);
  Option Add(const std::string& names, std::vector<std::string>& value,
             const std::string& description);
  Option Add(const std::string& names, int& value, const std::string& description);
  Option Add(const std::string& names, uint16_t& value, const std::string& description);
  Option Add(const std::string& names, uint32_t& value, const std::string& description);
  Option Add(const std::string& names, uint64_t& value, const std::string& description);
  Option Add(const std::string& names, double& value, const std::string& description);
  // "!--no-flags" sets the variable to false.
  Option Flag(const std::string& names, bool& value, const std::string& description);
  // An option of this command that was declared before.
  Option Find(const std::string& name);
  // Printed below the options, the example last.
  void Footer(const std::string& text);
  void Example(const std::string& command_line);

  // All commands of the program, this one's among them; for completions and the manual.
  std::vector<struct CommandRow> ProgramRows() const;

 private:
  CLI::App* app_;
};

// The program's command line.
class CommandLine {
 public:
  // `version` is printed for --version, `footer` below --help.
  CommandLine(const std::string& name, const std::string& description, const std::string& version,
              const std::string& footer);
  ~CommandLine();

  // `chosen` is called by Parse() when the user's words are of this command.
  OptionSet AddCommand(const std::string& name, const std::string& summary,
                       std::function<void()> chosen);

  std::string Help() const;

  enum class Outcome { kParsed, kAnswered, kWrong };
  // The words after the program's name. kAnswered: help or the version was asked for, and printed;
  // kWrong: what is wrong with the words was printed on standard error, one line.
  Outcome Parse(std::vector<std::string> words);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace tasklens
