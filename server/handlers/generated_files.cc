// SPDX-License-Identifier: Apache-2.0
// Parses records, nodes and events line by line.
#include "server/handlers/generated_files.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "server/handlers/client_uri.h"
#include "server/handlers/source_lookup.h"
#include "server/sources/foreign_file.h"
#include "server/sources/source_lexer.h"
#include "trace/support/read_number.h"

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxWholeBytes = uintmax_t{16} << 20;
constexpr std::string_view kSubmittedAt = " was submitted at ";
constexpr size_t kPieceBytes = size_t{1} << 20;
constexpr size_t kFirstLineBytes = 200;
constexpr uint32_t kAround = 500;  // lines before and after a line that its record may span

// Parses the number at the beginning of the text; 0 if there is none.
uint32_t NumberOf(std::string_view text) {
  uint32_t number = 0;
  ReadNumber(text, number);
  return number;
}

// Returns the value of "Name: value", or "" for other lines.
std::string_view ValueOf(std::string_view line, std::string_view name) {
  if (!line.starts_with(name) || line.substr(name.size(), 2) != ": ") return "";
  return line.substr(name.size() + 2);
}

// True for a line such as "0.048590259 0/3 task_submit: ...", as `tasklens print` writes.
bool IsEvent(std::string_view line) {
  const size_t time_end = line.find_first_not_of("0123456789.");
  if (time_end == 0 || time_end == line.npos || line[time_end] != ' ') return false;
  const size_t slash = line.find_first_not_of("0123456789", time_end + 1);
  if (slash == line.npos || slash == time_end + 1 || line[slash] != '/') return false;
  const size_t thread_end = line.find_first_not_of("0123456789", slash + 1);
  return thread_end != line.npos && thread_end > slash + 1 && line[thread_end] == ' ' &&
         line.find(": ", thread_end) != line.npos;
}

