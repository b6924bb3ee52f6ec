// SPDX-License-Identifier: Apache-2.0
// Engine: requests on data, from their submission to their end, and the thread that calls MPI.
//
// A request waits for its data as a task would (starpu_data_acquire_on_node_cb...). Once it has
// them it is given to MPI, which matches messages; data of a known size are sent from, and received
// into, the handle's memory. At its end the data are released.
//
// MPI is called under one lock, by a thread of the engine's, or by one that waits for a request: it
// need not be woken. So MPI_THREAD_SERIALIZED suffices. Callbacks of the program run in the
// engine's thread, without locks. It sleeps while nothing is under way.
#pragma once

#include <starpu_mpi.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include "runtime/mpi/datatype.h"

namespace tasklens::mpi {

enum class RequestKind : uint8_t { kSend, kReceive, kCollective };

struct Request {
  // --- As submitted ---
  RequestKind kind = RequestKind::kSend;
  bool detached = false;     // frees itself
  bool synchronous = false;  // a send that ends when the other side has begun to receive
  bool ordered = true;       // by sequential consistency
  int priority = 0;
  int urgency = 0;  // the highest priority of it and of those that may not pass it
  starpu_data_handle_t handle = nullptr;
  int peer = 0;  // rank in `comm`
  int64_t tag = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  void (*callback)(void*) = nullptr;
  void* argument = nullptr;
  std::function<int(MPI_Request*)> start;  // of a collective operation: its call of MPI

  // --- Since its data are there ---
  long job = 0;  // the number of the acquisition
  Layout layout;
  bool packed = false;     // the layout is of a piece of memory, which is freed
  bool described = false;  // the layout is known
  size_t reserved_bytes = 0;

  // --- Since MPI has it ---
  int parts = 0;  // messages that have not ended
  int64_t header[2] = {};
  MPI_Status status{};

  std::atomic<bool> done{false};  // of one that is not detached; its owner may free it from now on
};

class Engine {
 public:
  // Of the process.
  static Engine& Instance();

  // Between starpu_mpi_init*() and starpu_mpi_shutdown(); the thread is bound to the processing
  // unit
  // (-1: it is not).
  void Start(int bind_to);
  void Stop();
  bool IsRunning() const { return is_running_; }
  int bound_to() const { return bound_to_; }

  // Takes the request over; it is the caller's again when it has ended, unless it is detached.
  void Submit(Request* request);
  // Not from a callback.
  void Wait(Request* request);
  // Looks once. Whether it has ended.
  bool Test(Request* request);
  // Until no detached one is left, of any communicator; the others have somebody who waits for
  // them.
  void WaitForAll();
  // An operation of all ranks of the communicator that `start` begins (MPI_I...), until it has
  // ended. Not from a callback.
  void Collective(MPI_Comm comm, std::function<int(MPI_Request*)> start);
  void Barrier(MPI_Comm comm);
  // Calls back when all ranks of the communicator have done the same.
  void BarrierDetached(MPI_Comm comm, void (*callback)(void*), void* argument);
  int64_t outstanding() const { return outstanding_.load(std::memory_order_acquire); }

 private:
  using Ended = std::vector<Request*>;
  // Communicator, source, tag.
  using Key = std::tuple<MPI_Comm, int, int64_t>;

  static void Acquired(void* request);
  void Prepare(Request* request);
  void Push(Request* request);
  void Run();
  // One look at everything that is under way. Whether something happened.
  bool Progress();
  // The rest is under mpi_lock_ ...
  bool Step(Ended* ended);
  void OrderBatch();
  void Post(Request* request);
  void PostAt(Request* request, int mpi_tag);
  void PostReceive(Request* request, MPI_Message* message, int mpi_tag);
  void Watch(Request* request, MPI_Request mpi_request);
  bool LookForHeaders();
  bool LookForPieces();
  bool LookForEnds(Ended* ended);
  // ... but for this.
  void Finish(Request* request, bool may_call_back);
  void CallBack(Request* request);
  void Over(Request* request);
  template <class Condition>
  void Help(Condition is_met);

  std::mutex mpi_lock_;  // held around calls of MPI
  std::vector<MPI_Request> under_way_;
  std::vector<Request*> whose_;  // of each of them
  std::vector<int> ended_indices_;
  std::vector<MPI_Status> ended_statuses_;
  // Receives whose size is told by the message, in the order in which they take messages.
  std::map<Key, std::deque<Request*>> pieces_;
  // Receives of tags that MPI has not, by the program's tag, and headers without a receive.
  std::map<Key, std::deque<Request*>> wide_;
  std::map<Key, std::deque<int64_t>> early_;
  std::map<MPI_Comm, int> wide_receives_;  // how many of `wide_`
  std::map<std::pair<MPI_Comm, int>, int64_t> wide_sent_;
  std::vector<Request*> batch_;

  std::mutex queue_lock_;  // guards the rest of this group
  std::condition_variable work_;
  std::vector<Request*> ready_;
  std::vector<Request*> to_call_back_;
  int helpers_ = 0;  // threads that look themselves
  bool stops_ = false;

  std::mutex over_lock_;  // nothing: threads that wait for an end sleep with it
  std::condition_variable over_;

  std::atomic<int64_t> watched_{0};      // that MPI has
  std::atomic<int64_t> outstanding_{0};  // detached, submitted and not over
  std::atomic<uint32_t> queued_{0};      // of `ready_`
  std::thread thread_;
  bool is_running_ = false;
  int bound_to_ = -1;
};

}  // namespace tasklens::mpi
