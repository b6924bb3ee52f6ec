// SPDX-License-Identifier: Apache-2.0
// Lenses at `main`: run traced.
//
// The first repeats the last run of this program, with the arguments that it had; then come the
// launch configurations for it; where there are neither, one runs the program that lies beside the
// source under its name. A program belongs to a source by the configuration's member `source`, by a
// submission site in that file, or by its name.
//
// Threads: a pure function of a session; reads the file of configurations.
#pragma once

#include <string>

#include "server/protocol/message.h"
#include "server/session/session.h"

namespace tasklens {

// CodeLens objects; none where the file has no main, or nothing to do with StarPU, or the workspace
// is not trusted.
json MainLenses(const Session& session, const std::string& path, const Text& text);

}  // namespace tasklens