// The words of a line of a Pajé trace: separated by blanks, or quoted.
std::vector<std::string_view> PajeWords(std::string_view line) {
  std::vector<std::string_view> words;
  for (size_t at = line.find_first_not_of(" \t"); at < line.size();
       at = line.find_first_not_of(" \t", at)) {
    const bool is_quoted = line[at] == '"';
    const size_t begin = at + is_quoted;
    const size_t end = std::min(line.find_first_of(is_quoted ? "\"" : " \t", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    at = std::min(end + is_quoted, line.size());
  }
  return words;
}

// "12", or "1_12" with its rank.
std::optional<JobName> ParseJob(std::string_view text) {
  JobName job;
  if (const size_t bar = text.find('_'); bar != text.npos) {
    if (!ReadNumber(text.substr(0, bar), job.rank)) return std::nullopt;
    text.remove_prefix(bar + 1);
  }
  if (!ReadNumber(text, job.id)) return std::nullopt;
  return job;
}

// A job and the columns of its line that name it.
struct JobPlace {
  JobName job;
  size_t begin, end;
};

std::optional<JobPlace> JobPlaceAt(std::string_view line, std::string_view word) {
  const auto job = ParseJob(word);
  if (!job) return std::nullopt;
  const auto begin = static_cast<size_t>(word.data() - line.data());
  return JobPlace{*job, begin, begin + word.size()};
}

// Finds jobs in Pajé events: the field JobId, whose position the definitions at the beginning of
// the file give.
class PajeJobs {
 public:
  // Returns false if the line is not a definition.
  bool Define(std::string_view line) {
    const std::vector<std::string_view> words = PajeWords(line);
    if (words.empty() || !words[0].starts_with('%')) return words.empty();
    if (words[0] == "%EventDef") {
      event_ = words.size() > 2 ? std::string(words[2]) : "";
      field_ = 0;
    } else if (words[0] == "%" && words.size() > 1) {
      ++field_;
      if (words[1] == "JobId") field_of_[event_] = field_;
    }
    return true;
  }

  std::optional<JobPlace> Find(std::string_view line) const {
    const std::vector<std::string_view> words = PajeWords(line);
    const auto field = words.empty() ? field_of_.end() : field_of_.find(std::string(words[0]));
    if (field == field_of_.end() || field->second >= words.size()) return std::nullopt;
    return JobPlaceAt(line, words[field->second]);
  }

 private:
  std::string event_;
  size_t field_ = 0;
  std::map<std::string, size_t> field_of_;  // by event number
};

// "0.04 1/3 task_start: worker 1 starts task 12 (...)": task 12 of rank 1.
std::optional<JobPlace> JobOfEvent(std::string_view line) {
  const size_t text = line.find(": ");
  if (!IsEvent(line) || text == line.npos) return std::nullopt;
  const size_t task = line.find(" task ", text);
  if (task == line.npos) return std::nullopt;
  const size_t begin = task + 6;
  const size_t end = std::min(line.find_first_not_of("0123456789", begin), line.size());
  std::optional<JobPlace> place = JobPlaceAt(line, line.substr(begin, end - begin));
  if (place) place->job.rank = NumberOf(line.substr(line.find(' ') + 1));
  return place;
}

class Finder {
 public:
  Finder(const Text& text, GeneratedKind kind, PositionEncoding encoding, size_t most,
         const PrvLabels& labels)
      : text_(text), kind_(kind), encoding_(encoding), most_(most), labels_(labels) {}

  std::vector<SourceMention> Find() {
    // A file name waits for the line number, which follows later in its record.
    bool is_waiting = false;
    for (uint32_t row = 0; row < text_.line_count(); ++row) {
      if (mentions_.size() == most_ && !is_waiting) break;
      const std::string_view line = text_.Line(row);
      if (line.empty()) is_waiting = false;
      if (kind_ == GeneratedKind::kParaverLabels) {
        AddLabel(row, line);
        continue;
      }
      if (kind_ == GeneratedKind::kParaver) {
        if (auto place = PlaceInRecord(line, labels_))
          Add(row, place->begin, place->end, std::move(place->file), place->line);
        continue;
      }
      if (kind_ == GeneratedKind::kPaje) {
        if (!paje_.Define(line)) AddJob(row, paje_.Find(line));
        continue;
      }
      if (const std::string_view file = ValueOf(line, "File"); !file.empty()) {
        if (mentions_.size() == most_) break;
        Add(row, 6, line.size(), std::string(file), 0);
        is_waiting = true;
      } else if (const std::string_view number = ValueOf(line, "Line");
                 !number.empty() && is_waiting) {
        mentions_.back().line = NumberOf(number);
        is_waiting = false;
      } else if (const size_t at = line.find("href=\""); at != line.npos) {
        AddHref(row, line, at + 6);
      } else if (const size_t place = line.find(kSubmittedAt);
                 place != line.npos && line.find(" task_site: ") < place) {
        AddPlace(row, line, place + kSubmittedAt.size());
      } else if (kind_ == GeneratedKind::kEvents) {
        AddJob(row, JobOfEvent(line));
      }
    }
    return std::move(mentions_);
  }

 private:
  // "chol.c:12 in main" at `begin`.
  void AddPlace(uint32_t row, std::string_view line, size_t begin) {
    const size_t end = std::min(line.rfind(" in "), line.size());
    const size_t colon = line.rfind(':', end);
    if (colon == line.npos || colon <= begin) return;
    Add(row, begin, end, std::string(line.substr(begin, colon - begin)),
        NumberOf(line.substr(colon + 1)));
  }

  // "2 42 (chol.c, /path/chol.c)".
  void AddLabel(uint32_t row, std::string_view line) {
    const auto label = ParseParaverLabel(line);
    if (!label) return;
    const auto place = PlaceInLabel(label->label);
    if (!place) return;
    const auto begin = static_cast<size_t>(label->label.data() - line.data());
    Add(row, begin + place->begin, begin + place->end, place->file, place->line);
  }

  void AddHref(uint32_t row, std::string_view line, size_t begin) {
    size_t end = begin;
    while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
    const std::string target = Unescaped(line.substr(begin, std::min(end, line.size()) - begin));
    const size_t hash = target.rfind('#');
    if (hash == target.npos || end > line.size()) return;
    Add(row, begin, end, target.substr(0, hash), NumberOf(target.substr(hash + 1)));
  }

  void Add(uint32_t row, size_t begin, size_t end, std::string file, uint32_t number) {
    const std::string_view line = text_.Line(row);
    mentions_.push_back({{{row, ColumnsOf(line.substr(0, begin), encoding_)},
                          {row, ColumnsOf(line.substr(0, end), encoding_)}},
                         std::move(file),
                         number,
                         {}});
  }
  void AddJob(uint32_t row, const std::optional<JobPlace>& place) {
    if (!place) return;
    Add(row, place->begin, place->end, "", 0);
    mentions_.back().job = place->job;
  }

  const Text& text_;
  const GeneratedKind kind_;
  const PositionEncoding encoding_;
  const size_t most_;
  const PrvLabels& labels_;
  PajeJobs paje_;
  std::vector<SourceMention> mentions_;
};

// Consecutive lines of a file.
struct Window {
  std::shared_ptr<const Text> text;
  uint32_t first = 0;  // line number of the first line
};

// Returns lines `first` to `last` of a file, at most kMaxWholeBytes; kNotFound if the file is
// shorter.
Result<Window> ReadWindow(const std::string& path, uint32_t first, uint32_t last, Stop stop) {
  const Result<ForeignFile> file = ForeignFile::Open(path);
  if (!file.ok()) return file.status();
  std::string piece(kPieceBytes, '\0'), kept;
  uint64_t at = 0;
  uint32_t line = 0;
  while (line <= last && kept.size() < kMaxWholeBytes) {
    if (Stopped(stop)) return Cancelled();
    const Result<size_t> got = file->Read(at, piece);
    if (!got.ok()) return got.status();
    if (*got == 0) break;
    at += *got;
    std::string_view rest(piece.data(), *got);
    while (!rest.empty() && line <= last) {
      const size_t end = rest.find('\n');
      const size_t length = end == rest.npos ? rest.size() : end + 1;
      if (line >= first) kept += rest.substr(0, length);
      rest.remove_prefix(length);
      line += end != rest.npos && length == end + 1;
    }
  }
  if (line < first) return Status(ErrorCode::kNotFound, path + ": has no such line");
  return Window{std::make_shared<const Text>(std::move(kept)), first};
}

// Returns the lines around `line`, or all lines if the file is small or open.
Result<Window> WindowAround(const Session& session, const std::string& path, uint32_t line,
                            Stop stop) {
  std::error_code error;
  if (session.FindDocument(path) || fs::file_size(path, error) <= kMaxWholeBytes || error) {
    const auto text = TextOf(session, path);
    if (!text.ok()) return text.status();
    return Window{*text, 0};
  }
  const uint32_t first = line > kAround ? line - kAround : 0;
  return ReadWindow(path, first, line + std::min(kAround, UINT32_MAX - line), stop);
}

// Returns the lines at the beginning that define events.
std::string PajeDefinitions(const Text& text) {
  std::string definitions;
  for (uint32_t row = 0; row < text.line_count(); ++row) {
    const std::string_view line = text.Line(row);
    if (!line.empty() && !line.starts_with('%')) break;
    definitions += std::string(line) + "\n";
  }
  return definitions;
}

// The open trace of the generated file `path`: the trace in its folder, else the newest; nullptr if
// no trace is open.
std::shared_ptr<const OpenTrace> TraceOf(const Session& session, const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::path(path).parent_path(), error);
  for (auto it = session.traces.rbegin(); it != session.traces.rend(); ++it)
    if (fs::weakly_canonical((*it)->Folder(), error) == folder) return *it;
  return session.traces.empty() ? nullptr : session.traces.back();
}

// Returns the beginning of the first line of a file.
std::string FirstLineOf(const Session& session, const std::string& path) {
  if (const auto document = session.FindDocument(path))
    return std::string(document->text.Line(0).substr(0, kFirstLineBytes));
  const Result<ForeignFile> file = ForeignFile::Open(path);
  return file.ok() ? file->ReadBytes(0, std::min<uint64_t>(file->bytes(), kFirstLineBytes)) : "";
}

// The sections of a .pcf; in EVENT_TYPE each group of types, up to the next one.
std::vector<GeneratedPart> FindSections(const Text& text, size_t most) {
  std::vector<GeneratedPart> parts;
  for (uint32_t row = 0; row < text.line_count(); ++row) {
    const std::string_view line = text.Line(row);
    if (IsParaverSection(line)) {
      if (parts.size() == most) break;
      parts.push_back({std::string(line), "", row, row});
    } else if (!parts.empty() && !line.empty()) {
      GeneratedPart& part = parts.back();
      part.last = row;
      if (part.name != "EVENT_TYPE" || part.first + 1 != row) continue;
      // A group is named after its first type: colour, type, name.
      const auto colour = ParseParaverLabel(line);
      const auto type = colour ? ParseParaverLabel(colour->label) : colour;
      if (!type) continue;
      part.name = type->label;
      part.detail = "event type " + std::to_string(type->number);
    }
  }
  return parts;
}

// Returns the text between the single quotes of a line; "" if there is none.
std::string Quoted(std::string_view line) {
  const size_t begin = line.find('\''), end = line.rfind('\'');
  return begin < end ? std::string(line.substr(begin + 1, end - begin - 1)) : "";
}

// Adds the part that begins on line `row` of a list of events. `names`: names of tasks read so far.
void AddEvent(const Text& text, uint32_t row, std::vector<GeneratedPart>& parts,
              std::map<std::string, std::string>& names) {
  const std::string_view line = text.Line(row);
  if (!IsEvent(line)) return;
  // "0/3": the rank and the thread.
  const auto thread_of = [](std::string_view event) {
    const size_t begin = event.find(' ');
    return IsEvent(event) ? event.substr(begin, event.find(' ', begin + 1) - begin) : "";
  };
  const std::string_view thread = thread_of(line);
  if (row == 0 || thread_of(text.Line(row - 1)) != thread) {
    GeneratedPart fold{"", "", row, row, false};
    while (thread_of(text.Line(fold.last + 1)) == thread) ++fold.last;
    if (fold.last > row) parts.push_back(std::move(fold));
  }
  const auto job = JobOfEvent(line);
  const std::string key =
      job ? std::to_string(job->job.rank) + "_" + std::to_string(job->job.id) : "";
  if (job && line.find(" task_name: ") != line.npos) {
    names[key] = Quoted(line);
  } else if (job && line.find(" task_start: ") != line.npos) {
    const std::string number = "task " + std::to_string(job->job.id);
    const auto known = names.find(key);
    parts.push_back({known == names.end() ? number : known->second, number, row, row});
  } else if (line.find(" worker_new: ") != line.npos) {
    parts.push_back({Quoted(line), "worker", row, row});
  }
}

}  // namespace

