// SPDX-License-Identifier: Apache-2.0
// The structs that are made of ide-plugin/protocol.json: messages of random values, written and
// read again; and what parameters are refused with.
#include <map>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <variant>
#include <vector>

#include "server/messages/json_writer.h"
#include "server/messages/members.h"
#include "tests/server/in_process/in_process.h"
#include "tests/server/in_process/protocol_check.h"

namespace tasklens::testing {
namespace {

using messages::Members;
using nlohmann::json;
using Words = std::initializer_list<std::string_view>;

// Sets all members, or leaves out those that may be left out, by chance.
class Chance {
 public:
  explicit Chance(unsigned seed) : random_(seed) {}

  template <class T>
  void Required(const char*, T& value, Words words = {}) {
    Set(value, words);
  }
  template <class T>
  void Optional(const char*, T& value, Words words = {}) {
    Set(value, words);
  }

 private:
  uint32_t Below(uint32_t count) {
    return std::uniform_int_distribution<uint32_t>(0, count - 1)(random_);
  }
  void Set(bool& value, Words) { value = Below(2) == 0; }
  void Set(double& value, Words) { value = Below(1000) / 8.; }
  void Set(int64_t& value, Words) { value = int64_t{Below(1'000'000)} * 1'000'000 - 1; }
  void Set(uint64_t& value, Words) { value = uint64_t{Below(1'000'000)} * 1'000'000; }
  void Set(uint32_t& value, Words) { value = Below(UINT32_MAX); }
  void Set(std::string& value, Words words) {
    value = words.size() > 0
                ? std::string(words.begin()[Below(static_cast<uint32_t>(words.size()))])
                : "text " + std::to_string(Below(1000));
  }
  void Set(messages::Packed& value, Words) { value = {"i8", "AQI="}; }
  void Set(messages::AnyJson& value, Words) { value.text = "[" + std::to_string(Below(9)) + "]"; }
  template <class T>
  void Set(std::optional<T>& value, Words words) {
    value.reset();
    if (Below(2) == 0) Set(value.emplace(), words);
  }
  template <class... Kinds>
  void Set(std::variant<Kinds...>& value, Words words) {
    const uint32_t chosen = Below(sizeof...(Kinds));
    uint32_t at = 0;
    ((at++ == chosen ? Set(value.template emplace<Kinds>(), words) : void()), ...);
  }
  // All columns of a message are of one length.
  template <class T>
  void Set(std::vector<T>& values, Words words) {
    values.resize(2);
    for (T& value : values) Set(value, words);
  }
  template <class T>
  void Set(std::map<std::string, T>& values, Words words) {
    Set(values["a " + std::to_string(Below(10))], words);
  }
  template <class T>
  void Set(T& message, Words) {
    Members<T>::Visit(*this, message);
  }

  std::minstd_rand random_;
};

// Whether the JSON is that of a value of the kind.
template <class T>
bool IsOf(const json& from) {
  if constexpr (std::is_integral_v<T>) return from.is_number_integer();
  if constexpr (std::is_floating_point_v<T>) return from.is_number_float();
  if constexpr (std::is_same_v<T, std::string>) return from.is_string();
  return requires(T t) { t.resize(1); }
  ? from.is_array() : from.is_object();
}

// Reads what has been written, as somebody who knows each member.
class Reader {
 public:
  explicit Reader(const json& object) : object_(object) {}

  template <class T>
  void Required(const char* name, T& value, Words = {}) {
    Get(object_.at(name), value);
  }
  template <class T>
  void Optional(const char* name, T& value, Words = {}) {
    if (!object_.contains(name)) return;
    if constexpr (requires {
                    value.emplace();
                    *value;
                  }) {
      Get(object_[name], value.emplace());
    } else {
      Get(object_[name], value);
    }
  }

  template <class T>
  static void Get(const json& from, T& value) {
    if constexpr (requires { Members<T>::kShape; }) {
      Reader reader(from);
      Members<T>::Visit(reader, value);
    } else {
      value = from.get<T>();
    }
  }
  static void Get(const json& from, messages::Packed& value) {
    value = {from.begin().key(), from.begin()->get<std::string>()};
  }
  static void Get(const json& from, messages::AnyJson& value) { value.text = from.dump(); }
  template <class T>
  static void Get(const json& from, std::optional<T>& value) {
    value.reset();
    if (from.is_null()) return;
    T read;
    Get(from, read);
    value = std::move(read);
  }
  template <class T>
  static void Get(const json& from, std::vector<T>& values) {
    values.resize(from.size());
    for (size_t i = 0; i < from.size(); ++i) Get(from[i], values[i]);
  }
  template <class T>
  static void Get(const json& from, std::map<std::string, T>& values) {
    for (const auto& [name, value] : from.items()) Get(value, values[name]);
  }
  template <class... Kinds>
  static void Get(const json& from, std::variant<Kinds...>& value) {
    ((IsOf<Kinds>(from) ? Get(from, value.template emplace<Kinds>()) : void()), ...);
  }

