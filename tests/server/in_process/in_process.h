// SPDX-License-Identifier: Apache-2.0
// A client whose server runs in the test's own process: requests go in as JSON-RPC messages, and
// answers and notifications come out of the Qt event loop, which is run until they are there.
//
//   Client client;
//   client.Write("x.c", "...");
//   client.Open(TestTrace().Task("gemm", 0, 10, {.file = "x.c", .line = 5}));
//   EXPECT_EQ(client.Ask("tasklens/task", "{'task': 0}")["/name"], "'gemm'");
//   EXPECT_EQ(client.Refused("tasklens/task", "{'task': 1}"), (Failure{kRequestFailed, "..."}));
//
// Nothing waits for a time: a notification that does not come is a failure when no work is under
// way any more that could bring it.
//
// Tests need no JSON library: JSON is written as text, with single quotes for double ones.
// Threads: one.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/testing/test_trace.h"
#include "tests/testing/tlt_file.h"

namespace tasklens::testing {

// A value of JSON, or none.
class Json {
 public:
  Json() = default;  // none
  // JSON as text, with single quotes for double ones; aborts when it is none.
  Json(const char* text);
  Json(const std::string& text);
  template <class Number>
  requires std::is_arithmetic_v<Number> Json(Number number) : Json(std::to_string(number)) {}
  explicit Json(nlohmann::json value);

  // The value at a JSON pointer such as "/rows/0/name"; none where there is none.
  Json operator[](std::string_view pointer) const;
  // The elements of an array, each its value at `pointer`.
  std::vector<Json> Each(std::string_view pointer = "") const;
  size_t size() const;       // of an array or object; else 0
  std::string text() const;  // of a string; else ""
  double number() const;     // of a number; else NaN
  bool exists() const { return value_ != nullptr; }
  const nlohmann::json& value() const { return *value_; }
  bool operator==(const Json& other) const;

 private:
  std::shared_ptr<const nlohmann::json> value_;
};
std::ostream& operator<<(std::ostream& out, const Json& json);

// A string of JSON, whatever is in it.
Json Text(std::string_view text);

// The numbers of the errors.
inline constexpr int kInvalidParams = -32602, kRequestFailed = -32803, kMethodNotFound = -32601,
                     kInvalidRequest = -32600, kNotInitialized = -32002, kCancelled = -32800,
                     kContentModified = -32801;

struct Failure {
  int code = 0;
  std::string message;
  bool operator==(const Failure&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Failure& failure);

// Whether a text contains another.
::testing::AssertionResult Has(std::string_view text, std::string_view part);

class Client {
 public:
  struct Setup {
    std::string capabilities = "{}";
    std::string settings = "{}";  // initializationOptions
    bool has_folder = true;       // whether its folder is a workspace
    bool initialize = true;
  };
  Client() : Client(Setup()) {}
  explicit Client(Setup setup);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const std::string& folder() const { return folder_.path(); }
  std::string Path(const std::string& name) const { return folder_.File(name); }
  std::string Uri(const std::string& name) const { return "file://" + Path(name); }
  // A file of the folder, older than any run.
  void Write(const std::string& name, std::string_view text) const;

  // The result; none, and a failure of the test, where there is an error.
  Json Ask(std::string_view method, const Json& params = "{}");
  // The error; a failure of the test where there is none.
  Failure Refused(std::string_view method, const Json& params = "{}");
  // Sends a request without waiting; AnswerTo() and ErrorTo() wait.
  int64_t Start(std::string_view method, const Json& params);
  Json AnswerTo(int64_t id);
  Failure ErrorTo(int64_t id);
  bool IsAnswered(int64_t id) const;
  void Tell(std::string_view method, const Json& params);

  // The parameters of the oldest notification `method` that was not taken yet, waiting for it;
  // none, and a failure of the test, when it does not come.
  Json Take(std::string_view method);
  // Those of all that have come and were not taken yet.
  std::vector<Json> TakeAll(std::string_view method);
  // What the server asks is answered with this, or with an error where it is none (at first).
  void AnswerWith(std::string_view method, const Json& result);
  // What it asked and was not taken yet.
  std::vector<Json> Asked(std::string_view method);
  // Sends bytes as they are.
  void Send(std::string_view bytes);
  // All that the server logged, a line each.
  const std::string& log() const;

  // Writes the trace into the folder as `name`, opens it and waits for its analysis: its id.
  std::string Open(const TestTrace& trace, const std::string& name = "trace_0.tlt");
  // The same of the files of a run.
  std::string OpenFiles(const std::vector<std::string>& paths);
  void WaitForAnalysis(const std::string& trace);

  // Opens a document of the folder with this text, as the next version.
  void OpenDocument(const std::string& name, std::string_view text);
  // Replaces a part of an open one.
  struct Place {
    uint32_t line, character;
  };
  void Edit(const std::string& name, Place from, Place to, std::string_view text);
  // {"textDocument": ...}; with a position.
  Json Document(const std::string& name) const;
  Json At(const std::string& name, uint32_t line, uint32_t character = 0) const;

 private:
  struct Running;
  void RunUntil(const std::function<bool()>& is_done);
  // False: nothing is under way any more that could bring it about.
  bool RunWhileAtWork(const std::function<bool()>& is_done);
  void SendAnswers();

  TempFolder folder_;
  int version_ = 0;
  std::unique_ptr<Running> running_;
};

// Records the trace into a file, as a program would; `close`: else as one that still runs.
void WriteTrace(const TestTrace& trace, const std::string& path, bool close = true);

// The example of most tests: `app.c`, written into the client's folder, and the trace of a run of
// it, opened.
//
//   line 10 submitted the tasks of jobs 1 and 2 (alpha), line 11 those of jobs 3 and 4 (beta)
//   CPU0: job 1 from 0 to 100 µs, job 3 from 300 to 400 µs
//   CPU1: job 2 from 0 to 300 µs, job 4 from 400 to 1000 µs
//   job 3 waits for 1 and 2, job 4 for 3; both write the data `block`; job 4 has the tag 42
//
// Tasks are numbered from 0, so that of job 1 is task 0; line 10 is site 0, and line 9 to editors.
std::string ExampleSource();
TestTrace ExampleTrace();
void OpenExample(Client& client);

// All methods of the server's tables, with the names of their parameters; the needed ones first.
struct Method {
  std::string name;
  std::vector<std::string> needed, optional;
};
std::vector<Method> Methods();

}  // namespace tasklens::testing