GeneratedKind KindOf(const Session& session, const std::string& path) {
  const fs::path extension = fs::path(path).extension();
  if (extension == ".rec") return GeneratedKind::kRecords;
  if (extension == ".dot") return GeneratedKind::kGraph;
  if (extension == ".trace") return GeneratedKind::kPaje;
  if (extension == ".events") return GeneratedKind::kEvents;
  if (extension == ".prv") return GeneratedKind::kParaver;
  if (extension == ".pcf") return GeneratedKind::kParaverLabels;
  if (extension != ".txt") return GeneratedKind::kNone;
  return IsEvent(FirstLineOf(session, path)) ? GeneratedKind::kEvents : GeneratedKind::kNone;
}

Result<std::shared_ptr<const Text>> BeginningOf(const Session& session, const std::string& path,
                                                Stop stop) {
  std::error_code error;
  if (session.FindDocument(path) || fs::file_size(path, error) <= kMaxWholeBytes || error)
    return TextOf(session, path);
  Result<Window> window = ReadWindow(path, 0, UINT32_MAX, stop);
  if (!window.ok()) return window.status();
  return window->text;
}

std::vector<SourceMention> FindMentions(const Text& text, GeneratedKind kind,
                                        PositionEncoding encoding, size_t most,
                                        const PrvLabels& labels) {
  return Finder(text, kind, encoding, most, labels).Find();
}

