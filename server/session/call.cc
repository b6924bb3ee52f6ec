// SPDX-License-Identifier: Apache-2.0
// One answer for each request.
#include <utility>

#include "server/session/host.h"

namespace tasklens {

void Call::SendOnce(Result<Reply> reply, RpcError code) {
  if (!answer_) return;
  const Send send = std::move(answer_);
  answer_ = nullptr;
  on_cancel_ = nullptr;
  held_.reset();
  send(std::move(reply), code);
}

void Call::Answer(Result<json> result) {
  const RpcError code = RpcErrorOf(result.status().code());
  if (!result.ok()) return SendOnce(result.status(), code);
  SendOnce(Reply(std::in_place_type<json>, std::move(*result)), code);
}

void Call::AnswerWritten(Written answer) {
  SendOnce(Reply(std::in_place_type<Written>, std::move(answer)), RpcErrorOf(Status::Ok().code()));
}

void Call::Fail(RpcError code, std::string message) {
  SendOnce(Status(ErrorCode::kInternal, std::move(message)), code);
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
