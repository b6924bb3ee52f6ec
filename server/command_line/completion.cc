// SPDX-License-Identifier: Apache-2.0
// tasklens completion: prints the script by which a shell completes our command line.
//
// Each script is made from the table of commands (command_rows.h). Values and operands without a
// list of choices are completed as file names.
#include <fmt/format.h>

#include <algorithm>

#include "server/command_line/command.h"
#include "server/command_line/command_rows.h"

namespace tasklens {
namespace {

using Rows = std::vector<CommandRow>;

std::string Join(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// The names of all options, without operands.
std::string OptionNames(const CommandRow& command) {
  std::vector<std::string> names;
  for (const OptionRow& option : command.options)
    if (!option.is_operand) names.insert(names.end(), option.names.begin(), option.names.end());
  return Join(names);
}

std::string CommandNames(const Rows& rows) {
  std::vector<std::string> names;
  for (const CommandRow& row : rows)
    if (!row.name.empty()) names.push_back(row.name);
  return Join(names);
}

// The choices of the first operand that has any, or "".
std::string OperandChoices(const CommandRow& command) {
  for (const OptionRow& option : command.options)
    if (option.is_operand && !option.choices.empty()) return Join(option.choices);
  return "";
}

// Quotes `text` for bash, zsh and fish. All three take the text between single quotes literally,
// except that fish interprets backslashes.
std::string Quoted(std::string_view text, bool is_fish = false) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += is_fish ? "\\'" : "'\\''";
    } else if (c == '\\' && is_fish) {
      word += "\\\\";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string Bash(const Rows& rows) {
  std::string values, options;
  for (const CommandRow& row : rows) {
    options += fmt::format("      {}) words={} ;;\n", row.name.empty() ? "''" : row.name,
                           Quoted(OptionNames(row)));
    for (const OptionRow& option : row.options)
      for (const std::string& name : option.names)
        if (!option.is_operand && !option.choices.empty())
          values +=
              fmt::format("    {},{}) words={} ;;\n", row.name, name, Quoted(Join(option.choices)));
    if (const std::string choices = OperandChoices(row); !choices.empty())
      values += fmt::format("    {0},{0}) words={1} ;;\n", row.name, Quoted(choices));
  }
  return fmt::format(R"sh(# Completion of tasklens for bash: eval "$(tasklens completion bash)"
_tasklens() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command='' words=''
  ((COMP_CWORD == 1)) || command=${{COMP_WORDS[1]}}
  COMPREPLY=()
  case $command,$before in
{}  esac
  if [[ $word == -* && (-z $words || $before == "$command") ]]; then
    case $command in
{}    esac
  elif [[ -z $words && -z $command ]]; then
    words={}
  fi
  [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -o bashdefault -o default -F _tasklens tasklens
)sh",
                     values, options, Quoted(CommandNames(rows)));
}

// Escapes text within [...] or after a colon for zsh's _arguments.
std::string ZshText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("[]:\\").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string ZshAction(const OptionRow& option) {
  return option.choices.empty() ? "_files" : "(" + Join(option.choices) + ")";
}

std::string Zsh(const Rows& rows) {
  std::string names, cases;
  for (const CommandRow& row : rows) {
    std::string arguments;
    for (const OptionRow& option : row.options) {
      if (option.is_operand) {
        arguments += " " + Quoted((option.is_repeatable ? "*:" : ":") + ZshText(option.names[0]) +
                                  ":" + ZshAction(option));
        continue;
      }
      for (const std::string& name : option.names)
        arguments += " " + Quoted((option.is_repeatable ? "*" : "") + name + "[" +
                                  ZshText(option.description) + "]" +
                                  (option.value.empty() ? "" : ":value:" + ZshAction(option)));
    }
    if (row.name.empty()) {
      cases += "    (tasklens) _arguments" + arguments + " ;;\n";
    } else {
      names += " " + Quoted(ZshText(row.name) + ":" + ZshText(row.summary));
      cases += "    (" + row.name + ") _arguments" + arguments + " ;;\n";
    }
  }
  return fmt::format(R"sh(#compdef tasklens
# Completion of tasklens for zsh: eval "$(tasklens completion zsh)", or as the file _tasklens in a
# folder of $fpath.
_tasklens() {{
  local -a commands=({})
  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  if ((CURRENT > 2)); then
    shift words
    ((CURRENT--))
  else
    words[1]=tasklens
  fi
  case $words[1] in
{}  esac
}}
if [[ $funcstack[1] == _tasklens ]]; then
  _tasklens "$@"
else
  compdef _tasklens tasklens
fi
)sh",
                     names, cases);
}

std::string Fish(const Rows& rows) {
  std::string script = "# Completion of tasklens for fish: tasklens completion fish | source\n";
  for (const CommandRow& row : rows) {
    const std::string when = row.name.empty()
                                 ? "__fish_use_subcommand"
                                 : Quoted("__fish_seen_subcommand_from " + row.name, true);
    if (!row.name.empty())
      script += fmt::format("complete -c tasklens -f -n __fish_use_subcommand -a {} -d {}\n",
                            row.name, Quoted(row.summary, true));
    for (const OptionRow& option : row.options) {
      std::string line = "complete -c tasklens -n " + when;
      for (const std::string& name : option.names)
        if (!option.is_operand)
          line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.is_operand && option.choices.empty()) continue;  // fish completes files itself
      if (!option.choices.empty()) {
        line += (option.is_operand ? " -f -a " : " -x -a ") + Quoted(Join(option.choices), true);
      } else if (!option.value.empty()) {
        line += " -r";
      }
      script += line + " -d " + Quoted(option.description, true) + "\n";
    }
  }
  return script;
}

struct Shell {
  std::string_view name;
  std::string (*script)(const Rows& rows);
};
constexpr Shell kShells[] = {{"bash", &Bash}, {"zsh", &Zsh}, {"fish", &Fish}};

int Completion(const Rows& rows, const std::string& name) {
  const auto* shell = std::find_if(std::begin(kShells), std::end(kShells),
                                   [&](const Shell& known) { return known.name == name; });
  if (shell == std::end(kShells))
    return Fail({ErrorCode::kInvalidArgument,
                 "completion: the shell is bash, zsh or fish, not '" + name + "'"});
  fmt::print("{}", shell->script(rows));
  return kExitDone;
}

std::function<int()> Declare(OptionSet& cli) {
  auto shell = std::make_shared<std::string>();
  cli.Add("shell bash|zsh|fish", *shell, "the shell").Required();
  cli.Footer(
      "Add the line of the example to ~/.bashrc, or to ~/.zshrc with zsh instead of bash; for "
      "fish, add\n`tasklens completion fish | source` to ~/.config/fish/config.fish.");
  cli.Example("eval \"$(tasklens completion bash)\"");
  return [shell, cli] { return Completion(cli.ProgramRows(), *shell); };
}

}  // namespace

extern const CommandSpec kCompletionCommand = {
    "completion", "print the completion script for bash, zsh or fish", &Declare,
    /*is_about_all=*/true};

}  // namespace tasklens
