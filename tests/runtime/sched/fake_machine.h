// SPDX-License-Identifier: Apache-2.0
// A machine and tasks for policies, made of what a test says. Nothing runs: a task has run when its
// test says so.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/sched/policy.h"

namespace tasklens::runtime {

class FakeMachine : public Host {
 public:
  struct FakeWorker {
    starpu_worker_archtype kind = STARPU_CPU_WORKER;
    unsigned node = STARPU_MAIN_RAM;
    bool enabled = true;
  };

  // CPUs. A device is added with a memory of its own.
  explicit FakeMachine(int cpus) : workers(static_cast<size_t>(cpus)) {}
  int AddDevice() {
    workers.push_back({STARPU_CUDA_WORKER, ++devices, true});
    return static_cast<int>(workers.size()) - 1;
  }

  // A job that is ready. It lives as long as the machine.
  Job* NewJob(int priority = 0) {
    Job& job = jobs_.emplace_back();
    job.id = jobs_.size();
    job.task = &tasks_.emplace_back();
    job.task->cl = &codelet;
    job.task->priority = priority;
    return &job;
  }
  // One that only these workers can run.
  Job* NewJobFor(std::set<int> able, int priority = 0) {
    Job* const job = NewJob(priority);
    job->restricted = true;
    able_[job] = std::move(able);
    return job;
  }
  bool IsFor(const Job& job, int worker) const {
    const auto found = able_.find(&job);
    return found == able_.end() || found->second.count(worker) > 0;
  }

  // What the test says.
  std::vector<FakeWorker> workers;
  unsigned devices = 0;
  std::set<int> strangers;  // workers that are of no context
  double now_us = 1000;
  starpu_codelet codelet = {};
  std::function<double(const Job&, int worker)> length_us = [](const Job&, int) { return 0; };
  std::function<double(const Job&, size_t members)> team_length_us = [](const Job&, size_t) {
    return 0;
  };
  std::function<double(const starpu_task&, unsigned node)> transfer_us = [](const starpu_task&,
                                                                            unsigned) { return 0; };
  std::function<double(const Job&, int worker)> energy_j = [](const Job&, int) { return 0; };
  std::function<bool(const starpu_task&, unsigned node)> has_data = [](const starpu_task&,
                                                                       unsigned) { return true; };
  std::function<void(unsigned context)> configure = [](unsigned) {};
  CombinedWorkers groups;
  CostWeights cost_weights;

  // What the policy did.
  mutable std::vector<std::pair<const starpu_task*, unsigned>> sent;  // data of it to a node

  int worker_count() const override { return static_cast<int>(workers.size()); }
  WorkerView worker(int id) const override {
    const FakeWorker& fake = workers[static_cast<size_t>(id)];
    return {.kind = fake.kind, .node = fake.node, .enabled = fake.enabled, .name = "fake"};
  }
  WorkerSet MembersOf(unsigned) const override {
    WorkerSet members;
    for (int id = 0; id < worker_count(); ++id)
      if (!strangers.count(id)) members.Add(id);
    return members;
  }
  const CombinedWorkers& combined() const override { return groups; }
  unsigned node_count() const override { return 1 + devices; }
  double NowUs() const override { return now_us; }
  bool MayRun(int worker, const Job& job, unsigned implementation) const override {
    return implementation == 0 && IsFor(job, worker);
  }
  double LengthUs(const Job& job, int worker, unsigned) const override {
    return length_us(job, worker);
  }
  double EnergyJ(const Job& job, int worker, unsigned) const override {
    return energy_j(job, worker);
  }
  double TeamLengthUs(const Job& job, std::span<const int> members) const override {
    return team_length_us(job, members.size());
  }
  double TransferUs(const starpu_task& task, unsigned node) const override {
    return transfer_us(task, node);
  }
  double ConversionUs(const starpu_task&, int) const override { return 0; }
  double CopyUs(unsigned from, unsigned to, size_t) const override { return from == to ? 0 : 1; }
  bool IsThere(const starpu_task&, unsigned, unsigned) const override { return true; }
  bool HasItsData(const starpu_task& task, unsigned node) const override {
    return has_data(task, node);
  }
  size_t BytesOf(Handle*) const override { return 0; }
  void SendData(const starpu_task& task, unsigned node) const override {
    const std::lock_guard guard(lock_);
    sent.emplace_back(&task, node);
  }
  CostWeights& weights() override { return cost_weights; }
  void Configure(unsigned context) override { configure(context); }

 protected:
  bool CanRunRestricted(int worker, Job* job) const override { return IsFor(*job, worker); }

 private:
  mutable std::mutex lock_;  // of `sent`
  std::deque<Job> jobs_;
  std::deque<starpu_task> tasks_;  // of the jobs
  std::map<const Job*, std::set<int>> able_;
};

// A policy on a machine, from Begin() to End(), with all of its workers.
class Scheduler {
 public:
  Scheduler(const PolicySpec& spec, FakeMachine& machine)
      : policy_(spec.create(machine, machine.worker_count())) {
    for (int id = 0; id < machine.worker_count(); ++id) ids_.push_back(id);
    policy_->Begin(0);
    policy_->AddWorkers(ids_);
  }
  ~Scheduler() {
    policy_->RemoveWorkers(ids_);
    policy_->End();
  }
  Policy* operator->() { return policy_.get(); }
  Policy& operator*() { return *policy_; }

  // All that a worker finds, in turn, by priority.
  std::vector<Job*> PopAll(int worker) {
    std::vector<Job*> popped;
    while (Job* job = policy_->Pop(worker)) popped.push_back(job);
    return popped;
  }

 private:
  std::unique_ptr<Policy> policy_;
  std::vector<int> ids_;
};

}  // namespace tasklens::runtime
