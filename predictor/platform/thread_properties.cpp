#include "predictor/platform/thread_properties.h"

#include "predictor/base/words.h"
#include "predictor/platform/quantity_text.h"

#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace farcast::platform {

namespace {

constexpr std::int64_t kMostThreads = 1 << 20;

// Returns: so many figures, none below 0; empty otherwise.
std::vector<double> figures_in(const Property& property, std::size_t count) {
  std::vector<double> out;
  for (const std::string_view part : base::split(property.value, ':')) {
    const base::Result<double> value = parse_non_negative(trimmed(part));
    if (!value) {
      return {};
    }
    out.push_back(*value);
  }
  return out.size() == count ? out : std::vector<double>();
}

} // namespace

base::Result<std::optional<ThreadFormulas>> read_thread_formulas(const ThreadProperties& given, int cores) {
  if (given.times == nullptr) {
    for (const Property* property : {given.hardware_threads, given.watts}) {
      if (property != nullptr) {
        return unlike(*property, "farcast:thread_times beside it");
      }
    }
    return std::nullopt;
  }
  ThreadFormulas out;
  out.time.low_threads = cores;
  if (given.hardware_threads != nullptr) {
    const base::Result<std::int64_t> threads = parse_integer(given.hardware_threads->value, cores, kMostThreads);
    if (!threads) {
      return unlike(*given.hardware_threads, fmt::format("a whole number of threads from its {} cores on", cores));
    }
    out.time.high_threads = static_cast<int>(*threads);
  }
  const std::vector<double> times = figures_in(*given.times, 4);
  if (times.empty() || !(times[0] > 0)) {
    return unlike(*given.times, "T_min:T_low:T_hi:K_hi in seconds, T_min above 0, such as 1.65e-9:1.94e-9:3.29e-10:7.96e-11");
  }
  out.time.minimum = base::Seconds(times[0]);
  out.time.low = base::Seconds(times[1]);
  out.time.high = base::Seconds(times[2]);
  out.time.per_thread = base::Seconds(times[3]);
  if (given.watts != nullptr) {
    const std::vector<double> watts = figures_in(*given.watts, 5);
    if (watts.empty()) {
      return unlike(*given.watts, "PW_low:KW_low:PW_hi:KW_hi:PW_max in watts such as 78:4.84:109:1.90:151");
    }
    out.power = model::ThreadPower{out.time.low_threads,  out.time.high_threads, base::Watts(watts[0]), base::Watts(watts[1]),
                                   base::Watts(watts[2]), base::Watts(watts[3]), base::Watts(watts[4])};
  }
  return out;
}

} // namespace farcast::platform
