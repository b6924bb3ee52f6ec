// SPDX-License-Identifier: Apache-2.0
// Percent-encoding according to RFC 3986.
#include "server/protocol/uri.h"

namespace tasklens {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Status Refuse(std::string_view uri, std::string_view why) {
  return Status(ErrorCode::kInvalidArgument, std::string(uri) + ": " + std::string(why));
}

}  // namespace

Result<std::string> PathOfUri(std::string_view uri) {
  std::string path;
  std::string_view rest = uri;
  if (rest.starts_with('/')) {
    path = rest;
  } else if (rest.starts_with("file:")) {
    rest.remove_prefix(5);
    if (rest.starts_with("//")) {
      rest.remove_prefix(2);
      if (rest.starts_with("localhost/")) rest.remove_prefix(9);
    }
    if (!rest.starts_with('/')) return Refuse(uri, "a file URI must name a file of this machine");
    rest = rest.substr(0, rest.find_first_of("?#"));
    for (size_t i = 0; i < rest.size(); ++i) {
      if (rest[i] != '%') {
        path += rest[i];
        continue;
      }
      const int high = i + 2 < rest.size() ? HexDigit(rest[i + 1]) : -1;
      const int low = i + 2 < rest.size() ? HexDigit(rest[i + 2]) : -1;
      if (high < 0 || low < 0) return Refuse(uri, "\"%\" must be followed by two hex digits");
      path += static_cast<char>(high * 16 + low);
      i += 2;
    }
  } else {
    return Refuse(uri, "expected a file URI or an absolute path");
  }
  if (path.find('\0') != std::string::npos)
    return Refuse("the URI", "a path cannot contain a NUL byte");
  return path;
}

std::string UriOfPath(std::string_view path) {
  std::string uri = "file://";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    if (plain) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += '%';
      uri += "0123456789ABCDEF"[byte >> 4];
      uri += "0123456789ABCDEF"[byte & 15];
    }
  }
  return uri;
}

}  // namespace tasklens
