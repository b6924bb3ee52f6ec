// SPDX-License-Identifier: Apache-2.0
// Declares the commands of a program with their options, and parses a command line.
//
// Hides CLI11, whose headers take longer to compile than most commands: only options.cc includes
// them.
//
// Threads: the main thread only. Variables of options must outlive Parse().
#pragma once

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

// A handle to a declared option or operand, which may be copied. Its functions return the handle.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  const Option& Required() const;
  // Shows the current value of the variable as the default in --help.
  const Option& ShowDefault() const;
  // For whole numbers: the range of valid values.
  const Option& Range(int64_t least, int64_t most) const;
  const Option& OneOf(std::initializer_list<const char*> choices) const;
  // `check` returns the fault of a value, to follow the name of the option, or "".
  const Option& Check(std::function<std::string(const std::string&)> check) const;
  const Option& Needs(const Option& other) const;
  const Option& Excludes(const Option& other) const;
  // For lists: one word may contain several values, with `separator` in between.
  const Option& SplitAt(char separator) const;

 private:
  CLI::Option* option_;
};

// The options and operands of a command. `names` of an option begin with dashes and end with the
// placeholder of its value in --help: "-o,--output FILE", or all choices, "--by codelet|site". A
// name without dashes is an operand.
class OptionSet {
 public:
  explicit OptionSet(CLI::App& app) : app_(&app) {}

  Option Add(const std::string& names, std::string& value, const std::string& description);
  // A list: an option takes one value each time it is given, an operand all words that are left.
  Option Add(const std::string& names, std::vector<std::string>& value,
             const std::string& description);
  Option Add(const std::string& names, int& value, const std::string& description);
  Option Add(const std::string& names, uint16_t& value, const std::string& description);
  Option Add(const std::string& names, uint32_t& value, const std::string& description);
  Option Add(const std::string& names, uint64_t& value, const std::string& description);
  Option Add(const std::string& names, double& value, const std::string& description);
  // Sets `value` to true, or to false if `names` begin with '!': "!--no-flags".
  Option Flag(const std::string& names, bool& value, const std::string& description);
  // Returns an option that was declared before.
  Option Find(const std::string& name);
  // Text below the options; the example is the last.
  void Footer(const std::string& text);
  void Example(const std::string& command_line);

  // Returns all commands of the program, including this one, for completions and the manual.
  std::vector<struct CommandRow> ProgramRows() const;

 private:
  CLI::App* app_;
};

class CommandLine {
 public:
  // `version` is printed for --version, `footer` below --help.
  CommandLine(const std::string& name, const std::string& description, const std::string& version,
              const std::string& footer);
  ~CommandLine();

  // Parse() calls `chosen` if the words name this command.
  OptionSet AddCommand(const std::string& name, const std::string& summary,
                       std::function<void()> chosen);

  std::string Help() const;

  enum class Outcome { kParsed, kAnswered, kWrong };
  // Parses the words after the name of the program. kAnswered: they asked for help or the version,
  // which was printed. kWrong: they are wrong, and standard error got one line about it.
  Outcome Parse(std::vector<std::string> words);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace tasklens
