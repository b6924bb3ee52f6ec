// SPDX-License-Identifier: Apache-2.0
// The one object that knows the server, and the JSON library.
#include "tests/server/in_process/in_process.h"

#include <gtest/gtest.h>
#include <sys/time.h>

#include <QAbstractEventDispatcher>
#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

#include "server/handlers/handlers.h"
#include "server/handlers/request.h"
#include "server/protocol/framing.h"
#include "server/protocol/message.h"
#include "server/server.h"
#include "tests/server/in_process/protocol_check.h"

namespace tasklens::testing {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::abort();
}

// The event loop needs one, for the life of the process.
void MakeApplication() {
  static int argc = 1;
  static char name[] = "in_process_test";
  static char* argv[] = {name, nullptr};
  static const auto* const application = new QCoreApplication(argc, argv);
  static_cast<void>(application);
}

json Parsed(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) Die("no JSON: " + text);
  return value;
}

std::string Dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// What is wrong with messages of ours is a failure of the test.
void Report(const std::vector<std::string>& faults) {
  for (const std::string& fault : faults) ADD_FAILURE() << fault;
}

// What a request is about that is one of ours, or a command.
struct Question {
  std::string method;  // "" of a standard request
  json params;
};

Question QuestionOf(std::string_view method, const json& params) {
  if (method.starts_with(kMethodPrefix)) return {std::string(method), params};
  if (method != "workspace/executeCommand" || !params.is_object()) return {};
  const json command = params.value("command", json()), words = params.value("arguments", json());
  if (!command.is_string() || !command.get<std::string>().starts_with(kCommandPrefix)) return {};
  const std::string name = command.get<std::string>().substr(kCommandPrefix.size());
  const bool has_argument = words.is_array() && !words.empty();
  return {std::string(kMethodPrefix) + name, has_argument ? words[0] : json()};
}

// A request that was refused as wrong was meant to be.
bool IsWrong(const json& error) {
  static const std::set<int> kWrong = {kInvalidParams, kMethodNotFound, kInvalidRequest,
                                       kNotInitialized};
  return !error.is_null() && kWrong.contains(error["code"]);
}

json Line(Client::Place place) { return {{"line", place.line}, {"character", place.character}}; }

}  // namespace

// --- Json --------------------------------------------------------------------------------------

Json::Json(const char* text) : Json(std::string(text)) {}
Json::Json(const std::string& text) : Json(Parsed(text)) {}
Json::Json(nlohmann::json value)
    : value_(std::make_shared<const nlohmann::json>(std::move(value))) {}

Json Json::operator[](std::string_view pointer) const {
  if (!value_) return Json();
  const json::json_pointer at{std::string(pointer)};
  return value_->contains(at) || pointer.empty() ? Json((*value_)[at]) : Json();
}

std::vector<Json> Json::Each(std::string_view pointer) const {
  std::vector<Json> each;
  if (value_ && value_->is_array())
    for (const json& element : *value_) each.push_back(Json(element)[pointer]);
  return each;
}

size_t Json::size() const { return value_ && value_->is_structured() ? value_->size() : 0; }

std::string Json::text() const {
  return value_ && value_->is_string() ? value_->get<std::string>() : "";
}

double Json::number() const {
  return value_ && value_->is_number() ? value_->get<double>() : std::nan("");
}

bool Json::operator==(const Json& other) const {
  return value_ && other.value_ ? *value_ == *other.value_ : value_ == other.value_;
}

std::ostream& operator<<(std::ostream& out, const Json& json) {
  return out << (json.exists() ? Dump(json.value()) : "none");
}

Json Text(std::string_view text) { return Json(nlohmann::json(text)); }

std::ostream& operator<<(std::ostream& out, const Failure& failure) {
  return out << failure.code << " " << failure.message;
}

