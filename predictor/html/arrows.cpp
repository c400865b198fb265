#include "predictor/html/arrows.h"

#include "predictor/html/line_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace farcast::html {

namespace {

bool sent_earlier(const Arrow& a, const Arrow& b) {
  return std::tie(a.posted, a.source, a.destination, a.arrived) < std::tie(b.posted, b.source, b.destination, b.arrived);
}

// Which of two of one length is kept does not hang on the order in which they came.
bool longer(const Arrow& a, const Arrow& b) {
  if (a.on_the_way() != b.on_the_way()) return a.on_the_way() > b.on_the_way();
  return sent_earlier(a, b);
}

void put(std::vector<std::uint8_t>& out, std::uint32_t value) {
  for (unsigned byte = 0; byte < sizeof(value); ++byte) out.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
}

} // namespace

void Arrows::posted(const sim::MessagePosted& message) {
  if (message.in_collective || message.source == message.destination) return;
  under_way_[message.id] = {message.source, message.destination, message.time, message.time};
}

void Arrows::arrived(const sim::MessageArrived& message) {
  const auto found = under_way_.find(message.id);
  if (found == under_way_.end()) return;
  Arrow arrow = found->second;
  under_way_.erase(found);
  arrow.arrived = message.time;
  ++all_;
  if (longest_.size() == kMostArrows) {
    if (!longer(arrow, longest_.front())) return;
    std::pop_heap(longest_.begin(), longest_.end(), longer);
    longest_.pop_back();
  }
  longest_.push_back(arrow);
  std::push_heap(longest_.begin(), longest_.end(), longer);
}

std::vector<Arrow> Arrows::kept() const {
  std::vector<Arrow> out = longest_;
  std::sort(out.begin(), out.end(), sent_earlier);
  return out;
}

report::Json arrows_value(const Arrows& arrows, double end_s) {
  const double scale = end_s > 0 ? static_cast<double>(std::numeric_limits<std::uint32_t>::max()) / end_s : 0;
  const auto ticks = [scale](double time) {
    return static_cast<std::uint32_t>(std::clamp(std::round(time * scale), 0.0, 4294967295.0));
  };
  std::vector<std::uint8_t> from, to, posted, arrived;
  const std::vector<Arrow> kept = arrows.kept();
  for (const Arrow& arrow : kept) {
    put(from, arrow.source);
    put(to, arrow.destination);
    put(posted, ticks(arrow.posted));
    put(arrived, ticks(arrow.arrived));
  }
  report::Json out;
  out["all"] = arrows.all();
  out["kept"] = kept.size();
  out["from"] = base64(from);
  out["to"] = base64(to);
  out["posted"] = base64(posted);
  out["arrived"] = base64(arrived);
  return out;
}

} // namespace farcast::html
