// SPDX-License-Identifier: Apache-2.0
// Answers each request once.
#include <utility>

#include "server/protocol/message.h"
#include "server/session/host.h"

namespace tasklens {

void Call::SendOnce(Result<Written> reply, RpcError code) {
  if (!answer_) return;
  const Send send = std::move(answer_);
  answer_ = nullptr;
  on_cancel_ = nullptr;
  held_.reset();
  send(std::move(reply), code);
}

void Call::Answer(Status why) {
  const RpcError code = RpcErrorOf(why.code());
  SendOnce(std::move(why), code);
}

void Call::AnswerBy(const WriteJson& write) {
  json answer;
  write(answer);
  AnswerWritten({answer.dump(-1, ' ', false, json::error_handler_t::replace)});
}

void Call::AnswerWritten(Written answer) {
  SendOnce(std::move(answer), RpcErrorOf(Status::Ok().code()));
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
    Answer(Cancelled());
  }
}

}  // namespace tasklens
