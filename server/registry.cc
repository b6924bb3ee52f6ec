// SPDX-License-Identifier: Apache-2.0
// The only code that lists requests, from requests.inc.
#include <nlohmann/json.hpp>

#include "server/handlers/handlers.h"
#include "server/handlers/request.h"

namespace tasklens {

#define REQUEST(Name) extern const RequestSpec k##Name##Request;
#define ACTION(Name) extern const ActionSpec k##Name##Action;
#include "server/requests.inc"
#undef REQUEST
#undef ACTION

Result<json> RequestSpec::Handle(const Session& session, const json& params,
                                 const Call& call) const {
  json out;
  if (Status s = answer(session, params, call, out); !s.ok()) return s;
  return out;
}

const std::vector<const RequestSpec*>& Requests() {
  static const std::vector<const RequestSpec*> kAll = {
#define REQUEST(Name) &k##Name##Request,
#define ACTION(Name)
#include "server/requests.inc"
#undef REQUEST
#undef ACTION
  };
  return kAll;
}

const std::vector<const ActionSpec*>& Actions() {
  static const std::vector<const ActionSpec*> kAll = {
#define REQUEST(Name)
#define ACTION(Name) &k##Name##Action,
#include "server/requests.inc"
#undef REQUEST
#undef ACTION
  };
  return kAll;
}

std::vector<std::string_view> OurMethods() {
  std::vector<std::string_view> methods;
  for (const ActionSpec* spec : Actions()) methods.push_back(spec->method);
  for (const RequestSpec* spec : Requests()) methods.push_back(spec->method);
  std::erase_if(methods, [](std::string_view m) { return !m.starts_with(kMethodPrefix); });
  return methods;
}

}  // namespace tasklens
