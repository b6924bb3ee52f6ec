// SPDX-License-Identifier: Apache-2.0
// The runs that released/ has of each version of the format: `record_run NAME FOLDER` leaves
// FOLDER/NAME_0.tlt. `record_run version` says the version. record.sh runs it.
#include <signal.h>
#include <starpu.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "trace/format/joint_records.h"
#include "trace/format/writer.h"

namespace tasklens {
namespace {

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "record_run: %s\n", message.c_str());
  std::exit(1);
}

// --- What a program records --------------------------------------------------------------------

void Spin(void**, void*) {
  volatile double x = 1;
  for (int i = 0; i < 20'000; ++i) x = x * 1.0000001;
}

starpu_codelet Codelet(const char* name, std::vector<starpu_data_access_mode> modes) {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = Spin;
  codelet.name = name;
  codelet.nbuffers = static_cast<int>(modes.size());
  std::copy(modes.begin(), modes.end(), codelet.modes);
  return codelet;
}

starpu_codelet spin = Codelet("spin", {});
starpu_codelet touch = Codelet("touch", {STARPU_RW});
starpu_codelet add = Codelet("add", {STARPU_R, STARPU_R, STARPU_W});

// Tags: the third waits for the first two.
void SubmitTags() {
  starpu_tag_declare_deps(0x103, 2, starpu_tag_t{0x101}, starpu_tag_t{0x102});
  for (const starpu_tag_t tag : {0x103, 0x102, 0x101}) {
    starpu_task* task = starpu_task_create();
    task->cl = &spin;
    task->use_tag = 1;
    task->tag_id = tag;
    task->priority = static_cast<int>(tag - 0x101);
    if (starpu_task_submit(task) != 0) Fail("a task with a tag is not taken");
  }
  starpu_tag_wait(0x103);
}

// A task that waits for another because the program says so.
void SubmitPair() {
  starpu_task* const first = starpu_task_create();
  starpu_task* const second = starpu_task_create();
  first->cl = second->cl = &spin;
  first->name = "first";
  second->name = "second";
  starpu_task_declare_deps_array(second, 1, const_cast<starpu_task**>(&first));
  if (starpu_task_submit(second) != 0 || starpu_task_submit(first) != 0)
    Fail("a task is not taken");
}

// With `die` the process ends in the middle, as if killed by somebody.
void RunProgram(bool die) {
  if (starpu_init(nullptr) != 0) Fail("the runtime does not start");
  double vector[3][8] = {};
  starpu_data_handle_t handles[3];
  for (int i = 0; i < 3; ++i) {
    starpu_vector_data_register(&handles[i], STARPU_MAIN_RAM,
                                reinterpret_cast<uintptr_t>(vector[i]), 8, sizeof(double));
    starpu_data_set_coordinates(handles[i], 2, i, 7);
  }
  starpu_data_set_name(handles[2], "sum");
  starpu_fxt_trace_user_event_string("the work begins");
  SubmitTags();
  SubmitPair();
  for (int step = 0; step < 2; ++step) {
    starpu_iteration_push(static_cast<unsigned long>(step));
    starpu_task_insert(&touch, STARPU_RW, handles[0], STARPU_FLOPS, 64.0, 0);
    starpu_task_insert(&add, STARPU_R, handles[0], STARPU_R, handles[1], STARPU_W, handles[2],
                       STARPU_NAME, "sum up", STARPU_TASK_COLOR, 0x336699, 0);
    starpu_iteration_pop();
  }
  starpu_task_insert(&touch, STARPU_RW, handles[1], 0);
  starpu_task_wait_for_all();
  if (die) kill(getpid(), SIGKILL);
  starpu_data_acquire(handles[2], STARPU_R);
  starpu_data_release(handles[2]);
  starpu_fxt_trace_user_event(42);
  for (const starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  starpu_shutdown();
}

// --- Every kind of record ----------------------------------------------------------------------

// Whether the number has several facts in it, as format.md says.
bool IsPacked(std::string_view name) {
  return name == "access" || name == "worker_node_ctx" || name.find("_and_") != name.npos;
}

// Arguments of `decl` that differ from each other, none of them 0.
std::vector<uint64_t> Arguments(const EventDecl& decl, size_t count) {
  std::vector<uint64_t> args;
  for (size_t i = 0; i < count; ++i) {
    const size_t declared = std::min<size_t>(i, decl.arg_count - 1u);
    const ArgType type = decl.arg_types[declared];
    if (type == ArgType::kStr)
      args.push_back(1 + i % 3);
    else if (type == ArgType::kF64)
      args.push_back(FromDouble(0.5 * static_cast<double>(i + 1)));
    else if (type == ArgType::kI32 || type == ArgType::kI64)
      args.push_back(~uint64_t{i});
    else
      args.push_back(IsPacked(decl.arg_names[declared]) ? (i + 2) * 0x10101 : i + 1);
  }
  return args;
}

void RecordEveryKind(const std::string& path) {
  tlt::Writer writer;
  tlt::ThreadBuffer buffer;
  tlt::WriterOptions options;
  options.path = path;
  options.rank = 3;
  if (const Status status = writer.Open(options); !status.ok()) Fail(std::string(status.message()));
  const std::string texts[] = {"text", "Grüße, \"世界\"", "two\nlines"};
  for (uint32_t id = 1; id <= 3; ++id) writer.AppendString(buffer, id, texts[id - 1], writer.Now());
  // Those that repeat their last argument once with as few, once with as many as there can be.
  const auto record = [&](uint32_t kind, const EventDecl& decl) {
    const size_t fixed = tlt::FixedArgs(decl);
    std::vector<size_t> counts = {fixed};
    if (decl.repeats_last) {
      const size_t unit = decl.arg_names[fixed] == "access" ? 2 : 1;
      counts = {fixed + unit, fixed + tlt::MaxRepeats(decl) / unit * unit};
    }
    for (const size_t count : counts)
      if (!writer.AppendRecord(buffer, kind, writer.Now(), Arguments(decl, count)))
        Fail("not recorded: " + std::string(decl.name));
  };
  for (size_t row = 0; row < std::size(kJointTable); ++row)
    record(tlt::RecordKind(static_cast<Joint>(row)), kJointTable[row]);
  for (const EventDecl& decl : AllEvents())
    if (!IsOfOtherTools(decl.kind)) record(tlt::RecordKind(decl.kind), decl);
  if (const Status status = writer.Close(); !status.ok()) Fail(std::string(status.message()));
  writer.Leave(buffer);
}

void Run(const std::string& name, const std::string& folder) {
  if (name == "every_kind") return RecordEveryKind(folder + "/every_kind_0.tlt");
  if (name != "ordinary" && name != "killed") Fail("there is no run called " + name);
  setenv("STARPU_FXT_TRACE", "1", 1);
  setenv("STARPU_FXT_PREFIX", folder.c_str(), 1);
  setenv("STARPU_FXT_SUFFIX", name.c_str(), 1);
  setenv("STARPU_NCPU", "2", 1);
  RunProgram(/*die=*/name == "killed");
}

}  // namespace
}  // namespace tasklens

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "version") {
    std::printf("%d.%d\n", tasklens::tlt::kVersionMajor, tasklens::tlt::kVersionMinor);
    return 0;
  }
  if (argc != 3) tasklens::Fail("usage: record_run version, or record_run NAME FOLDER");
  tasklens::Run(argv[1], argv[2]);
  return 0;
}
