/* SPDX-License-Identifier: Apache-2.0
 * The profiler's view of a program, to compare ours with: a library that CUDA loads into it
 * (CUDA_INJECTION64_PATH). By CUPTI it writes a line for each kernel and each copy to or from the
 * device into the file that KIT_CUPTI_FILE names, in no order:
 *
 *   kernel START_NS DURATION_NS NAME
 *   to|from START_NS DURATION_NS BYTES */
#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBufferBytes = 1 << 20 };
static FILE* file;

static void check(CUptiResult result, const char* what) {
  const char* text = "";
  if (result == CUPTI_SUCCESS) return;
  cuptiGetResultString(result, &text);
  fprintf(stderr, "cupti_times: %s failed: %s\n", what, text);
  exit(1);
}
#define CUPTI(call) check(call, #call)

static void CUPTIAPI give_buffer(uint8_t** buffer, size_t* bytes, size_t* records) {
  *bytes = kBufferBytes;
  *records = 0; /* as many as there is room for */
  if (posix_memalign((void**)buffer, 8, kBufferBytes) != 0) exit(1);
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t* buffer, size_t bytes,
                                 size_t valid_bytes) {
  CUpti_Activity* record = NULL;
  (void)context, (void)stream, (void)bytes;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const CUpti_ActivityKernel9* kernel = (CUpti_ActivityKernel9*)record;
      fprintf(file, "kernel %llu %llu %s\n", (unsigned long long)kernel->start,
              (unsigned long long)(kernel->end - kernel->start), kernel->name);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      const CUpti_ActivityMemcpy5* copy = (CUpti_ActivityMemcpy5*)record;
      const char* const way = copy->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD   ? "to"
                              : copy->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? "from"
                                                                                  : NULL;
      if (way)
        fprintf(file, "%s %llu %llu %llu\n", way, (unsigned long long)copy->start,
                (unsigned long long)(copy->end - copy->start), (unsigned long long)copy->bytes);
    }
  }
  size_t dropped = 0;
  CUPTI(cuptiActivityGetNumDroppedRecords(context, stream, &dropped));
  if (dropped) fprintf(stderr, "cupti_times: %zu records were dropped\n", dropped);
  free(buffer);
}

static void finish(void) {
  cuptiActivityFlushAll(1);
  fclose(file);
}

/* Called by libcuda when it starts. */
__attribute__((visibility("default"))) int InitializeInjection(void) {
  const char* const path = getenv("KIT_CUPTI_FILE");
  file = path ? fopen(path, "w") : NULL;
  if (!file) {
    fprintf(stderr, "cupti_times: KIT_CUPTI_FILE: %s: cannot be written\n",
            path ? path : "not set");
    return 0;
  }
  CUPTI(cuptiActivityRegisterCallbacks(give_buffer, take_buffer));
  CUPTI(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  CUPTI(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
  atexit(finish);
  return 1;
}
