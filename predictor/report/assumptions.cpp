#include "predictor/report/assumptions.h"

#include "predictor/base/format.h"

#include <algorithm>
#include <fmt/format.h>

namespace farcast::report {

std::vector<std::string> assumptions_of(const platform::Platform& platform) {
  std::vector<std::string> sentences;
  const auto assumed = std::find_if(platform.hosts.begin(), platform.hosts.end(),
                                    [](const platform::Host& host) { return host.power && host.power->polling_assumed; });
  if (assumed != platform.hosts.end())
    // Heinrich17 measured probing only: what a core draws that polls inside a blocking call is ours to assume.
    sentences.push_back(fmt::format("a node whose cores all poll inside blocking MPI calls draws {}: the platform has no figure "
                                    "of its own for polling",
                                    base::format_power(assumed->power->all_polling)));
  sentences.insert(sentences.end(), platform.warnings.begin(), platform.warnings.end());
  return sentences;
}

} // namespace farcast::report
