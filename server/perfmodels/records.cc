// SPDX-License-Identifier: Apache-2.0
// Writes the records of perfmodels and completes those of tasks.
#include "server/perfmodels/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "trace/support/words.h"

namespace tasklens {
namespace {

// A record of tasks.rec: its text without the empty line after it, and its two relevant fields.
struct TaskRecord {
  std::string_view text, model, footprint;
};

std::vector<TaskRecord> RecordsOf(std::string_view text) {
  std::vector<TaskRecord> records;
  while (!text.empty()) {
    const size_t end = std::min(text.find("\n\n"), text.size());
    TaskRecord record{text.substr(0, end), "", ""};
    for (std::string_view rest = record.text; !rest.empty();) {
      const std::string_view line = TakeUpTo('\n', rest);
      if (line.starts_with("Model: ")) record.model = line.substr(7);
      if (line.starts_with("Footprint: ")) record.footprint = line.substr(11);
    }
    if (record.text.ends_with('\n')) record.text.remove_suffix(1);
    if (!record.text.empty()) records.push_back(record);
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return records;
}

std::string FootprintText(const PerfmodelEntry& entry) {
  return fmt::format("{:08x}", entry.footprint);
}

// tasks.rec writes the footprint without leading zeros.
bool IsFootprint(const PerfmodelEntry& entry, std::string_view footprint) {
  return fmt::format("{:x}", entry.footprint) == footprint || FootprintText(entry) == footprint;
}

void AppendTiming(std::string& text, std::string_view symbol, const PerfmodelCombination& arch,
                  const PerfmodelEntry& entry) {
  text += fmt::format("Model: {}\nArchitecture: {}\nFootprint: {}\nSize: {}\n", symbol,
                      DevicesName(arch.devices), FootprintText(entry), entry.size_bytes);
  // Entries of tasks with differing flops have no value.
  if (!std::isnan(entry.flops)) text += fmt::format("Flops: {:<15e}\n", entry.flops);
  text += fmt::format("Mean: {:<15e}\nStddev: {:<15e}\nSamples: {}\n\n", entry.mean,
                      entry.deviation, entry.samples);
}

// Appends timings of the first implementation of each architecture, as StarPU does; the newest
// entries first.
void AppendTimings(std::string& text, std::string_view symbol, const Perfmodel& model,
                   const std::string_view* footprint) {
  for (const PerfmodelCombination& arch : model.combinations) {
    if (arch.implementations.empty()) continue;
    const auto& entries = arch.implementations[0].entries;
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
      if (!footprint || IsFootprint(*entry, *footprint)) AppendTiming(text, symbol, arch, *entry);
  }
}

void AppendMachine(std::string& text, const Machine& machine) {
  text += "%rec: worker_count\n\n";
  std::vector<std::pair<std::string, size_t>> counts;
  for (const MachineWorker& worker : machine.workers) {
    const std::string name = DevicesName({&worker.device, 1});
    const auto known = std::find_if(counts.begin(), counts.end(),
                                    [&](const auto& count) { return count.first == name; });
    if (known == counts.end()) {
      counts.emplace_back(name, 1);
    } else {
      ++known->second;
    }
  }
  for (const auto& [name, count] : counts)
    text += fmt::format("Architecture: {}\nNbWorkers: {}\n\n", name, count);
  text += "%rec: memory_workers\n\n";
  for (size_t node = 0; node < machine.nodes.size(); ++node) {
    text += fmt::format("MemoryNode: {}\nName: {}\n", node, machine.nodes[node].name);
    if (machine.nodes[node].size_bytes)
      text += fmt::format("Size: {}\n", *machine.nodes[node].size_bytes);
    text += "Workers:";
    for (size_t i = 0; i < machine.workers.size(); ++i)
      if (machine.workers[i].node == node) text += fmt::format(" {}", i);
    text += "\n\n";
  }
  text += "%rec: memory_performance\n\n";
  if (!machine.bus) return;
  const auto at = [](const BusMatrix& matrix, size_t from, size_t to) {
    return from < matrix.rows.size() && to < matrix.rows[from].size() ? matrix.rows[from][to] : NAN;
  };
  for (size_t from = 0; from < machine.nodes.size(); ++from)
    for (size_t to = 0; to < machine.nodes.size(); ++to)
      if (from != to)
        text += fmt::format(
            "MemoryNodeSrc: {}\nMemoryNodeDst: {}\nBandwidth: {:f}\nLatency: {:f}\n\n", from, to,
            at(machine.bus->bandwidth, from, to), at(machine.bus->latency, from, to));
}

// Perfmodels by symbol; each is read once.
class Models {
 public:
  explicit Models(const PerfmodelPlaces& places) : places_(places) {}
  // Returns nullptr if there is no model.
  const Perfmodel* Find(std::string_view symbol) {
    const auto known = models_.find(symbol);
    if (known != models_.end()) return known->second ? &*known->second : nullptr;
    Result<FoundPerfmodel> found = FindPerfmodel(places_, symbol);
    std::optional<Perfmodel>& model = models_[std::string(symbol)];
    if (found.ok()) model = std::move(found->file.model);
    return model ? &*model : nullptr;
  }

 private:
  const PerfmodelPlaces& places_;
  std::map<std::string, std::optional<Perfmodel>, std::less<>> models_;
};

// The mean for the footprint, however few its measurements, or else the value of a regression.
double EstimateOn(const Perfmodel& model, const PerfmodelDevice& device,
                  std::string_view footprint) {
  for (const PerfmodelCombination& arch : model.combinations) {
    if (arch.devices.size() != 1 || arch.devices[0] != device || arch.implementations.empty())
      continue;
    double best = INFINITY;
    for (const PerfmodelImplementation& implementation : arch.implementations)
      for (const PerfmodelEntry& entry : implementation.entries)
        if (entry.samples > 0 && IsFootprint(entry, footprint)) best = std::min(best, entry.mean);
    return best;
  }
  return INFINITY;
}

}  // namespace

std::string PerfmodelRecords(const PerfmodelPlaces& places, const Machine& machine,
                             const std::string* tasks_rec, size_t& unreadable) {
  std::string text;
  AppendMachine(text, machine);
  text += "%rec: timing\n\n";
  Models models(places);
  if (tasks_rec) {
    std::set<std::pair<std::string_view, std::string_view>> done;
    for (const TaskRecord& task : RecordsOf(*tasks_rec)) {
      if (task.model.empty() || !done.insert({task.model, task.footprint}).second) continue;
      const Perfmodel* model = models.Find(task.model);
      if (model) AppendTimings(text, task.model, *model, &task.footprint);
      unreadable += model == nullptr;
    }
    return text;
  }
  std::set<std::string> symbols;
  const std::string ending = "." + places.host;
  for (const std::string& folder : places.folders)
    for (const std::string& name : ListPerfmodels(folder))
      if (name.ends_with(ending)) symbols.insert(name.substr(0, name.size() - ending.size()));
  for (const std::string& symbol : symbols) {
    const Perfmodel* model = models.Find(symbol);
    if (model) AppendTimings(text, symbol, *model, nullptr);
    unreadable += model == nullptr;
  }
  return text;
}

std::string CompletedTasks(const PerfmodelPlaces& places, const Machine& machine,
                           std::string_view tasks_rec, std::vector<std::string>& missing) {
  std::string text;
  Models models(places);
  for (const TaskRecord& task : RecordsOf(tasks_rec)) {
    text.append(task.text) += '\n';
    const Perfmodel* model = task.model.empty() ? nullptr : models.Find(task.model);
    if (model) {
      text += "EstimatedTime:";
      for (const MachineWorker& worker : machine.workers)
        text += fmt::format(" {:e}", EstimateOn(*model, worker.device, task.footprint));
      text += '\n';
    } else if (!task.model.empty() &&
               std::find(missing.begin(), missing.end(), task.model) == missing.end()) {
      missing.emplace_back(task.model);
    }
    text += '\n';
  }
  return text;
}

}  // namespace tasklens
