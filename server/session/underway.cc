// SPDX-License-Identifier: Apache-2.0
// Checks all work periodically, as long as there is any.
#include "server/session/underway.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "server/session/memory.h"

namespace tasklens {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kLook{20};
constexpr milliseconds kShowAfter{500};

}  // namespace

Underway::Underway(Owner owner) : owner_(std::move(owner)) {
  QObject::connect(&timer_, &QTimer::timeout, [this] { Look(); });
}

std::shared_ptr<Underway::Work> Underway::Add(std::shared_ptr<Call> call, std::string title) {
  auto work = std::make_shared<Work>();
  work->call_ = std::move(call);
  work->title_ = std::move(title);
  work->since_ = steady_clock::now();
  works_.push_back(work);
  if (!timer_.isActive()) timer_.start(kLook);
  return work;
}

void Underway::Remove(const std::shared_ptr<Work>& work) {
  RefuseBeyondLimit();  // no check may have run during this work
  std::erase(works_, work);
  if (works_.empty()) timer_.stop();
}

void Underway::Abandon() {
  const auto works = works_;
  for (const std::shared_ptr<Work>& work : works) work->call_->Cancel();
}

void Underway::Look() {
  RefuseBeyondLimit();
  for (const std::shared_ptr<Work>& work : works_) {
    if (!owner_.show || work->is_shown_ || work->call_->IsAnswered()) continue;
    if (steady_clock::now() - work->since_ < kShowAfter) continue;
    work->is_shown_ = true;
    work->call_->Hold(owner_.show(work->call_, work->title_));
  }
}

void Underway::RefuseBeyondLimit() {
  const uint64_t limit_bytes = owner_.limit_bytes();
  if (limit_bytes == 0 || OwnMemoryBytes() <= limit_bytes) return;
  const auto now = steady_clock::now();
  bool is_any = false;
  const auto works = works_;  // a copy: answering may add work
  for (const std::shared_ptr<Work>& work : works) {
    // No subtraction, because begun_ may be kNotYet.
    if (work->call_->IsAnswered() || work->begun_.load() > now - kLook) continue;
    is_any = true;
    work->call_->Refuse(BeyondMemoryLimit(work->title_, limit_bytes, owner_.limit_name));
  }
  if (is_any) owner_.give_back();
}

std::string TitleOfMethod(std::string_view method) {
  std::string title;
  for (const char c : method.substr(method.rfind('/') + 1)) {
    const auto letter = static_cast<unsigned char>(c);
    if (title.empty()) {
      title += static_cast<char>(std::toupper(letter));
    } else if (std::isupper(letter)) {
      title += {' ', static_cast<char>(std::tolower(letter))};
    } else {
      title += c;
    }
  }
  return title;
}

Status BeyondMemoryLimit(std::string_view what, uint64_t limit_bytes, std::string_view limit_name) {
  return {ErrorCode::kUnsupported, std::string(what) + ": needs more than the " +
                                       std::to_string(limit_bytes >> 20) + " MiB of " +
                                       std::string(limit_name) + "; close traces, or raise it"};
}

}  // namespace tasklens
