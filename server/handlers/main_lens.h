// SPDX-License-Identifier: Apache-2.0
// Code lenses at `main` that run the program traced.
//
// The first lens repeats the last run of the program with the same arguments. Then come its launch
// configurations. If there are neither, one lens runs the program of the same name beside the
// source. A program belongs to a source if its configuration has the file as `source`, if it has a
// submission site in the file, or if it has the name of the file.
//
// Threads: a pure function of a session; it reads the file of configurations.
#pragma once

#include <string>

#include "server/protocol/message.h"
#include "server/session/session.h"

namespace tasklens {

// Returns CodeLens objects; none if the file has no main or does not use StarPU, or if the
// workspace is not trusted.
json MainLenses(const Session& session, const std::string& path, const Text& text);

}  // namespace tasklens
