// SPDX-License-Identifier: Apache-2.0
// Starts and stops the trace of the process, interns its texts, and handles fork().
#include "runtime/recorder/recorder.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "runtime/recorder/intern_table.h"

namespace tasklens {

namespace internal {

constinit RecorderState recorder_state;
constinit thread_local tlt::ThreadBuffer thread_buffer;

}  // namespace internal

namespace {

using internal::recorder_state;
using internal::thread_buffer;

constexpr uint32_t kMetaBit = CategoryBit(Category::kMeta);

constinit InternTable intern_table(Recorder::kMaxInternedTexts);

// Serialises Start(), Stop(), Pause() and Resume().
constinit std::mutex control_mutex;
constinit uint32_t wanted_categories = kAllCategories;
constinit bool never_pauses = false;
constinit bool hooks_are_set = false;
pthread_key_t exit_key;

// --- Threads and processes ---------------------------------------------------------------------

// Too large for thread-local storage itself; nullptr before the thread's first text.
constinit thread_local PointerCache* pointer_cache = nullptr;

PointerCache& PointersOfThisThread() {
  if (pointer_cache == nullptr) pointer_cache = new PointerCache{};
  return *pointer_cache;
}

void OnThreadExit(void* buffer) {
  recorder_state.writer.Leave(*static_cast<tlt::ThreadBuffer*>(buffer));
  // If a later destructor of this thread records text, it allocates a new cache.
  delete pointer_cache;
  pointer_cache = nullptr;
}

void OnJoin(tlt::ThreadBuffer& buffer) { pthread_setspecific(exit_key, &buffer); }

void BeforeFork() {
  control_mutex.lock();
  intern_table.Lock();
  recorder_state.writer.BeforeFork();
}

void AfterForkInParent() {
  recorder_state.writer.AfterForkInParent();
  intern_table.Unlock();
  control_mutex.unlock();
}

void AfterForkInChild() {
  recorder_state.categories.store(0, std::memory_order_relaxed);
  recorder_state.writer.AfterForkInChild(thread_buffer);
  intern_table.Unlock();
  control_mutex.unlock();
}

// Registers, once per process, the hooks for the ends of threads and of the process, and for
// fork().
Status SetHooks() {
  if (hooks_are_set) return {};
  if (pthread_key_create(&exit_key, &OnThreadExit) != 0 ||
      pthread_atfork(&BeforeFork, &AfterForkInParent, &AfterForkInChild) != 0)
    return {ErrorCode::kIo, "cannot record: the process has no thread keys left"};
  std::atexit(&Recorder::Stop);
  hooks_are_set = true;
  return {};
}

// --- Texts -------------------------------------------------------------------------------------

// Whether the open trace contains `text`.
bool IsInTrace(const InternedText& text) {
  const uint32_t session = recorder_state.writer.session();
  return session != 0 && text.session.load(std::memory_order_acquire) == session;
}

// Writes `text` to the open trace, unless it is there. Returns false if there is no room, or no
// trace.
bool EnsureInTrace(InternedText& text, uint64_t ticks) {
  if (IsInTrace(text)) return true;
  tlt::Writer& writer = recorder_state.writer;
  const uint32_t session = writer.session();
  if (session == 0) return false;
  // Two threads may both write the text, which readers accept; a lock would be held during
  // MakeRoom().
  if (!writer.AppendString(thread_buffer, text.id, {text.text, text.size}, ticks)) return false;
  text.session.store(session, std::memory_order_release);
  return true;
}

// Returns nullptr if the table is full.
InternedText* FindOrInsert(std::string_view& text) {
  // The file cuts longer texts; kept whole, they would only fill the table.
  if (text.size() > tlt::kMaxStringBytes) text = text.substr(0, tlt::kMaxStringBytes);
  InternedText* found = intern_table.Find(text);
  return found != nullptr ? found : intern_table.Insert(text);
}

// Writes a text for which the table has no room, under a new number.
uint32_t InternOnce(std::string_view text, uint64_t ticks) {
  const uint32_t id = intern_table.NewId();
  return recorder_state.writer.AppendString(thread_buffer, id, text, ticks) ? id : 0;
}

// --- What is recorded at the start -------------------------------------------------------------

std::string CommandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string line(std::istreambuf_iterator<char>(file), {});
  while (!line.empty() && line.back() == '\0') line.pop_back();
  for (char& c : line)
    if (c == '\0') c = ' ';
  return line;
}

void RecordProgram() {
  const std::string arguments = CommandLine();
  std::error_code error;
  const std::string directory = std::filesystem::current_path(error).string();
  Record<EventKind::kProgramInfo>("arguments", arguments);
  if (!directory.empty()) Record<EventKind::kProgramInfo>("directory", directory);
}

}  // namespace

