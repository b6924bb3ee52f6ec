// SPDX-License-Identifier: Apache-2.0
// Prints text for people on standard output.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "trace/support/printable.h"

namespace tasklens {

// The type of an argument for fmt: strings are made printable, other values stay unchanged.
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

// Like fmt::print, for arguments that may be strings from a trace: escapes control characters, so
// that a name stays on one line and cannot control the terminal.
template <class... Args>
void PrintText(fmt::format_string<PrintedArgument<Args>...> format, const Args&... args) {
  fmt::print(format, Printed(args)...);
}

// Prints whole lines that are printable already, or JSON, which escapes control characters.
inline void PrintLines(std::string_view lines) {
  std::fwrite(lines.data(), 1, lines.size(), stdout);
}

}  // namespace tasklens
