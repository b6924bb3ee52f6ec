// SPDX-License-Identifier: Apache-2.0
// starpu_fxt_stats, starpu_fxt_number_events_to_names and fxt_print: count, name and print the
// records of a trace.
//
// Deliberate differences from StarPU's and FxT's tools:
// - starpu_fxt_stats accepts any memory node (StarPU's has room for 16 and writes beyond it), and
//   copies of 4 GiB and more.
// - Times of traces in formats other than FxT are ns since the first event.
// - fxt_print names StarPU's events ("unknown code 5105" is JOB_POP). It does not look up the
//   function to which the first record of a program points.
#include "converters/readers/fxt_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <limits>

#include "converters/formats.h"
#include "converters/readers/fxt_file.h"
#include "server/command_line/print_text.h"
#include "server/command_line/twins/twin.h"
#include "server/command_line/whole_files.h"
#include "trace/events/text_dump.h"

namespace tasklens {
namespace {

Status NotFxt(const std::string& path) {
  return {ErrorCode::kUnsupported, path + ": not a trace (see `tasklens convert --list`)"};
}

// Calls f(record) for each record. Warns about a block that is damaged or cut off, and skips the
// rest of it.
template <class F>
void ForEachRecord(const FxtFile& file, F f) {
  for (const FxtEventBlock& block : file.events) {
    FxtRecords records(block, file.swap);
    while (const FxtRecord* record = records.Next()) f(*record);
    if (records.truncated() || records.damaged())
      fmt::print(stderr, "tasklens: warning: the trace is {} at byte {}; the rest is left out\n",
                 records.damaged() ? "damaged" : "cut", records.offset());
  }
}

struct Counts {
  double first_ns = std::numeric_limits<double>::infinity(), last_ns = -first_ns;
  uint64_t tasks = 0, steals = 0, events = 0;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> bytes;  // by source and target
};

Counts CountRecords(const FxtFile& file) {
  constexpr uint64_t kJobPop = 0x5105, kDataCopy = 0x5114, kStealing = 0x5115;
  Counts counts;
  ForEachRecord(file, [&](const FxtRecord& record) {
    ++counts.events;
    const auto time = static_cast<double>(record.time_ns);
    counts.first_ns = std::min(counts.first_ns, time);
    counts.last_ns = std::max(counts.last_ns, time);
    if (record.code == kJobPop) ++counts.tasks;
    if (record.code == kStealing) ++counts.steals;
    if (record.code == kDataCopy && record.params >= 3)
      counts.bytes[{record[0], record[1]}] += record[2];
  });
  return counts;
}

Counts CountModel(const TraceModel& model) {
  Counts counts;
  counts.events = model.event_count;
  counts.first_ns = 0;
  counts.last_ns = static_cast<double>(model.duration_ns);
  for (uint32_t task = 0; task < model.tasks.size(); ++task)
    counts.tasks += model.tasks.pop_ns[task] != kNever;
  if (counts.tasks == 0)  // the format does not record when a worker takes a task
    for (uint32_t task = 0; task < model.tasks.size(); ++task)
      counts.tasks += model.tasks.start_ns[task] != kNever;
  counts.steals = model.steals.size();
  const TransferTable& transfers = model.transfers;
  for (size_t i = 0; i < transfers.size(); ++i)
    counts.bytes[{transfers.source_node[i], transfers.target_node[i]}] += transfers.size_bytes[i];
  return counts;
}

// Formats a number like C's %e.
std::string Scientific(double value) { return fmt::format("{:e}", value); }

const FxtRow* RowOf(uint64_t code) {
  for (const FxtRow& row : FxtRows())
    if (row.code == code) return &row;
  return nullptr;
}

// Returns StarPU's full name of an event, "_STARPU_FUT_JOB_POP", or "" if StarPU has none.
std::string StarpuName(uint64_t code) {
  const FxtRow* row = RowOf(code);
  if (row == nullptr || code < 0x5100 || code >= 0xf000) return "";
  std::string_view name = row->name;
  const bool is_mpi = name.starts_with("MPI_") && code >= 0x5200;
  if (is_mpi) name.remove_prefix(4);
  return std::string(is_mpi ? "_STARPU_MPI_FUT_" : "_STARPU_FUT_") + std::string(name);
}

// Returns the name that fxt_print shows: that of StarPU's event, or FxT's own, such as "fut_setup".
std::string NameForPrint(uint64_t code) {
  const FxtRow* row = RowOf(code);
  if (row == nullptr) return fmt::format("unknown code {:x}", code);
  if (code < 0xf000) return std::string(row->name);
  std::string name = "fut_";
  for (const char c : row->name) name += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return name;
}

// Prints what a file records about the machine and the run, in the format of fxt_print.
class Infos {
 public:
  Infos(std::span<const std::byte> bytes, bool swap) : bytes_(bytes), swap_(swap) {}

