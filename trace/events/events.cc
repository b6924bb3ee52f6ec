// SPDX-License-Identifier: Apache-2.0
// The tables behind events.h, checked and parsed by the compiler.
#include "trace/events/events.h"

namespace tasklens {
namespace {

// Reaching a throw in a constant expression stops the compilation: a bad row does not build.
constexpr ArgType ParseType(std::string_view word) {
  if (word == "u64") return ArgType::kU64;
  if (word == "i64") return ArgType::kI64;
  if (word == "f64") return ArgType::kF64;
  if (word == "hex") return ArgType::kHex;
  if (word == "u32") return ArgType::kU32;
  if (word == "i32") return ArgType::kI32;
  if (word == "str") return ArgType::kStr;
  throw "events.inc: unknown argument type";
}

constexpr EventDecl Parse(EventKind kind, std::string_view name, Category category,
                          std::string_view args, std::string_view text) {
  EventDecl decl{kind, name, category, args, text};
  while (!args.empty()) {
    if (decl.arg_count == kMaxArgs) throw "events.inc: too many arguments";
    const size_t comma = args.find(", ");
    std::string_view arg = args.substr(0, comma);
    args = comma == args.npos ? "" : args.substr(comma + 2);
    if (arg.ends_with("...")) {
      if (!args.empty()) throw "events.inc: only the last argument repeats";
      decl.repeats_last = true;
      arg.remove_suffix(3);
    }
    const size_t blank = arg.find(' ');
    decl.arg_types[decl.arg_count] = ParseType(arg.substr(0, blank));
    decl.arg_names[decl.arg_count] = arg.substr(blank + 1);
    ++decl.arg_count;
  }
  return decl;
}

constexpr EventDecl kEvents[] = {
#define EVENT(Kind, name, category, args, text) \
  Parse(EventKind::k##Kind, name, Category::category, args, text),
#include "trace/events/events.inc"
#undef EVENT
};

constexpr StateDecl kStates[] = {
#define STATE(Kind, name, group, red, green, blue) \
  {StateKind::k##Kind, name, StateGroup::group, (red << 16) | (green << 8) | blue},
#include "trace/events/states.inc"
#undef STATE
};

constexpr std::string_view kCategoryNames[] = {
    "META",
    "USER",
    "TASK",
    "TASK_VERBOSE",
    "DATA",
    "DATA_VERBOSE",
    "WORKER",
    "WORKER_VERBOSE",
    "DSM",
    "DSM_VERBOSE",
    "SCHED",
    "SCHED_VERBOSE",
    "LOCK",
    "LOCK_VERBOSE",
    "EVENT",
    "EVENT_VERBOSE",
    "MPI",
    "MPI_VERBOSE",
    "HYP",
    "HYP_VERBOSE",
    "TASK_VERBOSE_EXTRA",
    "MPI_VERBOSE_EXTRA",
};
static_assert(std::size(kCategoryNames) == static_cast<size_t>(Category::kCount));

}  // namespace

std::string_view CategoryName(Category category) {
  return kCategoryNames[static_cast<size_t>(category)];
}

const EventDecl& Decl(EventKind kind) { return kEvents[static_cast<size_t>(kind)]; }

std::span<const EventDecl> AllEvents() { return kEvents; }

const EventDecl* FindEvent(std::string_view name) {
  for (const EventDecl& decl : kEvents)
    if (decl.name == name) return &decl;
  return nullptr;
}

const StateDecl& Decl(StateKind kind) { return kStates[static_cast<size_t>(kind)]; }

std::span<const StateDecl> AllStates() { return kStates; }

std::string_view WorkerArchName(WorkerArch arch) {
  switch (arch) {
    case WorkerArch::kCpu: return "CPU";
    case WorkerArch::kCuda: return "CUDA";
    case WorkerArch::kOpencl: return "OPENCL";
    case WorkerArch::kMaxFpga: return "MAX_FPGA";
    case WorkerArch::kMpiMs: return "MPI_MS";
    case WorkerArch::kTcpipMs: return "TCPIP_MS";
    case WorkerArch::kHip: return "HIP";
    case WorkerArch::kUnknown: break;
  }
  return "UNK";
}

}  // namespace tasklens
