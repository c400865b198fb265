// Whatever the bytes of a platform file: a platform that has routes, or a sentence with the file.
#include "predictor/platform/simgrid_xml.h"
#include "tests/fuzz/input_file.h"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace farcast;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto platform = platform::parse_simgrid_xml(text, "fuzz.xml");
  if (!platform) {
    fuzz::require(platform.error().message.starts_with("fuzz.xml"));
    return 0;
  }
  fuzz::require(!platform->hosts.empty());
  const auto last = static_cast<platform::HostId>(platform->hosts.size() - 1);
  fuzz::require(platform->route(0, last).latency.value() >= 0);
  return 0;
}
