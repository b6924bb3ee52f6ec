// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/engine.h"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <utility>

#include "runtime/core/communication.h"
#include "runtime/mpi/statistics.h"
#include "runtime/mpi/world.h"

namespace tasklens::mpi {
namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

// A waiting thread makes progress itself for this long, then sleeps. A message within a machine
// takes about as long; waking a thread on a busy machine takes longer.
constexpr auto kHelpFor = microseconds(300);
// The engine's thread yields after each round without progress; after this many such rounds it
// sleeps for a moment as well.
constexpr int kLooksWithoutSleep = 2000;
constexpr auto kSleep = microseconds(20);

thread_local bool t_is_engines = false;  // whether this is the engine's thread

// Unpacks a received piece into the handle.
void TakePiece(const Request& request) {
  const starpu_data_interface_ops* const ops = starpu_data_get_interface_ops(request.handle);
  const auto at = reinterpret_cast<uintptr_t>(request.layout.at);
  int error;
  if (ops->peek_data) {
    error = starpu_data_peek_node(request.handle, STARPU_MAIN_RAM, request.layout.at,
                                  request.layout.bytes);
    starpu_free_on_node_flags(STARPU_MAIN_RAM, at, request.layout.bytes, 0);
  } else {
    error = starpu_data_unpack_node(request.handle, STARPU_MAIN_RAM, request.layout.at,
                                    request.layout.bytes);  // frees the piece
  }
  if (error)
    _starpu_communication_fatal(
        "a message with tag %lld from rank %d cannot be unpacked: the data's interface '%s' says "
        "%d",
        static_cast<long long>(request.tag), request.peer, ops->name ? ops->name : "", error);
}

void Check(int error, const char* what, const Request& request) {
  if (error == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, text, &length);
  _starpu_communication_fatal("%s rank %d with tag %lld failed: %s", what, request.peer,
                              static_cast<long long>(request.tag), text);
}

const char* NameOf(RequestKind kind) {
  switch (kind) {
    case RequestKind::kSend: return "a message to";
    case RequestKind::kReceive: return "a message from";
    case RequestKind::kCollective: break;
  }
  return "an operation of all ranks:";
}

// STARPU_MPI_COMM=1: prints a line when a message is passed to MPI, and when it has ended.
void Tell(const Request& request, const char* what) {
  static const bool kTells = starpu_getenv_number_default("STARPU_MPI_COMM", 0) > 0;
  if (!kTells || request.kind == RequestKind::kCollective) return;
  fprintf(stderr, "[%d] %s %s rank %d with tag %lld of handle %p '%s' (%zu bytes)\n",
          RankIn(request.comm), what, NameOf(request.kind), request.peer,
          static_cast<long long>(request.tag), static_cast<void*>(request.handle),
          starpu_data_get_name(request.handle), request.layout.bytes);
}

}  // namespace

Engine& Engine::Instance() {
  static Engine* const engine = new Engine;  // never destroyed: its thread may outlive
  return *engine;
}

// ---- Submission --------------------------------------------------------------------------------

void Engine::Submit(Request* request) {
  if (request->detached) outstanding_.fetch_add(1, std::memory_order_relaxed);
  if (!request->handle) return Push(request);
  const auto mode = request->kind == RequestKind::kSend ? STARPU_R : STARPU_W;
  const int error = starpu_data_acquire_on_node_cb_sequential_consistency_sync_jobids(
      request->handle, STARPU_MAIN_RAM, mode, &Engine::Acquired, request, request->ordered,
      /*quick=*/1, &request->job, nullptr);
  if (error)
    _starpu_communication_fatal("%s rank %d with tag %lld: its data cannot be acquired (error %d)",
                                NameOf(request->kind), request->peer,
                                static_cast<long long>(request->tag), error);
}

void Engine::Acquired(void* argument) {
  auto* const request = static_cast<Request*>(argument);
  Instance().Prepare(request);
}

