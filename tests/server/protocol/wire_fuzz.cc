// SPDX-License-Identifier: Apache-2.0
// Framing and envelope on any bytes: no crash, bounded memory, and the same messages however the
// bytes are cut.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "server/protocol/framing.h"
#include "server/protocol/message.h"
#include "server/protocol/uri.h"

namespace tasklens {
namespace {

constexpr size_t kLimitBytes = 1 << 16;

// What came of the bytes, as text.
std::vector<std::string> Read(std::string_view bytes, size_t piece) {
  FrameReader reader(kLimitBytes);
  std::vector<std::string> seen;
  for (size_t at = 0; at < bytes.size() && !reader.IsLost(); at += piece)
    for (const Result<std::string>& message : reader.Feed(bytes.substr(at, piece)))
      seen.push_back(message.ok() ? *message : "error");
  return seen;
}

void Understand(const std::string& text) {
  RpcMessage message;
  RpcFailure failure;
  if (!ParseRpc(text, message, failure)) {
    if (failure.message.empty()) std::abort();
    return;
  }
  // What was understood can be said again, and is understood again.
  RpcMessage again;
  const std::string answer = message.kind == RpcMessage::Kind::kNotification
                                 ? NotificationText(message.method, message.params)
                                 : ResultText(message.id, message.params);
  if (!ParseRpc(answer, again, failure)) std::abort();
}

}  // namespace
}  // namespace tasklens

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> whole = tasklens::Read(bytes, size > 0 ? size : 1);
  if (tasklens::Read(bytes, 1) != whole) std::abort();
  for (const std::string& message : whole) tasklens::Understand(message);
  tasklens::Understand(std::string(bytes));
  const auto path = tasklens::PathOfUri(bytes);
  if (path.ok()) {
    const auto again = tasklens::PathOfUri(tasklens::UriOfPath(*path));
    if (!again.ok() || *again != *path) std::abort();
  }
  return 0;
}
