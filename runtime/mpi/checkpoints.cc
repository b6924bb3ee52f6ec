// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/checkpoints.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "runtime/core/communication.h"
#include "runtime/mpi/data.h"
#include "runtime/mpi/engine.h"
#include "runtime/mpi/reduction.h"
#include "runtime/mpi/requests.h"
#include "runtime/mpi/world.h"

namespace tasklens::mpi {
namespace {

using Template = _starpu_mpi_checkpoint_template;

// Copies use a communicator of their own, and this bit in their tags, so that neither MPI nor a
// reader of the trace takes them for the program's messages.
constexpr int64_t kCopy = int64_t{1} << 62;

// Sends the program's value as it is now, from a copy.
void SendValue(const CheckpointEntry& entry, const Delivery& delivery) {
  starpu_data_handle_t handle;
  starpu_variable_data_register(&handle, -1, 0, entry.bytes);
  starpu_data_acquire(handle, STARPU_W);
  memcpy(starpu_data_get_local_ptr(handle), entry.value, entry.bytes);
  starpu_data_release(handle);
  SendDetached(handle, delivery);
  starpu_data_unregister_submit(handle);
}

std::string FirstBytes(starpu_data_handle_t handle) {
  constexpr starpu_ssize_t kShown = 8;
  if (!starpu_data_get_interface_ops(handle)->pack_data) return "";
  starpu_data_acquire(handle, STARPU_R);
  void* piece = nullptr;
  starpu_ssize_t bytes = 0;
  const bool is_packed = starpu_data_pack(handle, &piece, &bytes) == 0;
  starpu_data_release(handle);
  if (!is_packed) return "";
  std::string text = ", " + std::to_string(bytes) + " bytes:";
  for (starpu_ssize_t i = 0; i < bytes && i < kShown; ++i) {
    char digits[4];
    snprintf(digits, sizeof digits, " %02x", static_cast<unsigned char*>(piece)[i]);
    text += digits;
  }
  starpu_free_on_node_flags(STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(piece),
                            static_cast<size_t>(bytes), 0);
  return text + (bytes > kShown ? " ..." : "");
}

}  // namespace

struct Checkpoints::Copy {
  size_t entry;
  int source;
  starpu_data_handle_t handle = nullptr;
  Copy(size_t of_entry, int of_rank) : entry(of_entry), source(of_rank) {}
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  ~Copy() { starpu_data_unregister_submit(handle); }
};

Checkpoints& Checkpoints::Instance() {
  static Checkpoints* const checkpoints = new Checkpoints;  // never destroyed: its data may outlive
  return *checkpoints;
}

starpu_mpi_checkpoint_template_t Checkpoints::NewTemplate(int id, int domain) {
  const std::lock_guard guard(lock_);
  templates_.push_back(
      std::make_unique<Template>(Template{.id = id, .domain = domain, .entries = {}}));
  return templates_.back().get();
}

const char* Checkpoints::WhyNotFrozen(const Template& made) {
  const std::lock_guard guard(lock_);
  if (made.is_frozen) return "it is frozen already";
  for (const auto& other : templates_) {
    if (other->is_frozen && other->id == made.id) return "another one has this number";
  }
  return nullptr;
}

void Checkpoints::Submit(const Template& made, int priority) {
  if (!is_on_ || IsFake()) return;
  if (comm_ == MPI_COMM_NULL)
    Engine::Instance().Collective(MPI_COMM_WORLD, [this](MPI_Request* started) {
      return MPI_Comm_idup(MPI_COMM_WORLD, &comm_, started);
    });
  const int me = RankIn(MPI_COMM_WORLD);
  Checkpoint* checkpoint;
  {
    const std::lock_guard guard(lock_);
    checkpoint =
        &checkpoints_.emplace_back(Checkpoint{.of = &made, .number = ++last_number_, .copies = {}});
  }
  _starpu_communication_checkpoint(/*is_end=*/0, checkpoint->number,
                                   static_cast<uint64_t>(made.domain));
  for (size_t i = 0; i < made.entries.size(); ++i) {
    const CheckpointEntry& entry = made.entries[i];
    const Delivery delivery{
        .peer = entry.keeper, .tag = kCopy | entry.tag, .comm = comm_, .priority = priority};
    if (entry.handle) {
      FinishReduction(entry.handle);
      const int owner = KnownOwner(entry.handle, "starpu_mpi_checkpoint_template_submit");
      if (me == owner) SendDetached(entry.handle, delivery);
      if (me == entry.keeper) Keep(checkpoint, i, owner, priority);
    } else {
      SendValue(entry, delivery);
      for (const int source : entry.sources) Keep(checkpoint, i, source, priority);
    }
  }
  Arrived(checkpoint);
}

void Checkpoints::Keep(Checkpoint* checkpoint, size_t entry, int source, int priority) {
  const CheckpointEntry& kept = checkpoint->of->entries[entry];
  const auto copy = std::make_shared<Copy>(entry, source);
  if (kept.handle)
    starpu_data_register_same(&copy->handle, kept.handle);
  else
    starpu_variable_data_register(&copy->handle, -1, 0, kept.bytes);
  {
    const std::lock_guard guard(lock_);
    checkpoint->copies.push_back(copy);
    ++checkpoint->missing;
  }
  ReceiveDetached(copy->handle, {.peer = source,
                                 .tag = kCopy | kept.tag,
                                 .comm = comm_,
                                 .priority = priority,
                                 .callback = &Checkpoints::Arrived,
                                 .argument = checkpoint});
}

// Starts a barrier for each checkpoint whose copies have arrived here, in the order of their
// numbers: ranks match barriers by their order alone.
void Checkpoints::Arrived(void* argument) {
  Checkpoints& all = Instance();
  const std::lock_guard guard(all.lock_);
  --static_cast<Checkpoint*>(argument)->missing;
  for (Checkpoint& each : all.checkpoints_) {
    if (each.number <= all.last_with_barrier_) continue;
    if (each.missing > 0) break;
    all.last_with_barrier_ = each.number;
    Engine::Instance().BarrierDetached(all.comm_, &Checkpoints::Completed, &each);
  }
}

void Checkpoints::Completed(void* argument) {
  auto* const complete = static_cast<Checkpoint*>(argument);
  Checkpoints& all = Instance();
  const auto domain = complete->of->domain;
  _starpu_communication_checkpoint(/*is_end=*/1, complete->number, static_cast<uint64_t>(domain));
  std::list<Checkpoint> forgotten;  // declared before the lock: freeing the data must not hold it
  const std::lock_guard guard(all.lock_);
  complete->is_complete = true;
  bool has_newer = false;  // barriers may end in any order
  for (auto each = all.checkpoints_.end(); each != all.checkpoints_.begin();) {
    const auto at = std::prev(each);
    if (at->of->domain != domain || !at->is_complete || !has_newer) {
      has_newer |= at->of->domain == domain && at->is_complete;
      each = at;
      continue;
    }
    forgotten.splice(forgotten.end(), all.checkpoints_, at);
  }
}

void Checkpoints::Print(const Template& made) {
  const int me = RankIn(MPI_COMM_WORLD);
  std::vector<std::pair<uint64_t, std::shared_ptr<Copy>>> copies;
  {
    const std::lock_guard guard(lock_);
    for (const Checkpoint& each : checkpoints_) {
      if (each.of != &made || !each.is_complete) continue;
      for (const auto& copy : each.copies) copies.emplace_back(each.number, copy);
    }
  }
  // Print whole lines, as the output of several ranks mixes.
  std::string text;
  const std::string begin =
      "[" + std::to_string(me) + "] checkpoint " + std::to_string(made.id) + ": ";
  for (size_t i = 0; i < made.entries.size(); ++i) {
    const CheckpointEntry& entry = made.entries[i];
    const std::string name =
        (entry.handle ? "data with tag " : "value with tag ") + std::to_string(entry.tag);
    text += begin + name + " of rank " + std::to_string(entry.handle ? OwnerOf(entry.handle) : me) +
            ": kept by rank " + std::to_string(entry.keeper) + "\n";
    for (const auto& [number, copy] : copies) {
      if (copy->entry == i)
        text += begin + name + " of rank " + std::to_string(copy->source) + ": here since number " +
                std::to_string(number) + FirstBytes(copy->handle) + "\n";
    }
  }
  fputs(text.c_str(), stderr);
}

void Checkpoints::Stop() {
  checkpoints_.clear();
  templates_.clear();
  if (comm_ != MPI_COMM_NULL)
    Engine::Instance().Collective(MPI_COMM_WORLD, [this](MPI_Request* started) {
      MPI_Comm_free(&comm_);
      return MPI_Ibarrier(MPI_COMM_WORLD, started);
    });
  last_with_barrier_ = last_number_ = 0;
  is_on_ = true;
}

namespace {

int Refuse(const char* caller, const char* why) {
  _starpu_communication_warn("%s(): %s", caller, why);
  return -EINVAL;
}

// Adds the entries of an argument of that kind. Returns 0 or -EINVAL.
int Add(Template* made, int kind, va_list list, const char* caller) {
  if (!made || made->is_frozen)
    return Refuse(caller, "there is no such template, or it is frozen: entries are added before");
  std::vector<CheckpointEntry> added;
  const int me = RankIn(MPI_COMM_WORLD), ranks = SizeOf(MPI_COMM_WORLD);
  switch (kind & ~STARPU_COMMUTE) {
    case STARPU_R: {
      auto* const handle = va_arg(list, starpu_data_handle_t);
      added.push_back({.handle = handle, .keeper = va_arg(list, int), .sources = {}});
      break;
    }
    case STARPU_DATA_ARRAY: {
      auto* const handles = va_arg(list, starpu_data_handle_t*);
      const int count = va_arg(list, int), keeper = va_arg(list, int);
      for (int i = 0; i < count; ++i)
        added.push_back({.handle = handles[i], .keeper = keeper, .sources = {}});
      break;
    }
    case STARPU_VALUE: {
      void* const value = va_arg(list, void*);
      const int bytes = va_arg(list, int);
      const auto tag = va_arg(list, starpu_mpi_tag_t);
      const auto keeper_of = va_arg(list, int (*)(int));
      if (!value || bytes <= 0 || !keeper_of)
        return Refuse(caller, "STARPU_VALUE needs an address, a size, a tag and a function");
      CheckpointEntry& entry =
          added.emplace_back(CheckpointEntry{.value = value,
                                             .bytes = static_cast<size_t>(bytes),
                                             .tag = tag,
                                             .keeper = keeper_of(me),
                                             .sources = {}});
      for (int rank = 0; rank < ranks; ++rank) {
        if (keeper_of(rank) == me) entry.sources.push_back(rank);
      }
      break;
    }
    default:
      return Refuse(caller,
                    "entries are STARPU_R, STARPU_DATA_ARRAY or STARPU_VALUE, and a list of them "
                    "ends with 0");
  }
  for (CheckpointEntry& entry : added) {
    if (!entry.value && !entry.handle) return Refuse(caller, "a handle is NULL");
    if (entry.keeper < 0 || entry.keeper >= ranks)
      return Refuse(caller, "the rank that is to keep a copy does not exist");
    if (entry.handle && OwnerOf(entry.handle) < 0)
      return Refuse(caller,
                    "a handle has no rank as its owner: starpu_mpi_data_register() it before");
    if (entry.handle) entry.tag = KnownTag(entry.handle, caller);
    made->entries.push_back(std::move(entry));
  }
  return 0;
}

// Freezes the template. Returns its number of entries, or -EINVAL.
int Freeze(Template* made, const char* caller) {
  if (!made) return Refuse(caller, "there is no such template");
  if (const char* const why = Checkpoints::Instance().WhyNotFrozen(*made))
    return Refuse(caller, why);
  made->is_frozen = true;
  return static_cast<int>(made->entries.size());
}

}  // namespace
}  // namespace tasklens::mpi

