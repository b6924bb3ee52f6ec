// SPDX-License-Identifier: Apache-2.0
// Runs of machines that this one is not: accelerators of every kind, more workers, memory nodes and
// ranks than StarPU's own tool has room for. Every output holds them, and its clients accept it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "converters/formats.h"
#include "tests/testing/fxt_writer.h"
#include "tests/testing/paje_checker.h"
#include "tests/testing/recutils.h"
#include "tests/testing/tools.h"

namespace tasklens {
namespace {

using testing::FxtEvent;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

// As StarPU 1.4 numbers them.
enum Arch : uint64_t { kCpu, kCuda, kOpencl, kMaxFpga = 4, kMpiMs, kTcpipMs, kHip };
bool IsSync(Arch arch) { return arch == kCpu || arch == kMaxFpga; }

struct Machine {
  uint64_t ranks = 1;
  uint64_t nodes = 1;
  std::vector<Arch> workers;
  uint64_t cuda_streams = 1;  // CUDA workers of one device and thread
};

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kMpiTid = 9, kMainTid = 10, kFirstWorkerTid = 100;
constexpr uint64_t kRun = 0xabcdef;

// One rank's file: each worker runs one task, whose number is its own plus 1; task 1 of a rank
// sends to task 1 of the next rank. Its clock began at another moment and runs faster than that of
// rank 0.
class RankFile {
 public:
  RankFile(const Machine& machine, uint64_t rank) : machine_(machine), rank_(rank) {
    const uint64_t ranks = machine.ranks;
    Add(0, 0x5201, {rank, ranks, kMpiTid});
    Add(10, 0x5203, {rank, ranks, kRun, 0, kMpiTid});
    for (uint64_t node = 0; node < machine.nodes; ++node) Add(20, 0x5122, {node, kMainTid});
    for (uint64_t worker = 0; worker < machine.workers.size(); ++worker) StartWorker(worker);
    for (uint64_t worker = 0; worker < machine.workers.size(); ++worker) RunTask(worker);
    if (rank + 1 < ranks) Add(500, 0x5205, {0x100, rank + 1, 7, 4096, 1, 0x1000, 0, kMpiTid});
    if (rank > 0) Add(600, 0x521b, {rank - 1, 7, 1, kMpiTid, 0x1000});
    Add(1000, 0x5203, {rank, ranks, kRun, 0, kMpiTid});
    Add(1010, 0x5202, {rank, ranks, kMpiTid});
  }
  std::string Bytes() const { return WriteFxt(events_); }

 private:
  // `us`: on the clock of rank 0.
  void Add(uint64_t us, uint64_t code, std::vector<uint64_t> params, const char* text = nullptr) {
    const uint64_t ns = us * 1000, drift = rank_ * ns / 10000;
    events_.push_back({rank_ * kSecond + ns + drift, code, std::move(params), text != nullptr,
                       text != nullptr ? text : ""});
  }
  uint64_t Device(uint64_t worker) const {
    return machine_.workers[worker] == kCuda ? worker / machine_.cuda_streams : worker;
  }
  uint64_t Tid(uint64_t worker) const { return kFirstWorkerTid + Device(worker); }

  void StartWorker(uint64_t worker) {
    const Arch arch = machine_.workers[worker];
    Add(30, 0x5100,
        {0x100 + uint64_t{arch}, worker, Device(worker), worker % machine_.nodes, worker,
         IsSync(arch), Tid(worker)});
    Add(40, 0x5101, {Tid(worker), worker});
  }
  void RunTask(uint64_t worker) {
    const uint64_t job = worker + 1, tid = Tid(worker), node = worker % machine_.nodes;
    const uint64_t start = 100 + worker, end = start + 200;
    Add(50, 0x511a, {job, ~uint64_t{0}, ~uint64_t{0}, job, 0, 0, kMainTid});
    if (job > 1) Add(51, 0x5113, {job - 1, job, 0, 1}, "task");
    Add(start, 0x512b, {job, tid}, "kernel");
    Add(start, 0x5102, {job, 0, worker, node});
    Add(start, 0x5168, {tid, job});
    Add(end, 0x5169, {tid, job});
    Add(end, 0x5103, {job, 64, 0xfee1, worker, tid}, "some_arch");
    Add(end, 0x5133, {node, (node + 1) % machine_.nodes, 64, job, 0, 0x1000});
    Add(end + 1, 0x5134, {node, (node + 1) % machine_.nodes, 64, job, 0});
  }

