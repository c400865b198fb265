#include "predictor/platform/uncertainty.h"

#include "predictor/base/normal_deviate.h"
#include "predictor/base/words.h"
#include "predictor/platform/quantity_text.h"
#include "predictor/platform/scale_links.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <utility>

namespace farcast::platform {

namespace {

constexpr std::string_view kPrefix = "farcast:uncertainty:";
constexpr double kLeastFactor = 0.01; // of a link's figures, however unsure they are

struct Number {
  std::string_view id;
  double Uncertainty::*target;
};
constexpr std::array<Number, 6> kNumbers = {{{"clock_share", &Uncertainty::clock_share},
                                             {"relative_speed", &Uncertainty::relative_speed},
                                             {"bandwidth", &Uncertainty::bandwidth},
                                             {"latency", &Uncertainty::latency},
                                             {"bulk_write", &Uncertainty::bulk_write_s},
                                             {"bulk_read", &Uncertainty::bulk_read_s}}};
constexpr std::string_view kColdCall = "cold_call";
constexpr std::string_view kWatts = "watts";
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

// Errors: "found ..., expected ..." without the place.
base::Result<WattErrors> parse_watt_errors(std::string_view text) {
  constexpr std::size_t kFewest = 3;
  std::array<double, 6> shares{};
  std::size_t count = 0;
  for (const std::string_view part : base::split(text, ':')) {
    const base::Result<double> share = parse_non_negative(trimmed(part));
    if (!share || count == shares.size()) {
      count = 0;
      break;
    }
    shares.at(count++) = *share;
  }
  if (count < kFewest) {
    return base::fail(fmt::format("found {}, expected IDLE:STATIC:COMPUTING[:POLLING[:PROBING[:MEMORY]]] such as 0.01:0.03:0.02",
                                  in_quotes(text)));
  }
  for (; count < shares.size(); ++count) {
    shares.at(count) = shares.at(count - 1);
  }
  return WattErrors{shares[0], shares[1], shares[2], shares[3], shares[4], shares[5]};
}

// What a member has in place of a figure: standard normal deviates, each from the name of the figure.
class Deviates {
public:
  explicit Deviates(std::uint64_t member) : member_(member) {}
  [[nodiscard]] double of(std::string_view figure, std::uint64_t number = 0) const {
    std::uint64_t key = base::mix_bits(member_ + base::kGolden);
    for (const char letter : figure) {
      key = base::mix_bits(key + static_cast<unsigned char>(letter) + base::kGolden);
    }
    return base::normal_deviate(key + number * base::kGolden);
  }

private:
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

// Watts that were taken from another state are off as that is.
NodePower drawn(const NodePower& power, const WattErrors& errors, const Deviates& deviates) {
  const auto around = [&](base::Watts watts, double error, std::string_view name) {
    return watts * std::max(kLeastFactor, 1 + error * deviates.of(name));
  };
  NodePower out = power;
  out.idle = around(power.idle, errors.idle, "watts idle");
  out.static_active = around(power.static_active, errors.static_active, "watts static");
  const auto active = [&](base::Watts watts, double error, std::string_view name) {
    return std::max(out.static_active, around(watts, error, name));
  };
  out.all_computing = active(power.all_computing, errors.computing, "watts computing");
  const auto waiting = [&](base::Watts watts, double error, std::string_view name) {
    return power.polling_assumed ? active(watts, errors.computing, "watts computing") : active(watts, error, name);
  };
  out.all_polling = waiting(power.all_polling, errors.polling, "watts polling");
  out.all_probing = waiting(power.all_probing, errors.probing, "watts probing");
  if (power.all_memory) {
    out.all_memory = active(*power.all_memory, errors.memory, "watts memory");
  }
  return out;
}

void draw_nodes(Platform& platform, const Deviates& deviates) {
  const Uncertainty& sure = platform.uncertainty;
  const double speed = std::max(kLeastFactor, 1 + sure.relative_speed * deviates.of("relative_speed"));
  std::map<const Processor*, std::shared_ptr<const Processor>> processors;
  for (Host& host : platform.hosts) {
    if (host.relative_speed) {
      host.relative_speed = *host.relative_speed * speed;
    }
    if (sure.watts && host.power) {
      host.power = drawn(*host.power, *sure.watts, deviates);
    }
    if (host.processor == nullptr) {
      continue;
    }
    std::shared_ptr<const Processor>& known = processors[host.processor.get()];
    if (known == nullptr) {
      auto processor = std::make_shared<Processor>(*host.processor);
      for (ProcessorState& state : processor->states) {
        if (sure.watts && state.power) {
          state.power = drawn(*state.power, *sure.watts, deviates);
        }
      }
      if (processor->clock_share) {
        processor->clock_share = std::clamp(*processor->clock_share + sure.clock_share * deviates.of("clock_share"), 0.0, 1.0);
      }
      known = std::move(processor);
    }
    host.processor = known;
  }
}

} // namespace

bool is_uncertainty(std::string_view property) {
  if (!property.starts_with(kPrefix)) {
    return false;
  }
  const std::string_view id = property.substr(kPrefix.size());
  return id == kColdCall || id == kWatts || named(kNumbers, id) != nullptr || named(kLines, id) != nullptr;
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
  } else if (id == kWatts) {
    const base::Result<WattErrors> errors = parse_watt_errors(property.value);
    if (!errors) {
      return failed(errors.error());
    }
    uncertainty.watts = *errors;
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
  if (sure.watts || sure.clock_share > 0 || sure.relative_speed > 0) {
    draw_nodes(out, deviates);
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

double drawn_factor(std::uint64_t member, std::string_view figure, double error) {
  return std::max(kLeastFactor, 1 + error * Deviates(member).of(figure));
}

} // namespace farcast::platform
