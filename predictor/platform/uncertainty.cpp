#include "predictor/platform/uncertainty.h"

#include "predictor/base/normal_deviate.h"
#include "predictor/base/words.h"
#include "predictor/platform/quantity_text.h"
#include "predictor/platform/scale_links.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace farcast::platform {

namespace {

constexpr std::string_view kPrefix = "farcast:uncertainty:";
constexpr double kLeastFactor = 0.01; // of a link's figures, however unsure they are

struct Number {
  std::string_view id;
  double Uncertainty::*target;
};
constexpr std::array<Number, 4> kNumbers = {{{"bandwidth", &Uncertainty::bandwidth},
                                             {"latency", &Uncertainty::latency},
                                             {"bulk_write", &Uncertainty::bulk_write_s},
                                             {"bulk_read", &Uncertainty::bulk_read_s}}};
constexpr std::string_view kColdCall = "cold_call";
struct Lines {
  std::string_view id;
  OverheadErrors Uncertainty::*target;
  Overhead PointToPoint::*of;
};
constexpr std::array<Lines, 6> kLines = {{{"os", &Uncertainty::send_overhead, &PointToPoint::send_overhead},
                                          {"ois", &Uncertainty::isend_overhead, &PointToPoint::isend_overhead},
                                          {"or", &Uncertainty::receive_overhead, &PointToPoint::receive_overhead},
                                          {"self_message", &Uncertainty::self_message, &PointToPoint::self_message},
                                          {"reduction", &Uncertainty::reduction, &PointToPoint::reduction},
                                          {"copy", &Uncertainty::copy, &PointToPoint::copy}}};

template <class Table> auto named(const Table& table, std::string_view id) -> decltype(table.data()) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.id == id; });
  return found == table.end() ? nullptr : &*found;
}

// Errors: "found ..., expected ..." without the place.
base::Result<OverheadErrors> parse_errors(std::string_view text) {
  OverheadErrors out;
  for (const std::string_view section : base::split(text, ';')) {
    std::array<double, 4> figures{};
    std::size_t count = 0;
    for (const std::string_view part : base::split(section, ':')) {
      const base::Result<double> figure = count == 3 ? parse_number(trimmed(part)) : parse_non_negative(trimmed(part));
      if (!figure || count == figures.size()) {
        count = 0;
        break;
      }
      figures.at(count++) = *figure;
    }
    if (count != figures.size() || std::abs(figures[3]) > 1) {
      return base::fail(fmt::format("found {}, expected above:base:per_byte:correlation;... such as 0:2.1e-07:3.4e-11:-0.62",
                                    in_quotes(section)));
    }
    out.push_back({figures[0], figures[1], figures[2], figures[3]});
  }
  return out;
}

// What a member has in place of a figure: standard normal deviates, each from the name of the figure.
class Deviates {
public:
  explicit Deviates(std::uint64_t member) : member_(member) {}
  [[nodiscard]] double of(std::string_view figure, std::uint64_t number = 0) const {
    std::uint64_t key = base::mix_bits(member_ + kGolden);
    for (const char letter : figure) {
      key = base::mix_bits(key + static_cast<unsigned char>(letter) + kGolden);
    }
    return base::normal_deviate(key + number * kGolden);
  }

private:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
  std::uint64_t member_;
};

void draw(Overhead& overhead, const OverheadErrors& errors, std::string_view name, const Deviates& deviates) {
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const OverheadError& error = errors[i];
    const auto line = std::find_if(overhead.begin(), overhead.end(),
                                   [&](const OverheadSection& one) { return one.above_bytes == error.above_bytes; });
    if (line == overhead.end()) {
      continue;
    }
    const double first = deviates.of(name, 2 * i);
    const double second = deviates.of(name, 2 * i + 1);
    const double along = error.correlation * first + std::sqrt(1 - error.correlation * error.correlation) * second;
    line->base_s = std::max(0.0, line->base_s + error.base_s * first);
    line->per_byte_s = std::max(0.0, line->per_byte_s + error.per_byte_s * along);
  }
}

} // namespace

bool is_uncertainty(std::string_view property) {
  if (!property.starts_with(kPrefix)) {
    return false;
  }
  const std::string_view id = property.substr(kPrefix.size());
  return id == kColdCall || named(kNumbers, id) != nullptr || named(kLines, id) != nullptr;
}

base::Result<void> apply_uncertainty(const Property& property, Uncertainty& uncertainty) {
  const auto failed = [&](const base::Error& error) {
    return at_place(fmt::format("{}: property {}", property.place, property.id), error);
  };
  const std::string_view id = std::string_view(property.id).substr(kPrefix.size());
  if (const Lines* lines = named(kLines, id)) {
    base::Result<OverheadErrors> errors = parse_errors(property.value);
    if (!errors) {
      return failed(errors.error());
    }
    uncertainty.*(lines->target) = *std::move(errors);
  } else if (id == kColdCall) {
    const base::Result<base::Seconds> time = parse_time(property.value);
    if (!time) {
      return failed(time.error());
    }
    uncertainty.cold_call_s = time->value();
  } else if (const Number* number = named(kNumbers, id)) {
    const base::Result<double> value = parse_non_negative(property.value);
    if (!value) {
      return failed(value.error());
    }
    uncertainty.*(number->target) = *value;
  }
  return {};
}

Platform drawn(const Platform& platform, std::uint64_t member) {
  Platform out = platform;
  const Uncertainty& sure = platform.uncertainty;
  const Deviates deviates(member);
  const auto factor = [&](std::string_view name, double error) { return std::max(kLeastFactor, 1 + error * deviates.of(name)); };
  scale_links(out, factor("bandwidth", sure.bandwidth), factor("latency", sure.latency));
  for (const Lines& lines : kLines) {
    draw(out.p2p.*(lines.of), sure.*(lines.target), lines.id, deviates);
  }
  Transport& transport = out.transport;
  // 0 means that another figure holds: it stays.
  const auto around = [&](double value, double error, std::string_view name) {
    return value > 0 ? std::max(value * kLeastFactor, value + error * deviates.of(name)) : value;
  };
  transport.bulk_write_s = around(transport.bulk_write_s, sure.bulk_write_s, "bulk_write");
  transport.bulk_read_s = around(transport.bulk_read_s, sure.bulk_read_s, "bulk_read");
  transport.cold_call = base::Seconds(around(transport.cold_call.value(), sure.cold_call_s, kColdCall));
  return out;
}

} // namespace farcast::platform