PrvLabels LabelsOf(const Session& session, const std::string& path, Stop stop) {
  PrvLabels labels;
  if (KindOf(session, path) != GeneratedKind::kParaver) return labels;
  const auto text = BeginningOf(session, fs::path(path).replace_extension(".pcf").string(), stop);
  if (text.ok()) ReadPcf((*text)->text(), labels);
  return labels;
}

MentionLocator::MentionLocator(const Session& session, std::string generated)
    : session_(session), generated_(std::move(generated)), trace_(TraceOf(session_, generated_)) {}

Result<Named> MentionLocator::Locate(const SourceMention& mention) {
  if (mention.file.empty()) return LocateJob(mention.job);
  auto it = paths_.find(mention.file);
  if (it == paths_.end()) it = paths_.emplace(mention.file, PathOf(mention.file)).first;
  if (!it->second.ok()) return it->second.status();
  return LocateLine(*it->second, mention.line);
}

Result<std::string> MentionLocator::PathOf(const std::string& file) {
  std::vector<fs::path> candidates = {fs::path(generated_).parent_path() / file};
  for (const std::string& root : session_.roots.folders)
    candidates.push_back(fs::path(root) / file);
  for (const fs::path& candidate : candidates) {
    std::error_code error;
    const fs::path real = fs::canonical(candidate, error);
    if (!error && fs::is_regular_file(real, error) && session_.roots.Contains(real.string()))
      return real.string();
  }
  // If the tree was moved since, the sources are those that the trace found.
  if (trace_)
    for (const SourceMap::File& known : trace_->sources->Files())
      if (!known.path.empty() && session_.roots.Contains(known.path) &&
          fs::path(known.name).lexically_normal() == fs::path(file).lexically_normal())
        return known.path;
  return Status(ErrorCode::kNotFound, file + ": no such file in the workspace");
}

