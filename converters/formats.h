// SPDX-License-Identifier: Apache-2.0
// A trace format is a constant with functions. A new format is one file and one line, in
// readers.inc or writers.inc; all other code (guessing, --list, documentation) uses the tables.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/events/event_sink.h"
#include "trace/model/trace_model.h"
#include "trace/support/diagnostics.h"
#include "trace/support/outputs.h"
#include "trace/support/progress.h"
#include "trace/support/scratch_file.h"
#include "trace/support/source.h"
#include "trace/support/status.h"

namespace tasklens {

// State that is shared between the files of a run, such as arrows from one file to another.
struct BetweenFiles {
  virtual ~BetweenFiles() = default;
};

struct ReadOptions {
  uint32_t rank = 0;   // of this input, unless the input gives its own
  uint32_t files = 1;  // number of files of the run; they are read one after another
  bool is_last_file = true;
  // Set if there are several files of one reader. The reader creates the object and knows its type.
  std::unique_ptr<BetweenFiles>* between_files = nullptr;
  Progress* progress = nullptr;  // is told how many bytes of this input are read; may stop the
                                 // reading
  double share = 1;  // the part of the input to read, from the beginning of the run; see Beginning
};

// How to read only the first part of a run from a large file.
enum class Beginning {
  kNone,        // not possible: an event of any time may stand anywhere in the file
  kFirstBytes,  // by the first bytes: the file is in order of time
  kByReader,    // by ReadOptions::share
};

// A trace format we can read. One constant per file of readers/.
struct ReaderSpec {
  std::string_view name;         // --from=<name>
  std::string_view description;  // one line, for --list
  int sniff_order;               // lowest first; unique (checked by registry_test)
  // Whether a file that begins with `head` (up to 4096 bytes) is of this format.
  bool (*sniff)(std::span<const std::byte> head);
  // Returns the rank in the file, or -1 if the file has none.
  int64_t (*rank)(const Source& source);
  // Delivers every event of `source` to `sink`. A bad record is counted in `diags` and skipped; the
  // status is an error only if the rest cannot be read and no event was read.
  Status (*read)(const Source& source, const ReadOptions& options, EventSink& sink,
                 Diagnostics& diags);
  // Whether two threads may read the file at once, each for a half of the model, see
  // ModelBuilder::work_half(): the file begins with program_info, has no later device events, and
  // events that a sink does not want are skipped in much less time than it takes to read them.
  bool in_halves = false;
  Beginning beginning = Beginning::kNone;
};

// Options of a writer: `key=value` pairs that only the writer with this key understands.
struct WriteOptions {
  std::map<std::string, std::string, std::less<>> values;
  bool Has(std::string_view key) const { return values.find(key) != values.end(); }
  std::string_view Get(std::string_view key, std::string_view fallback = "") const {
    auto it = values.find(key);
    return it == values.end() ? fallback : std::string_view(it->second);
  }
};

// Tables that a writer reads only if the option is given.
struct PartsOfOption {
  std::string_view option;
  uint32_t parts;  // bits of ModelParts
};

// A trace format we can write. One constant per file of writers/.
struct WriterSpec {
  std::string_view name;                      // --to=<name>
  std::string_view description;               // one line, for --list
  std::string_view read_by;                   // programs that read it, for --list
  bool in_starpu_set;                         // starpu_fxt_tool writes it too
  std::span<const std::string_view> options;  // the keys of WriteOptions it understands
  uint32_t parts;                             // bits of ModelParts: the tables it reads
  // Writes all of `model`; may open several outputs. On error the outputs are incomplete and the
  // caller does not commit them.
  Status (*write)(const TraceModel& model, const WriteOptions& options, Outputs& out);
  std::span<const PartsOfOption> parts_of_options = {};
};

// Explicit lists, in order of sniff_order and of writers.inc.
std::span<const ReaderSpec* const> Readers();
std::span<const WriterSpec* const> Writers();
const ReaderSpec* GuessReader(std::span<const std::byte> bytes);  // nullptr: no reader knows it
const WriterSpec* FindWriter(std::string_view name);              // nullptr: no such format

// Reads all `inputs` (the ranks of one run, in any order) into one model. Ranks come from the
// files, else from a trailing number of the file name, else from the order of the inputs. `parts`
// (bits of ModelParts): the parts of the model to build.
Result<TraceModel> Load(std::span<const std::unique_ptr<Source>> inputs, Diagnostics& diags,
                        uint32_t parts = kAllParts, Progress* progress = nullptr);

// The same for paths, one of which may be "-". A folder stands for the trace files in it that
// belong together; with several runs in it, the call fails and the error says so. One unreadable
// rank is an error. `scratch`: see ModelBuilder.
Result<TraceModel> LoadPaths(std::span<const std::string> paths, Diagnostics& diags,
                             uint32_t parts = kAllParts, Progress* progress = nullptr,
                             std::shared_ptr<ScratchFile> scratch = nullptr);

// The same for the beginning of a run: about `share` (between 0 and 1) of the bytes of each file.
// Tasks and states that cross the end of this part stay open, and `diags` may report cut files.
// kUnsupported if the format has no beginning.
Result<TraceModel> LoadBeginning(std::span<const std::string> paths, double share,
                                 Diagnostics& diags, uint32_t parts = kAllParts,
                                 Progress* progress = nullptr);

}  // namespace tasklens
