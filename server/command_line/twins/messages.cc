// SPDX-License-Identifier: Apache-2.0
// starpu_mpi_comm_matrix and starpu_send_recv_data_use: the traffic between ranks, and the time
// until tasks use the data.
//
// Deliberate differences from StarPU's tools:
// - starpu_mpi_comm_matrix also reads traces. Their bandwidth is the bytes over the time from the
//   first send to the last receipt of the run.
// - The task that uses data is the first to start after the data arrived. StarPU's script takes the
//   first in tasks.rec, which may start later, and searches for the address as a part of the text
//   of all addresses.
// - Data that no task uses, or that a task uses at the moment of their arrival, are no error.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "analysis/message_matrix.h"
#include "analysis/message_use.h"
#include "server/command_line/print_text.h"
#include "server/command_line/twins/twin.h"
#include "server/command_line/whole_files.h"
#include "server/pictures/plot_pictures.h"

namespace tasklens {
namespace {

struct Traffic {
  // Between the ranks 0 to `count` - 1, nothing.
  explicit Traffic(uint64_t count) : bytes(count * count), bytes_per_s(count * count) {
    for (uint64_t rank = 0; rank < count; ++rank) ranks.push_back(fmt::format("{}", rank));
  }
  // Takes the time of all messages as the time that each pair of ranks had.
  void SetBandwidths(int64_t first_ns, int64_t last_ns) {
    if (last_ns <= first_ns) return;
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes_per_s[i] = bytes[i] * 1e9 / static_cast<double>(last_ns - first_ns);
  }

  std::vector<std::string> ranks;
  std::vector<double> bytes, bytes_per_s;  // [source * ranks + target]
};

constexpr size_t kMostRanks = 4096;  // a larger matrix fits neither a picture nor memory

// Parses lines such as "[starpu_comm_stats][1:0] 456.000000 B 0.000435 MB 0.000188 B/s 0.000000
// MB/s". Other output of the program is ignored.
Result<Traffic> ParseStats(std::string_view text, const std::string& path) {
  struct Line {
    uint64_t source, target;
    double bytes, bytes_per_s;
  };
  std::vector<Line> lines;
  uint64_t ranks = 0;
  constexpr std::string_view kMark = "[starpu_comm_stats][";
  for (std::string_view line : LinesOf(text)) {
    // The handbook shows several of them on one line.
    for (size_t at; (at = line.find(kMark)) != line.npos;) {
      line.remove_prefix(at + kMark.size());
      const std::string_view part = line.substr(0, line.find(kMark));
      const size_t end = part.find(']');
      if (end == part.npos) continue;
      const auto who = FieldsOf(part.substr(0, end), ':');
      const auto words = WordsOf(part.substr(end + 1));
      Line parsed{};
      if (who.size() == 1 && ReadNumber(who[0], parsed.source) && !words.empty() &&
          words[0] == "TOTAL:" && parsed.source < kMostRanks)
        ranks = std::max(ranks, parsed.source + 1);
      if (who.size() != 2 || words.size() != 8 || words[7] != "MB/s") continue;
      if (!ReadNumber(who[0], parsed.source) || !ReadNumber(who[1], parsed.target) ||
          !ReadNumber(words[0], parsed.bytes) || !ReadNumber(words[4], parsed.bytes_per_s) ||
          parsed.source >= kMostRanks || parsed.target >= kMostRanks)
        return Status(ErrorCode::kCorrupt, path + ": '" + Printable(part) +
                                               "' is not a line of the output of STARPU_MPI_STATS");
      ranks = std::max({ranks, parsed.source + 1, parsed.target + 1});
      lines.push_back(parsed);
    }
  }
  if (lines.empty())
    return Status(ErrorCode::kNotFound,
                  path +
                      ": no lines of [starpu_comm_stats]; a program prints them with "
                      "STARPU_MPI_STATS=1");
  Traffic traffic(ranks);
  for (const Line& line : lines) {
    traffic.bytes[line.source * ranks + line.target] = line.bytes;
    traffic.bytes_per_s[line.source * ranks + line.target] = line.bytes_per_s;
  }
  return traffic;
}

Result<Traffic> TrafficOfTrace(const std::string& path) {
  const auto model = LoadTwinTrace(path, kPartMessages);
  if (!model.ok()) return model.status();
  const MessageMatrix matrix = MessagesBetween(*model);
  if (matrix.messages() == 0)
    return Status(
        ErrorCode::kNotFound,
        path + ": no messages between ranks (name the folder with the files of all ranks)");
  if (matrix.ranks.size() > kMostRanks)
    return Status(ErrorCode::kUnsupported, fmt::format("{}: {} ranks are too many for a picture",
                                                       path, matrix.ranks.size()));
  int64_t first_ns = INT64_MAX, last_ns = 0;
  const MessageTable& messages = model->messages;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages.send_ns[i] == kNever || messages.receive_ns[i] == kNever) continue;
    first_ns = std::min(first_ns, messages.send_ns[i]);
    last_ns = std::max(last_ns, messages.receive_ns[i]);
  }
  Traffic traffic(matrix.ranks.size());
  for (size_t i = 0; i < matrix.ranks.size(); ++i)
    traffic.ranks[i] = fmt::format("{}", matrix.ranks[i]);
  traffic.bytes.assign(matrix.bytes.begin(), matrix.bytes.end());
  traffic.SetBandwidths(first_ns, last_ns);
  return traffic;
}