void Engine::Prepare(Request* request) {
  if (request->reserved_bytes) {  // the handle has its memory now
    starpu_memory_deallocate(STARPU_MAIN_RAM, request->reserved_bytes);
    request->reserved_bytes = 0;
  }
  if (IsFake()) return Finish(request, /*may_call_back=*/true);
  Form form = FormOf(request->handle);
  if (form == Form::kProgram) {
    // The program's function may only call MPI.
    const std::lock_guard guard(mpi_lock_);
    request->described = DescribeMemory(request->handle, &request->layout);
    if (!request->described) form = Form::kPiece;
  }
  if (form == Form::kPiece) {
    request->packed = true;
    const starpu_data_interface_ops* const ops = starpu_data_get_interface_ops(request->handle);
    if (!ops->pack_data || !(ops->peek_data || ops->unpack_data))
      _starpu_communication_fatal(
          "data with tag %lld cannot be sent: their interface '%s' has no pack_data and peek_data, "
          "and starpu_mpi_datatype_register() gave no type for them",
          static_cast<long long>(request->tag), ops->name ? ops->name : "");
    if (request->kind == RequestKind::kSend) {
      void* piece = nullptr;
      starpu_ssize_t bytes = 0;
      if (const int error = starpu_data_pack_node(request->handle, STARPU_MAIN_RAM, &piece, &bytes))
        _starpu_communication_fatal("data with tag %lld cannot be packed: their interface says %d",
                                    static_cast<long long>(request->tag), error);
      const std::lock_guard guard(mpi_lock_);
      request->layout = DescribeBytes(piece, static_cast<size_t>(bytes));
      request->described = true;
    }
  }
  Push(request);
}

void Engine::Push(Request* request) {
  bool wakes;
  {
    const std::lock_guard guard(queue_lock_);
    ready_.push_back(request);
    queued_.store(static_cast<uint32_t>(ready_.size()), std::memory_order_release);
    wakes = helpers_ == 0;
  }
  if (wakes) work_.notify_one();
}

// ---- What is under way -------------------------------------------------------------------------

bool Engine::Progress() {
  Ended ended;
  bool happened;
  {
    const std::unique_lock guard(mpi_lock_, std::try_to_lock);
    if (!guard) return false;
    happened = Step(&ended);
  }
  for (Request* request : ended) Finish(request, t_is_engines);
  return happened;
}

bool Engine::Step(Ended* ended) {
  bool happened = false;
  if (queued_.load(std::memory_order_acquire) != 0) {
    batch_.clear();
    {
      const std::lock_guard guard(queue_lock_);
      batch_.swap(ready_);
      // Before the queue is emptied: a thread that sees both counters at 0 may sleep.
      watched_.fetch_add(static_cast<int64_t>(batch_.size()), std::memory_order_relaxed);
      queued_.store(0, std::memory_order_release);
    }
    OrderBatch();
    for (Request* request : batch_) Post(request);
    happened = !batch_.empty();
  }
  if (!wide_receives_.empty()) happened |= LookForHeaders();
  if (!pieces_.empty()) happened |= LookForPieces();
  if (!under_way_.empty()) happened |= LookForEnds(ended);
  return happened;
}

// Sorts the batch by priority. MPI matches messages of one tag in the order of the calls, which
// must be the program's order: so requests before an urgent one with the same tag become as urgent.
void Engine::OrderBatch() {
  const auto has_other_priority = [this](const Request* request) {
    return request->priority != batch_.front()->priority;
  };
  if (std::none_of(batch_.begin(), batch_.end(), has_other_priority)) return;
  std::map<std::tuple<RequestKind, MPI_Comm, int, int64_t>, int> highest;
  for (auto each = batch_.rbegin(); each != batch_.rend(); ++each) {
    Request& request = **each;
    // A receive from any source may take the message of each source.
    const int peer = request.kind == RequestKind::kReceive ? MPI_ANY_SOURCE : request.peer;
    int& urgency =
        highest.try_emplace({request.kind, request.comm, peer, request.tag}, request.priority)
            .first->second;
    urgency = std::max(urgency, request.priority);
    request.urgency = urgency;
  }
  std::stable_sort(batch_.begin(), batch_.end(), [](const Request* one, const Request* other) {
    return one->urgency > other->urgency;
  });
}

void Engine::Watch(Request* request, MPI_Request mpi_request) {
  ++request->parts;
  under_way_.push_back(mpi_request);
  whose_.push_back(request);
}

