// SPDX-License-Identifier: Apache-2.0
// A large FxT trace made from a small real one: see fxt_repeat.h.
#include "bench/fxt_repeat.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

namespace tasklens {
namespace {

// Which parameters of an event are jobs (or count them), and which are tags.
struct Ids {
  std::vector<size_t> jobs, tags;
};
const std::map<uint64_t, Ids> kIds = {
    {0x5102, {{0}, {}}},  {0x5103, {{0}, {}}},    {0x5104, {{0}, {}}},    {0x5105, {{0}, {}}},
    {0x5111, {{1}, {0}}}, {0x5112, {{}, {0, 1}}}, {0x5113, {{0, 1}, {}}}, {0x511a, {{0, 3}, {}}},
    {0x511b, {{0}, {}}},  {0x511c, {{0}, {}}},    {0x5120, {{0}, {}}},    {0x5125, {{0}, {}}},
    {0x5126, {{}, {0}}},  {0x512b, {{0}, {}}},    {0x512c, {{1, 2}, {}}}, {0x512d, {{0}, {}}},
    {0x512f, {{0}, {}}},  {0x513e, {{6}, {4}}},   {0x5168, {{1}, {}}},    {0x5169, {{1}, {}}},
    {0x5178, {{0}, {}}},  {0x5187, {{0}, {}}},    {0x5188, {{0, 1}, {}}}, {0x518a, {{1}, {}}},
    {0x518b, {{1}, {}}},  {0x5205, {{4}, {}}},    {0x521b, {{2}, {}}},    {0x5219, {{1}, {}}},
    {0x5221, {{1}, {}}},
};
constexpr uint64_t kLargestTag = uint64_t{1} << 40;  // what is above is no counter

uint64_t Get(std::string_view bytes, size_t at) {
  uint64_t value;
  std::memcpy(&value, &bytes[at], 8);
  return value;
}

struct Record {
  size_t at, size;
};

}  // namespace

std::string RepeatFxt(std::string_view trace, size_t times) {
  constexpr size_t kHeader = 16;
  const std::string same(trace);
  if (trace.size() < 36 || trace[0] != 0 || trace[1] != 0) return same;
  const size_t block = 4 + Get(trace, 4);
  if (block + kHeader > trace.size() || (Get(trace, block + 8) & 0xffffffff) != 0x201) return same;

  std::vector<Record> records;
  size_t first = SIZE_MAX, last = 0;
  uint64_t begin_ns = UINT64_MAX, end_ns = 0, top_job = 0, top_tag = 0;
  for (size_t at = block + kHeader; at + 24 <= trace.size();) {
    const uint64_t code = Get(trace, at + 16);
    const size_t size = 16 + 8 * (code & 0xff);
    if (size < 24 || at + size > trace.size()) return same;
    records.push_back({at, size});
    if (const auto ids = kIds.find(code >> 8); ids != kIds.end()) {
      const auto param = [&](size_t i) { return Get(trace, at + 24 + 8 * i); };
      bool names_a_job = false;
      for (size_t i : ids->second.jobs) {
        names_a_job |= param(i) != 0;
        top_job = std::max(top_job, param(i));
      }
      for (size_t i : ids->second.tags)
        if (param(i) < kLargestTag) top_tag = std::max(top_tag, param(i));
      if (names_a_job) {
        first = std::min(first, records.size() - 1);
        last = records.size();
      }
    }
    at += size;
  }
  if (last == 0) return same;

  for (size_t r = first; r < last; ++r) {
    begin_ns = std::min(begin_ns, Get(trace, records[r].at));
    end_ns = std::max(end_ns, Get(trace, records[r].at));
  }
  const size_t from = records[first].at, to = records[last - 1].at + records[last - 1].size;
  const uint64_t span = end_ns - begin_ns + 1000;
  std::string out(trace.substr(0, from));
  out.reserve(trace.size() + (to - from) * times);
  for (size_t copy = 0; copy < times; ++copy) {
    const size_t base = out.size();
    out += trace.substr(from, to - from);
    const auto add = [&](size_t at, uint64_t value) {
      const uint64_t sum = Get(out, at) + value;
      std::memcpy(&out[at], &sum, 8);
    };
    for (size_t r = first; r < last; ++r) {
      const size_t at = base + records[r].at - from;
      add(at, copy * span);
      const auto ids = kIds.find(Get(out, at + 16) >> 8);
      if (ids == kIds.end()) continue;
      for (size_t i : ids->second.jobs)
        if (Get(out, at + 24 + 8 * i) != 0) add(at + 24 + 8 * i, copy * top_job);
      for (size_t i : ids->second.tags)
        if (const uint64_t tag = Get(out, at + 24 + 8 * i); tag != 0 && tag < kLargestTag)
          add(at + 24 + 8 * i, copy * top_tag);
    }
  }
  const size_t tail = out.size();
  out += trace.substr(to);
  for (size_t r = last; r < records.size(); ++r) {
    const size_t at = tail + records[r].at - to;
    const uint64_t time = Get(out, at) + (times - 1) * span;
    std::memcpy(&out[at], &time, 8);
  }
  const uint64_t size = out.size() - block;
  std::memcpy(&out[block], &size, 8);
  return out;
}

}  // namespace tasklens
