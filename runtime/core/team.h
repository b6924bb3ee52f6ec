// SPDX-License-Identifier: Apache-2.0
// Team: several workers that run one task together, or idle so that the program can use their
// processors.
//
// Each member gets a ticket, a job in its own queue. The tickets of all members are queued under
// one lock, so that every worker meets its teams in the same order and no two teams wait for each
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
    kFirstRuns,  // the first member runs the function; the others idle
    kAllRun,     // the function runs on every member at once
  };

  // Decides by the type of the job's codelet.
  static Roles RolesFor(const Job& job);

  // Runs the job on the workers with these ids; the first one fetches the data and ends the job.
  // `combined_id`: the id of the combined worker, or -1.
  static void Start(Runtime& runtime, Job* job, std::vector<int> members, Roles roles,
                    int combined_id);
  // Runs function(argument) on the calling thread, which is not a member, while the members idle.
  static void* RunHere(Runtime& runtime, std::vector<int> members, void* (*function)(void*),
                       void* argument);

  // Makes the members idle until Open(), each once it has ended its current task. `owners` is the
  // number of calls of Leave(), OpenAndLeave() or Close() that must follow; the team is deleted
  // when all owners and members have left it. Close() waits until all members idle.
  static Team* Hold(Runtime& runtime, std::vector<int> members, uint32_t owners = 1);
  void Open();
  void OpenAndLeave();
  void Close();
  // Waits until all members idle.
  void WaitForMembers();
  void Leave();

  // For a policy of the program, which gives `size` workers a copy of the task each: these become
  // the members, ranked in the order in which they take their copies.
  static void Gather(Job* job, int size, int combined_id);

  // Exchanges a copy of the task for the ticket of the worker that took it; frees the copy.
  static Job* TicketFor(Job* copy);

  // Called by a member when it reaches its ticket.
  void Arrive(Worker& worker);
  // Called by the first member: runs the task's function on the members that run it.
  void Call(Worker& worker, starpu_cpu_func_t function, void** buffers);

  int size() const { return size_; }
  // By rank; empty if the team was made by Gather().
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
  Job* const job_;                  // nullptr for Hold() and RunHere()
  const std::vector<int> members_;  // by rank; empty for Gather()
  const int size_;
  const Roles roles_;
  const int combined_id_;
  std::atomic<uint32_t> users_;        // the last to leave frees the team
  std::atomic<uint32_t> arrived_{0};   // a futex, as the next two
  std::atomic<uint32_t> finished_{0};  // members but the first that have run the function
  std::atomic<uint32_t> phase_{kGathering};
  starpu_cpu_func_t function_ = nullptr;
  void** buffers_ = nullptr;
};

}  // namespace tasklens::runtime
