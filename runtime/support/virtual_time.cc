// SPDX-License-Identifier: Apache-2.0
// Schedules the participating threads and the dated events.
#include "runtime/support/virtual_time.h"

#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace tasklens::runtime {

struct VirtualTime::Thread {
  std::condition_variable changed;
  bool may_run = false;
  bool takes_turns = true;  // false: a thread that does not participate
};

namespace {

using Thread = VirtualTime::Thread;

thread_local Thread* this_thread = nullptr;  // set while it participates

// Not 0, which means "no date" in some places.
constexpr uint64_t kFirstNs = 1'000'000'000;

}  // namespace

struct VirtualTimeState {
  using Date = std::pair<uint64_t, uint64_t>;  // nanoseconds, and a number that orders equal dates
  struct Waiting {
    std::atomic<uint32_t>* word;
    Thread* thread;
    Date limit;  // {0, 0}: no limit
  };
  struct Event {
    Thread* thread;  // thread to wake; if nullptr, calls `action`
    std::function<void()> action;
  };

  // Guards the rest, and Thread. Not a Mutex, as that waits in virtual time.
  std::mutex lock;
  Thread* running = nullptr;  // the thread that has the turn
  std::deque<Thread*> ready;  // the threads whose turns come next
  std::vector<Thread*> yielding;
  std::list<Waiting> waiting;  // in order of arrival
  std::map<Date, Event> events;
  uint64_t next_order = 0;

  Date Plan(uint64_t date_ns, Event event) {
    const Date date{std::max(date_ns, VirtualTime::NowNs()), ++next_order};
    events.emplace(date, std::move(event));
    return date;
  }

  void LetRun(Thread* thread) {
    thread->may_run = true;
    thread->changed.notify_one();
  }
  void Resume(Thread* thread) { thread->takes_turns ? ready.push_back(thread) : LetRun(thread); }

  void Happen() {
    auto first = events.extract(events.begin());
    VirtualTime::now_ns_.store(first.key().first, std::memory_order_release);
    const Event& event = first.mapped();
    if (!event.thread) return event.action();
    std::erase_if(waiting, [&](const Waiting& one) { return one.thread == event.thread; });
    Resume(event.thread);
  }

  // Gives the turn to the next thread, if no thread has it. Advances the time if no thread is
  // ready.
  void PassOn() {
    while (!running) {
      if (!ready.empty()) {
        running = ready.front();
        ready.pop_front();
        return LetRun(running);
      }
      if (events.empty() && yielding.empty()) return;
      if (!events.empty()) Happen();
      ready.insert(ready.end(), yielding.begin(), yielding.end());
      yielding.clear();
    }
  }

  // Gives up the turn, and waits until LetRun().
  void Pause(std::unique_lock<std::mutex>& guard, Thread* self) {
    if (running == self) running = nullptr;
    PassOn();
    self->changed.wait(guard, [self] { return self->may_run; });
    self->may_run = false;
  }
};

namespace {

VirtualTimeState& State() {
  static auto* state = new VirtualTimeState;
  return *state;
}

// The calling thread, which may not participate.
class Self {
 public:
  Self() { own_.takes_turns = false; }
  Thread* get() { return this_thread ? this_thread : &own_; }

 private:
  Thread own_;
};

}  // namespace

void VirtualTime::Start() {
  VirtualTimeState& state = State();
  std::lock_guard guard(state.lock);
  this_thread = new Thread;
  state.running = this_thread;
  now_ns_.store(kFirstNs);
  on_.store(true);
}

void VirtualTime::Stop() {
  on_.store(false);
  VirtualTimeState& state = State();
  std::lock_guard guard(state.lock);
  state.running = nullptr;
  state.events.clear();
  delete this_thread;
  this_thread = nullptr;
}

Thread* VirtualTime::Announce() {
  VirtualTimeState& state = State();
  std::lock_guard guard(state.lock);
  state.ready.push_back(new Thread);
  return state.ready.back();
}

void VirtualTime::Enter(Thread* announced) {
  VirtualTimeState& state = State();
  std::unique_lock guard(state.lock);
  this_thread = announced;
  state.PassOn();
  announced->changed.wait(guard, [announced] { return announced->may_run; });
  announced->may_run = false;
}

void VirtualTime::Leave() {
  VirtualTimeState& state = State();
  std::lock_guard guard(state.lock);
  if (state.running == this_thread) state.running = nullptr;
  delete this_thread;
  this_thread = nullptr;
  state.PassOn();
}

VirtualTime::Outside::Outside() {
  if (!On() || !this_thread) return;
  VirtualTimeState& state = State();
  std::lock_guard guard(state.lock);
  state.running = nullptr;
  state.PassOn();
}

VirtualTime::Outside::~Outside() {
  if (!On() || !this_thread) return;
  VirtualTimeState& state = State();
  std::unique_lock guard(state.lock);
  state.ready.push_back(this_thread);
  state.Pause(guard, this_thread);
}

void VirtualTime::SleepUntil(uint64_t date_ns) {
  if (!On()) return;
  VirtualTimeState& state = State();
  Self self;
  std::unique_lock guard(state.lock);
  if (date_ns <= NowNs()) return;
  state.Plan(date_ns, {self.get(), nullptr});
  state.Pause(guard, self.get());
}

void VirtualTime::At(uint64_t date_ns, std::function<void()> action) {
  VirtualTimeState& state = State();
  std::lock_guard guard(state.lock);
  state.Plan(date_ns, {nullptr, std::move(action)});
  state.PassOn();
}

void VirtualTime::Wait(std::atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns) {
  VirtualTimeState& state = State();
  Self self;
  std::unique_lock guard(state.lock);
  if (word.load() != expected) return;
  VirtualTimeState::Date limit{0, 0};
  if (timeout_ns) limit = state.Plan(NowNs() + timeout_ns, {self.get(), nullptr});
  state.waiting.push_back({&word, self.get(), limit});
  state.Pause(guard, self.get());
}

void VirtualTime::Wake(std::atomic<uint32_t>& word, int count) {
  VirtualTimeState& state = State();
  std::lock_guard guard(state.lock);
  for (auto it = state.waiting.begin(); it != state.waiting.end() && count > 0;) {
    if (it->word != &word) {
      ++it;
      continue;
    }
    if (it->limit.first) state.events.erase(it->limit);
    state.Resume(it->thread);
    it = state.waiting.erase(it);
    --count;
  }
  state.PassOn();
}

void VirtualTime::Yield() {
  VirtualTimeState& state = State();
  if (!this_thread) return;
  std::unique_lock guard(state.lock);
  state.yielding.push_back(this_thread);
  state.Pause(guard, this_thread);
}

}  // namespace tasklens::runtime