::testing::AssertionResult Has(std::string_view text, std::string_view part) {
  if (text.find(part) != text.npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no '" << part << "' in:\n" << text;
}

// --- Client ------------------------------------------------------------------------------------

struct Client::Running {
  struct Told {
    std::string method;
    json params;
  };

  void OnBytes(std::string_view bytes) {
    for (const Result<std::string>& text : frames.Feed(bytes)) {
      RpcMessage message;
      RpcFailure failure;
      if (!text.ok() || !ParseRpc(*text, message, failure))
        Die("the server wrote what is no message: " + std::string(bytes));
      OnMessage(std::move(message));
    }
  }

  void OnMessage(RpcMessage message) {
    switch (message.kind) {
      case RpcMessage::Kind::kResponse: {
        const int64_t id = message.id.is_number_integer() ? message.id.get<int64_t>() : 0;
        CheckAnswer(id, message);
        if (!answers.emplace(id, std::move(message)).second)
          ADD_FAILURE() << "request " << id << " was answered twice";
        return;
      }
      case RpcMessage::Kind::kNotification:
        if (message.method.starts_with(kMethodPrefix))
          Report(ProtocolCheck::Instance().FaultsOfNotification(message.method, message.params));
        return told.push_back({std::move(message.method), std::move(message.params)});
      case RpcMessage::Kind::kRequest: {
        const auto answer = answers_of_ours.find(message.method);
        // Later, as the server is in the middle of asking.
        to_send.push_back(answer != answers_of_ours.end()
                              ? ResultText(message.id, answer->second)
                              : ErrorText(message.id, RpcError::kMethodNotFound, "not known"));
        asked.push_back({std::move(message.method), std::move(message.params)});
        return;
      }
    }
  }

  void CheckAnswer(int64_t id, const RpcMessage& answer) {
    const auto [method, params] = std::exchange(questions[id], {});
    if (method.empty() || IsWrong(answer.error)) return;
    ProtocolCheck& check = ProtocolCheck::Instance();
    const std::vector<std::string> faults = check.FaultsOfRequest(method, params);
    Report(faults);
    if (faults.empty() && answer.error.is_null())
      Report(check.FaultsOfAnswer(method, answer.result));
  }

  FrameReader frames;
  std::map<int64_t, Question> questions;  // by id
  std::map<int64_t, RpcMessage> answers;  // by id; that of what had none is 0
  std::vector<Told> told, asked;
  std::map<std::string, json> answers_of_ours;
  std::vector<std::string> to_send;
  std::string log;
  int64_t next_id = 1;
  std::unique_ptr<Server> server;
};

Client::Client(Setup setup) : running_(std::make_unique<Running>()) {
  MakeApplication();
  // Nothing of the user's is read or written.
  setenv("HOME", folder().c_str(), 1);
  setenv("XDG_CACHE_HOME", Path(".cache").c_str(), 1);
  running_->server = std::make_unique<Server>(
      Server::Io{
          .write = [this](const std::string& bytes) { running_->OnBytes(bytes); },
          .unread_bytes = [] { return size_t{0}; },
          .exit = [](int) {},
          .log = [this](std::string_view text) { running_->log += std::string(text) + "\n"; }},
      "0");
  if (!setup.initialize) return;
  json params = {{"processId", nullptr},
                 {"rootUri", nullptr},
                 {"workspaceFolders", json::array()},
                 {"capabilities", Parsed(setup.capabilities)},
                 {"initializationOptions", Parsed(setup.settings)}};
  if (setup.has_folder)
    params["workspaceFolders"].push_back({{"uri", "file://" + folder()}, {"name", "w"}});
  Ask("initialize", Json(std::move(params)));
  Tell("initialized", "{}");
}

Client::~Client() = default;

void Client::Write(const std::string& name, std::string_view text) const {
  const fs::path path = Path(name);
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  constexpr timeval kLongAgo[2] = {};
  if (utimes(path.c_str(), kLongAgo) != 0) Die(path.string() + ": its time cannot be set");
}

void Client::Send(std::string_view bytes) { running_->server->OnBytes(bytes); }
const std::string& Client::log() const { return running_->log; }

void Client::SendAnswers() {
  while (!running_->to_send.empty())
    for (const std::string& text : std::exchange(running_->to_send, {})) Send(Frame(text));
}

void Client::RunUntil(const std::function<bool()>& is_done) {
  for (SendAnswers(); !is_done(); SendAnswers())
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
}

bool Client::RunWhileAtWork(const std::function<bool()>& is_done) {
  for (SendAnswers(); !is_done(); SendAnswers()) {
    // Asked first: what threads have done until then is among the events.
    Server& server = *running_->server;
    const bool is_idle = server.IsIdle() && server.runs().Ids().empty();
    const bool has_news =
        QAbstractEventDispatcher::instance()->processEvents(QEventLoop::AllEvents);
    if (is_idle && !has_news) return is_done();
    if (!has_news) std::this_thread::yield();
  }
  return true;
}

int64_t Client::Start(std::string_view method, const Json& params) {
  const int64_t id = running_->next_id++;
  running_->questions[id] = QuestionOf(method, params.value());
  Send(Frame(RequestText(id, method, params.value())));
  return id;
}

bool Client::IsAnswered(int64_t id) const { return running_->answers.contains(id); }

Json Client::AnswerTo(int64_t id) {
  RunUntil([&] { return IsAnswered(id); });
  const RpcMessage& answer = running_->answers.at(id);
  if (answer.error.is_null()) return Json(answer.result);
  ADD_FAILURE() << "refused: " << Dump(answer.error);
  return Json();
}

Failure Client::ErrorTo(int64_t id) {
  RunUntil([&] { return IsAnswered(id); });
  const RpcMessage& answer = running_->answers.at(id);
  if (!answer.error.is_null()) return {answer.error["code"], answer.error["message"]};
  ADD_FAILURE() << "not refused: " << Dump(answer.result).substr(0, 200);
  return {};
}

Json Client::Ask(std::string_view method, const Json& params) {
  SCOPED_TRACE(std::string(method));
  return AnswerTo(Start(method, params));
}

Failure Client::Refused(std::string_view method, const Json& params) {
  SCOPED_TRACE(std::string(method));
  return ErrorTo(Start(method, params));
}

void Client::Tell(std::string_view method, const Json& params) {
  Send(Frame(NotificationText(method, params.value())));
}

std::vector<Json> Client::TakeAll(std::string_view method) {
  std::vector<Json> taken;
  for (const Running::Told& one : running_->told)
    if (one.method == method) taken.push_back(Json(one.params));
  std::erase_if(running_->told, [&](const Running::Told& one) { return one.method == method; });
  return taken;
}

Json Client::Take(std::string_view method) {
  const auto is_it = [&](const Running::Told& one) { return one.method == method; };
  auto& told = running_->told;
  if (!RunWhileAtWork([&] { return std::any_of(told.begin(), told.end(), is_it); })) {
    ADD_FAILURE() << method << " did not come";
    return Json();
  }
  const auto first = std::find_if(told.begin(), told.end(), is_it);
  Json params(std::move(first->params));
  told.erase(first);
  return params;
}

void Client::AnswerWith(std::string_view method, const Json& result) {
  running_->answers_of_ours[std::string(method)] = result.value();
}

std::vector<Json> Client::Asked(std::string_view method) {
  std::vector<Json> taken;
  for (const Running::Told& one : running_->asked)
    if (one.method == method) taken.push_back(Json(one.params));
  std::erase_if(running_->asked, [&](const Running::Told& one) { return one.method == method; });
  return taken;
}

std::string Client::Open(const TestTrace& trace, const std::string& name) {
  WriteTrace(trace, Path(name));
  return OpenFiles({Path(name)});
}

std::string Client::OpenFiles(const std::vector<std::string>& paths) {
  const Json opened = Ask("tasklens/openTrace", Json(json{{"uris", paths}}));
  const std::string trace = opened["/trace"].text();
  if (!trace.empty()) WaitForAnalysis(trace);
  return trace;
}

void Client::WaitForAnalysis(const std::string& trace) {
  RunUntil([&] {
    const auto open = running_->server->session()->Find(trace);
    return !open.ok() || (*open)->insights || !(*open)->no_insights.empty();
  });
}

void Client::OpenDocument(const std::string& name, std::string_view text) {
  Tell("textDocument/didOpen",
       Json(json{
           {"textDocument",
            {{"uri", Uri(name)}, {"languageId", "c"}, {"version", ++version_}, {"text", text}}}}));
}

void Client::Edit(const std::string& name, Place from, Place to, std::string_view text) {
  Tell("textDocument/didChange",
       Json(json{{"textDocument", {{"uri", Uri(name)}, {"version", ++version_}}},
                 {"contentChanges",
                  {{{"range", {{"start", Line(from)}, {"end", Line(to)}}}, {"text", text}}}}}));
}

Json Client::Document(const std::string& name) const {
  return Json(json{{"textDocument", {{"uri", Uri(name)}}}});
}

Json Client::At(const std::string& name, uint32_t line, uint32_t character) const {
  return Json(json{{"textDocument", {{"uri", Uri(name)}}}, {"position", Line({line, character})}});
}

// --- Traces and tables -------------------------------------------------------------------------

namespace {

uint64_t g_clock_ns = 0;

// Plays a trace into a file, each event at its time and on its thread.
class Recorder : public EventSink {
 public:
  Recorder(const std::string& path, bool is_closed) : is_closed_(is_closed) {
    g_clock_ns = kStartNs;
    const Status opened =
        writer_.Open({.path = path, .steady_ticks = false, .clock_ns = [] { return g_clock_ns; }});
    if (!opened.ok()) Die(opened.message());
  }
  ~Recorder() override {
    if (is_closed_)
      if (const Status closed = writer_.Close(); !closed.ok()) Die(closed.message());
    if (writer_.dropped() > 0) Die("events of the trace were dropped");
  }

  StringId Intern(std::string_view text) override {
    const StringId id = strings_.Intern(text);
    if (id != StringId{} && written_.emplace(id).second)
      writer_.AppendString(BufferOf(kMain), static_cast<uint32_t>(id), text, g_clock_ns);
    return id;
  }
  void OnEvent(const Event& event) override {
    g_clock_ns = kStartNs + static_cast<uint64_t>(event.time_ns);
    tlt::ThreadBuffer& buffer = BufferOf(event.tid);
    if (!writer_.AppendEvent(buffer, event.kind, g_clock_ns, event.args))
      Die("an event of the trace cannot be recorded");
    // All threads of the trace are this one.
    reinterpret_cast<tlt::ChunkHeader*>(buffer.chunk)->tid = event.tid;
  }

 private:
  static constexpr uint64_t kStartNs = 1'000'000;

  tlt::ThreadBuffer& BufferOf(uint64_t tid) {
    auto& buffer = buffers_[tid];
    if (!buffer) buffer = std::make_unique<tlt::ThreadBuffer>();
    return *buffer;
  }

  const bool is_closed_;
  std::map<uint64_t, std::unique_ptr<tlt::ThreadBuffer>> buffers_;
  StringPool strings_;
  std::set<StringId> written_;
  tlt::Writer writer_;
};

}  // namespace

void WriteTrace(const TestTrace& trace, const std::string& path, bool close) {
  {
    Recorder recorder(path, close);
    trace.Replay(recorder);
  }
  // The program is called `app`, not as this test.
  std::array<char, sizeof(tlt::FileHeader::program)> program{};
  const std::string app = fs::path(path).parent_path() / "app";
  app.copy(program.data(), program.size() - 1);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(offsetof(tlt::FileHeader, program));
  file.write(program.data(), program.size());
  if (!file.flush()) Die(path + ": cannot be changed");
}

std::string ExampleSource() {
  return R"(#include <starpu.h>
static void alpha_cpu(void *buffers[], void *arg) {}
static void beta_cpu(void *buffers[], void *arg) {}
static struct starpu_codelet alpha_cl = {.cpu_funcs = {alpha_cpu}, .name = "alpha"};
static struct starpu_codelet beta_cl = {.cpu_funcs = {beta_cpu}, .name = "beta"};
static void submit(struct starpu_codelet *cl) {
  starpu_task_insert(cl, 0);
}
int main(void) {
  starpu_task_insert(&alpha_cl, 0);
  /* é𝕏 */ starpu_task_insert(&beta_cl, 0);
  submit(&beta_cl);
  return 0;
}
)";
}

