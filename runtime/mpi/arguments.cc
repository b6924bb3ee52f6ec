// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/arguments.h"

#include <algorithm>

#include "runtime/core/communication.h"

namespace tasklens::mpi {
namespace {

// Skips the values of a kind of argument that is not used here. Returns false for an unknown kind.
bool Skip(int kind, va_list list) {
  switch (kind) {
    case STARPU_VALUE:
    case STARPU_CL_ARGS:
    case STARPU_CL_ARGS_NFREE:
      (void)va_arg(list, void*);
      (void)va_arg(list, size_t);
      return true;
    case STARPU_CALLBACK_WITH_ARG:
    case STARPU_CALLBACK_WITH_ARG_NFREE:
      (void)va_arg(list, void*);
      (void)va_arg(list, void*);
      return true;
    case STARPU_TASK_DEPS_ARRAY:
    case STARPU_TASK_END_DEPS_ARRAY:
      (void)va_arg(list, unsigned);
      (void)va_arg(list, void*);
      return true;
    case STARPU_TASK_WORKERIDS:
      (void)va_arg(list, unsigned);
      (void)va_arg(list, void*);
      return true;
    case STARPU_FLOPS: (void)va_arg(list, double); return true;
    case STARPU_EXECUTE_WHERE: (void)va_arg(list, unsigned long long); return true;
    case STARPU_CALLBACK:
    case STARPU_CALLBACK_ARG:
    case STARPU_CALLBACK_ARG_NFREE:
    case STARPU_EPILOGUE_CALLBACK:
    case STARPU_EPILOGUE_CALLBACK_ARG:
    case STARPU_PROLOGUE_CALLBACK:
    case STARPU_PROLOGUE_CALLBACK_ARG:
    case STARPU_PROLOGUE_CALLBACK_ARG_NFREE:
    case STARPU_PROLOGUE_CALLBACK_POP:
    case STARPU_PROLOGUE_CALLBACK_POP_ARG:
    case STARPU_PROLOGUE_CALLBACK_POP_ARG_NFREE:
    case STARPU_HANDLES_SEQUENTIAL_CONSISTENCY:
    case STARPU_NAME:
    case STARPU_TASK_FILE:
    case STARPU_TASK_PROFILING_INFO:
    case STARPU_TASK_SCHED_DATA:
    case STARPU_TRANSACTION:
    case STARPU_BUBBLE_FUNC:
    case STARPU_BUBBLE_FUNC_ARG:
    case STARPU_BUBBLE_GEN_DAG_FUNC:
    case STARPU_BUBBLE_GEN_DAG_FUNC_ARG:
    case STARPU_BUBBLE_PARENT: (void)va_arg(list, void*); return true;
    case STARPU_TASK_LINE:
    case STARPU_TASK_COLOR:
    case STARPU_TASK_SYNCHRONOUS:
    case STARPU_TASK_END_DEP:
    case STARPU_TASK_NO_SUBMITORDER:
    case STARPU_SEQUENTIAL_CONSISTENCY:
    case STARPU_SCHED_CTX:
    case STARPU_HYPERVISOR_TAG:
    case STARPU_WORKER_ORDER:
    case STARPU_EXECUTE_ON_WORKER:
    case STARPU_POSSIBLY_PARALLEL: (void)va_arg(list, int); return true;
    default: return false;
  }
}

}  // namespace

void Arguments::MakeRoom() {
  auto more = std::make_unique<starpu_data_descr[]>(static_cast<size_t>(2 * room_));
  auto more_known = std::make_unique<Data*[]>(static_cast<size_t>(2 * room_));
  std::copy_n(data_, count_, more.get());
  std::copy_n(known_, count_, more_known.get());
  many_ = std::move(more);
  many_known_ = std::move(more_known);
  data_ = many_.get();
  known_ = many_known_.get();
  room_ *= 2;
}

Arguments::Arguments(const starpu_codelet* codelet, va_list list) {
  va_list own;
  va_copy(own, list);
  while (const int kind = va_arg(own, int)) {
    if (kind & ((1 << STARPU_MODE_SHIFT) - 1)) {
      Add(va_arg(own, starpu_data_handle_t), static_cast<unsigned>(kind));
      continue;
    }
    switch (kind) {
      case STARPU_PRIORITY: priority = va_arg(own, int); break;
      case STARPU_TAG:
      case STARPU_TAG_ONLY: number = static_cast<int64_t>(va_arg(own, starpu_tag_t)); break;
      case STARPU_EXECUTE_ON_NODE: {
        const int node = va_arg(own, int);
        if (node != -1) on_node = node;
        break;
      }
      case STARPU_EXECUTE_ON_DATA: on_data = va_arg(own, starpu_data_handle_t); break;
      case STARPU_NODE_SELECTION_POLICY: policy = va_arg(own, int); break;
      case STARPU_DATA_ARRAY: {
        auto* const handles = va_arg(own, starpu_data_handle_t*);
        const int handle_count = va_arg(own, int);
        for (int i = 0; i < handle_count; ++i) {
          if (!codelet ||
              (codelet->nbuffers != STARPU_VARIABLE_NBUFFERS && count_ >= codelet->nbuffers))
            _starpu_communication_fatal(
                "starpu_mpi_task_insert(): STARPU_DATA_ARRAY has more handles than codelet '%s' "
                "has "
                "modes",
                codelet && codelet->name ? codelet->name : "");
          Add(handles[i], STARPU_CODELET_GET_MODE(codelet, count_));
        }
        break;
      }
      case STARPU_DATA_MODE_ARRAY: {
        const auto* const descriptions = va_arg(own, starpu_data_descr*);
        const int description_count = va_arg(own, int);
        for (int i = 0; i < description_count; ++i)
          Add(descriptions[i].handle, descriptions[i].mode);
        break;
      }
      default:
        if (!Skip(kind, own))
          _starpu_communication_fatal(
              "starpu_mpi_task_insert(): %d is no kind of argument (the list must end with 0)",
              kind);
    }
  }
  va_end(own);
}

}  // namespace tasklens::mpi
