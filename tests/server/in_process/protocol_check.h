// SPDX-License-Identifier: Apache-2.0
// Checks messages against ide-plugin/protocol.json, as tools/protocol.py does, which says how that
// file is read. It also keeps which members of answers and notifications it has seen.
//
// Threads: one.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tasklens::testing {

class ProtocolCheck {
 public:
  // Reads the file.
  ProtocolCheck();
  // The one of this program's messages.
  static ProtocolCheck& Instance();

  // Of an object: `shape` is the name of a type, or "METHOD parameters" or "METHOD answer".
  std::vector<std::string> FaultsOf(const std::string& shape, const nlohmann::json& object);

  // What is wrong with a message of ours, a line each.
  std::vector<std::string> FaultsOfRequest(const std::string& method, const nlohmann::json& params);
  // REQUIRES: there is such a request.
  std::vector<std::string> FaultsOfAnswer(const std::string& method, const nlohmann::json& result);
  std::vector<std::string> FaultsOfNotification(const std::string& method,
                                                const nlohmann::json& params);

  // Parameters of requests: their names, and whether each is needed; by method.
  using Parameters = std::map<std::string, bool>;
  std::map<std::string, Parameters> Requests() const;
  // What the parameters of a request are taken to be where they are left out, by name.
  std::map<std::string, nlohmann::json> Defaults(const std::string& method) const;
  // "TYPE.MEMBER" of what no message had.
  std::set<std::string> Unseen() const;

 private:
  using Json = nlohmann::json;
  struct Member {
    std::string type;
    bool is_optional;
    std::string declared_by;  // the name of the shape, its own or one that it extends
  };
  using Members = std::map<std::string, Member>;
  struct Fault {
    std::string at, what;
  };
  using Faults = std::vector<Fault>;

  Members MembersOf(const std::string& name, const Json& shape) const;
  const Members& MembersOf(const std::string& shape) const { return shapes_.at(shape); }
  Faults OfType(const std::string& type, const Json& value, const std::string& at);
  Faults OfOne(std::string_view type, const Json& value, const std::string& at);
  Faults OfArray(std::string_view element, const Json& value, const std::string& at);
  Faults OfObject(const std::string& shape, const Json& value, const std::string& at);

  Json protocol_;
  std::map<std::string, Members> shapes_;  // by the type's name, or "METHOD parameters" or "answer"
  std::set<std::string> seen_;
};

}  // namespace tasklens::testing