namespace internal {

uint32_t InternAt(std::string_view text, uint64_t ticks) {
  if (text.empty()) return 0;
  if (InternedText* found = FindOrInsert(text)) {
    EnsureInTrace(*found, ticks);
    return found->id;
  }
  return InternOnce(text, ticks);
}

namespace {
// For a text that this thread has not recorded before, or not in this trace.
[[gnu::noinline]] uint32_t InternPointerSlow(const char* text, uint64_t ticks) {
  PointerCache::Slot& slot = PointersOfThisThread().SlotOf(text);
  const std::string_view view(text);
  const uint32_t id = InternAt(view, ticks);
  InternedText* found = view.size() <= tlt::kMaxStringBytes ? intern_table.Find(view) : nullptr;
  if (found != nullptr) slot = {text, found};
  return id;
}
}  // namespace

uint32_t InternPointerAt(const char* text, uint64_t ticks) {
  if (text == nullptr || *text == 0) return 0;
  const PointerCache::Slot& slot = PointersOfThisThread().SlotOf(text);
  if (slot.pointer == text && std::strcmp(slot.text->text, text) == 0 && IsInTrace(*slot.text))
    return slot.text->id;
  return InternPointerSlow(text, ticks);
}

}  // namespace internal

// --- The trace ---------------------------------------------------------------------------------

Status Recorder::Start(const RecorderOptions& options) {
  const std::lock_guard lock(control_mutex);
  if (Status s = SetHooks(); !s.ok()) return s;
  const std::filesystem::path folder = std::filesystem::path(options.path).parent_path();
  std::error_code error;
  if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
    std::filesystem::create_directories(folder, error);
    if (error)
      return {ErrorCode::kIo,
              folder.string() + ": cannot create the trace's folder: " + error.message()};
  }
  tlt::WriterOptions file;
  file.path = options.path;
  file.rank = options.rank;
  file.category_mask = options.categories | kMetaBit;
  file.steady_ticks = options.steady_ticks && !options.clock_ns;
  file.clock_ns = options.clock_ns;
  file.max_chunk_bytes = options.max_chunk_bytes;
  file.on_join = &OnJoin;
  file.keeps_older = options.keeps_older;
  if (Status s = recorder_state.writer.Open(file); !s.ok()) return s;

  const uint64_t ticks = recorder_state.writer.Now();
  intern_table.ForEach([ticks](InternedText& text) {
    if (text.keep.load(std::memory_order_relaxed)) EnsureInTrace(text, ticks);
  });
  wanted_categories = options.categories | kMetaBit;
  never_pauses = options.never_pauses;
  const bool is_paused = options.paused && !never_pauses;
  recorder_state.categories.store(is_paused ? kMetaBit : wanted_categories,
                                  std::memory_order_release);
  RecordProgram();
  if (is_paused)
    Record<EventKind::kTracingStop>();
  else
    Record<EventKind::kTracingStart>(uint64_t{wanted_categories});
  return {};
}

void Recorder::Stop() {
  const std::lock_guard lock(control_mutex);
  if (!recorder_state.writer.is_open()) return;
  recorder_state.categories.store(0, std::memory_order_relaxed);
  const Status status = recorder_state.writer.Close();
  if (!status.ok()) std::fprintf(stderr, "[tasklens] %s\n", status.message().c_str());
  if (const uint64_t dropped = recorder_state.writer.dropped(); dropped != 0)
    std::fprintf(stderr, "[tasklens] %s: %llu events were lost: %s\n", recorder_state.writer.path(),
                 static_cast<unsigned long long>(dropped),
                 std::strerror(recorder_state.writer.drop_errno()));
}

bool Recorder::Started() { return recorder_state.writer.is_open(); }

std::string Recorder::Path() { return recorder_state.writer.path(); }

void Recorder::Pause() {
  const std::lock_guard lock(control_mutex);
  if (!Started() || never_pauses) return;
  if (recorder_state.categories.load(std::memory_order_relaxed) == kMetaBit) return;
  Record<EventKind::kTracingStop>();
  recorder_state.categories.store(kMetaBit, std::memory_order_relaxed);
}

void Recorder::Resume() {
  const std::lock_guard lock(control_mutex);
  if (!Started() || recorder_state.categories.load(std::memory_order_relaxed) != kMetaBit) return;
  recorder_state.categories.store(wanted_categories, std::memory_order_relaxed);
  Record<EventKind::kTracingStart>(uint64_t{wanted_categories});
}

StrId Recorder::Intern(std::string_view text) {
  if (text.empty()) return {};
  const uint64_t ticks = recorder_state.writer.Now();
  InternedText* found = FindOrInsert(text);
  if (found == nullptr) return {InternOnce(text, ticks)};
  found->keep.store(true, std::memory_order_relaxed);
  EnsureInTrace(*found, ticks);
  return {found->id};
}

Status Recorder::Flush() { return recorder_state.writer.Flush(); }

}  // namespace tasklens
