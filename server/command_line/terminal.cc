// SPDX-License-Identifier: Apache-2.0
// Queries the terminal, and wraps text.
#include "server/command_line/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "trace/support/words.h"

namespace tasklens {
namespace {

bool WantsColour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) && (!no_colour || *no_colour == '\0') &&
         !(terminal && std::string_view(terminal) == "dumb");
}

// Returns the number of characters of UTF-8 text.
size_t Width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

size_t TerminalColumns() {
  winsize size{};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col > 0 ? size.ws_col : 80;
}

std::string Painted(std::string_view text, Ink paint) {
  if (!WantsColour()) return std::string(text);
  return "\033[" + std::to_string(static_cast<int>(paint)) + "m" + std::string(text) + "\033[0m";
}

std::string Wrapped(std::string_view text, size_t columns, size_t indent) {
  std::string lines(indent, ' ');
  size_t at = indent;
  while (!text.empty()) {
    const std::string_view word = TakeUpTo(' ', text);
    if (at > indent && columns > 0 && at + 1 + Width(word) > columns) {
      lines += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (at > indent) {
      lines += ' ';
      ++at;
    }
    lines += word;
    at += Width(word);
  }
  return lines;
}

}  // namespace tasklens
