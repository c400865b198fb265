#include "predictor/html/page_text.h"

namespace farcast::html {

std::string inside_script(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else if (json.substr(at, 3) == "\xE2\x80\xA8" || json.substr(at, 3) == "\xE2\x80\xA9") {
      out += json[at + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      at += 2;
    } else
      out += c;
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string page(std::string_view title, std::string_view json) {
  const Template parts = page_template();
  std::string out(parts.before_title);
  out += escaped(title);
  out += parts.before_document;
  out += inside_script(json);
  out += parts.after_document;
  return out;
}

} // namespace farcast::html
