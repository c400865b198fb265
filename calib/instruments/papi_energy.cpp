#include "calib/instruments/papi_energy.h"

#include <array>
#include <dlfcn.h>
#include <fmt/format.h>
#include <numeric>
#include <papi.h>
#include <string>
#include <thread>
#include <utility>

namespace farcast::instruments {

namespace {

constexpr int kMostPackages = 64;
constexpr int kMostEvents = 2 * kMostPackages;
constexpr double kJoulesPerCount = 1e-9; // the component tells nanojoules
constexpr auto kFirstCheck = std::chrono::milliseconds(50);

constexpr int kMajor = 7; // whose binary interface papi.h describes
static_assert(PAPI_VERSION_MAJOR(PAPI_VERSION) == kMajor);

struct Papi {
  decltype(&PAPI_library_init) library_init = nullptr;
  decltype(&PAPI_create_eventset) create_eventset = nullptr;
  decltype(&PAPI_add_named_event) add_named_event = nullptr;
  decltype(&PAPI_start) start = nullptr;
  decltype(&PAPI_stop) stop = nullptr;
  decltype(&PAPI_strerror) error_text = nullptr;

  [[nodiscard]] std::string reason(int code) const {
    const char* text = error_text(code);
    return text == nullptr ? "unknown error" : text;
  }
};

// The library is named after its major and minor version; what changed between them is not used here.
void* open_papi() {
  for (const char* name : {"libpapi.so.7", "libpapi.so.7.0", "libpapi.so.7.1", "libpapi.so.7.2"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

template <class Function> bool find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
  return out != nullptr;
}

// PAPI wants to hear its own version; to any other it says no and does nothing.
base::Result<Papi> load() {
  Papi papi;
  void* library = open_papi(); // stays open: PAPI's threads and exit handlers may be at work
  if (library == nullptr) return base::fail("PAPI 7 (libpapi.so.7) is not installed");
  if (!find(library, "PAPI_library_init", papi.library_init) || !find(library, "PAPI_create_eventset", papi.create_eventset) ||
      !find(library, "PAPI_add_named_event", papi.add_named_event) || !find(library, "PAPI_start", papi.start) ||
      !find(library, "PAPI_stop", papi.stop) || !find(library, "PAPI_strerror", papi.error_text))
    return base::fail("the installed PAPI lacks functions");
  int code = 0;
  for (int minor = 0; minor <= 9; ++minor) {
    const int version = PAPI_VERSION_NUMBER(kMajor, minor, 0, 0);
    code = papi.library_init(version);
    if (code == version) return papi;
  }
  return base::fail(fmt::format("PAPI_library_init: {}", papi.reason(code < 0 ? code : -1)));
}

// A set of energy events that is stopped and started again for each reading: PAPI's own counters begin anew then, so that they
// never wrap twice within a reading.
class RaplSet {
public:
  static base::Result<RaplSet> open() {
    auto papi = load();
    if (!papi) return tl::make_unexpected(papi.error());
    RaplSet set(*papi);
    if (const int code = papi->create_eventset(&set.events_); code != PAPI_OK)
      return base::fail(fmt::format("PAPI_create_eventset: {}", papi->reason(code)));
    for (int package = 0; package < kMostPackages; ++package) {
      const std::string name = fmt::format("rapl:::PACKAGE_ENERGY:PACKAGE{}", package);
      const int code = papi->add_named_event(set.events_, name.c_str());
      if (code != PAPI_OK && package == 0) return base::fail(fmt::format("{}: {}", name, papi->reason(code)));
      if (code != PAPI_OK) break;
      ++set.count_;
      const std::string memory = fmt::format("rapl:::DRAM_ENERGY:PACKAGE{}", package);
      if (papi->add_named_event(set.events_, memory.c_str()) == PAPI_OK) ++set.count_;
    }
    // Listed is not counted: that shows only here.
    if (const int code = papi->start(set.events_); code != PAPI_OK)
      return base::fail(fmt::format("PAPI_start: {}", papi->reason(code)));
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
    if (code != PAPI_OK) return base::fail(fmt::format("PAPI's rapl component: {}", papi_.reason(code)));
    return kJoulesPerCount * static_cast<double>(std::accumulate(counts.begin(), counts.begin() + count_, 0LL));
  }
  [[nodiscard]] int count() const { return count_; }

private:
  explicit RaplSet(const Papi& papi) : papi_(papi) {}
  Papi papi_;
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
