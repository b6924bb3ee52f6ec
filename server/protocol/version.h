// SPDX-License-Identifier: Apache-2.0
// The number of the protocol that ide-plugin/protocol.md describes. Clients compare it with theirs.
#pragma once

namespace tasklens {

// One more where a client of the number before would misunderstand something; docs/versions.md.
inline constexpr int kProtocolVersion = 1;

}  // namespace tasklens
