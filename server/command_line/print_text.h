// SPDX-License-Identifier: Apache-2.0
// Text for people on standard output.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "trace/support/printable.h"

namespace tasklens {

// What a format string sees of an argument: strings made printable, all else as it is.
template <class T>
using PrintedArgument = std::conditional_t<std::is_convertible_v<const T&, std::string_view>,
                                           std::string, const std::decay_t<T>&>;

template <class T>
PrintedArgument<T> Printed(const T& argument) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return Printable(argument);
  else
    return argument;
}

// fmt::print, for arguments that may be a trace's strings: their control characters are written
// out, so that a name is always part of one line and never a command to the terminal.
template <class... Args>
void PrintText(fmt::format_string<PrintedArgument<Args>...> format, const Args&... args) {
  fmt::print(format, Printed(args)...);
}

// Whole lines that are printable already, or JSON, which escapes what is not.
inline void PrintLines(std::string_view lines) {
  std::fwrite(lines.data(), 1, lines.size(), stdout);
}

}  // namespace tasklens
