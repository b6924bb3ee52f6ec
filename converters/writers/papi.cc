// SPDX-License-Identifier: Apache-2.0
// papi.rec: the hardware counters of each task.
//
// Read by GNU recutils 1.9 and StarVZ 0.8. A trace has PAPI's numbers; names are those of PAPI's
// preset events (https://icl.utk.edu/papi). Other events keep their numbers.
#include <iterator>

#include "converters/formats.h"
#include "converters/writers/records.h"
#include "converters/writers/task_graph.h"

namespace tasklens {
namespace {

constexpr uint32_t kPresetBit = 0x80000000;
constexpr std::string_view kPresets[] = {
    "L1_DCM",  "L1_ICM",  "L2_DCM",  "L2_ICM",  "L3_DCM",  "L3_ICM",  "L1_TCM",  "L2_TCM",
    "L3_TCM",  "CA_SNP",  "CA_SHR",  "CA_CLN",  "CA_INV",  "CA_ITV",  "L3_LDM",  "L3_STM",
    "BRU_IDL", "FXU_IDL", "FPU_IDL", "LSU_IDL", "TLB_DM",  "TLB_IM",  "TLB_TL",  "L1_LDM",
    "L1_STM",  "L2_LDM",  "L2_STM",  "BTAC_M",  "PRF_DM",  "L3_DCH",  "TLB_SD",  "CSR_FAL",
    "CSR_SUC", "CSR_TOT", "MEM_SCY", "MEM_RCY", "MEM_WCY", "STL_ICY", "FUL_ICY", "STL_CCY",
    "FUL_CCY", "HW_INT",  "BR_UCN",  "BR_CN",   "BR_TKN",  "BR_NTK",  "BR_MSP",  "BR_PRC",
    "FMA_INS", "TOT_IIS", "TOT_INS", "INT_INS", "FP_INS",  "LD_INS",  "SR_INS",  "BR_INS",
    "VEC_INS", "RES_STL", "FP_STAL", "TOT_CYC", "LST_INS", "SYC_INS", "L1_DCH",  "L2_DCH"};

Status Write(const TraceModel& model, const WriteOptions& options, Outputs& outputs) {
  return WriteText(outputs, "papi.rec", [&](TextBuffer& out) {
    const std::vector<std::string> prefixes = RankPrefixes(model);
    const PapiTable& papi = model.papi;
    for (size_t i = 0; i < papi.task.size(); ++i) {
      out.Put("JobId: ", prefixes[model.tasks.rank_index[papi.task[i]]],
              model.tasks.job[papi.task[i]], options.Has("starvz") ? "\nPapiEvent: " : "\nEvent: ");
      const uint32_t code = static_cast<uint32_t>(papi.code[i]);
      if ((code & kPresetBit) && (code & ~kPresetBit) < std::size(kPresets)) {
        out.Put("PAPI_", kPresets[code & ~kPresetBit]);
      } else {
        out.Put("0x", Hex{code});
      }
      out.Put('\n');
      PutRecordInteger(out, "Value", papi.value[i]);
      out.Put('\n');
    }
  });
}

constexpr std::string_view kOptions[] = {"starvz"};

}  // namespace

extern const WriterSpec kPapiWriter;
const WriterSpec kPapiWriter = {"papi",
                                "papi.rec, the hardware counters of each task",
                                "GNU recutils, StarVZ",
                                /*in_starpu_set=*/true,
                                kOptions,
                                kPartTaskExtras,
                                &Write};

}  // namespace tasklens
