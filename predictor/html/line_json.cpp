#include "predictor/html/line_json.h"

#include "predictor/html/segments.h"
#include "predictor/timeline/writers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace farcast::html {

namespace {

using report::Json;

constexpr std::uint8_t kMixed = 0x80; // in Columns::kinds: a segment of several intervals
constexpr std::uint16_t kNoPlace = std::numeric_limits<std::uint16_t>::max();

template <class Number> void put(std::vector<std::uint8_t>& out, Number value) {
  for (std::size_t byte = 0; byte < sizeof(Number); ++byte) out.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
}

// The two activities that a segment has most of, the first one first.
std::pair<std::size_t, std::size_t> most_of(const ActivitySeconds& in) {
  std::size_t first = 0;
  for (std::size_t activity = 1; activity < in.size(); ++activity)
    if (in[activity] > in[first]) first = activity;
  std::size_t second = first == 0 ? 1 : 0;
  for (std::size_t activity = 0; activity < in.size(); ++activity)
    if (activity != first && in[activity] > in[second]) second = activity;
  return {first, second};
}

// The segments of a time line, one column per figure.
class Columns {
public:
  explicit Columns(const timeline::TimeLine& line) : line_(line) {}

  void add(const Segment& segment) {
    const double scale = line_.end_s > 0 ? static_cast<double>(std::numeric_limits<std::uint32_t>::max()) / line_.end_s : 0;
    put(ends_, static_cast<std::uint32_t>(std::clamp(std::round(segment.end * scale), 0.0, 4294967295.0)));
    const auto [first, second] = most_of(segment.in);
    kinds_.push_back(static_cast<std::uint8_t>(first | (segment.intervals > 1 ? kMixed : 0)));
    put(places_, segment.intervals > 1 ? kNoPlace : place_of(segment.only));
    ++size_;
    if (segment.intervals == 1) return;
    const double length = segment.end - segment.begin;
    const auto share = [&](std::size_t activity) {
      return static_cast<std::uint8_t>(std::lround(length > 0 ? 255 * segment.in.at(activity) / length : 0));
    };
    mixed_.insert(mixed_.end(), {share(first), static_cast<std::uint8_t>(second), share(second)});
    put(mixed_, static_cast<std::uint16_t>(std::min<std::uint64_t>(segment.intervals, 0xffff)));
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  void write(Json& out) const {
    out["places"] = names_;
    out["ends"] = base64(ends_);
    out["kinds"] = base64(kinds_);
    out["place_of"] = base64(places_);
    out["mixed"] = base64(mixed_);
  }

private:
  std::uint16_t place_of(const timeline::Interval& interval) {
    using sim::Activity;
    if (interval.activity == Activity::ended) return kNoPlace;
    const bool computes = interval.activity == Activity::compute;
    const std::uint64_t key = static_cast<std::uint64_t>(computes) << 32 | (computes ? interval.region : interval.site);
    const auto known = numbers_.find(key);
    if (known != numbers_.end()) return known->second;
    if (names_.size() == kNoPlace) return kNoPlace;
    names_.push_back(
        timeline::text_of(line_.names, computes ? Activity::compute : Activity::local, interval.site, interval.region));
    return numbers_[key] = static_cast<std::uint16_t>(names_.size() - 1);
  }

  const timeline::TimeLine& line_;
  std::vector<std::uint8_t> ends_;   // 32 bits each
  std::vector<std::uint8_t> kinds_;  // 8
  std::vector<std::uint8_t> places_; // 16
  std::vector<std::uint8_t> mixed_;  // 40, of mixed segments alone
  std::vector<std::string> names_;
  std::unordered_map<std::uint64_t, std::uint16_t> numbers_;
  std::size_t size_ = 0;
};

// Four digits: a share of a slice that a chart of some hundred pixels shows.
double rounded(double value, double scale) { return scale > 0 ? std::round(value / scale * 1e4) * 1e-4 : 0; }

Json profile_value(const timeline::TimeLine& line) {
  const double whole = line.end_s * static_cast<double>(line.ranks()) / static_cast<double>(kProfileSlices); // rank-seconds
  Json out = Json::array();
  const std::vector<ActivitySeconds> slices = profile(line, kProfileSlices);
  for (std::size_t activity = 0; activity < sim::kActivities; ++activity) {
    Json shares = Json::array();
    for (const ActivitySeconds& slice : slices) shares.push_back(rounded(slice[activity], whole));
    out.push_back(std::move(shares));
  }
  return out;
}

} // namespace

std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) group = group << 8 | (i < left ? bytes[at + i] : 0);
    for (std::size_t i = 0; i < 4; ++i) out += i <= left ? kDigits[group >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

Json line_value(const timeline::TimeLine& line, std::size_t most) {
  Columns columns(line);
  const double shortest = shortest_for(line, most);
  Json first = Json::array();
  for (std::size_t rank = 0; rank < line.ranks(); ++rank) {
    first.push_back(columns.size());
    cut(line, rank, shortest, [&](const Segment& segment) { columns.add(segment); });
  }
  first.push_back(columns.size());
  Json out;
  out["name"] = line.name;
  out["end_s"] = line.end_s;
  out["intervals"] = line.intervals.size();
  out["shortest_s"] = shortest;
  out["hosts"] = line.host_of;
  out["first"] = std::move(first);
  columns.write(out);
  out["profile"] = profile_value(line);
  return out;
}

} // namespace farcast::html
