// SPDX-License-Identifier: Apache-2.0
// The one error type: Status, and Result<T> for a value or the Status that explains its absence.
//
// A message is one line for the user: what is wrong, where (file, byte, event), what to do. It
// carries no trailing full stop or newline. Messages are turned into exit codes, standard error or
// JSON-RPC errors at one edge each; everything below passes them up unchanged or with a prefix.
//
// Threads: values, as safe as std::string. No function of ours throws across a folder boundary.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tasklens {

enum class ErrorCode {
  kOk = 0,
  kInvalidArgument,  // the caller's request makes no sense: wrong option, wrong parameter
  kNotFound,         // no such file, task, trace
  kUnsupported,      // understood, but nothing here can do it
  kCorrupt,          // the input's bytes contradict its format
  kIo,               // the system refused: permission, disk full, broken pipe
  kCancelled,        // the caller asked to stop
  kInternal,         // a defect of ours
};

class [[nodiscard]] Status {
 public:
  Status() = default;  // OK
  Status(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}
  static Status Ok() { return {}; }

  bool ok() const { return code_ == ErrorCode::kOk; }
  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // The same error seen from further out: "PREFIX: message". OK stays OK.
  Status WithPrefix(std::string_view prefix) const {
    if (ok()) return *this;
    return {code_, std::string(prefix) + ": " + message_};
  }

 private:
  ErrorCode code_ = ErrorCode::kOk;
  std::string message_;
};

// A T, or the Status that says why there is none.
// REQUIRES for value(), * and ->: ok(). Breaking this aborts, in every build.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT: implicit on purpose
  Result(Status status) : status_(std::move(status)) {
    if (status_.ok()) std::abort();
  }
  Result(ErrorCode code, std::string message) : status_(code, std::move(message)) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  T& value() & { return Checked(); }
  const T& value() const& { return const_cast<Result*>(this)->Checked(); }
  T&& value() && { return std::move(Checked()); }
  T& operator*() & { return Checked(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(Checked()); }
  // For callers to whom a failure is the same as `other`.
  T value_or(T other) && { return ok() ? std::move(Checked()) : std::move(other); }
  T* operator->() { return &Checked(); }
  const T* operator->() const { return &value(); }

 private:
  T& Checked() {
    if (!value_) std::abort();
    return *value_;
  }

  Status status_;
  std::optional<T> value_;
};

}  // namespace tasklens
