// SPDX-License-Identifier: Apache-2.0
// Engine: processes requests on data from their submission to their end, and owns the thread that
// calls MPI.
//
// A request waits for its data as a task would (starpu_data_acquire_on_node_cb...), and is then
// passed to MPI, which matches messages. Data of a known size are sent from, and received into, the
// handle's memory. The data are released at the request's end.
//
// MPI is called under one lock, by the engine's thread or by a thread that waits for a request, so
// that the engine's thread need not be woken. Therefore MPI_THREAD_SERIALIZED suffices. Callbacks
// of the program run in the engine's thread, without locks. The thread sleeps while no request is
// in progress.
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
  bool synchronous = false;  // a send that ends when the receiver has begun to receive
  bool ordered = true;       // respects sequential consistency
  int priority = 0;
  // The highest priority of this request and of later ones that must not overtake it.
  int urgency = 0;
  starpu_data_handle_t handle = nullptr;
  int peer = 0;  // rank in `comm`
  int64_t tag = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  void (*callback)(void*) = nullptr;
  void* argument = nullptr;
  std::function<int(MPI_Request*)> start;  // calls MPI for a collective operation

  // --- Since its data are there ---
  long job = 0;  // number of the job that acquires the data
  Layout layout;
  bool packed = false;     // the layout describes a packed piece, which is freed
  bool described = false;  // `layout` is set
  size_t reserved_bytes = 0;

  // --- Since MPI has it ---
  int parts = 0;  // messages still in progress
  int64_t header[2] = {};
  MPI_Status status{};

  std::atomic<bool> done{false};  // if not detached; the owner may free the request from now on
};

class Engine {
 public:
  // Returns the instance of the process.
  static Engine& Instance();

  // Called by starpu_mpi_init*() and starpu_mpi_shutdown(). Binds the thread to processing unit
  // `bind_to`; -1: not bound.
  void Start(int bind_to);
  void Stop();
  bool IsRunning() const { return is_running_; }
  int bound_to() const { return bound_to_; }

  // Submits the request, and owns it until it has ended; deletes it then if it is detached.
  void Submit(Request* request);
  // Waits for the request. REQUIRES: not in a callback.
  void Wait(Request* request);
  // Makes progress once. Returns whether the request has ended.
  bool Test(Request* request);
  // Waits until no detached request is left, of any communicator. Other requests have threads that
  // wait for them.
  void WaitForAll();
  // Runs an operation of all ranks of the communicator, which `start` begins (MPI_I...), and waits
  // for its end. REQUIRES: not in a callback.
  void Collective(MPI_Comm comm, std::function<int(MPI_Request*)> start);
  void Barrier(MPI_Comm comm);
  // Calls `callback` when all ranks of the communicator have called this.
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
  // Makes progress with all requests once. Returns whether anything happened.
  bool Progress();
  // The next functions are called under mpi_lock_ ...
  bool Step(Ended* ended);
  void OrderBatch();
  void Post(Request* request);
  void PostAt(Request* request, int mpi_tag);
  void PostReceive(Request* request, MPI_Message* message, int mpi_tag);
  void Watch(Request* request, MPI_Request mpi_request);
  bool LookForHeaders();
  bool LookForPieces();
  bool LookForEnds(Ended* ended);
  // ... and these without it.
  void Finish(Request* request, bool may_call_back);
  void CallBack(Request* request);
  void Over(Request* request);
  template <class Condition>
  void Help(Condition is_met);

  std::mutex mpi_lock_;  // held during calls of MPI
  std::vector<MPI_Request> under_way_;
  std::vector<Request*> whose_;  // the request of each entry of under_way_
  std::vector<int> ended_indices_;
  std::vector<MPI_Status> ended_statuses_;
  // Receives of unknown size, in the order in which they take messages.
  std::map<Key, std::deque<Request*>> pieces_;
  // Receives with tags that exceed MPI's, by the program's tag; and headers that arrived before
  // their receive.
  std::map<Key, std::deque<Request*>> wide_;
  std::map<Key, std::deque<int64_t>> early_;
  std::map<MPI_Comm, int> wide_receives_;  // number of requests in wide_
  std::map<std::pair<MPI_Comm, int>, int64_t> wide_sent_;
  std::vector<Request*> batch_;

  std::mutex queue_lock_;  // guards the rest of this group
  std::condition_variable work_;
  std::vector<Request*> ready_;
  std::vector<Request*> to_call_back_;
  int helpers_ = 0;  // waiting threads that make progress themselves
  bool stops_ = false;

  std::mutex over_lock_;  // guards no data; waiting threads sleep with it
  std::condition_variable over_;

  std::atomic<int64_t> watched_{0};      // requests passed to MPI
  std::atomic<int64_t> outstanding_{0};  // detached requests that have not ended
  std::atomic<uint32_t> queued_{0};      // size of ready_
  std::thread thread_;
  bool is_running_ = false;
  int bound_to_ = -1;
};

}  // namespace tasklens::mpi
