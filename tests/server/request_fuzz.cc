// SPDX-License-Identifier: Apache-2.0
// Every request with parameters of every kind, on a real trace, its source and what StarPU's tool
// makes of it: answered with a result or one line, and never by a defect of ours.
//
// An input is a method, a line end, and its parameters. What the table of requests names is known
// to the mutator, so a new request is fuzzed from its first day. Actions, which change the server
// and start programs, are in hostile_test.py.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "server/handlers/request.h"
#include "server/protocol/fields.h"
#include "server/protocol/message.h"
#include "server/protocol/uri.h"
#include "server/traces/insights.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace tasklens {
namespace {

namespace fs = std::filesystem;

constexpr const char* kData = "tests/data/starpu/";
// What a client may have open: the traced source, and files that name it.
constexpr const char* kDocuments[] = {
    "src/cholesky.c",
    "cholesky_lws/reference/tasks.rec",
    "cholesky_lws/reference/dag.dot",
    "cholesky_lws/reference/paje.trace",
};

[[noreturn]] void Defect(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

// The session of a client that has opened a trace and all documents.
struct Scene {
  Session session;
  std::vector<std::string> uris;

  Scene() {
    setenv("PATH", "/nonexistent", 1);  // no programs are asked
    const std::string trace = std::string(kData) + "cholesky_lws/prof_file_0";
    session.roots.Add(std::string(kData) + "src");
    const Result<std::shared_ptr<OpenTrace>> open = LoadTrace({trace}, {.roots = session.roots});
    if (!open.ok()) Defect(open.status().message());
    (*open)->id = "t1";
    (*open)->insights = std::make_shared<const Insights>(*(*open)->model, *(*open)->views);
    session.traces = {*open};
    for (const char* name : kDocuments) AddDocument(kData + std::string(name));
  }

  void AddDocument(const std::string& name) {
    Document document;
    document.path = fs::canonical(name).string();
    document.uri = UriOfPath(document.path);
    std::ifstream file(document.path, std::ios::binary);
    document.text = Text(std::string(std::istreambuf_iterator<char>(file), {}));
    uris.push_back(document.uri);
    session.documents[DocumentKey(document.uri)] = std::make_shared<const Document>(document);
  }
};

const Scene& TheScene() {
  static const Scene* scene = new Scene;
  return *scene;
}

struct Input {
  const RequestSpec* request = nullptr;
  json params;
};

// False when the bytes name no request or hold no JSON of a depth that the envelope lets through.
bool Read(std::string_view bytes, Input& input) {
  const size_t end = bytes.find('\n');
  if (end == bytes.npos) return false;
  for (const RequestSpec* request : Requests())
    if (request->method == bytes.substr(0, end)) input.request = request;
  RpcMessage message;
  RpcFailure failure;
  const std::string text = R"({"jsonrpc":"2.0","id":1,"method":"m","params":)" +
                           std::string(bytes.substr(end + 1)) + "}";
  if (!input.request || !ParseRpc(text, message, failure)) return false;
  input.params = std::move(message.params);
  return true;
}

std::string Written(const Input& input) {
  return std::string(input.request->method) + "\n" +
         input.params.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Changes parameters, one part at a time.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  // A request with all its parameters.
  Input Fresh() {
    Input input{Requests()[Below(Requests().size())], json::object()};
    for (const Fields::Name& field : input.request->fields()) {
      const std::string name = field.name.substr(0, field.name.find('.'));
      if (field.required || Below(2) == 0) input.params[name] = Likely(name);
    }
    return input;
  }

  void Change(json& value) {
    if (value.is_structured() && !value.empty() && Below(4) != 0) {
      auto member = value.begin();
      std::advance(member, Below(value.size()));
      if (Below(12) == 0) return static_cast<void>(value.erase(member));
      return Change(*member);
    }
    value = Below(2) == 0 ? Strange() : Near(value);
  }

 private:
  size_t Below(size_t count) {
    return std::uniform_int_distribution<size_t>(0, count - 1)(random_);
  }

  json Place() { return {{"line", Below(400)}, {"character", Below(40)}}; }

  // What requests expect under such a name, as far as the name says it.
  json Likely(const std::string& name) {
    const std::string& uri = TheScene().uris[Below(TheScene().uris.size())];
    if (name == "textDocument") return {{"uri", uri}};
    if (name == "uri") return uri;
    if (name == "position") return Place();
    if (name == "range") return {{"start", Place()}, {"end", Place()}};
    if (name == "item") return {{"data", {{"trace", "t1"}, {"site", Below(8)}}}};
    if (name == "trace") return "t1";
    if (name == "traces") return {"t1", "t1"};
    static const json kValues = json::parse(R"([
        "codelet", "site", "worker", "kind", "state", "iteration", "levels", "data", "time",
        "graphviz", "duration", "waiting", "slack", "potrf", "#3", "", 0, 1, 7, 100, 1e6, true,
        false, ["codelet"], ["iteration", "codelet"], ["site", "worker"], [], [0, 1, 2]])");
    return kValues[Below(kValues.size())];
  }

  json Strange() {
    static const json kValues = json::parse(R"([
        null, true, -1, 2147483648, 4294967295, 9223372036854775807, -9223372036854775808,
        18446744073709551615, 1e308, -0.5, "", "t2", "é𝕏\u0000", "../../etc/passwd",
        "file:///etc/passwd", [], [[]], {}, {"a": null}, ["t1", "t1"], [1, "1", null]])");
    if (Below(20) == 0) return std::string(5000, 'a');
    return kValues[Below(kValues.size())];
  }

  json Near(const json& value) {
    if (value.is_number_integer()) {
      // Edges of tables are where mistakes are.
      const int64_t number = value.get<int64_t>();
      const int64_t steps[] = {1, -1, 50, -50, 1'000'000};
      return static_cast<int64_t>(static_cast<uint64_t>(number) +
                                  static_cast<uint64_t>(steps[Below(std::size(steps))]));
    }
    if (value.is_array()) {
      json longer = value;
      longer.push_back(Likely(""));
      return longer;
    }
    if (!value.is_string()) return Likely("");
    std::string text = value.get<std::string>();
    const size_t size = text.size();
    text.resize(size + 16);
    text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(text.data()), size, text.size()));
    return text;
  }

  std::minstd_rand random_;
};

}  // namespace
}  // namespace tasklens

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace tasklens;  // NOLINT
  Mutator mutator(seed);
  Input input;
  if (Read({reinterpret_cast<const char*>(data), size}, input) && seed % 16 != 0) {
    mutator.Change(input.params);
  } else {
    input = mutator.Fresh();
  }
  const std::string text = Written(input);
  if (text.size() > max_size) return size;
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tasklens;  // NOLINT
  Input input;
  if (!Read({reinterpret_cast<const char*>(data), size}, input)) return 0;
  const Call call([](const Result<Call::Written>&, RpcError) {});
  const Result<json> result = input.request->Handle(TheScene().session, input.params, call);
  const RpcError code = RpcErrorOf(result.status().code());
  const std::string text =
      result.ok() ? ResultText(1, *result) : ErrorText(1, code, result.status().message());
  RpcMessage answer;
  RpcFailure failure;
  if (!ParseRpc(text, answer, failure)) Defect(failure.message);
  if (result.ok()) return 0;
  const std::string line = answer.error["message"];
  if (line.empty() || line.find('\n') != line.npos) Defect("not one line: '" + line + "'");
  if (code == RpcError::kInternalError) Defect(line);
  return 0;
}
