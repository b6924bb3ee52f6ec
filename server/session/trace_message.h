// SPDX-License-Identifier: Apache-2.0
// Describes an open trace to clients.
//
// Threads: a pure function.
#pragma once

#include "server/messages/messages.h"
#include "server/session/session.h"

namespace tasklens {

messages::Trace TraceMessage(const OpenTrace& trace);

}  // namespace tasklens