// One row for each receiving rank, one column for each sending rank.
std::string DataOf(const Traffic& traffic, const std::vector<double>& values) {
  std::string text;
  for (size_t target = 0; target < traffic.ranks.size(); ++target) {
    for (size_t source = 0; source < traffic.ranks.size(); ++source)
      fmt::format_to(std::back_inserter(text), "{:f} ",
                     values[source * traffic.ranks.size() + target]);
    text += '\n';
  }
  return text;
}

std::string Gnuplot(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '`' || c == '\'') out += c == '\'' ? "'" : "\\";
    out += c;
  }
  return out;
}

std::string ScriptOf(const Traffic& traffic, const std::string& base, const std::string& what,
                     bool is_png) {
  std::string sources, targets;
  for (size_t i = 0; i < traffic.ranks.size(); ++i) {
    sources += fmt::format("{}\"src{}\" {}", i > 0 ? ", " : "", traffic.ranks[i], i);
    targets += fmt::format("{}\"dst{}\" {}", i > 0 ? ", " : "", traffic.ranks[i], i);
  }
  return fmt::format(
      "set term {}\nset output \"{}_{}_heatmap.{}\"\nset view map scale 1\nset style data lines\n"
      "set palette gray\nset xtics ({})\nset ytics ({})\nplot '{}_{}.data' matrix with image\n",
      is_png ? "png" : "pdf color", Gnuplot(base), what, is_png ? "png" : "pdf", sources, targets,
      Gnuplot(base), what);
}

// Returns `path` without trailing slashes, so that the name of a folder can begin names of files.
std::string BaseOf(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  return path;
}

// --- records of comms.rec and tasks.rec ---

using Record = std::map<std::string, std::string, std::less<>>;

std::vector<Record> RecordsOf(std::string_view text) {
  std::vector<Record> records;
  Record record;
  for (const std::string_view line : LinesOf(text)) {
    if (line.empty()) {
      if (!record.empty()) records.push_back(std::move(record));
      record = {};
      continue;
    }
    const size_t colon = line.find(": ");
    if (colon != line.npos) record.emplace(line.substr(0, colon), line.substr(colon + 2));
  }
  if (!record.empty()) records.push_back(std::move(record));
  return records;
}

bool ReadField(const Record& record, std::string_view field, uint64_t& number, int base = 10) {
  const auto found = record.find(field);
  return found != record.end() && ReadNumber(found->second, number, base);
}

