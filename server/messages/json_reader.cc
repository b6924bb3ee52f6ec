// SPDX-License-Identifier: Apache-2.0
#include "server/messages/json_reader.h"

#include <algorithm>

#include "trace/support/nearest.h"

namespace tasklens::messages {

Status RefuseOthers(const json& raw, const std::vector<ParameterName>& known) {
  std::vector<std::string_view> names{"workDoneToken", "partialResultToken"};
  for (const ParameterName& one : known) names.push_back(one.name);
  for (const auto& member : raw.items())
    if (std::ranges::find(names, member.key()) == names.end())
      return Status(ErrorCode::kInvalidArgument, "params." + member.key() +
                                                     " is no parameter of this request" +
                                                     DidYouMean(member.key(), names));
  return Status::Ok();
}

}  // namespace tasklens::messages
