// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the known name nearest to what was typed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tasklens {

// The one of `known` that takes the fewest edits to get to from `typed`; "" when none is near (more
// than a third of the letters are wrong) or `known` is empty.
std::string_view NearestName(std::string_view typed, std::span<const std::string_view> known);

// " (did you mean 'NAME'?)", or "" when none is near.
std::string DidYouMean(std::string_view typed, std::span<const std::string_view> known);

}  // namespace tasklens
