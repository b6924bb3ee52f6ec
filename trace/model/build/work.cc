// SPDX-License-Identifier: Apache-2.0
// Hands each event to tasks or data.
#include "trace/model/build/work.h"

#include <array>

namespace tasklens::build {
namespace {

enum class For : uint8_t { kNobody, kTasks, kData, kHandles, kCopies };

constexpr std::array<For, kEventKinds> kFor = [] {
  std::array<For, kEventKinds> of{};
  const auto set = [&](For whom, auto... kinds) { ((of[static_cast<size_t>(kinds)] = whom), ...); };
  using K = EventKind;
  set(For::kTasks, K::kTaskReady, K::kTaskPop, K::kTaskSubmit, K::kTaskSite, K::kTaskName,
      K::kTaskModel, K::kTaskColor, K::kTaskTag, K::kTaskDep, K::kTaskEndDep, K::kTagDep,
      K::kTagDone, K::kTaskHidden, K::kTaskParent, K::kTaskStart, K::kTaskEnd, K::kTaskOnDevice,
      K::kTaskResume, K::kTaskDone, K::kTaskLevel, K::kTaskDetails, K::kTaskPapi, K::kTaskEstimate,
      K::kCodeletWhere, K::kTaskBound, K::kCallSite, K::kTagSite);
  set(For::kData, K::kTaskAccess, K::kTaskParameter, K::kTaskNuma);
  set(For::kHandles, K::kDataNew, K::kDataDelete, K::kDataName, K::kDataCoordinates, K::kDataMpiTag,
      K::kDataMpiOwner);
  set(For::kCopies, K::kCopyStart, K::kCopyEnd, K::kCopyOnDevice);
  return of;
}();

}  // namespace

bool Work::Takes(EventKind kind) { return kFor[static_cast<size_t>(kind)] != For::kNobody; }

const std::vector<WorkOfRank>& Work::Ranks(size_t count) {
  if (count > 0) RankOf(static_cast<uint32_t>(count - 1));
  return ranks_;
}

WorkOfRank& Work::NewRank(uint32_t index) {
  while (index >= ranks_.size()) ranks_.push_back({.index = static_cast<uint32_t>(ranks_.size())});
  return ranks_[index];
}

void Work::OnEvent(WorkOfRank& rank, const Event& event) {
  switch (kFor[static_cast<size_t>(event.kind)]) {
    case For::kTasks: return tasks_.OnEvent(rank, event);
    case For::kData: return data_.TaskEvent(rank, tasks_.RowOf(rank, event.args[0]), event);
    case For::kHandles: return data_.HandleEvent(rank, event);
    case For::kCopies: return data_.CopyEvent(rank, event);
    case For::kNobody: return;
  }
}

// Line, file, function, name and model of a task.
void Work::SubmissionTexts(uint32_t task, std::span<const uint64_t> texts) {
  if (texts[1] != 0) tasks_.Site(task, texts[0], texts[1], texts[2]);
  if (texts[3] != 0) tasks_.Name(task, texts[3]);
  if (texts[4] != 0) tasks_.Model(task, texts[4]);
}

// What OnEvent() does with each of the events it stands for, without asking the same things of
// each.
void Work::OnJoint(const JointEvent& joint) {
  const int64_t time_ns = joint.time_ns;
  const auto args = joint.args;
  WorkOfRank& rank = RankOf(joint.rank);
  // The task that it is about is not mentioned first.
  if (joint.kind == Joint::kDependencies)
    return tasks_.AddDeps(rank, args[0], args.subspan(3), args[1], args[2]);

  const uint32_t task = tasks_.RowOf(rank, args[0]);
  const auto accesses = [&](std::span<const uint64_t> of) {
    for (size_t i = 0; i + 1 < of.size(); i += 2)
      data_.AddAccess(rank, task, time_ns, of[i], SizeOfAccess(of[i + 1]), ModeOfAccess(of[i + 1]));
  };
  const auto parameters = [&](std::span<const uint64_t> texts) {
    for (const uint64_t text : texts) data_.AddParameter(task, text);
  };
  // Of tasks with TypeAndLine(). `texts`: file and those after it.
  const auto typed_submission = [&](uint64_t type_and_line, uint64_t iteration,
                                    uint64_t subiteration, uint64_t priority,
                                    std::span<const uint64_t> texts) {
    tasks_.Submit(task, time_ns, args[1], iteration, subiteration, priority, type_and_line & 0xff);
    SubmissionTexts(task, std::array{type_and_line >> 9, texts[0], texts[1], texts[2], texts[3]});
  };
  // With WorkerNodeCtx().
  const auto start = [&](uint64_t at) {
    tasks_.Start(rank, task, time_ns, at >> 16, at >> 8 & 0xff, at & 0xff);
  };
  switch (joint.kind) {
    case Joint::kSubmission:
      tasks_.Submit(task, time_ns, args[1], args[2], args[3], args[4], args[5]);
      return SubmissionTexts(task, args.subspan(6));
    case Joint::kAccesses: return accesses(args.subspan(1));
    case Joint::kTaken:
    case Joint::kFetch: return tasks_.Pop(task, time_ns);
    case Joint::kBegin:
      tasks_.Details(task, args[1], args[2], args[3], args[4]);
      return tasks_.Start(rank, task, time_ns, args[5], args[6], args[7]);
    case Joint::kPlainBegin:
      if (args[6] != 0) data_.AddParameter(task, args[6]);
      tasks_.Details(task, args[1], args[2], 0, 0);
      return tasks_.Start(rank, task, time_ns, args[3], args[4], args[5]);
    case Joint::kShortSubmission:
      return typed_submission(args[3], kNoIteration, kNoIteration, args[2], args.subspan(4));
    case Joint::kShortAccess:
      typed_submission(args[3], kNoIteration, kNoIteration, args[2], args.subspan(4));
      return data_.AddAccess(rank, task, time_ns, args[8], args[9],
                             static_cast<uint32_t>(args[10]));
    case Joint::kShortBegin:
      if (args[4] != 0) data_.AddParameter(task, args[4]);
      tasks_.Details(task, args[1], args[2], 0, 0);
      return start(args[3]);
    case Joint::kShortEnd:
      return tasks_.End(rank, task, time_ns, args[3] >> 1, args[1], args[2], args[4]);
    case Joint::kDone: return tasks_.Done(task, time_ns);
    case Joint::kParameters: return parameters(args.subspan(1));
    case Joint::kWholeSubmission:
      typed_submission(args[5], args[2], args[3], args[4], args.subspan(7));
      if (args[6] != 0) tasks_.Color(task, args[6]);
      return accesses(args.subspan(11));
    case Joint::kWholeBegin:
      parameters(args.subspan(5));
      tasks_.Details(task, args[1], args[2], 0, args[4]);
      return start(args[3]);
    case Joint::kDependencies:  // above
    case Joint::kCount: return;
  }
}

}  // namespace tasklens::build
