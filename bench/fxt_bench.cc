// SPDX-License-Identifier: Apache-2.0
// How fast FxT is read: MB of input a second through the reader alone, and into the model.
//
//   bazel run //bench:fxt_bench [-- TRACE]
//
// A trace below 32 MB is repeated in memory up to that size.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <memory>

#include "bench/fxt_repeat.h"
#include "converters/formats.h"
#include "trace/model/model_builder.h"

namespace tasklens {
namespace {

constexpr size_t kInputBytes = 32 << 20;

// Looks at every argument, keeps nothing.
class NullSink : public EventSink {
 public:
  StringId Intern(std::string_view text) override { return strings_.Intern(text); }
  void OnEvent(const Event& event) override {
    ++events_;
    for (uint64_t arg : event.args) sum_ += arg;
  }
  uint64_t events() const { return events_; }
  uint64_t sum() const { return sum_; }

 private:
  StringPool strings_;
  uint64_t events_ = 0, sum_ = 0;
};

struct Input {
  std::unique_ptr<Source> source;
  const ReaderSpec* reader = nullptr;
};

void Read(const Input& input, EventSink& sink, benchmark::State& state) {
  Diagnostics diags;
  if (Status s = input.reader->read(*input.source, {}, sink, diags); !s.ok())
    state.SkipWithError(s.message().c_str());
}

void Report(const Input& input, uint64_t events, benchmark::State& state) {
  const double runs = static_cast<double>(state.iterations());
  state.counters["MB/s"] = benchmark::Counter(
      static_cast<double>(input.source->bytes().size()) / 1e6 * runs, benchmark::Counter::kIsRate);
  state.counters["Mevents/s"] =
      benchmark::Counter(static_cast<double>(events) / 1e6, benchmark::Counter::kIsRate);
}

void ReaderAlone(benchmark::State& state, const Input& input) {
  uint64_t events = 0;
  for (auto _ : state) {
    NullSink sink;
    Read(input, sink, state);
    events += sink.events();
    benchmark::DoNotOptimize(sink.sum());
  }
  Report(input, events, state);
}

void IntoTheModel(benchmark::State& state, const Input& input, uint32_t parts) {
  uint64_t events = 0;
  for (auto _ : state) {
    Diagnostics diags;
    ModelBuilder builder(diags, parts);
    Read(input, builder, state);
    auto model = std::move(builder).Finish();
    if (model.ok()) events += model->event_count;
  }
  Report(input, events, state);
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: fxt_bench TRACE [--benchmark_...]\n");
    return 2;
  }
  auto file = OpenSource(argv[1]);
  if (!file.ok()) {
    std::fprintf(stderr, "%s\n", file.status().message().c_str());
    return 1;
  }
  Input input{std::move(*file), nullptr};
  input.reader = GuessReader(input.source->bytes());
  if (input.reader == nullptr) {
    std::fprintf(stderr, "%s: not a trace of any known format\n", argv[1]);
    return 1;
  }
  if (const auto bytes = input.source->bytes(); bytes.size() < kInputBytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    input.source = MemorySource(argv[1], RepeatFxt(text, kInputBytes / bytes.size() + 1));
  }
  using benchmark::RegisterBenchmark;
  const auto unit = benchmark::kMillisecond;
  RegisterBenchmark("reader alone", [&](auto& s) { ReaderAlone(s, input); })->Unit(unit);
  RegisterBenchmark("into the model: tasks", [&](auto& s) {
    IntoTheModel(s, input, 0);
  })->Unit(unit);
  RegisterBenchmark("into the model: all", [&](auto& s) {
    IntoTheModel(s, input, kAllParts);
  })->Unit(unit);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace tasklens

int main(int argc, char** argv) { return tasklens::Main(argc, argv); }