void Engine::Post(Request* request) {
  if (request->kind == RequestKind::kCollective) {
    MPI_Request started;
    Check(request->start(&started), NameOf(request->kind), *request);
    return Watch(request, started);
  }
  if (!request->packed && !request->described)
    request->described = DescribeMemory(request->handle, &request->layout);
  Tell(*request, "posts");
  const TagRoom& tags = Tags();
  if (request->tag >= 0 && request->tag < tags.narrow)
    return PostAt(request, tags.first + static_cast<int>(request->tag));
  const Key key{request->comm, request->peer, request->tag};
  if (request->kind == RequestKind::kSend) {
    int64_t& sent = wide_sent_[{request->comm, request->peer}];
    const int64_t number = sent;
    sent = (sent + 1) % tags.wide;
    request->header[0] = request->tag;
    request->header[1] = number;
    MPI_Request header;
    Check(MPI_Isend(request->header, 2, MPI_INT64_T, request->peer, tags.wide_header, request->comm,
                    &header),
          NameOf(request->kind), *request);
    Watch(request, header);
    return PostAt(request, tags.wide_first + static_cast<int>(number));
  }
  const auto early = early_.find(key);
  if (early == early_.end()) {
    ++wide_receives_[request->comm];
    wide_[key].push_back(request);
    return;
  }
  const int64_t number = early->second.front();
  early->second.pop_front();
  if (early->second.empty()) early_.erase(early);
  PostAt(request, tags.wide_first + static_cast<int>(number));
}

void Engine::PostAt(Request* request, int mpi_tag) {
  if (request->kind == RequestKind::kReceive) {
    if (!request->packed) return PostReceive(request, nullptr, mpi_tag);
    pieces_[{request->comm, request->peer, mpi_tag}].push_back(request);
    return;
  }
  const Layout& layout = request->layout;
  const int target = WorldRank(request->comm, request->peer);
  _starpu_communication_sent(target, request->tag, layout.bytes,
                             static_cast<uint64_t>(request->job), request->handle,
                             request->priority);
  Statistics::Instance().Sent(target, layout.bytes);
  MPI_Request sent;
  Check((request->synchronous ? MPI_Issend : MPI_Isend)(
            layout.at, layout.count, layout.type, request->peer, mpi_tag, request->comm, &sent),
        NameOf(request->kind), *request);
  Watch(request, sent);
}

// `message`: a message that was probed; nullptr: the next one with that tag.
void Engine::PostReceive(Request* request, MPI_Message* message, int mpi_tag) {
  const Layout& layout = request->layout;
  MPI_Request received;
  Check(message ? MPI_Imrecv(layout.at, layout.count, layout.type, message, &received)
                : MPI_Irecv(layout.at, layout.count, layout.type, request->peer, mpi_tag,
                            request->comm, &received),
        NameOf(request->kind), *request);
  Watch(request, received);
}

bool Engine::LookForHeaders() {
  bool happened = false;
  std::vector<MPI_Comm> comms;
  for (const auto& [comm, count] : wide_receives_) comms.push_back(comm);
  for (const MPI_Comm comm : comms) {
    while (wide_receives_.contains(comm)) {
      int found = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, Tags().wide_header, comm, &found, &status);
      if (!found) break;
      happened = true;
      int64_t header[2];
      MPI_Recv(header, 2, MPI_INT64_T, status.MPI_SOURCE, Tags().wide_header, comm,
               MPI_STATUS_IGNORE);
      const Key key{comm, status.MPI_SOURCE, header[0]};
      const auto waiting = wide_.find(key);
      if (waiting == wide_.end()) {
        early_[key].push_back(header[1]);
        continue;
      }
      Request* const request = waiting->second.front();
      waiting->second.pop_front();
      if (waiting->second.empty()) wide_.erase(waiting);
      if (--wide_receives_[comm] == 0) wide_receives_.erase(comm);
      PostAt(request, Tags().wide_first + static_cast<int>(header[1]));
    }
  }
  return happened;
}