  void Print() const {
    size_t at = 4, end = bytes_.size();
    for (size_t blocks = 0; at + kFxtBlockHeaderBytes <= end && blocks < 100; ++blocks) {
      const uint64_t size = Number(at, 8), type = Number(at + 8, 4);
      if (type == kFxtInfos) {  // the following blocks are its contents
        at += kFxtBlockHeaderBytes;
        continue;
      }
      if (size < kFxtBlockHeaderBytes || size > end - at) break;
      const size_t begin = at + kFxtBlockHeaderBytes;
      if (type == kFxtTime && size >= kFxtBlockHeaderBytes + 60) PrintTime(begin);
      if (type == kFxtUname) PrintUname(begin, at + size);
      if (type >= kFxtKernel32) break;
      at += size;
    }
    fmt::print("{:>14} = {}\n", "bytes", bytes_.size());
  }

 private:
  uint64_t Number(size_t at, size_t bytes) const {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes && at + i < bytes_.size(); ++i)
      value |= std::to_integer<uint64_t>(bytes_[at + i]) << 8 * (swap_ ? bytes - 1 - i : i);
    return value;
  }

  static std::string Date(uint64_t seconds) {
    const auto time = static_cast<time_t>(seconds);
    tm parts{};
    char text[64] = "";
    if (localtime_r(&time, &parts) == nullptr) return fmt::format("{}", seconds);
    strftime(text, sizeof text, "%d-%b-%Y %H:%M:%S", &parts);
    return text;
  }

  void PrintTime(size_t at) const {
    const uint64_t first = Number(at + 40, 8), last = Number(at + 48, 8);
    const auto line = [](std::string_view name, const auto& value) {
      fmt::print("{:>14} = {}\n", name, value);
    };
    line("ncpus", Number(at + 4, 4));
    line("start time", Date(Number(at + 24, 8)));
    line("stop time", Date(Number(at + 32, 8)));
    line("start jiffies", first);
    line("stop jiffies", last);
    line("total jiffies", static_cast<int64_t>(last - first));
    line("page size", Number(at + 56, 4));
    const uint64_t space = Number(at, 4);
    line("trace space",
         fmt::format("{} ({})", space, space == 1 ? "User traces" : "Kernel traces"));
  }

  // The block is the length of the text, then the text.
  void PrintUname(size_t at, size_t end) const {
    constexpr size_t kLengthBytes = 4;
    const size_t begin = std::min(at + kLengthBytes, end);
    const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + begin, end - begin);
    PrintText("{}\n", text.substr(0, std::min<size_t>(Number(at, kLengthBytes), text.find('\0'))));
  }

  std::span<const std::byte> bytes_;
  bool swap_;
};

void PrintRecord(const FxtRecord& record, bool is_first, bool numbers_alone, int64_t since_ns,
                 std::string& out) {
  constexpr uint64_t kNewThread = 0xfff6, kFunction = 0x320;
  const auto put = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
  };
  // User traces record the processor only where a thread begins.
  const uint64_t cpu = is_first                                         ? 0
                       : record.code == kNewThread && record.params > 0 ? record[0]
                                                                        : 0xffffffff;
  // Unsigned arithmetic, because damaged files may have any times.
  const uint64_t time = static_cast<uint64_t>(record.time_ns) - static_cast<uint64_t>(since_ns);
  if (numbers_alone) {
    put("{}u\t[{:16x}]\t{:2}\t{:16x}({})", time, record.tid, cpu, record.code, record.params);
    for (uint32_t i = 0; i < record.params; ++i) put("\t{}x", record[i]);
  } else {
    put("{:20}u\t[{:16x}]\t{:2}\t{:16x}({})\t", time, record.tid, cpu, record.code, record.params);
    if (record.code == kFunction && record.params > 0) {
      put("gcc-traced function entry\tNo symbol at {:x}", record[0]);
    } else {
      put("{:>25}", NameForPrint(record.code));
      for (uint32_t i = 0; i < record.params; ++i) put("\t{:x}", record[i]);
    }
  }
  out += '\n';
}

}  // namespace

