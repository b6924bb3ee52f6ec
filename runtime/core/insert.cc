// SPDX-License-Identifier: Apache-2.0
#include "runtime/core/insert.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "runtime/core/insert_parts.h"
#include "runtime/core/packed_args.h"
#include "runtime/core/program_tasks.h"
#include "runtime/core/submit.h"
#include "runtime/core/trace_points.h"
#include "runtime/jobs/codelet.h"
#include "runtime/jobs/job.h"
#include "runtime/jobs/thread_state.h"
#include "runtime/support/message.h"

namespace tasklens::runtime {
namespace {

using Callback = void (*)(void*);

// Fills one task from a list of arguments.
class TaskBuilder {
 public:
  TaskBuilder(starpu_task* task, starpu_codelet* codelet)
      : task_(task), job_(JobOf(task)), packer_(job_->inline_args, Job::kInlineArgs) {
    task->cl = codelet;
  }
  // Returns 0, or -EINVAL (with a warning).
  int Build(va_list args);

 private:
  bool Take(int kind, va_list args);
  bool TakeData(int kind, va_list args);
  bool TakeCallback(int kind, va_list args);
  bool TakeDependency(int kind, va_list args);
  bool TakeBubble(int kind, va_list args);
  bool TakePlacement(int kind, va_list args);
  void AddBuffer(starpu_data_handle_t handle, starpu_data_access_mode mode);
  bool AgreeOnModes(starpu_codelet& codelet);
  int Finish();
  int Refuse(const char* why) const {
    Warn("%s:%d: the arguments of task '%s' make no sense: %s", task_->file ? task_->file : "?",
         task_->line, NameOf(*task_), why);
    return -EINVAL;
  }