bool Engine::LookForPieces() {
  bool happened = false;
  for (auto each = pieces_.begin(); each != pieces_.end();) {
    const auto& [comm, source, mpi_tag] = each->first;
    while (!each->second.empty()) {
      int found = 0;
      MPI_Message message;
      MPI_Status status;
      MPI_Improbe(source, static_cast<int>(mpi_tag), comm, &found, &message, &status);
      if (!found) break;
      happened = true;
      MPI_Count bytes = 0;
      MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
      Request* const request = each->second.front();
      each->second.pop_front();
      const auto size = static_cast<size_t>(bytes);
      void* const piece =
          reinterpret_cast<void*>(starpu_malloc_on_node_flags(STARPU_MAIN_RAM, size, 0));
      if (!piece && size)
        _starpu_communication_fatal("no memory for the %zu bytes of a message from rank %d", size,
                                    request->peer);
      request->layout = DescribeBytes(piece, size);
      PostReceive(request, &message, static_cast<int>(mpi_tag));
    }
    each = each->second.empty() ? pieces_.erase(each) : std::next(each);
  }
  return happened;
}

bool Engine::LookForEnds(Ended* ended) {
  const int count = static_cast<int>(under_way_.size());
  ended_indices_.resize(under_way_.size());
  ended_statuses_.resize(under_way_.size());
  int ends = 0;
  const int error =
      MPI_Testsome(count, under_way_.data(), &ends, ended_indices_.data(), ended_statuses_.data());
  if (ends == MPI_UNDEFINED || (ends == 0 && error == MPI_SUCCESS)) return false;
  for (int i = 0; i < ends; ++i) {
    const auto index = static_cast<size_t>(ended_indices_[static_cast<size_t>(i)]);
    Request* const request = whose_[index];
    const MPI_Status& status = ended_statuses_[static_cast<size_t>(i)];
    if (error == MPI_ERR_IN_STATUS) Check(status.MPI_ERROR, NameOf(request->kind), *request);
    request->status = status;
    whose_[index] = nullptr;
    if (--request->parts > 0) continue;
    ended->push_back(request);
  }
  if (error != MPI_ERR_IN_STATUS && error != MPI_SUCCESS)
    _starpu_communication_fatal("MPI_Testsome() failed (error %d)", error);
  // Close the gaps.
  size_t kept = 0;
  for (size_t i = 0; i < whose_.size(); ++i) {
    if (!whose_[i]) continue;
    whose_[kept] = whose_[i];
    under_way_[kept++] = under_way_[i];
  }
  whose_.resize(kept);
  under_way_.resize(kept);
  watched_.fetch_sub(static_cast<int64_t>(ended->size()), std::memory_order_relaxed);
  return true;
}

// ---- The end -----------------------------------------------------------------------------------

void Engine::Finish(Request* request, bool may_call_back) {
  Tell(*request, "ends");
  if (request->kind == RequestKind::kReceive && !IsFake()) {
    if (request->packed) TakePiece(*request);
    const int source = request->peer == MPI_ANY_SOURCE ? request->status.MPI_SOURCE : request->peer;
    _starpu_communication_received(WorldRank(request->comm, source), request->tag,
                                   static_cast<uint64_t>(request->job), request->handle);
    if (request->tag <= INT32_MAX) request->status.MPI_TAG = static_cast<int>(request->tag);
  } else if (request->kind == RequestKind::kSend && request->packed) {
    starpu_free_on_node_flags(STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(request->layout.at),
                              request->layout.bytes, 0);
  }
  if (request->layout.owned || request->layout.program_free) {
    const std::lock_guard guard(mpi_lock_);
    request->layout.Free();
  }
  if (request->handle) starpu_data_release(request->handle);
  if (!request->callback) return Over(request);
  if (may_call_back) return CallBack(request);
  {
    const std::lock_guard guard(queue_lock_);
    to_call_back_.push_back(request);
  }
  work_.notify_one();
}

void Engine::CallBack(Request* request) {
  request->callback(request->argument);
  Over(request);
}