Named MentionLocator::LocateLine(const std::string& path, uint32_t line) {
  Named named;
  uint32_t now = line > 0 ? line - 1 : 0;
  named.trace = trace_;
  if (trace_ && trace_->sources->SitesIn(path).empty()) named.trace = TraceOfFile(session_, path);
  if (const OpenTrace* trace = named.trace.get()) {
    const auto it = lines_.try_emplace(trace, session_, *trace).first;
    const PresentLines::Line present = it->second.In(path).Of(now);
    now = present.line;
    named.remark = PresentLines::Remark(present.state);
    for (const uint32_t site : trace->sources->SitesIn(path))
      if (trace->model->sites.line[site] == line) named.sites.push_back(site);
  }
  named.source = {ClientUri(session_, path), RangeOfLine(session_, path, now)};
  return named;
}

Result<Named> MentionLocator::LocateJob(const JobName& job) {
  if (!trace_)
    return Status(ErrorCode::kNotFound, generated_ + ": no trace is open in which to look up job " +
                                            std::to_string(job.id));
  const TraceModel& model = *trace_->model;
  for (uint32_t rank = 0; rank < model.ranks.size(); ++rank) {
    // With one rank, its number does not matter.
    if (job.rank != UINT32_MAX && model.ranks.size() > 1 &&
        static_cast<uint32_t>(model.ranks.rank[rank]) != job.rank)
      continue;
    const uint32_t task = model.FindTask(rank, job.id);
    if (task == kNone || model.tasks.site[task] >= model.sites.size()) continue;
    const uint32_t site = model.tasks.site[task];
    const auto it = lines_.try_emplace(trace_.get(), session_, *trace_).first;
    Result<LinesOfTrace::Place> place = it->second.Locate(site);
    if (!place.ok()) return place.status();
    return Named{
        std::move(place->location), trace_, task, {site}, PresentLines::Remark(place->state)};
  }
  return Status(ErrorCode::kNotFound, generated_ + ": the trace " + trace_->id +
                                          " has no line for job " + std::to_string(job.id));
}

