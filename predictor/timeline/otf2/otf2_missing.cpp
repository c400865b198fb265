// In place of otf2_writer.cpp where OTF2's library was not installed when farcast was built.
#include "predictor/timeline/writers.h"

namespace farcast::timeline {

base::Result<std::uint64_t> write_otf2(const std::vector<TimeLine>& /*lines*/, const std::string& /*path*/,
                                       const std::atomic<bool>* /*stop*/) {
  return base::fail("--to otf2: this farcast was built without OTF2's library (Debian's libopen-trace-format2-dev), expected "
                    "perfetto, paje or csv");
}

} // namespace farcast::timeline