 private:
  const json& object_;
};

template <class... Types, class Each>
void ForEach(std::tuple<Types...>*, const Each& each) {
  (each(Types()), ...);
}

constexpr unsigned kRounds = 20;

TEST(Messages, AreAsTheProtocolSaysAndAreReadAsTheyWereWritten) {
  ProtocolCheck check;
  size_t count = 0;
  ForEach(static_cast<messages::AllMessages*>(nullptr), [&]<class M>(M message) {
    std::set<json> seen;
    Chance chance(1);
    for (unsigned round = 0; round < kRounds; ++round) {
      Members<M>::Visit(chance, message);
      json written;
      Write(message, written);
      EXPECT_EQ(check.FaultsOf(Members<M>::kShape, written), std::vector<std::string>{});
      M read;
      Reader::Get(written, read);
      EXPECT_EQ(messages::JsonOf(read), written) << Members<M>::kShape;
      seen.insert(written);
    }
    EXPECT_GT(seen.size(), 1u) << Members<M>::kShape;
    ++count;
  });
  EXPECT_GT(count, 15u);
}

TEST(Messages, ParametersAreReadAsTheyWereWritten) {
  ProtocolCheck check;
  size_t members = 0;
  ForEach(static_cast<messages::AllParameters*>(nullptr), [&]<class M>(M params) {
    Chance chance(1);
    for (unsigned round = 0; round < kRounds; ++round) {
      Members<M>::Visit(chance, params);
      json written = messages::JsonOf(params);
      EXPECT_EQ(check.FaultsOf(Members<M>::kShape, written), std::vector<std::string>{});
      written["workDoneToken"] = 1;  // of LSP, for any request
      M read;
      const Status status = Read(written, read);
      EXPECT_TRUE(status.ok()) << status.message();
      written.erase("workDoneToken");
      EXPECT_EQ(messages::JsonOf(read), written) << Members<M>::kShape;
      members += written.size();
    }
  });
  EXPECT_GT(members, 40 * kRounds);
}

// What reading says of parameters that a request would take but for `changed`; null: left out.
template <class M>
std::string Refusal(const char* member, const json& changed) {
  M params;
  Chance chance(1);
  Members<M>::Visit(chance, params);
  json written = messages::JsonOf(params);
  if (changed.is_null())
    written.erase(member);
  else
    written[member] = changed;
  return Read(written, params).message();
}

TEST(Messages, ParametersOfAWrongKindAreRefusedByName) {
  size_t refused = 0;
  ForEach(static_cast<messages::AllParameters*>(nullptr), [&]<class M>(M params) {
    for (const ParameterName& name : NamesOf(params)) {
      const std::string missing = Refusal<M>(name.name.c_str(), nullptr);
      EXPECT_EQ(missing, name.required ? "params." + name.name + " is missing" : "");
      // What no parameter is: neither a whole number nor a text.
      const std::string wrong = Refusal<M>(name.name.c_str(), 7.5);
      EXPECT_TRUE(wrong.starts_with("params." + name.name + " must be ") &&
                  wrong.ends_with(", not a number with a fraction"))
          << wrong;
      ++refused;
    }
  });
  EXPECT_GT(refused, 40u);
}

TEST(Messages, MembersThatARequestDoesNotHaveAreRefusedByName) {
  size_t misspelt = 0;
  ForEach(static_cast<messages::AllParameters*>(nullptr), [&]<class M>(M params) {
    EXPECT_EQ(Refusal<M>("ofNobody", 1), "params.ofNobody is no parameter of this request");
    for (const ParameterName& name : NamesOf(params)) {
      if (name.name.size() < 3) continue;
      EXPECT_EQ(Refusal<M>((name.name + "X").c_str(), 1),
                "params." + name.name + "X is no parameter of this request (did you mean '" +
                    name.name + "'?)");
      ++misspelt;
    }
  });
  EXPECT_GT(misspelt, 40u);
}

TEST(Messages, ParametersOfAWrongKindAreRefusedInWordsThatSayWhatTheyMustBe) {
  using namespace messages;  // NOLINT
  const std::pair<std::string, const char*> rows[] = {
      {Refusal<SiteParams>("site", "1"),
       "params.site must be an integer from 0 to 4294967295, not a string"},
      {Refusal<SiteParams>("site", -1),
       "params.site must be an integer from 0 to 4294967295, not -1"},
      {Refusal<SiteParams>("marks", 1), "params.marks must be true or false, not 1"},
      {Refusal<SearchParams>("text", true), "params.text must be a string, not a boolean"},
      {Refusal<ProgressParams>("fromNs", 0.5),
       "params.fromNs must be an integer, not a number with a fraction"},
      {Refusal<OpenTraceParams>("uris", "a"), "params.uris must be an array, not a string"},
      {Refusal<OpenTraceParams>("uris", {"a", 1}), "params.uris[1] must be a string, not 1"},
      {Refusal<PageParams>("view", "grid"), "params.view is all, graph or timeline, not 'grid'"},
  };
  for (const auto& [message, expected] : rows) EXPECT_EQ(message, expected);
  PageParams params;
  EXPECT_EQ(Read(json::array(), params).message(), "params must be an object, not an array");
  EXPECT_EQ(Read(json(), params).message(), "");
  EXPECT_EQ(params.view, "all");
}

}  // namespace
}  // namespace tasklens::testing
