// SPDX-License-Identifier: Apache-2.0
// The table of forms.
#include "converters/readers/fxt_parameters.h"

#include <algorithm>

namespace tasklens {
namespace {

// Frequent reasons.
constexpr std::string_view kJobPointer = "the job is an address; its thread tells which task it is";
constexpr std::string_view kWorkersTask = "the thread's worker runs it anyway";
constexpr std::string_view kEndSaysSo = "the message is told when it ends (0x5205, 0x521b)";
constexpr std::string_view kNodeOfThread = "what matters is the thread that waits";
constexpr std::string_view kLock = "locks: written only by a StarPU made to debug itself";
constexpr std::string_view kQueue = "the length of a scheduler's queue; pushes and pops tell it";
constexpr std::string_view kFxtsOwn = "FxT's own, says nothing of the program";

// clang-format off
constexpr FxtForm kForms[] = {
    {0x0320, "34m", "-address", kFxtsOwn},

    {0x5100, "34m", "kind worker device node cpu sync tid", ""},
    {0x5101, "34m", "tid worker", ""},
    {0x5102, "3", "job ctx worker node has_name", ""},
    {0x5102, "3", "job ctx worker node has_name *name", ""},
    {0x5102, "4", "job ctx worker node", ""},
    {0x5102, "m", "job ctx worker node tid no_codelet", ""},
    {0x5103, "34", "job size footprint worker tid *arch", ""},
    {0x5103, "m", "job size footprint worker tid no_codelet *arch", ""},
    {0x5104, "34m", "job priority tid", "", 0x5105},
    {0x5106, "34m", "-count tid", "counted anew, so that gaps of the recording do not matter"},
    {0x5107, "34m", "-job tid", kJobPointer, 0x5109},
    {0x5110, "34m", "-job tid", kJobPointer},
    {0x5111, "34", "tag job", ""},
    {0x5111, "m", "-tag -job", "the address of a variable that holds the tag, not the tag"},
    {0x5112, "34", "child father", ""},
    {0x5112, "m", "-child -father", "addresses of variables that hold the tags, not the tags"},
    {0x5113, "34m", "pred succ type has_label *label", ""},
    {0x5114, "34m", "source target size", ""},
    {0x5115, "34m", "thief victim", ""},
    {0x5116, "34m", "tid", ""},
    {0x5117, "34m", "-kind tid", "known since the worker began"},
    {0x5118, "34m", "tid", "", 0x5119},
    {0x511a, "34m", "job iteration subiteration order priority type tid", ""},
    {0x511b, "34m", "job handle size mode", ""},
    {0x511c, "3", "job *model", ""},
    {0x511c, "4m", "job tid *model", ""},
    {0x511d, "34m", "handle *name", ""},
    {0x511e, "34m", "handle count value...", ""},
    {0x511f, "34m", "handle", ""},
    {0x5120, "3", "tid", ""},
    {0x5120, "4m", "job index nodes", ""},
    {0x5121, "3", "tid", ""},
    {0x5122, "34m", "node tid", ""},
    {0x5123, "34m", "-job tid", kJobPointer, 0x5124},
    {0x5125, "34m", "job tid", ""},
    {0x5126, "34m", "tag tid has_name *name", ""},
    {0x5127, "34m", "node tid size handle prefetch", ""},
    {0x5128, "34m", "node tid handle result", ""},
    {0x5129, "34m", "node tid size handle prefetch", ""},
    {0x512a, "34m", "node used tid", ""},
    {0x512b, "3", "-job -address", "the address of the word \"unknown\""},
    {0x512b, "3", "job *name", ""},
    {0x512b, "4m", "job tid *name", ""},
    {0x512c, "34m", "handle order job tid", ""},
    {0x512d, "3", "job rgb -tid", "any thread may say it"},
    {0x512d, "4m", "job rgb", ""},
    {0x512e, "34m", "handle", ""},
    {0x512f, "4m", "job line *file", ""},
    {0x5130, "34m", "node tid handle result", ""},
    {0x5131, "34m", "node prefetch tid", ""},
    {0x5132, "34m", "node -prefetch tid", "its beginning said so"},
    {0x5133, "34m", "source target size copy reason handle", ""},
    {0x5134, "34m", "source target size copy reason", ""},
    {0x5135, "34m", "source target", "", 0x5136},
    {0x5137, "34m", "-node tid", kNodeOfThread, 0x5138},
    {0x5139, "34m", "code tid", ""},
    {0x513a, "34m", "status tid", ""},
    {0x513b, "34m", "", ""},
    {0x513c, "34m", "*text", ""},
    {0x513d, "34m", "tid *text", ""},
    {0x513e, "34", "-ctx size footprint kflop tag worker job", "0x5102 says so"},
    {0x513e, "m", "-ctx size footprint kflop tag -worker job tid", "0x5102 says so"},
    {0x513f, "34", "worker *description", ""},
    {0x513f, "m", "worker -tid *description", kWorkersTask},

    {0x5140, "34m", "-line -tid *-file", kLock, 0x5151},

    {0x5152, "34m", "size tid", ""},
    {0x5153, "34", "worker size", ""},
    {0x5153, "m", "worker size -tid", kWorkersTask},
    {0x5154, "34m", "-node tid -handle", kNodeOfThread, 0x5155},
    {0x5156, "34m", "node tid size handle", ""},
    {0x5157, "34m", "node tid handle", "", 0x5159},
    {0x515a, "34m", "-tid -worker -tasks -expected_length", kQueue, 0x515b},
    {0x515c, "34m", "node tid", "", 0x515d},
    {0x5160, "34m", "tid", "", 0x5161},
    {0x5162, "34m", "-line -tid *-file", kLock, 0x5163},
    {0x5164, "34m", "tid", "", 0x5167},
    {0x5168, "3", "tid", ""},
    {0x5168, "4m", "tid -job", kWorkersTask},
    {0x5169, "3", "tid", ""},
    {0x5169, "4m", "tid -job", kWorkersTask},
    {0x516a, "34m", "component *name", ""},
    {0x516b, "34m", "parent child", ""},
    {0x516c, "34m", "tid source target task priority", "", 0x516d},
    {0x516e, "34m", "tid", "", 0x5177},
    {0x5178, "34m", "-job tid", "the state of the thread has no place for whom it waits for"},
    {0x5179, "34m", "tid", "", 0x517b},
    {0x517c, "3", "handle size home *description", ""},
    {0x517c, "4", "handle size max_size home *description", ""},
    {0x517c, "m", "handle size max_size home parent *description", ""},
    {0x517e, "34m", "-job worker", kJobPointer, 0x517f},
    {0x5180, "34m", "tid", "", 0x5181},
    {0x5182, "34m", "handle node", "", 0x5184},
    {0x5185, "3", "source target priority handle prefetch", ""},
    {0x5185, "4m", "source target priority handle prefetch request", ""},
    {0x5186, "4m", "code job value", ""},
    {0x5187, "34m", "job hidden", ""},
    {0x5188, "4m", "pred succ", ""},
    {0x5189, "4m", "job is_recursive parent", ""},
    {0x518a, "4m", "tid -job", kWorkersTask, 0x518b},
    {0x518c, "m", "job level parent", ""},

    // MPI.
    {0x5201, "34m", "rank size tid", "", 0x5202},
    {0x5203, "3", "rank size run tid", ""},
    {0x5203, "4m", "rank size run local_time tid", ""},
    {0x5204, "34m", "-target -tag -size tid", kEndSaysSo},
    {0x5205, "3", "target tag size job tid", ""},
    {0x5205, "4", "type target tag size job handle priority tid", ""},
    {0x5205, "m", "type target tag size job job_after handle priority tid", ""},
    {0x5206, "34m", "-source -tag tid", kEndSaysSo, 0x5207},
    {0x5208, "34m", "-target -tag -size tid", kEndSaysSo, 0x5209},
    {0x520a, "34m", "-source -tag tid", kEndSaysSo, 0x520b},
    {0x520c, "34m", "tid", "", 0x520f},
    {0x5210, "34m", "-source -tag tid", kEndSaysSo, 0x5213},
    {0x5214, "34m", "tid", "", 0x5217},
    {0x5218, "34m", "handle tag tid", ""},
    {0x5219, "4m", "source job nodes tid", ""},
    {0x521a, "34m", "handle rank tid", ""},
    {0x521b, "3", "source tag job tid", ""},
    {0x521b, "4", "source tag job tid handle", ""},
    {0x521b, "m", "source tag job_before job handle tid", ""},
    {0x521c, "34m", "-target -tag -tid", "0x5208 says so"},
    {0x521d, "34m", "tid", "", 0x521e},
    {0x521f, "34m", "-peer -tag tid", kEndSaysSo, 0x5220},
    {0x5221, "4m", "target job nodes tid", ""},
    {0x5222, "4m", "instance domain tid", "", 0x5223},

    // FxT's own events.
    {0xfff4, "34m", "-value...", "the moment is all", 0xfff5},
    {0xfff6, "34m", "-value...", "0x5100 says so"},
    {0xfff7, "34m", "-value...", kFxtsOwn, 0xfffd},
    {0xfffe, "34m", "mask tid", ""},
    {0xffff, "34m", "mask tid -threads", "the recorder's own limit"},
};
// clang-format on

// Adds a form to the counts of its event.
void Add(const FxtForm& form, FxtCounts& counts) {
  uint8_t numbers = 0;
  bool any = false, text = false;
  std::string_view rest = form.parameters;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    text |= word.starts_with('*');
    any |= word.ends_with("...");
    if (!text && !any) ++numbers;
  }
  if (text || any)
    counts.from = std::min(counts.from, numbers);  // some FxT versions write nothing for an empty
                                                   // string
  else
    counts.exact |= uint32_t{1} << numbers;
  // The position of the string is that in the form with a string.
  if (counts.numbers == 0xff || text) counts.numbers = numbers;
  counts.has_text |= text;
}

}  // namespace

std::span<const FxtForm> FxtForms() { return kForms; }

std::array<FxtCounts, kFxtDialects> FxtCountsOf(uint16_t code) {
  std::array<FxtCounts, kFxtDialects> counts;
  for (const FxtForm& form : kForms)
    if (form.code <= code && code <= form.last)
      for (size_t dialect = 0; dialect < kFxtDialects; ++dialect)
        if (form.IsIn(static_cast<FxtDialect>(dialect))) Add(form, counts[dialect]);
  return counts;
}

}  // namespace tasklens