Status FxtStats(const TwinArguments& arguments) {
  if (!arguments.operands.empty() || !arguments.Has("-i"))
    return {ErrorCode::kInvalidArgument, "name the trace with -i TRACE"};
  const std::string path = arguments.Get("-i");
  Counts counts;
  const auto source = OpenSource(path);
  if (source.ok() && LooksLikeFxt((*source)->bytes())) {
    counts = CountRecords(ParseFxtFile((*source)->bytes()));
  } else {
    const auto model = LoadTwinTrace(path, kPartTransfers | kPartPoints);
    if (!model.ok()) return model.status();
    counts = CountModel(*model);
  }
  if (counts.events == 0) return {ErrorCode::kNotFound, path + ": the trace has no events"};
  std::string text =
      fmt::format("Start : start time {} end time {} length {}\n", Scientific(counts.first_ns),
                  Scientific(counts.last_ns), Scientific(counts.last_ns - counts.first_ns));
  for (const auto& [nodes, bytes] : counts.bytes)
    if (bytes != 0)
      fmt::format_to(std::back_inserter(text), "{} -> {} \t {} MB\n", nodes.first, nodes.second,
                     bytes >> 20);
  fmt::format_to(std::back_inserter(text), "There was {} tasks and {} work stealing\n",
                 counts.tasks, counts.steals);
  if (arguments.Has("-o")) return WriteWholeFiles({{arguments.Get("-o"), text}});
  PrintLines(text);
  return Status::Ok();
}

Status NumberEventsToNames(const TwinArguments& arguments) {
  if (arguments.operands.size() > 1)
    return {ErrorCode::kInvalidArgument,
            "too many arguments: only one NUMBER_EVENTS_DATA can be named"};
  const std::string& path = arguments.operands[0];
  const auto text = StarpuText(path, "number_events.data", "number-events");
  if (!text.ok()) return text.status();
  std::string out;
  uint64_t total = 0, line_number = 0;
  bool has_any = false;
  for (const std::string_view line : LinesOf(*text)) {
    ++line_number;
    if (line.empty() || line.starts_with('#')) continue;
    const size_t gap = line.find_first_of("\t ");
    uint64_t code = 0, count = 0;
    if (gap == line.npos || !line.starts_with("0x") ||
        !ReadNumber(line.substr(2, gap - 2), code, 16) ||
        !ReadNumber(line.substr(line.find_last_of("\t ") + 1), count))
      return {ErrorCode::kCorrupt,
              fmt::format("{}, line {}: not \"0xCODE COUNT\"; starpu_fxt_tool -number-events "
                          "writes such files",
                          path, line_number)};
    has_any = true;
    total += count;
    const std::string name = StarpuName(code);
    fmt::format_to(std::back_inserter(out), "{:12}    {}\n", count,
                   name.empty() ? std::string(line.substr(0, gap)) : name);
  }
  if (!has_any) return {ErrorCode::kNotFound, path + ": the file counts no events"};
  PrintLines(out);
  fmt::print("       TOTAL:   {}\n", total);
  return Status::Ok();
}

Status FxtPrint(const TwinArguments& arguments) {
  if (!arguments.operands.empty())
    return {ErrorCode::kInvalidArgument, "name the trace with -f TRACE"};
  const char* variable = std::getenv("TRACE_FILE");
  const std::string path = arguments.Get("-f", variable ? variable : "trace_file");
  const auto source = OpenSource(path);
  if (!source.ok()) return source.status();
  const auto bytes = (*source)->bytes();
  if (!LooksLikeFxt(bytes)) {
    // Other formats have their own events; print them like `tasklens print`.
    const ReaderSpec* reader = GuessReader(bytes);
    if (reader == nullptr) return NotFxt(path);
    Diagnostics diags;
    TextDump dump([](std::string_view text) { PrintLines(text); });
    return reader->read(**source, {}, dump, diags);
  }
  const FxtFile file = ParseFxtFile(bytes);
  Infos(bytes, file.swap).Print();
  bool is_first = true;
  int64_t first_ns = 0, before_ns = 0;
  std::string out;
  ForEachRecord(file, [&](const FxtRecord& record) {
    if (is_first) first_ns = record.time_ns;
    const int64_t since_ns = arguments.Has("-o") ? first_ns : arguments.Has("-x") ? before_ns : 0;
    PrintRecord(record, is_first, arguments.Has("-d"), since_ns, out);
    before_ns = record.time_ns;
    is_first = false;
    if (out.size() > 60000) {
      PrintLines(out);
      out.clear();
    }
  });
  PrintLines(out);
  return Status::Ok();
}

}  // namespace tasklens