// Adds up the messages in comms.rec.
Result<Traffic> TrafficOfRecords(std::string_view text, const std::string& path) {
  std::map<std::pair<uint64_t, uint64_t>, double> bytes;
  uint64_t ranks = 0;
  int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
  for (const Record& record : RecordsOf(text)) {
    uint64_t source = 0, target = 0, size = 0;
    int64_t send_ns = 0, receive_ns = 0;
    const auto send = record.find("SendTime"), receive = record.find("RecvTime");
    if (!ReadField(record, "Src", source) || !ReadField(record, "Dst", target) ||
        !ReadField(record, "Size", size) || send == record.end() || receive == record.end() ||
        !ReadMs(send->second, send_ns) || !ReadMs(receive->second, receive_ns) ||
        source >= kMostRanks || target >= kMostRanks)
      return Status(ErrorCode::kCorrupt,
                    path + ": a record of comms.rec lacks Src, Dst, Size, SendTime or RecvTime");
    bytes[{source, target}] += static_cast<double>(size);
    ranks = std::max({ranks, source + 1, target + 1});
    first_ns = std::min(first_ns, send_ns);
    last_ns = std::max(last_ns, receive_ns);
  }
  if (bytes.empty())
    return Status(ErrorCode::kNotFound, path + ": comms.rec holds no messages between ranks");
  Traffic traffic(ranks);
  for (const auto& [ends, sum] : bytes) traffic.bytes[ends.first * ranks + ends.second] = sum;
  traffic.SetBandwidths(first_ns, last_ns);
  return traffic;
}

struct Input {
  WaitsOfRun received, sent;
  uint64_t messages = 0;
};

Result<Input> UsesOf(const std::string& path) {
  const auto comms_text = StarpuText(path, "comms.rec", "comms");
  if (!comms_text.ok()) return comms_text.status();
  const auto tasks_text = StarpuText(path, "tasks.rec", "tasks");
  if (!tasks_text.ok()) return tasks_text.status();
  std::vector<MessageEnd> received, sent;
  for (const Record& record : RecordsOf(*comms_text)) {
    uint64_t source = 0, target = 0, handle = 0;
    int64_t time_ns = 0;
    const auto send = record.find("SendTime"), receive = record.find("RecvTime");
    if (!ReadField(record, "Src", source) || !ReadField(record, "Dst", target) ||
        send == record.end() || receive == record.end())
      return Status(ErrorCode::kCorrupt, path +
                                             ": a record of comms.rec has no Src, Dst, SendTime "
                                             "or RecvTime");
    if (ReadField(record, "RecvHandle", handle, 16) && ReadMs(receive->second, time_ns))
      received.push_back({static_cast<uint32_t>(target), time_ns, handle});
    if (ReadField(record, "SendHandle", handle, 16) && ReadMs(send->second, time_ns))
      sent.push_back({static_cast<uint32_t>(source), time_ns, handle});
  }
  Input input;
  input.messages = std::max(received.size(), sent.size());
  std::vector<DataUse> uses;
  std::vector<std::string> workers;
  for (const Record& record : RecordsOf(*tasks_text)) {
    const auto start = record.find("StartTime"), handles = record.find("Handles");
    uint64_t rank = 0;
    int64_t start_ns = 0;
    if (record.contains("Control") || start == record.end() || handles == record.end() ||
        !ReadField(record, "MPIRank", rank) || !ReadMs(start->second, start_ns))
      continue;
    const auto worker = record.find("WorkerId");
    const auto task = static_cast<uint32_t>(workers.size());
    workers.push_back(fmt::format("{}-{}", rank, worker == record.end() ? "?" : worker->second));
    for (const std::string_view word : FieldsOf(handles->second, ' ')) {
      uint64_t handle = 0;
      if (ReadNumber(word, handle, 16))
        uses.push_back({static_cast<uint32_t>(rank), handle, start_ns, task});
    }
  }
  for (const bool is_sent : {false, true})
    for (const MessageUse& use : UsesAfter(is_sent ? sent : received, uses))
      (is_sent ? input.sent : input.received)
          .waits.push_back({workers[use.task], use.time_ns, use.until_ns});
  return input;
}

}  // namespace

