#include "predictor/report/json_text.h"

#include <algorithm>

namespace farcast::report {
namespace {

std::string plain(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

void append(std::string& out, const Json& value, int depth) {
  const bool opened =
      value.is_structured() && std::any_of(value.begin(), value.end(), [](const Json& child) { return child.is_structured(); });
  if (!opened) {
    out += plain(value);
    return;
  }
  std::string line(1 + 2 * static_cast<std::size_t>(depth + 1), ' '); // a line break and the indentation
  line.front() = '\n';
  const bool object = value.is_object();
  out += object ? '{' : '[';
  bool first = true;
  for (auto child = value.begin(); child != value.end(); ++child) {
    out += first ? "" : ",";
    first = false;
    out += line;
    if (object) out += plain(child.key()) + ": ";
    append(out, *child, depth + 1);
  }
  out += line.substr(0, line.size() - 2);
  out += object ? '}' : ']';
}

} // namespace

Json interval_value(const std::optional<base::Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json();
}

std::string to_text(const Json& value, int depth) {
  std::string out;
  append(out, value, depth);
  return out;
}

} // namespace farcast::report