  Machine machine_;
  uint64_t rank_;
  std::vector<FxtEvent> events_;
};

TraceModel Traced(const Machine& machine) {
  std::vector<std::unique_ptr<Source>> files;
  for (uint64_t rank = 0; rank < machine.ranks; ++rank)
    files.push_back(MemorySource("rank_" + std::to_string(rank), RankFile(machine, rank).Bytes()));
  Diagnostics diags;
  auto model = Load(files, diags);
  EXPECT_TRUE(model.ok()) << model.status().message();
  EXPECT_FALSE(diags.HasDataLoss()) << diags.Summary();
  return std::move(*model);
}

std::string Say(const std::string& command) {
  const auto run = testing::RunTool(command);
  EXPECT_EQ(run.status, 0) << command << "\n" << run.output;
  return run.output;
}

// Every format, each read by its clients.
testing::PajeFile WriteAndCheckAll(const TraceModel& model) {
  MemoryOutputs outputs;
  for (const WriterSpec* writer : Writers()) {
    const Status status = writer->write(model, {}, outputs);
    EXPECT_TRUE(status.ok()) << status.message();
  }
  const std::string paje = testing::TestFile("paje.trace", outputs.Text("paje.trace"));
  Say("pj_dump -n " + paje + " > " + paje + ".csv");
  const std::string dot = testing::TestFile("dag.dot", outputs.Text("dag.dot"));
  EXPECT_EQ(Say("acyclic -n " + dot), "");
  EXPECT_EQ(Say("nop " + dot + " > " + dot + ".out"), "");
  Say("xmllint --noout " + testing::TestFile("dag.svg", outputs.Text("dag.svg")));
  for (const std::string& name : outputs.Names())
    if (name.ends_with(".rec"))
      Say("recinf " + testing::TestFile(name, outputs.Text(name)) + " > /dev/null");
  EXPECT_EQ(testing::ParseRecords(outputs.Text("tasks.rec")).size(), model.tasks.size());
  if (model.ranks.size() > 1) {
    EXPECT_EQ(testing::ParseRecords(outputs.Text("comms.rec")).size(), model.ranks.size() - 1);
  }
  testing::PajeFile file = testing::CheckPaje(outputs.Text("paje.trace"));
  EXPECT_THAT(file.violations, IsEmpty());
  return file;
}

std::vector<std::string> ContainersOf(const testing::PajeFile& file, const std::string& type) {
  std::vector<std::string> names;
  for (const testing::PajeLine& line : file.lines)
    if (line.name == "PajeCreateContainer" && line["Type"] == type) names.push_back(line["Name"]);
  return names;
}

TEST(AnyMachine, WorkersOfEveryKindAreShown) {
  const TraceModel model =
      Traced({.nodes = 4,
              .workers = {kCuda, kCuda, kCpu, kOpencl, kHip, kMpiMs, kTcpipMs, kMaxFpga},
              .cuda_streams = 2});
  const testing::PajeFile file = WriteAndCheckAll(model);
  EXPECT_THAT(ContainersOf(file, "W"),
              IsSupersetOf({"CUDA0_0", "CUDA0_1", "CPU2", "OPENCL3", "HIP4"}));
  EXPECT_EQ(ContainersOf(file, "W").size(), 8u);
  EXPECT_EQ(ContainersOf(file, "T").size(), 7u);  // the two streams share a thread
  size_t executed = 0;
  for (const testing::PajeLine& line : file.lines)
    executed += line.name == "PajeSetState" && line["Type"] == "WS" && line["Value"] == "kernel";
  EXPECT_EQ(executed, 8u);
}

TEST(AnyMachine, MayHaveMoreWorkersAndMemoryNodesThanStarpuHasRoomFor) {
  std::vector<Arch> workers(300, kCpu);
  std::fill(workers.begin() + 200, workers.end(), kOpencl);
  const testing::PajeFile file = WriteAndCheckAll(Traced({.nodes = 70, .workers = workers}));
  EXPECT_EQ(ContainersOf(file, "W").size(), 300u);
  EXPECT_EQ(ContainersOf(file, "Mm").size(), 70u);
}

TEST(AnyMachine, MayHaveMoreRanksThanStarpuHasRoomForEachWithItsClock) {
  const TraceModel model = Traced({.ranks = 130, .workers = {kCpu, kCpu}});
  ASSERT_EQ(model.ranks.size(), 130u);
  // Both barriers are passed at once, so what happens between them does as well.
  for (uint32_t task = 0; task < model.tasks.size(); ++task) {
    const uint32_t twin = model.FindTask(0, model.tasks.job[task]);
    EXPECT_NEAR(static_cast<double>(model.tasks.start_ns[task]),
                static_cast<double>(model.tasks.start_ns[twin]), 2)
        << "rank " << model.tasks.rank_index[task];
  }
  const testing::PajeFile file = WriteAndCheckAll(model);
  EXPECT_EQ(ContainersOf(file, "W").size(), 260u);
  EXPECT_EQ(ContainersOf(file, "MPICt").size(), 130u);
  EXPECT_THAT(ContainersOf(file, "W"), IsSupersetOf({"000_CPU0", "129_CPU1"}));
}

}  // namespace
}  // namespace tasklens