Status MpiCommMatrix(const TwinArguments& arguments) {
  if (arguments.operands.size() > 1)
    return {ErrorCode::kInvalidArgument,
            "too many arguments: name one input; for several ranks, name their folder"};
  const bool is_png = arguments.Has("-png");
  const auto drawing = DrawingOf(arguments, is_png ? "png" : "pdf");
  if (!drawing.ok()) return drawing.status();
  const std::string& path = arguments.operands[0];
  const auto traffic_of = [&]() -> Result<Traffic> {
    const std::string records = path + "/comms.rec";
    const bool has_records = access(records.c_str(), F_OK) == 0;
    if (IsTrace(path) && !has_records) return TrafficOfTrace(path);
    const auto text = WholeText(has_records ? records : path);
    if (!text.ok()) return text.status();
    return has_records || text->starts_with("Src: ") ? TrafficOfRecords(*text, path)
                                                     : ParseStats(*text, path);
  };
  const auto read = traffic_of();
  if (!read.ok()) return read.status();
  const Traffic& traffic = *read;
  const std::string base = BaseOf(path);
  std::map<std::string, std::string> files;
  for (const bool is_volume : {true, false}) {
    const std::string what = is_volume ? "volume" : "bw";
    const std::vector<double>& values = is_volume ? traffic.bytes : traffic.bytes_per_s;
    files[base + "_" + what + ".data"] = DataOf(traffic, values);
    files[base + "_" + what + ".gp"] = ScriptOf(traffic, base, what, is_png);
    const std::vector<Matrix> matrices{{is_volume ? "bytes" : "bandwidth", PlotQuantity::kBytes,
                                        is_volume ? "" : "/s", traffic.ranks, values}};
    files[base + "_" + what + "_heatmap" + drawing->ending] = drawing->Text(DrawMatrices(
        matrices, drawing->theme, is_volume ? "Bytes between ranks" : "Bandwidth between ranks"));
  }
  return WriteAndName(files);
}

Status SendRecvDataUse(const TwinArguments& arguments) {
  const auto drawing = DrawingOf(arguments, "png");
  if (!drawing.ok()) return drawing.status();
  std::vector<WaitsOfRun> received, sent;
  uint64_t messages = 0;
  for (const std::string& path : arguments.operands) {
    auto input = UsesOf(path);
    if (!input.ok()) return input.status();
    if (arguments.operands.size() > 1) input->received.run = input->sent.run = path;
    messages += input->messages;
    received.push_back(std::move(input->received));
    sent.push_back(std::move(input->sent));
  }
  if (messages == 0)
    return {ErrorCode::kNotFound,
            "no messages between ranks (name the folder with the files of all ranks)"};
  const auto is_empty = [](const WaitsOfRun& run) { return run.waits.empty(); };
  if (std::all_of(received.begin(), received.end(), is_empty) &&
      std::all_of(sent.begin(), sent.end(), is_empty))
    return {ErrorCode::kNotFound, "no task uses data after its communication"};
  // If the only input is a folder, the pictures go there, as with StarPU's script; else to the
  // current folder.
  const std::string& first = arguments.operands[0];
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(first, error);
  const std::string folder = arguments.operands.size() == 1 && is_folder ? BaseOf(first) : ".";
  return WriteAndName(
      {{folder + "/recv_use" + drawing->ending,
        drawing->Text(DrawWaits(received, drawing->theme,
                                "From the reception of data to its use by a task",
                                "from reception to use"))},
       {folder + "/send_use" + drawing->ending,
        drawing->Text(DrawWaits(sent, drawing->theme,
                                "From the sending of data to its next use by a task",
                                "from sending to use"))}});
}

}  // namespace tasklens
