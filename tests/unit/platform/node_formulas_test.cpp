// Formulas of the papers as properties of hosts and clusters.
#include "predictor/platform/simgrid_xml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace node_formulas_test {

using namespace farcast;
using namespace farcast::platform;

namespace {

std::string prop(const std::string& id, const std::string& value) { return fmt::format("<prop id='{}' value='{}'/>", id, value); }

// Four nodes of four cores.
base::Result<Platform> with(const std::string& properties) {
  return parse_simgrid_xml(fmt::format("<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' "
                                       "core='4' bw='1GBps' lat='1us'>{}</cluster></platform>",
                                       properties),
                           "p.xml");
}

Platform good(const std::string& properties) {
  auto read = with(properties);
  if (!read) FAIL(read.error().message);
  return *read;
}

std::string bad(const std::string& properties) {
  const auto read = with(properties);
  REQUIRE_FALSE(read);
  return read.error().message;
}

} // namespace

TEST_CASE("formulas of a node with more threads than cores") {
  const std::string times = prop("farcast:thread_times", "1.65e-9:1.94e-9:3.29e-10:7.96e-11");
  const Platform read =
      good(times + prop("farcast:hardware_threads", "8") + prop("farcast:thread_watts", "78:4.84:109:1.90:151"));
  REQUIRE(read.hosts[3].processor->threads);
  const ThreadFormulas& threads = *read.hosts[3].processor->threads;
  CHECK(threads.time.low_threads == 4);
  CHECK(threads.time.high_threads == 8);
  CHECK(threads.time.low.value() == 1.94e-9);
  CHECK(threads.time.per_thread.value() == 7.96e-11);
  CHECK(threads.power->high_threads == 8);
  CHECK(threads.power->maximum->value() == 151);
  CHECK_FALSE(threads_beyond_cores(read.hosts[3]));
  CHECK_FALSE(good(times).hosts[0].processor->threads->power);
  CHECK_FALSE(good("").hosts[0].processor->threads);
  for (const auto& [properties, words] :
       {std::pair(prop("farcast:thread_times", "1e-9:1e-9:1e-9"), "T_min:T_low:T_hi:K_hi"),
        std::pair(prop("farcast:thread_times", "0:1e-9:1e-9:1e-9"), "T_min above 0"),
        std::pair(times + prop("farcast:hardware_threads", "3"), "found '3', expected a whole number of threads from its 4"),
        std::pair(times + prop("farcast:thread_watts", "78:4.84:109:-1:151"), "PW_low:KW_low:PW_hi:KW_hi:PW_max"),
        std::pair(prop("farcast:thread_watts", "78:4.84:109:1.9:151"), "expected farcast:thread_times beside it")})
    CHECK_THAT(bad(properties), Catch::Contains(words));
}

TEST_CASE("L, o and g of a device's network by message size") {
  const Platform read = good(prop("farcast:logp", "0:2e-6:1e-6:0; 1000:2e-6:3e-6:4e-6"));
  REQUIRE(read.hosts[2].processor->logp);
  CHECK(read.hosts[2].processor->logp->message(base::Bytes(500)).value() == Approx(6e-6));
  for (const char* wrong : {"", "0:1e-6:1e-6", "0:1e-6:1e-6:x", "10:1e-6:1e-6:0;10:1e-6:1e-6:0", "0:-1:0:0"})
    CHECK_THAT(bad(prop("farcast:logp", wrong)), Catch::Contains("expected bytes:L:o:g;..."));
}

TEST_CASE("watts of memory-bound computing") {
  const std::string watts = prop("wattage_per_state", "95:120:200");
  CHECK_FALSE(good(watts).hosts[0].power->all_memory);
  CHECK(good(watts + prop("farcast:memory_watts", "170")).hosts[0].power->all_memory->value() == 170.0);
  CHECK_THAT(bad(prop("farcast:memory_watts", "100")), Catch::Contains("without wattage_per_state"));
  CHECK_THAT(bad(watts + prop("farcast:memory_watts", "100")),
             Catch::Contains("found '100', expected at least the Epsilon value"));
}

} // namespace node_formulas_test
