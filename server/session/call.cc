// SPDX-License-Identifier: Apache-2.0
// One answer for each request.
#include "server/session/host.h"

namespace tasklens {

void Call::Answer(Result<json> result) {
  if (!answer_) return;
  const Send send = std::move(answer_);
  answer_ = nullptr;
  on_cancel_ = nullptr;
  held_.reset();
  const RpcError code = RpcErrorOf(result.status().code());
  send(std::move(result), code);
}

void Call::Fail(RpcError code, std::string message) {
  if (!answer_) return;
  const Send send = std::move(answer_);
  answer_ = nullptr;
  on_cancel_ = nullptr;
  held_.reset();
  send(Status(ErrorCode::kInternal, std::move(message)), code);
}

void Call::Refuse(Status why) {
  refused_ = true;
  cancelled_ = true;
  Answer(std::move(why));
}

void Call::Cancel() {
  cancelled_ = true;
  if (on_cancel_) {
    const auto on_cancel = on_cancel_;
    on_cancel();
  } else {
    Answer(Status(ErrorCode::kCancelled, "cancelled"));
  }
}

}  // namespace tasklens
