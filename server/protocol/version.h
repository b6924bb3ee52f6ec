// SPDX-License-Identifier: Apache-2.0
// The number of the protocol that ide-plugin/protocol.md describes. Clients compare it with their
// own.
#pragma once

namespace tasklens {

// Increased when a client of the previous number would misunderstand a message; see
// docs/versions.md.
inline constexpr int kProtocolVersion = 1;

}  // namespace tasklens