Result<Named> SourceNamedAt(const Session& session, const std::string& path, uint32_t line,
                            Stop stop) {
  const Result<Window> window = WindowAround(session, path, line, stop);
  if (!window.ok()) return window.status();
  const Text& text = *window->text;
  const uint32_t row = line - window->first;
  if (row >= text.line_count()) return Status(ErrorCode::kNotFound, path + ": has no such line");
  const GeneratedKind kind = KindOf(session, path);
  // A record is the text between two empty lines; in other formats it is one line.
  uint32_t begin = row, end = row;
  const bool is_record = kind == GeneratedKind::kRecords && !text.Line(row).empty();
  while (is_record && begin > 0 && !text.Line(begin - 1).empty()) --begin;
  while (is_record && end + 1 < text.line_count() && !text.Line(end + 1).empty()) ++end;
  std::string record;
  for (uint32_t at = begin; at <= end; ++at) record += std::string(text.Line(at)) + "\n";
  if (kind == GeneratedKind::kPaje) {
    const auto header = BeginningOf(session, path, stop);
    if (!header.ok()) return header.status();
    record = PajeDefinitions(**header) + record;
  }
  const auto mentions =
      FindMentions(Text(record), kind, session.encoding, 1, LabelsOf(session, path, stop));
  if (mentions.empty()) return Status(ErrorCode::kNotFound, path + ": no source is named here");
  return MentionLocator(session, path).Locate(mentions[0]);
}

std::string ParaverTextAt(const Session& session, const std::string& path, uint32_t line,
                          Stop stop) {
  const Result<Window> window = WindowAround(session, path, line, stop);
  if (!window.ok()) return "";
  return ParaverText(window->text->Line(line - window->first), FirstLineOf(session, path),
                     LabelsOf(session, path, stop));
}

std::vector<GeneratedPart> FindParts(const Text& text, GeneratedKind kind, size_t most) {
  if (kind == GeneratedKind::kParaverLabels) return FindSections(text, most);
  std::vector<GeneratedPart> parts;
  std::map<std::string, std::string> names;  // of tasks, by job
  for (uint32_t row = 0; row < text.line_count() && parts.size() < most; ++row) {
    const std::string_view line = text.Line(row);
    if (kind == GeneratedKind::kRecords && !line.empty()) {
      GeneratedPart part{"", "", row, row};
      for (; row < text.line_count() && !text.Line(row).empty(); ++row) {
        const std::string_view field = text.Line(row);
        part.last = row;
        for (const std::string_view name : {"Name", "Model", "EventName"})
          if (part.name.empty()) part.name = ValueOf(field, name);
        if (part.detail.empty()) part.detail = ValueOf(field, "JobId");
      }
      if (part.name.empty()) part.name = text.Line(part.first);
      parts.push_back(std::move(part));
    } else if (kind == GeneratedKind::kGraph) {
      const size_t label = line.find("label=\"");
      if (label == line.npos) continue;
      const size_t end = line.find('"', label + 7), name = line.find('"');
      if (end == line.npos || name >= label) continue;
      parts.push_back({Unescaped(line.substr(label + 7, end - label - 7)),
                       std::string(line.substr(name + 1, line.find('"', name + 1) - name - 1)), row,
                       row});
    } else if (kind == GeneratedKind::kPaje && line.starts_with("%EventDef")) {
      GeneratedPart part{"", "event definition", row, row};
      const std::vector<std::string_view> words = PajeWords(line);
      if (words.size() > 1) part.name = words[1];
      while (row + 1 < text.line_count() && !text.Line(row).starts_with("%EndEventDef")) ++row;
      part.last = row;
      parts.push_back(std::move(part));
    } else if (kind == GeneratedKind::kEvents) {
      AddEvent(text, row, parts, names);
    } else if (kind == GeneratedKind::kParaver && line.starts_with('#')) {
      // A header or comment line; records have no names.
      parts.push_back({std::string(line), "", row, row});
    }
  }
  return parts;
}

}  // namespace tasklens