TestTrace ExampleTrace() {
  const auto at = [](uint32_t line, uint32_t worker) {
    return TestTrace::TaskOptions{.worker = worker,
                                  .submit_ns = 0,
                                  .file = "app.c",
                                  .line = line,
                                  .function = "main",
                                  .iteration = line == 10 ? 0 : 1,
                                  .size_bytes = line == 10 ? 0u : 4096u};
  };
  constexpr uint64_t kBlock = 0x1000;
  TestTrace::TaskOptions last = at(11, 1);
  last.tag = 42;
  return TestTrace()
      .Worker("CPU0")
      .Worker("CPU1")
      .Event(0, EventKind::kDataNew, {kBlock, 4096, -1, 0, 0, "vector"})
      .Event(0, EventKind::kDataName, {kBlock, "block"})
      .Task("alpha", 0, 100'000, at(10, 0))
      .Task("alpha", 0, 300'000, at(10, 1))
      .Task("beta", 300'000, 400'000, at(11, 0))
      .Task("beta", 400'000, 1'000'000, last)
      .Event(0, EventKind::kTaskAccess, {3, kBlock, 4096, kAccessRead | kAccessWrite})
      .Event(0, EventKind::kTaskAccess, {4, kBlock, 4096, kAccessRead | kAccessWrite})
      .Dep(1, 3)
      .Dep(2, 3)
      .Dep(3, 4);
}

void OpenExample(Client& client) {
  client.Write("app.c", ExampleSource());
  EXPECT_EQ(client.Open(ExampleTrace()), "t1");
}

std::vector<Method> Methods() {
  std::vector<Method> methods;
  const auto add = [&](const auto& spec) {
    Method method{std::string(spec.method), {}, {}};
    for (const ParameterName& field : spec.fields())  // "item.data.trace" is in the parameter item
      (field.required ? method.needed : method.optional)
          .push_back(field.name.substr(0, field.name.find('.')));
    methods.push_back(std::move(method));
  };
  for (const RequestSpec* spec : Requests()) add(*spec);
  for (const ActionSpec* spec : Actions()) add(*spec);
  return methods;
}

}  // namespace tasklens::testing
