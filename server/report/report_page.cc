// SPDX-License-Identifier: Apache-2.0
// Combines script, style and data into one page.
#include "server/report/report_page.h"

#include <QByteArray>
#include <QCryptographicHash>
#include <string_view>

#include "server/report/app_text.h"

namespace tasklens {
namespace {

std::string Digest(std::string_view text) {
  const QByteArray bytes(text.data(), static_cast<qsizetype>(text.size()));
  return "'sha256-" +
         QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toBase64().toStdString() + "'";
}

// `html_attributes` tell the page which host answers its requests; see ide-plugin/webview/host.js.
std::string Page(std::string_view html_attributes, std::string_view connect,
                 const std::string& data_element) {
  std::string page = "<!doctype html>\n<html lang=\"en\" ";
  page += std::string(html_attributes) + ">\n<head>\n<meta charset=\"utf-8\">\n";
  page += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src ";
  page += Digest(kAppScript) + "; style-src " + Digest(kAppStyle) +
          "; img-src data: blob:; connect-src ";
  page += std::string(connect) + "; base-uri 'none'; form-action 'none'\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += "<title>TaskLens</title>\n<style>";
  page += kAppStyle;
  page +=
      "</style>\n</head>\n<body>\n<noscript><p class=\"failure\">This page is drawn by the script ";
  page += "within it, and scripts are switched off here.</p></noscript>\n";
  page += data_element;
  page += "<script>";
  page += kAppScript;
  page += "</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace

std::string ReportPage(const std::string& data) {
  // qCompress() writes the length (4 bytes) before a zlib stream, which browsers can inflate.
  const QByteArray packed =
      qCompress(QByteArray(data.data(), static_cast<qsizetype>(data.size())), 6).mid(4);
  // Base64 contains no special characters of HTML.
  return Page("data-host=\"report\"", "'none'",
              "<script id=\"tasklens-data\" type=\"text/plain\">" +
                  packed.toBase64().toStdString() + "</script>\n");
}

std::string ServedPage() { return Page("data-host=\"server\"", "'self'", ""); }

std::string EditorPage(std::string_view view) {
  // SWT's browsers call functions of a plugin through requests with this URL scheme.
  return Page("data-host=\"editor\" data-view=\"" + std::string(view) + "\"", "swt:", "");
}

}  // namespace tasklens
