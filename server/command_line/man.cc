// SPDX-License-Identifier: Apache-2.0
// tasklens man: prints the manual page in the language of man(7), made from the table of commands.
#include <fmt/format.h>

#include "server/command_line/command.h"
#include "server/command_line/command_rows.h"
#include "server/version.h"

namespace tasklens {
namespace {

// Escapes text: a backslash is written \e, a minus \-, and a line must not begin with the first
// character of a request.
std::string Roff(std::string_view text) {
  std::string out;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    begins_line = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string OptionText(const OptionRow& option) {
  std::string head;
  for (const std::string& name : option.names)
    head += (head.empty() ? "" : ", ") + std::string("\\fB") + Roff(name) + "\\fR";
  if (option.is_operand) head = "\\fI" + Roff(option.names[0]) + "\\fR";
  if (option.is_operand && option.is_repeatable) head += " ...";
  if (!option.value.empty() && !(option.is_operand && option.choices.empty()))
    head += " \\fI" + Roff(option.value) + "\\fR";
  std::string text = ".TP\n" + head + "\n" + Roff(option.description) + "\n";
  if (!option.default_value.empty()) text += "(" + Roff(option.default_value) + ")\n";
  return text;
}

std::string Page(const std::vector<CommandRow>& rows) {
  const CommandRow& program = rows.front();
  std::string page = fmt::format(
      ".\\\" Made by `tasklens man`.\n"
      ".TH TASKLENS 1 \"\" \"tasklens {}\" \"\"\n"
      ".SH NAME\ntasklens \\- task graphs and timelines of StarPU programs, tied to their source\n"
      ".SH SYNOPSIS\n\\fBtasklens\\fR \\fIcommand\\fR [\\fIoptions\\fR] [\\fIoperands\\fR]\n"
      ".SH DESCRIPTION\n{}\n.SH OPTIONS\n",
      kVersion, Roff(program.summary));
  for (const OptionRow& option : program.options) page += OptionText(option);
  page += ".SH COMMANDS\n";
  for (size_t i = 1; i < rows.size(); ++i) {
    page += fmt::format(".SS tasklens {}\n{}.\n", Roff(rows[i].name), Roff(rows[i].summary));
    for (const OptionRow& option : rows[i].options) page += OptionText(option);
    if (!rows[i].footer.empty()) page += fmt::format(".PP\n.nf\n{}\n.fi\n", Roff(rows[i].footer));
  }
  page += fmt::format(".SH ENVIRONMENT\n{}\n", Roff(program.footer));
  page += ".SH EXIT STATUS\n";
  for (const auto& [status, text] : kExitStatuses)
    page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", status, Roff(text));
  return page;
}

std::function<int()> Declare(OptionSet& cli) {
  cli.Example("tasklens man | man -l -");
  return [cli] {
    fmt::print("{}", Page(cli.ProgramRows()));
    return kExitDone;
  };
}

}  // namespace

extern const CommandSpec kManCommand = {"man", "print the manual page, for man(1)", &Declare,
                                        /*is_about_all=*/true};

}  // namespace tasklens
