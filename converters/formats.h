// SPDX-License-Identifier: Apache-2.0
// What a trace format is to us: a constant of functions. Adding one is one file and one line, in
// readers.inc or writers.inc; everything else (guessing, --list, documentation) follows the tables.
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

// What is read of one file of a run and belongs to another, such as arrows between them.
struct BetweenFiles {
  virtual ~BetweenFiles() = default;
};

struct ReadOptions {
  uint32_t rank = 0;   // of this input, unless the input itself knows better
  uint32_t files = 1;  // of the run; they are read one after the other
  bool is_last_file = true;
  // Theirs, where there are several of one reader, which makes it and knows its type.
  std::unique_ptr<BetweenFiles>* between_files = nullptr;
  Progress* progress = nullptr;  // told how many bytes of this input are read; may stop the reading
  double share = 1;  // of the input that is wanted, from the beginning of the run; see Beginning
};

// How the beginning of a run is had alone from a large file.
enum class Beginning {
  kNone,        // it is not: what was at a moment may stand anywhere in the file
  kFirstBytes,  // the file tells of the run in the order of time
  kByReader,    // as ReadOptions::share says
};

// A trace format we can read. One constant per file of readers/.
struct ReaderSpec {
  std::string_view name;         // --from=<name>
  std::string_view description;  // one line, for --list
  int sniff_order;               // lowest first; unique (checked by registry_test)
  // Whether a file that begins with `head` (up to 4096 bytes) is of this format.
  bool (*sniff)(std::span<const std::byte> head);
  // The rank the file says it belongs to, or -1 when it does not say.
  int64_t (*rank)(const Source& source);
  // Feeds every event of `source` to `sink`. A bad record is counted in `diags` and skipped; the
  // status is an error only when nothing more can be read and nothing was.
  Status (*read)(const Source& source, const ReadOptions& options, EventSink& sink,
                 Diagnostics& diags);
  // Whether two threads may each read it for a half of the model, see ModelBuilder::work_half(): it
  // begins with program_info, tells nothing of devices later, and leaves out what a sink does not
  // want in much less time than it takes to read it.
  bool in_halves = false;
  Beginning beginning = Beginning::kNone;
};

// Options of a writer: `key=value` pairs that only the writer that owns a key understands.
struct WriteOptions {
  std::map<std::string, std::string, std::less<>> values;
  bool Has(std::string_view key) const { return values.find(key) != values.end(); }
  std::string_view Get(std::string_view key, std::string_view fallback = "") const {
    auto it = values.find(key);
    return it == values.end() ? fallback : std::string_view(it->second);
  }
};

// Tables that a writer reads only when the option is given.
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

// Reads all `inputs` (the ranks of one run, any order) into one model. Ranks come from the files,
// else from a trailing number of the file name, else from the order given. `parts` (bits of
// ModelParts) says what is wanted of the model.
Result<TraceModel> Load(std::span<const std::unique_ptr<Source>> inputs, Diagnostics& diags,
                        uint32_t parts = kAllParts, Progress* progress = nullptr);

// The same for paths, one of which may be "-". A folder stands for the trace files in it that
// belong together; the error says so when there are several runs. One unreadable rank is an error.
// `scratch`: see ModelBuilder.
Result<TraceModel> LoadPaths(std::span<const std::string> paths, Diagnostics& diags,
                             uint32_t parts = kAllParts, Progress* progress = nullptr,
                             std::shared_ptr<ScratchFile> scratch = nullptr);

// The same of the beginning of a run: as much of it as `share` (between 0 and 1) of the bytes of
// each of its files tell. What runs across its end is open, and `diags` may tell of cut files.
// kUnsupported where a format has no beginning.
Result<TraceModel> LoadBeginning(std::span<const std::string> paths, double share,
                                 Diagnostics& diags, uint32_t parts = kAllParts,
                                 Progress* progress = nullptr);

}  // namespace tasklens
