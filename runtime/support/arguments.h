// SPDX-License-Identifier: Apache-2.0
// The arguments of C functions that take any number of them.
#pragma once

#include <cstdarg>
#include <vector>

// Runs a statement with `args`: what follows the parameter `last`. Once in a function.
#define WITH_ARGS_AFTER(last, ...) \
  va_list args;                    \
  va_start(args, last);            \
  __VA_ARGS__;                     \
  va_end(args)
// Returns the value of an expression with them.
#define RETURN_WITH_ARGS_AFTER(last, ...)                 \
  WITH_ARGS_AFTER(last, const auto result = __VA_ARGS__); \
  return result

namespace tasklens::runtime {

// The next `count` arguments, all of one type.
template <class Type>
std::vector<Type> ReadArgs(unsigned count, va_list args) {
  std::vector<Type> values(count);
  for (Type& value : values) value = va_arg(args, Type);
  return values;
}

}  // namespace tasklens::runtime
