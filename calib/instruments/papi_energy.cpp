#include "calib/instruments/papi_energy.h"

#include "libinterpose/stream/papi_library.h"

#include <array>
#include <fmt/format.h>
#include <numeric>
#include <string>
#include <thread>
#include <utility>

namespace farcast::instruments {

namespace {

constexpr int kMostPackages = 64;
constexpr int kMostEvents = 2 * kMostPackages;
constexpr double kJoulesPerCount = 1e-9; // the component tells nanojoules
constexpr auto kFirstCheck = std::chrono::milliseconds(50);

base::Result<stream::Papi> load() {
  stream::Papi papi{};
  void* library = stream::open_papi();
  if (library == nullptr) return base::fail(stream::kNoPapi);
  if (!stream::find_papi_functions(library, papi)) return base::fail("the installed PAPI lacks functions");
  if (const int code = stream::init_papi(papi); code != PAPI_OK)
    return base::fail(fmt::format("PAPI_library_init: {}", stream::reason_of(papi, code)));
  return papi;
}

// A set of energy events that is stopped and started again for each reading: PAPI's own counters
// begin anew then, so that they never wrap twice within a reading.
class RaplSet {
public:
  static base::Result<RaplSet> open() {
    auto papi = load();
    if (!papi) return tl::make_unexpected(papi.error());
    RaplSet set(*papi);
    if (const int code = papi->create_eventset(&set.events_); code != PAPI_OK)
      return base::fail(fmt::format("PAPI_create_eventset: {}", stream::reason_of(*papi, code)));
    for (int package = 0; package < kMostPackages; ++package) {
      const std::string name = fmt::format("rapl:::PACKAGE_ENERGY:PACKAGE{}", package);
      const int code = papi->add_named_event(set.events_, name.c_str());
      if (code != PAPI_OK && package == 0) return base::fail(fmt::format("{}: {}", name, stream::reason_of(*papi, code)));
      if (code != PAPI_OK) break;
      ++set.count_;
      const std::string memory = fmt::format("rapl:::DRAM_ENERGY:PACKAGE{}", package);
      if (papi->add_named_event(set.events_, memory.c_str()) == PAPI_OK) ++set.count_;
    }
    // Listed is not counted: that shows only here.
    if (const int code = papi->start(set.events_); code != PAPI_OK)
      return base::fail(fmt::format("PAPI_start: {}", stream::reason_of(*papi, code)));
    std::this_thread::sleep_for(kFirstCheck);
    const auto joules = set.advance();
    if (!joules) return tl::make_unexpected(joules.error());
    if (*joules <= 0.0) return base::fail("its rapl component was started, but this machine counts no energy");
    return set;
  }

  // Returns: joules since the last call, or since open().
  base::Result<double> advance() {
    std::array<long long, kMostEvents> counts{};
    int code = papi_.stop(events_, counts.data());
    if (code == PAPI_OK) code = papi_.start(events_);
    if (code != PAPI_OK) return base::fail(fmt::format("PAPI's rapl component: {}", stream::reason_of(papi_, code)));
    return kJoulesPerCount * static_cast<double>(std::accumulate(counts.begin(), counts.begin() + count_, 0LL));
  }
  [[nodiscard]] int count() const { return count_; }

private:
  explicit RaplSet(const stream::Papi& papi) : papi_(papi) {}
  stream::Papi papi_;
  int events_ = PAPI_NULL;
  int count_ = 0;
};

} // namespace

base::Result<std::unique_ptr<PowerSource>> papi_energy() {
  auto set = RaplSet::open();
  if (!set) return tl::make_unexpected(set.error());
  const std::string name =
      fmt::format("{} energy counters of the processor through PAPI (no fans, disks or power supply)", set->count());
  return sampled_energy([counters = *set]() mutable { return counters.advance(); }, name);
}

} // namespace farcast::instruments
