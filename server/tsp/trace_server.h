// SPDX-License-Identifier: Apache-2.0
// The Trace Server Protocol 0.6.0 (github.com/eclipse-cdt-cloud/trace-server-protocol): shows
// traces in the Trace Compass viewers for VS Code, Theia and Eclipse.
//
// Serves traces and experiments, and the outputs of outputs.h. Each open trace is an experiment
// from the start. An experiment has one trace, which may have many ranks. Other traces that a
// viewer opens are read from the disk.
//
// Threads: Answer() may run on several threads at once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/stop.h"
#include "server/protocol/fields.h"
#include "server/session/session.h"

namespace tasklens {

class TraceServer {
 public:
  struct Reply {
    int status = 200;
    json body;
  };
  // Functions that the owner of the session provides; called on any thread. `add` and `remove`
  // change the session, possibly later. `is_growing`: whether the program of the trace still runs.
  struct Owner {
    std::function<void(std::shared_ptr<const OpenTrace>)> add;
    std::function<bool(const std::string& id)> is_growing;
    std::function<void(std::string id)> remove;
  };
  explicit TraceServer(Owner owner) : owner_(std::move(owner)) {}

  // `path` is the part behind "tsp/api/", without parameters. `session` is the current one.
  Reply Answer(std::string_view method, std::string_view path, const std::string& body,
               const Session& session, Stop stop);

 private:
  struct Experiment {
    std::string name, trace;  // id
  };
  using Segments = std::vector<std::string_view>;

  Reply Traces(std::string_view method, const Segments& path, const json& parameters,
               const Session& session, Stop stop);
  Reply Open(const json& parameters, const Session& session, Stop stop);
  Reply Delete(const OpenTrace& trace);
  json TraceJson(const OpenTrace& trace) const;
  json ExperimentJson(const std::string& uuid, const std::string& name,
                      const OpenTrace& trace) const;
  json TimesJson(const OpenTrace& trace) const;
  Reply Experiments(std::string_view method, const Segments& path, const json& parameters,
                    const Session& session, Stop stop);
  Reply Create(const json& parameters, const Session& session);
  // Creates an experiment for each trace that has never had one.
  void Know(const Session& session);

  const Owner owner_;
  std::mutex mutex_;                               // guards the members below
  std::map<std::string, Experiment> experiments_;  // by UUID
  std::map<std::string, bool> known_;              // ids of traces that have had an experiment
  int64_t next_ = 1;
};

}  // namespace tasklens
