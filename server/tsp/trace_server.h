// SPDX-License-Identifier: Apache-2.0
// The Trace Server Protocol 0.6.0 (github.com/eclipse-cdt-cloud/trace-server-protocol): shows our
// traces in the viewers of Trace Compass, which run in VS Code, Theia and Eclipse.
//
// Answered are the traces and experiments, and what outputs.h lists. Each open trace is an
// experiment from the beginning; an experiment has one trace, which may have many ranks. What a
// viewer opens besides is read from the disk.
//
// Threads: Answer() on any, several at once.
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
  // What it asks of the one who has the session; any thread. `add` and `remove` change it, now or
  // soon; `is_growing`: whether the trace's program still runs.
  struct Owner {
    std::function<void(std::shared_ptr<const OpenTrace>)> add;
    std::function<bool(const std::string& id)> is_growing;
    std::function<void(std::string id)> remove;
  };
  explicit TraceServer(Owner owner) : owner_(std::move(owner)) {}

  // `path` is behind "tsp/api/", without parameters. `session` is as it is now.
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
  // Makes an experiment of each trace that has none because nobody asked before.
  void Know(const Session& session);

  const Owner owner_;
  std::mutex mutex_;                               // of what follows
  std::map<std::string, Experiment> experiments_;  // by UUID
  std::map<std::string, bool> known_;              // ids of traces that had their experiment
  int64_t next_ = 1;
};

}  // namespace tasklens
