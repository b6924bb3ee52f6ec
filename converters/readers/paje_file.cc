// SPDX-License-Identifier: Apache-2.0
// Parses definitions and words.
#include "converters/readers/paje_file.h"

#include <algorithm>
#include <charconv>

#include "trace/support/words.h"

namespace tasklens {
namespace {

constexpr std::pair<std::string_view, PajeEvent> kEvents[] = {
    {"PajeDefineContainerType", PajeEvent::kDefineContainerType},
    {"PajeDefineEventType", PajeEvent::kDefineEventType},
    {"PajeDefineStateType", PajeEvent::kDefineStateType},
    {"PajeDefineVariableType", PajeEvent::kDefineVariableType},
    {"PajeDefineLinkType", PajeEvent::kDefineLinkType},
    {"PajeDefineEntityValue", PajeEvent::kDefineEntityValue},
    {"PajeCreateContainer", PajeEvent::kCreateContainer},
    {"PajeDestroyContainer", PajeEvent::kDestroyContainer},
    {"PajeNewEvent", PajeEvent::kNewEvent},
    {"PajeSetState", PajeEvent::kSetState},
    {"PajePushState", PajeEvent::kPushState},
    {"PajePopState", PajeEvent::kPopState},
    {"PajeResetState", PajeEvent::kResetState},
    {"PajeSetVariable", PajeEvent::kSetVariable},
    {"PajeAddVariable", PajeEvent::kAddVariable},
    {"PajeSubVariable", PajeEvent::kSubVariable},
    {"PajeStartLink", PajeEvent::kStartLink},
    {"PajeEndLink", PajeEvent::kEndLink},
};

// Includes the names of the first version of the format, which ViTE and pj_dump -n accept.
constexpr std::pair<std::string_view, PajeField> kFields[] = {
    {"Time", PajeField::kTime},
    {"Name", PajeField::kName},
    {"NewName", PajeField::kName},
    {"Alias", PajeField::kAlias},
    {"NewType", PajeField::kAlias},
    {"Type", PajeField::kType},
    {"ContainerType", PajeField::kType},
    {"EntityType", PajeField::kType},
    {"Container", PajeField::kContainer},
    {"Value", PajeField::kValue},
    {"NewValue", PajeField::kAlias},
    {"StartContainer", PajeField::kStartContainer},
    {"SourceContainer", PajeField::kStartContainer},
    {"EndContainer", PajeField::kEndContainer},
    {"DestContainer", PajeField::kEndContainer},
    {"Key", PajeField::kKey},
    // StarPU's.
    {"JobId", PajeField::kJobId},
    {"Resumed", PajeField::kResumed},  // our own
    {"Size", PajeField::kSize},
    {"Footprint", PajeField::kFootprint},
    {"Tag", PajeField::kTag},
    {"GFlop", PajeField::kGFlop},
    {"MPITAG", PajeField::kMpiTag},
    // SimGrid's fields for the source position of the call.
    {"Fname", PajeField::kFile},
    {"Filename", PajeField::kFile},
    {"Lname", PajeField::kLine},
    {"Linenumber", PajeField::kLine},
    {"Handle", PajeField::kHandle},
};

// Takes the next word off `line`: up to a blank, or between quotes.
std::optional<std::string_view> Word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  if (line.empty()) return std::nullopt;
  const bool quoted = line[0] == '"';
  const size_t begin = quoted ? 1 : 0;
  const size_t end = quoted ? line.find('"', 1) : line.find_first_of(kBlanks);
  const std::string_view word = line.substr(begin, end == line.npos ? end : end - begin);
  line.remove_prefix(end == line.npos ? line.size() : end + 1);
  return word;
}

class Reader {
 public:
  Reader(const Source& source, Progress* progress, Diagnostics& diags,
         const std::function<void(const PajeLine&)>& f)
      : source_(source), progress_(progress), diags_(diags), f_(f) {}

  Status Read() {
    const auto bytes = source_.bytes();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    constexpr size_t kReportBytes = size_t{1} << 20;
    size_t reported = 0;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      Line(text.substr(begin, end - begin), begin);
      begin = std::min(end + 1, text.size());
      if (begin - reported < kReportBytes && begin < text.size()) continue;
      source_.Forget(reported, begin);
      reported = begin;
      if (progress_ != nullptr && !progress_->Report(begin, text.size()))
        return {ErrorCode::kCancelled, source_.path() + ": reading was stopped"};
    }
    if (definitions_.empty())
      return {ErrorCode::kCorrupt,
              source_.path() + ": no complete Paje definition ('%EventDef NAME NUMBER')"};
    return Status::Ok();
  }

 private:
  struct Definition {
    PajeEvent event = PajeEvent::kUnknown;
    std::vector<PajeField> fields;  // kCount: a field that the reader does not use
  };

  void Line(std::string_view line, uint64_t offset) {
    const size_t begin = line.find_first_not_of(kBlanks);
    if (begin == line.npos || line[begin] == '#') return;
    if (line[begin] == '%') return DefinitionLine(line.substr(begin + 1), offset);
    const std::optional<std::string_view> number = Word(line);
    const auto definition = definitions_.find(number.value_or(""));
    if (definition == definitions_.end()) return Skip("paje_bad_line", offset);
    Event(definition->second, line, offset);
  }

  void DefinitionLine(std::string_view line, uint64_t offset) {
    const std::optional<std::string_view> first = Word(line);
    if (!first || *first == "EndEventDef") {
      open_ = nullptr;
    } else if (*first == "EventDef") {
      const auto name = Word(line), number = Word(line);
      open_ = nullptr;
      if (!number) return Skip("paje_bad_line", offset);
      open_ = &definitions_[std::string(*number)];
      *open_ = {};
      for (const auto& [known, event] : kEvents)
        if (known == *name) open_->event = event;
      if (open_->event == PajeEvent::kUnknown) Skip("paje_unknown_event", offset);
    } else if (open_ != nullptr) {
      PajeField field = PajeField::kCount;
      for (const auto& [known, meaning] : kFields)
        if (known == *first) field = meaning;
      open_->fields.push_back(field);
    } else {
      Skip("paje_bad_line", offset);
    }
  }

  void Event(const Definition& definition, std::string_view words, uint64_t offset) {
    if (definition.event == PajeEvent::kUnknown) return;  // was reported at its definition
    PajeLine line{definition.event, offset, {}};
    for (const PajeField field : definition.fields) {
      const std::optional<std::string_view> word = Word(words);
      if (!word) return Skip("paje_bad_line", offset);
      if (field != PajeField::kCount) line.fields[static_cast<size_t>(field)] = *word;
    }
    f_(line);
  }

  void Skip(std::string_view kind, uint64_t offset) {
    diags_.Skip(kind, source_.path() + ": byte " + std::to_string(offset));
  }

  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  const Source& source_;
  Progress* const progress_;
  Diagnostics& diags_;
  const std::function<void(const PajeLine&)>& f_;
  std::unordered_map<std::string, Definition, Hash, std::equal_to<>> definitions_;  // by number
  Definition* open_ = nullptr;
};

}  // namespace

bool IsPaje(std::string_view head) {
  while (!head.empty()) {
    std::string_view line = Trimmed(TakeUpTo('\n', head));
    if (line.empty() || line[0] == '#') continue;
    return Take("%", line) && Word(line).value_or("") == "EventDef";
  }
  return false;
}

Status ReadPajeLines(const Source& source, Progress* progress, Diagnostics& diags,
                     const std::function<void(const PajeLine&)>& f) {
  return Reader(source, progress, diags, f).Read();
}

}  // namespace tasklens
