// SPDX-License-Identifier: Apache-2.0
// The environment variables that control whether, where and what to record.
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "runtime/recorder/recorder.h"

namespace tasklens {
namespace {

// The variables with a process's rank. Slurm's is the last, because the script of a batch job has
// it, too, and processes that an mpirun in the script starts inherit it.
constexpr const char* kRankVariables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                          "MV2_COMM_WORLD_RANK", "SLURM_PROCID"};

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

bool IsOn(const char* name) {
  const std::string_view value = Variable(name);
  return !value.empty() && value != "0";
}

std::string UserName() {
  if (std::string_view user = Variable("USER"); !user.empty()) return std::string(user);
  return std::to_string(getuid());
}

// Returns the bit of a category, or 0 if no category has that name.
uint32_t BitOf(std::string_view name) {
  for (uint32_t i = 0; i < static_cast<uint32_t>(Category::kCount); ++i)
    if (CategoryName(static_cast<Category>(i)) == name) return 1u << i;
  return 0;
}

uint32_t ParseCategories(std::string_view list) {
  uint32_t bits = 0;
  std::string unknown;
  while (!list.empty()) {
    const size_t end = std::min(list.find_first_of("|,"), list.size());
    std::string_view name = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (name.empty()) continue;
    const uint32_t bit = BitOf(name);
    bits |= bit;
    if (bit == 0) unknown += (unknown.empty() ? "" : ", ") + std::string(name);
  }
  if (!unknown.empty()) {
    std::string known;
    for (uint32_t i = 0; i < static_cast<uint32_t>(Category::kCount); ++i)
      known += (i == 0 ? "" : " ") + std::string(CategoryName(static_cast<Category>(i)));
    std::fprintf(stderr, "[tasklens] STARPU_FXT_EVENTS: no such category: %s (there are: %s)\n",
                 unknown.c_str(), known.c_str());
  }
  return bits;
}

}  // namespace

bool EnvironmentWantsTrace() { return IsOn("STARPU_FXT_TRACE"); }

int RankFromEnvironment() {
  for (const char* name : kRankVariables) {
    const std::string_view text = Variable(name);
    int rank = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (error == std::errc() && end == text.data() + text.size() && rank >= 0) return rank;
  }
  return -1;
}

RecorderOptions RecorderOptionsFromEnvironment(int id, int run) {
  RecorderOptions options;
  std::string_view prefix = Variable("STARPU_FXT_PREFIX");
  std::string_view suffix = Variable("STARPU_FXT_SUFFIX");
  options.path = prefix.empty() ? "/tmp" : std::string(prefix);
  if (!options.path.ends_with('/')) options.path += '/';
  options.path += suffix.empty() ? "prof_file_" + UserName() : std::string(suffix);
  options.path += "_" + std::to_string(std::max(id, 0));
  if (run > 1) options.path += "." + std::to_string(run);
  options.path += ".tlt";
  options.rank = id;
  options.keeps_older = IsOn("TASKLENS_KEEP_TRACES");
  options.never_pauses = IsOn("TASKLENS_RECORD_ALL");

  options.categories = kDefaultCategories;
  if (std::string_view events = Variable("STARPU_FXT_EVENTS"); !events.empty())
    options.categories = ParseCategories(events);

  const std::string_view size = Variable("STARPU_TRACE_BUFFER_SIZE");
  unsigned long mib = 0;
  if (!size.empty()) {
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), mib);
    if (error == std::errc() && end == size.data() + size.size() && mib > 0)
      options.max_chunk_bytes = std::min<size_t>(mib, tlt::kMaxChunkBytes >> 20) << 20;
    else
      std::fprintf(stderr,
                   "[tasklens] STARPU_TRACE_BUFFER_SIZE='%s' is not a number of MiB; ignored\n",
                   std::string(size).c_str());
  }
  return options;
}

}  // namespace tasklens
