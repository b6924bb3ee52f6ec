// SPDX-License-Identifier: Apache-2.0
// The paje.trace files that StarPU's tool writes, as far as tests need them. Not a reader of Paje:
// numbers of events and aliases are StarPU's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tasklens::testing {

struct StarpuPajeLine {
  int id;  // 7 container, 10 state, 13 variable, 18 link, ...
  int64_t time_ns;
  std::vector<std::string> fields;  // behind the time, unquoted
};

struct StarpuPaje {
  std::vector<StarpuPajeLine> lines;  // of the body, in the order of the file
  // "WS I" -> "Idle": what the value of a state of a type is called.
  std::map<std::string, std::string> state_names;
};
StarpuPaje ParseStarpuPaje(std::string_view text);

// What a row shows between two moments.
struct ShownState {
  int64_t begin_ns, end_ns;
  std::string name;  // "" nothing
  bool operator==(const ShownState&) const = default;
};

// What container `alias` shows of state type `type`, as Paje's rules say, after sorting by time:
// no empty stretches, equal neighbours joined. The last state ends at `end_ns`.
std::vector<ShownState> ShownStates(const StarpuPaje& paje, std::string_view alias,
                                    std::string_view type, int64_t end_ns);

// Joins equal neighbours and drops empty stretches of states sorted by time.
std::vector<ShownState> Tidy(const std::vector<ShownState>& states);

}  // namespace tasklens::testing
