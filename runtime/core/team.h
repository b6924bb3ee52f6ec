// SPDX-License-Identifier: Apache-2.0
// Team: several workers that run one task together, or that leave their processors to the program.
//
// Each member gets a ticket, a job of its own queue. Tickets of all members are given under one
// lock, so that every worker meets its teams in the same order, and no two teams wait for each
// other's members.
#pragma once

#include <starpu.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/jobs/job.h"

namespace tasklens::runtime {

class Runtime;
struct Worker;

class Team {
 public:
  enum class Roles {
    kFirstRuns,  // the function runs once; the other members leave it their processors
    kAllRun,     // the function runs on every member at once
  };

  // By the type of its codelet.
  static Roles RolesFor(const Job& job);

  // Runs the job by the workers of these numbers, the first of which does what is done once.
  // `combined_id`: the number of the combined worker, or -1.
  static void Start(Runtime& runtime, Job* job, std::vector<int> members, Roles roles,
                    int combined_id);
  // Runs function(argument) on the calling thread, which is no member, while the members wait.
  static void* RunHere(Runtime& runtime, std::vector<int> members, void* (*function)(void*),
                       void* argument);

  // Has the members do nothing, each once it has ended the task that it runs, until Open(). Then
  // the team belongs to its members with OpenAndLeave(), or goes with Close(), which waits for
  // them. Each of so many owners leaves it.
  static Team* Hold(Runtime& runtime, std::vector<int> members, uint32_t owners = 1);
  void Open();
  void OpenAndLeave();
  void Close();
  // Until all do nothing.
  void WaitForMembers();
  void Leave();

  // A policy of the program's own gives so many workers a copy of the task each: those are the
  // members, in the order in which they take their copies.
  static void Gather(Job* job, int size, int combined_id);

  // The ticket of whoever has a copy, which is gone then.
  static Job* TicketFor(Job* copy);

  // A member has reached its ticket.
  void Arrive(Worker& worker);
  // By the first member: the task's function, on those whose role it is.
  void Call(Worker& worker, starpu_cpu_func_t function, void** buffers);

  int size() const { return size_; }
  // By rank; empty where a policy of the program's own gathers them.
  const std::vector<int>& members() const { return members_; }
  int combined_id() const { return combined_id_; }

 private:
  Team(Job* job, std::vector<int> members, Roles roles, int combined_id, uint32_t outsiders)
      : job_(job),
        members_(std::move(members)),
        size_(static_cast<int>(members_.size())),
        roles_(roles),
        combined_id_(combined_id),
        users_(static_cast<uint32_t>(size_) + outsiders) {}
  Team(Job* job, int size, Roles roles, int combined_id)
      : job_(job),
        size_(size),
        roles_(roles),
        combined_id_(combined_id),
        users_(static_cast<uint32_t>(size)) {}
  void MakeTicket(Job* ticket);
  void GiveTickets(Runtime& runtime);
  void CallAs(Worker& worker, int rank);

  enum Phase : uint32_t { kGathering, kRunning, kOver };
  Job* const job_;                  // nullptr of RunHere()
  const std::vector<int> members_;  // by rank; empty of Gather()
  const int size_;
  const Roles roles_;
  const int combined_id_;
  std::atomic<uint32_t> users_;        // the last to leave frees the team
  std::atomic<uint32_t> arrived_{0};   // a futex, as the next two
  std::atomic<uint32_t> finished_{0};  // members that have run the function, without the first
  std::atomic<uint32_t> phase_{kGathering};
  starpu_cpu_func_t function_ = nullptr;
  void** buffers_ = nullptr;
};

}  // namespace tasklens::runtime
