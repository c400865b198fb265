#include "predictor/timeline/writers.h"

namespace farcast::timeline {

std::string text_of(const Names& names, sim::Activity activity, std::uint32_t site, std::uint32_t region) {
  if (activity == sim::Activity::compute) return names.region(region);
  if (activity == sim::Activity::ended) return "ended";
  const CallName& call = names.call(site);
  return call.place.empty() ? call.function : call.function + " " + call.place;
}

base::Result<std::uint64_t> write(Format format, const std::vector<TimeLine>& lines, const std::string& path,
                                  const std::atomic<bool>* stop) {
  for (const TimeLine& line : lines)
    if (const auto whole = line.check(); !whole) return tl::make_unexpected(whole.error());
  switch (format) {
  case Format::perfetto:
    return write_perfetto(lines, path, stop);
  case Format::otf2:
    return write_otf2(lines, path, stop);
  case Format::paje:
    return write_paje(lines, path, stop);
  case Format::csv:
    break;
  }
  return write_csv(lines, path, stop);
}

} // namespace farcast::timeline
