// SPDX-License-Identifier: Apache-2.0
// A Paje file as lines with named fields. The header of the file defines the fields of each kind of
// line and their order; nothing else is fixed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/support/diagnostics.h"
#include "trace/support/progress.h"
#include "trace/support/source.h"
#include "trace/support/status.h"

namespace tasklens {

enum class PajeEvent : uint8_t {
  kUnknown,
  kDefineContainerType,
  kDefineEventType,
  kDefineStateType,
  kDefineVariableType,
  kDefineLinkType,
  kDefineEntityValue,
  kCreateContainer,
  kDestroyContainer,
  kNewEvent,
  kSetState,
  kPushState,
  kPopState,
  kResetState,
  kSetVariable,
  kAddVariable,
  kSubVariable,
  kStartLink,
  kEndLink,
};

// The fields that the reader uses.
enum class PajeField : uint8_t {
  kTime,
  kName,
  kAlias,
  kType,
  kContainer,
  kValue,
  kStartContainer,
  kEndContainer,
  kKey,
  kJobId,
  kResumed,
  kSize,
  kFootprint,
  kTag,
  kGFlop,
  kMpiTag,
  kHandle,
  kFile,
  kLine,
  kCount,
};

struct PajeLine {
  PajeEvent event;
  uint64_t offset;  // where it begins in the file
  std::array<std::string_view, static_cast<size_t>(PajeField::kCount)> fields;  // "": absent
  std::string_view operator[](PajeField field) const { return fields[static_cast<size_t>(field)]; }
};

// Whether a file that begins with `head` is a Paje file: its first line that is neither blank nor a
// comment begins a definition ("%EventDef").
bool IsPaje(std::string_view head);

// Calls f for each line that is not part of a definition. Lines with an undefined number, or with
// fewer fields than their definition, are counted in `diags` and skipped. kCorrupt: there is no
// definition.
Status ReadPajeLines(const Source& source, Progress* progress, Diagnostics& diags,
                     const std::function<void(const PajeLine&)>& f);

}  // namespace tasklens