using namespace tasklens::mpi;  // NOLINT: the definitions below are all of them short

extern "C" {

int starpu_mpi_checkpoint_init(void) { return 0; }
int starpu_mpi_checkpoint_shutdown(void) { return 0; }
int starpu_mpi_ft_turn_on(void) {
  Checkpoints::Instance().TurnOn(true);
  return 0;
}
int starpu_mpi_ft_turn_off(void) {
  Checkpoints::Instance().TurnOn(false);
  return 0;
}

int starpu_mpi_checkpoint_template_create(starpu_mpi_checkpoint_template_t* cp_template, int cp_id,
                                          int cp_domain) {
  *cp_template = Checkpoints::Instance().NewTemplate(cp_id, cp_domain);
  return 0;
}
int starpu_mpi_checkpoint_template_add_entry(starpu_mpi_checkpoint_template_t* cp_template, ...) {
  va_list list;
  va_start(list, cp_template);
  const int kind = va_arg(list, int);
  const int error = Add(*cp_template, kind, list, __func__);
  va_end(list);
  return error;
}
int starpu_mpi_checkpoint_template_freeze(starpu_mpi_checkpoint_template_t* cp_template) {
  return Freeze(*cp_template, __func__);
}
int starpu_mpi_checkpoint_template_register(starpu_mpi_checkpoint_template_t* cp_template,
                                            int cp_id, int cp_domain, ...) {
  starpu_mpi_checkpoint_template_create(cp_template, cp_id, cp_domain);
  va_list list;
  va_start(list, cp_domain);
  int error = 0;
  while (const int kind = error ? 0 : va_arg(list, int))
    error = Add(*cp_template, kind, list, __func__);
  va_end(list);
  if (error) return error;
  error = Freeze(*cp_template, __func__);
  return error < 0 ? error : 0;
}
int starpu_mpi_checkpoint_template_submit(starpu_mpi_checkpoint_template_t cp_template, int prio) {
  if (!cp_template || !cp_template->is_frozen)
    return Refuse(__func__,
                  "there is no such template, or it is not frozen: "
                  "starpu_mpi_checkpoint_template_freeze() it before");
  Checkpoints::Instance().Submit(*cp_template, prio);
  return 0;
}
int starpu_mpi_checkpoint_template_print(starpu_mpi_checkpoint_template_t cp_template) {
  if (!cp_template) return Refuse(__func__, "there is no such template");
  Checkpoints::Instance().Print(*cp_template);
  return 0;
}

}  // extern "C"
