// SPDX-License-Identifier: Apache-2.0
// tasklens/silence: turns off a rule of advice in the project, in a file or at a line.
#include <filesystem>

#include "analysis/advice.h"
#include "server/handlers/advice_lines.h"
#include "server/handlers/request.h"
#include "server/handlers/source_lookup.h"
#include "server/messages/messages.h"
#include "server/protocol/message.h"
#include "server/protocol/uri.h"
#include "server/session/silenced_rules.h"

namespace tasklens {
namespace {

using messages::SilenceAnswer, messages::SilenceParams;

Status CheckRule(const std::string& rule) {
  std::string known;
  for (const AdviceRule& one : AdviceRules()) {
    if (one.id == rule) return Status::Ok();
    known += (known.empty() ? "" : ", ") + std::string(one.id);
  }
  return {ErrorCode::kInvalidArgument,
          "no rule of advice is called '" + rule + "'; there are: " + known};
}

void SilenceInProject(Host& host, const SilenceParams& params, const std::shared_ptr<Call>& call) {
  const std::string folder = host.session()->workspace_folder();
  if (folder.empty())
    return call->Answer(
        Status(ErrorCode::kUnsupported, "there is no workspace folder to save this in; add " +
                                            params.rule + " to the setting silencedRules"));
  if (Status s = SilenceRule(folder, params.rule); !s.ok()) return call->Answer(s);
  const std::string file = SilencedRulesFile(folder);
  host.TracesChanged();
  host.ShowMessage(Host::MessageType::kInfo, params.rule + " is ignored from now on; see " + file);
  call->Answer(SilenceAnswer{.uri = UriOfPath(file)});
}

// Permits only files that can have advice.
Status CheckFile(const Session& session, const std::string& uri) {
  const std::string path = PathOfDocument(session, uri);
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return {ErrorCode::kNotFound, uri + ": no such file"};
  if (!session.roots.Contains(path))
    return {ErrorCode::kInvalidArgument,
            uri + ": not in the workspace, nor in a folder of the setting sourceRoots"};
  return Status::Ok();
}

// Silences a rule by a comment, which the client inserts.
void SilenceInFile(Host& host, const SilenceParams& params, const std::shared_ptr<Call>& call) {
  if (Status s = CheckFile(*host.session(), params.uri); !s.ok()) return call->Answer(s);
  const uint32_t line = params.line.value_or(kNone);
  if (!host.client().apply_edit)
    return call->Answer(
        Status(ErrorCode::kUnsupported, "this editor does not take edits from the server; write " +
                                            SilencingComment(params.rule, line) +
                                            (params.line ? " above the line" : " into the file")));
  host.Ask("workspace/applyEdit",
           {{"label", "Ignore " + params.rule},
            {"edit", SilencingEdit(*host.session(), params.uri, params.rule, line)}},
           [call, uri = params.uri](const Result<json>& done) {
             if (!done.ok()) return call->Answer(done.status());
             if (done->is_object() && done->value("applied", json()) == true)
               return call->Answer(SilenceAnswer{.uri = uri});
             call->Answer(Status(ErrorCode::kUnsupported, "the editor did not change the file"));
           });
}

void Silence(Host& host, const SilenceParams& params, const std::shared_ptr<Call>& call) {
  if (Status s = CheckRule(params.rule); !s.ok()) return call->Answer(s);
  if (params.uri.empty() && params.line)
    return call->Answer(
        Status(ErrorCode::kInvalidArgument, "params.line needs the uri of its file"));
  params.uri.empty() ? SilenceInProject(host, params, call) : SilenceInFile(host, params, call);
}

}  // namespace

extern const ActionSpec kSilenceAction = Action<&Silence>("tasklens/silence");

}  // namespace tasklens
