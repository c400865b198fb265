#include "predictor/live/steal_time.h"

#include <fstream>
#include <sstream>

namespace farcast::live {

namespace {

std::optional<ProcessorTicks> processor_ticks_now() {
  std::ifstream file("/proc/stat");
  std::string line;
  return std::getline(file, line) ? parse_processor_ticks(line) : std::nullopt;
}

} // namespace

std::optional<ProcessorTicks> parse_processor_ticks(const std::string& line) {
  constexpr int kFields = 8; // as far as steal
  std::istringstream words(line);
  std::string name;
  ProcessorTicks out;
  if (!(words >> name) || name != "cpu") return std::nullopt;
  for (int field = 0; field < kFields; ++field) {
    if (!(words >> out.stolen)) return std::nullopt;
    out.all += out.stolen;
  }
  return out;
}

StealTime::StealTime() : from_(processor_ticks_now()) {}

double StealTime::share() const {
  const std::optional<ProcessorTicks> to = processor_ticks_now();
  if (!from_ || !to || to->all <= from_->all || to->stolen < from_->stolen) return -1;
  return static_cast<double>(to->stolen - from_->stolen) / static_cast<double>(to->all - from_->all);
}

} // namespace farcast::live