  starpu_task* task_;
  Job* job_;
  ArgumentPacker packer_;
  unsigned buffers_ = 0;
  int room_ = STARPU_NMAXBUFS;
  const unsigned char* consistency_ = nullptr;
  const char* problem_ = nullptr;
};

// va_list is an array type on the platforms that we build for, hence passed by reference: arguments
// that a helper reads are consumed for its caller, too.
int TaskBuilder::Build(va_list args) {
  while (const int kind = va_arg(args, int)) {
    if (!Take(kind, args)) return Refuse(problem_ ? problem_ : "an unknown kind of argument");
  }
  return Finish();
}

bool TaskBuilder::Take(int kind, va_list args) {
  if (kind & ((1 << STARPU_MODE_SHIFT) - 1)) {
    AddBuffer(va_arg(args, starpu_data_handle_t), static_cast<starpu_data_access_mode>(kind));
    return !problem_;
  }
  switch (kind) {
    case STARPU_VALUE: {
      const void* value = va_arg(args, void*);
      packer_.Add(value, va_arg(args, size_t));
      return true;
    }
    case STARPU_CL_ARGS: task_->cl_arg_free = 1; [[fallthrough]];
    case STARPU_CL_ARGS_NFREE:
      task_->cl_arg = va_arg(args, void*);
      task_->cl_arg_size = va_arg(args, size_t);
      return true;
    case STARPU_PRIORITY: task_->priority = va_arg(args, int); return true;
    case STARPU_NAME: task_->name = va_arg(args, const char*); return true;
    case STARPU_FLOPS: task_->flops = va_arg(args, double); return true;
    case STARPU_TASK_COLOR: task_->color = static_cast<unsigned>(va_arg(args, int)); return true;
    case STARPU_TASK_FILE: task_->file = va_arg(args, const char*); return true;
    case STARPU_TASK_LINE: task_->line = va_arg(args, int); return true;
    case STARPU_TASK_SYNCHRONOUS: task_->synchronous = va_arg(args, int) != 0; return true;
    case STARPU_TASK_NO_SUBMITORDER:
      task_->no_submitorder = va_arg(args, unsigned) != 0;
      return true;
    case STARPU_TASK_PROFILING_INFO:
      task_->profiling_info = va_arg(args, starpu_profiling_task_info*);
      return true;
    case STARPU_TASK_SCHED_DATA: task_->sched_data = va_arg(args, void*); return true;
    case STARPU_SCHED_CTX: task_->sched_ctx = va_arg(args, unsigned); return true;
    case STARPU_HYPERVISOR_TAG: task_->hypervisor_tag = va_arg(args, int); return true;
    default:
      return TakeData(kind, args) || TakeCallback(kind, args) || TakeDependency(kind, args) ||
             TakePlacement(kind, args);
  }
}

bool TaskBuilder::TakeData(int kind, va_list args) {
  switch (kind) {
    case STARPU_DATA_ARRAY: {
      auto* handles = va_arg(args, starpu_data_handle_t*);
      const int count = va_arg(args, int);
      for (int i = 0; i < count; ++i) {
        if (!task_->cl || task_->cl->nbuffers == STARPU_VARIABLE_NBUFFERS ||
            static_cast<int>(buffers_) >= task_->cl->nbuffers) {
          problem_ = "STARPU_DATA_ARRAY has more handles than its codelet has modes";
          return false;
        }
        const auto mode =
            task_->cl->dyn_modes ? task_->cl->dyn_modes[buffers_] : task_->cl->modes[buffers_];
        AddBuffer(handles[i], mode);
        if (problem_) return false;
      }
      return true;
    }
    case STARPU_DATA_MODE_ARRAY: {
      const auto* data = va_arg(args, starpu_data_descr*);
      const int count = va_arg(args, int);
      for (int i = 0; i < count; ++i) {
        AddBuffer(data[i].handle, data[i].mode);
        if (problem_) return false;
      }
      return true;
    }
    case STARPU_HANDLES_SEQUENTIAL_CONSISTENCY:
      consistency_ = va_arg(args, unsigned char*);
      return true;
    case STARPU_SEQUENTIAL_CONSISTENCY:
      task_->sequential_consistency = va_arg(args, unsigned) != 0;
      return true;
    default: return false;
  }
}

bool TaskBuilder::TakeCallback(int kind, va_list args) {
  switch (kind) {
    case STARPU_CALLBACK: task_->callback_func = va_arg(args, Callback); return true;
    case STARPU_CALLBACK_WITH_ARG: task_->callback_arg_free = 1; [[fallthrough]];
    case STARPU_CALLBACK_WITH_ARG_NFREE:
      task_->callback_func = va_arg(args, Callback);
      task_->callback_arg = va_arg(args, void*);
      return true;
    case STARPU_CALLBACK_ARG: task_->callback_arg_free = 1; [[fallthrough]];
    case STARPU_CALLBACK_ARG_NFREE: task_->callback_arg = va_arg(args, void*); return true;
    case STARPU_EPILOGUE_CALLBACK:
      task_->epilogue_callback_func = va_arg(args, Callback);
      return true;
    case STARPU_EPILOGUE_CALLBACK_ARG:
      task_->epilogue_callback_arg = va_arg(args, void*);
      task_->epilogue_callback_arg_free = 1;
      return true;
    case STARPU_PROLOGUE_CALLBACK:
      task_->prologue_callback_func = va_arg(args, Callback);
      return true;
    case STARPU_PROLOGUE_CALLBACK_ARG: task_->prologue_callback_arg_free = 1; [[fallthrough]];
    case STARPU_PROLOGUE_CALLBACK_ARG_NFREE:
      task_->prologue_callback_arg = va_arg(args, void*);
      return true;
    case STARPU_PROLOGUE_CALLBACK_POP:
      task_->prologue_callback_pop_func = va_arg(args, Callback);
      return true;
    case STARPU_PROLOGUE_CALLBACK_POP_ARG:
      task_->prologue_callback_pop_arg_free = 1;
      [[fallthrough]];
    case STARPU_PROLOGUE_CALLBACK_POP_ARG_NFREE:
      task_->prologue_callback_pop_arg = va_arg(args, void*);
      return true;
    default: return false;
  }
}

bool TaskBuilder::TakeDependency(int kind, va_list args) {
  switch (kind) {
    case STARPU_TAG:
      task_->tag_id = va_arg(args, starpu_tag_t);
      task_->use_tag = 1;
      return true;
    case STARPU_TAG_ONLY: task_->tag_id = va_arg(args, starpu_tag_t); return true;
    case STARPU_TASK_DEPS_ARRAY: {
      const unsigned count = va_arg(args, unsigned);
      DeclareDependencies(task_, count, va_arg(args, starpu_task**));
      return true;
    }
    case STARPU_TASK_END_DEPS_ARRAY: {
      const unsigned count = va_arg(args, unsigned);
      DeclareEndDependencies(task_, count, va_arg(args, starpu_task**));
      return true;
    }
    case STARPU_TASK_END_DEP: starpu_task_end_dep_add(task_, va_arg(args, int)); return true;
    case STARPU_TRANSACTION: task_->transaction = va_arg(args, starpu_transaction*); return true;
    default: return TakeBubble(kind, args);
  }
}

bool TaskBuilder::TakeBubble(int kind, va_list args) {
  switch (kind) {
    case STARPU_BUBBLE_FUNC: task_->bubble_func = va_arg(args, starpu_bubble_func_t); return true;
    case STARPU_BUBBLE_FUNC_ARG: task_->bubble_func_arg = va_arg(args, void*); return true;
    case STARPU_BUBBLE_GEN_DAG_FUNC:
      task_->bubble_gen_dag_func = va_arg(args, starpu_bubble_gen_dag_func_t);
      return true;
    case STARPU_BUBBLE_GEN_DAG_FUNC_ARG:
      task_->bubble_gen_dag_func_arg = va_arg(args, void*);
      return true;
    case STARPU_BUBBLE_PARENT: {
      starpu_task* const parent = va_arg(args, starpu_task*);
      task_->bubble_parent = parent ? starpu_task_get_job_id(parent) : 0;
      return true;
    }
    default: return false;
  }
}

bool TaskBuilder::TakePlacement(int kind, va_list args) {
  switch (kind) {
    case STARPU_EXECUTE_ON_WORKER: {
      const int worker = va_arg(args, int);
      if (worker == -1) return true;
      task_->workerid = static_cast<unsigned>(worker);
      task_->execute_on_a_specific_worker = 1;
      return true;
    }
    case STARPU_EXECUTE_WHERE:
      task_->where = static_cast<int32_t>(va_arg(args, unsigned long long));
      return true;
    case STARPU_TASK_WORKERIDS:
      task_->workerids_len = va_arg(args, unsigned);
      task_->workerids = va_arg(args, uint32_t*);
      return true;
    case STARPU_WORKER_ORDER: task_->workerorder = va_arg(args, unsigned); return true;
    case STARPU_POSSIBLY_PARALLEL: task_->possibly_parallel = va_arg(args, unsigned); return true;
    // For MPI programs; without MPI every task runs in this process.
    case STARPU_EXECUTE_ON_NODE:
    case STARPU_NODE_SELECTION_POLICY: (void)va_arg(args, int); return true;
    case STARPU_EXECUTE_ON_DATA: (void)va_arg(args, starpu_data_handle_t); return true;
    default: return false;
  }
}

// The mode within this process: how another process gets the data does not matter here, and
// contributions to a reduction across processes may run in any order.
starpu_data_access_mode InOneProcess(starpu_data_access_mode mode) {
  if (mode & STARPU_MPI_REDUX)
    return static_cast<starpu_data_access_mode>(STARPU_RW | STARPU_COMMUTE);
  return static_cast<starpu_data_access_mode>(mode & ~STARPU_SSEND);
}

void TaskBuilder::AddBuffer(starpu_data_handle_t handle, starpu_data_access_mode mode) {
  if (!task_->cl) {
    problem_ = "a task without codelet cannot access data";
    return;
  }
  if (!handle) {
    problem_ = "a handle is NULL";
    return;
  }
  mode = InOneProcess(mode);
  const auto index = static_cast<int>(buffers_);
  if (index == room_) MakeRoom(task_, &room_, index, 1);
  (task_->dyn_handles ? task_->dyn_handles : task_->handles)[buffers_] = handle;
  (task_->dyn_modes ? task_->dyn_modes : task_->modes)[buffers_] = mode;
  ++buffers_;
}

// The codelet's mode of a buffer and that of the call must agree; a codelet without a mode gets
// that of the first call.
bool TaskBuilder::AgreeOnModes(starpu_codelet& codelet) {
  if (buffers_ > STARPU_NMAXBUFS && !codelet.dyn_modes) return true;  // the task's own modes count
  starpu_data_access_mode* known = codelet.dyn_modes ? codelet.dyn_modes : codelet.modes;
  const starpu_data_access_mode* given = task_->dyn_modes ? task_->dyn_modes : task_->modes;
  for (unsigned i = 0; i < buffers_; ++i) {
    const auto mode = __atomic_load_n(&known[i], __ATOMIC_RELAXED);
    if (mode == STARPU_NONE) {
      __atomic_store_n(&known[i], given[i], __ATOMIC_RELAXED);
    } else if (InOneProcess(mode) != given[i]) {
      return false;
    }
  }
  return true;
}

int TaskBuilder::Finish() {
  if (starpu_codelet* codelet = task_->cl) {
    if (codelet->nbuffers == STARPU_VARIABLE_NBUFFERS) {
      task_->nbuffers = static_cast<int>(buffers_);
    } else if (static_cast<int>(buffers_) != codelet->nbuffers) {
      return Refuse("the number of handles is not the codelet's number of buffers");
    } else if (!AgreeOnModes(*codelet)) {
      return Refuse("an access mode is not the one in its codelet");
    }
  }
  if (consistency_ && buffers_) {
    auto* copy = static_cast<unsigned char*>(malloc(buffers_));
    if (!copy) Fatal("no memory for the %u buffers of a task", buffers_);
    memcpy(copy, consistency_, buffers_);
    task_->handles_sequential_consistency = copy;
    job_->owns_consistency = true;
  }
  if (packer_.count() > 0) {
    if (task_->cl_arg) return Refuse("STARPU_VALUE and STARPU_CL_ARGS exclude each other");
    bool owned;
    task_->cl_arg_size = packer_.size();
    task_->cl_arg = packer_.Take(&owned);
    task_->cl_arg_free = owned;
  }
  return 0;
}

int Fill(const Site& site, starpu_task* task, starpu_codelet* codelet, va_list args) {
  trace::Within within(StateKind::kBuildingTask);
  if (!task->file) {
    task->file = site.file;
    task->line = static_cast<int>(site.line);
    task->function = site.function;
  }
  return TaskBuilder(task, codelet).Build(args);
}

}  // namespace

starpu_task* BuildTask(const Site& site, starpu_codelet* codelet, va_list args) {
  Job* const job = TryNewJob(/*with_task=*/true);
  if (!job) return nullptr;
  if (Fill(site, job->task, codelet, args) == 0) return job->task;
  DiscardTask(job->task);
  return nullptr;
}

int InsertTask(const Site& site, starpu_codelet* codelet, va_list args) {
  Job* const job = TryNewJob(/*with_task=*/true);
  if (!job) return -ENOMEM;
  starpu_task* const task = job->task;
  int error = Fill(site, task, codelet, args);
  if (error == 0) error = SubmitTask(task, site);
  if (error) DiscardTask(task);
  return error;
}

int FillTask(const Site& site, starpu_task* task, starpu_codelet* codelet, va_list args) {
  return Fill(site, task, codelet, args);
}

}  // namespace tasklens::runtime