void Engine::Over(Request* request) {
  if (request->detached) {
    delete request;
    if (outstanding_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    const std::lock_guard guard(over_lock_);  // or threads about to sleep would miss it
  } else {
    const std::lock_guard guard(over_lock_);
    request->done.store(true,
                        std::memory_order_release);  // the owner may free the request from now on
  }
  over_.notify_all();
}

// ---- Waiting -----------------------------------------------------------------------------------

template <class Condition>
void Engine::Help(Condition is_met) {
  if (is_met()) return;
  {
    const std::lock_guard guard(queue_lock_);
    ++helpers_;
  }
  const auto end = steady_clock::now() + kHelpFor;
  int looks = 0;
  while (!is_met()) {
    if (Progress()) continue;
    sched_yield();
    if (++looks % 16 == 0 && steady_clock::now() > end) break;
  }
  bool hands_over;
  {
    const std::lock_guard guard(queue_lock_);
    hands_over =
        --helpers_ == 0 && (!ready_.empty() || watched_.load(std::memory_order_relaxed) > 0);
  }
  if (hands_over) work_.notify_one();
  std::unique_lock guard(over_lock_);
  over_.wait(guard, is_met);
}

void Engine::Wait(Request* request) {
  Help([request] { return request->done.load(std::memory_order_acquire); });
}

bool Engine::Test(Request* request) {
  if (!request->done.load(std::memory_order_acquire)) Progress();
  return request->done.load(std::memory_order_acquire);
}

void Engine::WaitForAll() {
  Help([this] { return outstanding_.load(std::memory_order_acquire) == 0; });
}

void Engine::Collective(MPI_Comm comm, std::function<int(MPI_Request*)> start) {
  if (IsFake()) return;
  Request request;
  request.kind = RequestKind::kCollective;
  request.comm = comm;
  request.start = std::move(start);
  Submit(&request);
  Wait(&request);
}

void Engine::Barrier(MPI_Comm comm) {
  Collective(comm, [comm](MPI_Request* started) { return MPI_Ibarrier(comm, started); });
}

void Engine::BarrierDetached(MPI_Comm comm, void (*callback)(void*), void* argument) {
  auto* const request = new Request;
  request->kind = RequestKind::kCollective;
  request->detached = true;
  request->comm = comm;
  request->start = [comm](MPI_Request* started) { return MPI_Ibarrier(comm, started); };
  request->callback = callback;
  request->argument = argument;
  Submit(request);
}

// ---- The thread --------------------------------------------------------------------------------

void Engine::Start(int bind_to) {
  stops_ = false;
  bound_to_ = bind_to;
  is_running_ = true;
  thread_ = std::thread([this] { Run(); });
}

void Engine::Stop() {
  WaitForAll();
  {
    const std::lock_guard guard(queue_lock_);
    stops_ = true;
  }
  work_.notify_one();
  thread_.join();
  thread_ = {};
  is_running_ = false;
}

void Engine::Run() {
  t_is_engines = true;
  const auto rank = static_cast<unsigned>(RankIn(MPI_COMM_WORLD));
  const auto size = static_cast<unsigned>(SizeOf(MPI_COMM_WORLD));
  _starpu_communication_started(rank, size);
  if (bound_to_ >= 0) starpu_bind_thread_on(bound_to_, 0, "MPI");
  prctl(PR_SET_NAME, "MPI");
  prctl(PR_SET_TIMERSLACK, 1000UL);  // for short sleeps of kSleep
  std::vector<Request*> calls;
  int looks = 0;
  bool polls = false;
  for (;;) {
    {
      std::unique_lock guard(queue_lock_);
      const auto may_sleep = [this] {
        return !stops_ && to_call_back_.empty() &&
               (helpers_ > 0 || (ready_.empty() && watched_.load(std::memory_order_relaxed) == 0));
      };
      if (looks > kLooksWithoutSleep) work_.wait_for(guard, kSleep);
      while (may_sleep()) {
        if (polls) _starpu_communication_enters(_STARPU_COMMUNICATION_SLEEPS);
        polls = false;
        looks = 0;
        work_.wait(guard);
      }
      if (stops_) break;
      calls.swap(to_call_back_);
    }
    if (!calls.empty()) {
      _starpu_communication_enters(_STARPU_COMMUNICATION_CALLS_BACK);
      for (Request* request : calls) CallBack(request);
      calls.clear();
      polls = false;
    }
    if (!polls) _starpu_communication_enters(_STARPU_COMMUNICATION_POLLS);
    polls = true;
    if (Progress()) {
      looks = 0;
    } else {
      ++looks;
      sched_yield();
    }
  }
  _starpu_communication_stopped(rank, size);
}

}  // namespace tasklens::mpi
