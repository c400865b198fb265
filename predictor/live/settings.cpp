#include "predictor/live/settings.h"

#include "predictor/base/words.h"
#include "predictor/collective/selection.h"
#include "predictor/platform/builtin.h"
#include "predictor/platform/quantity_text.h"

#include "libinterpose/stream/segment.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace farcast::live {

namespace {

constexpr const char* kPlatform = "FARCAST_PLATFORM";
constexpr const char* kPpn = "FARCAST_PPN";
constexpr const char* kCpusPerRank = "FARCAST_CPUS_PER_RANK";
constexpr const char* kMapBy = "FARCAST_MAP_BY";
constexpr const char* kHostfile = "FARCAST_HOSTFILE";
constexpr const char* kRelativeSpeed = "FARCAST_RELATIVE_SPEED";
constexpr double kLargestSpeed = 1e30; // beyond it, or as far below 1, times are no numbers any more
constexpr double kWithin95 = 1.96;     // standard deviations of a normal distribution
constexpr const char* kHostSpeed = "FARCAST_HOST_SPEED";
constexpr const char* kFrequency = "FARCAST_FREQUENCY";
constexpr const char* kCollectives = "FARCAST_COLLECTIVES";
constexpr const char* kMessageModel = "FARCAST_P2P";
constexpr const char* kProgressRule = "FARCAST_PROGRESS_RULE";
constexpr const char* kNetwork = "FARCAST_NETWORK";
constexpr const char* kMpiWait = "FARCAST_MPI_WAIT";
constexpr const char* kPolicy = "FARCAST_POLICY";
constexpr const char* kSeed = "FARCAST_SEED";
constexpr const char* kRealisations = "FARCAST_REALISATIONS";
constexpr const char* kEnsemble = "FARCAST_ENSEMBLE";
constexpr const char* kPreconnected = "FARCAST_PRECONNECTED";
constexpr const char* kPredict = "FARCAST_PREDICT";
constexpr const char* kProgress = "FARCAST_PROGRESS";
constexpr const char* kFull = "FARCAST_FULL";
constexpr const char* kJson = "FARCAST_JSON";
constexpr const char* kOutput = "FARCAST_OUTPUT";
constexpr const char* kReport = "FARCAST_REPORT";
constexpr const char* kStack = "FARCAST_STACK";
constexpr const char* kSkip = "FARCAST_SKIP_LIB";
constexpr const char* kBuffer = "FARCAST_BUFFER_MB";
constexpr const char* kCounters = "FARCAST_COUNTERS";
constexpr const char* kCoupled = "FARCAST_COUPLED";
constexpr const char* kRealWtime = "FARCAST_REAL_WTIME";
constexpr const char* kVirtualClocks = "FARCAST_VIRTUAL_CLOCKS";
constexpr const char* kOneThread = "FARCAST_ONE_THREAD";
constexpr const char* kOnFault = "FARCAST_ON_FAULT";
constexpr const char* kPatience = "FARCAST_PATIENCE";
constexpr const char* kIsolate = "FARCAST_ISOLATE";
constexpr const char* kCpuClock = "FARCAST_CPU_CLOCK";
constexpr const char* kRegions = "FARCAST_REGIONS";

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

// "a,b" -> names; empty ones are none.
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string_view part : base::split(text, ',')) {
    if (!part.empty()) out.emplace_back(part);
  }
  return out;
}

base::Result<int> integer(const char* name, int otherwise, int low) {
  const std::string text = variable(name);
  if (text.empty()) return otherwise;
  const auto value = base::number_in<int>(text);
  if (!value || *value < low)
    return base::fail(fmt::format("the variable {} is '{}', expected a whole number of at least {}", name, text, low));
  return *value;
}

bool flag(const char* name, bool otherwise) {
  const std::string text = variable(name);
  return text.empty() ? otherwise : text != "0" && text != "no" && text != "off";
}

std::string absolute(const std::string& path) { return path.empty() ? path : std::filesystem::absolute(path).string(); }

void put(const char* name, const std::string& value) {
  if (!value.empty()) setenv(name, value.c_str(), 1);
}

// How fast hosts compute.
base::Result<void> read_speeds(Settings& out) {
  if (const std::string speed = variable(kRelativeSpeed); !speed.empty()) {
    if (const auto read = read_relative_speed(speed, out); !read)
      return base::fail(fmt::format("the variable {}: {}", kRelativeSpeed, read.error().message));
  }
  if (const std::string speed = variable(kHostSpeed); !speed.empty()) {
    const auto value = platform::parse_speed(speed);
    if (!value) return base::fail(fmt::format("the variable {}: {}", kHostSpeed, value.error().message));
    out.host_speed = *value;
  }
  if (const std::string ghz = variable(kFrequency); !ghz.empty()) {
    const auto value = platform::parse_positive(ghz);
    if (!value) return base::fail(fmt::format("the variable {}: {}", kFrequency, value.error().message));
    out.frequency = base::Hertz(*value * 1e9);
  }
  return {};
}

// The value of that name, of a table of names and values.
template <class Table, class Value> base::Result<void> read_named(const char* name, const Table& table, Value& out) {
  const std::string text = variable(name);
  if (text.empty()) return {};
  std::vector<std::string_view> names;
  for (const auto& [known, value] : table) {
    names.push_back(known);
    if (known != text) continue;
    out = value;
    return {};
  }
  return base::fail(fmt::format("the variable {} is '{}', expected {}", name, text, fmt::join(names, " or ")));
}

// How calls of MPI are played.
base::Result<void> read_calls(Settings& out) {
  out.message_model = variable(kMessageModel);
  if (!out.message_model.empty() && out.message_model != "smpi" && out.message_model != "channel") {
    return base::fail(fmt::format("the variable {} is '{}', expected smpi or channel", kMessageModel, out.message_model));
  }
  out.progress_rule = variable(kProgressRule);
  if (!out.progress_rule.empty() && out.progress_rule != "in-call" && out.progress_rule != "async") {
    return base::fail(fmt::format("the variable {} is '{}', expected in-call or async", kProgressRule, out.progress_rule));
  }
  out.preconnected = flag(kPreconnected, false);
  if (const auto read = read_named(kNetwork, sim::kNetworkModels, out.network); !read) return base::fail(read.error().message);
  if (const auto read = read_named(kMpiWait, sim::kWaitModes, out.wait); !read) return base::fail(read.error().message);
  if (const auto read = read_named(kPolicy, sim::kPolicies, out.policy); !read) return base::fail(read.error().message);
  return {};
}

} // namespace

base::Result<void> read_relative_speed(const std::string& text, Settings& settings) {
  const std::vector<std::string_view> parts = base::split(text, ':');
  std::vector<double> figures;
  for (const std::string_view part : parts) {
    const auto figure = platform::parse_positive(part);
    if (figure && *figure >= 1 / kLargestSpeed && *figure <= kLargestSpeed) figures.push_back(*figure);
  }
  if (figures.size() != parts.size() || (figures.size() != 1 && figures.size() != 3))
    return base::fail(fmt::format("found '{}', expected a number above 0, or X:LOW:HIGH such as 1.2:1.15:1.25", text));
  if (figures.size() == 3 && !(figures[1] <= figures[0] && figures[0] <= figures[2]))
    return base::fail(fmt::format("found '{}', expected X:LOW:HIGH with X from LOW to HIGH, such as 1.2:1.15:1.25", text));
  settings.relative_speed = figures[0];
  settings.relative_speed_error = figures.size() == 1 ? 0 : (figures[2] - figures[1]) / 2 / kWithin95 / figures[0];
  return {};
}

std::string relative_speed_text(const Settings& settings) {
  const double speed = *settings.relative_speed;
  if (!(settings.relative_speed_error > 0)) return fmt::format("{}", speed);
  const double half = kWithin95 * settings.relative_speed_error * speed;
  return fmt::format("{}:{}:{}", speed, std::max(speed - half, 1 / kLargestSpeed), speed + half);
}

base::Result<std::vector<std::string>> parse_counters(const std::string& text) {
  std::vector<std::string> events = names_in(text);
  if (events.empty()) return base::fail("no event is named");
  if (events.size() > stream::kMostCounters) {
    return base::fail(fmt::format("{} events, at most {} can be counted", events.size(), stream::kMostCounters));
  }
  if (text.size() >= sizeof(stream::RankHeader::counters)) return base::fail("the names of the events are too long together");
  return events;
}

base::Result<Settings> settings_from_environment() {
  Settings out;
  out.platforms = names_in(variable(kPlatform));
  const auto ppn = integer(kPpn, 0, 1);
  const auto cpus = integer(kCpusPerRank, 0, 1);
  const auto stack = integer(kStack, 1, 1);
  const auto buffer = integer(kBuffer, 0, 1);
  const auto isolate = integer(kIsolate, 0, 0);
  const auto seed = integer(kSeed, 0, 0);
  const auto realisations = integer(kRealisations, 0, 1);
  const auto ensemble = integer(kEnsemble, 0, 0);
  const auto patience = integer(kPatience, 0, 1);
  for (const auto* number : {&ppn, &cpus, &stack, &buffer, &isolate, &seed, &realisations, &ensemble, &patience}) {
    if (!*number) return base::fail(number->error().message);
  }
  out.placement.ranks_per_node = *ppn;
  out.placement.cpus_per_rank = *cpus;
  out.stack = *stack;
  out.buffer_mb = *buffer;
  out.isolate = *isolate;
  out.coupled = flag(kCoupled, false);
  out.real_wtime = flag(kRealWtime, false);
  out.virtual_clocks = flag(kVirtualClocks, false);
  out.one_thread = flag(kOneThread, false);
  out.patience_s = *patience;
  const std::string on_fault = variable(kOnFault);
  if (!on_fault.empty() && on_fault != "continue" && on_fault != "end")
    return base::fail(fmt::format("the variable {} is '{}', expected continue or end", kOnFault, on_fault));
  out.ends_on_fault = on_fault == "end";
  if (!variable(kSeed).empty()) out.seed = static_cast<std::uint64_t>(*seed);
  out.realisations = *realisations;
  if (!variable(kEnsemble).empty()) out.ensemble = *ensemble;
  out.cpu_clock = flag(kCpuClock, false);
  out.regions_file = variable(kRegions);
  const std::string map_by = variable(kMapBy);
  if (!map_by.empty() && map_by != "node" && map_by != "core") {
    return base::fail(fmt::format("the variable {} is '{}', expected node or core", kMapBy, map_by));
  }
  out.placement.round_robin = map_by == "node";
  out.placement.hostfile = variable(kHostfile);
  if (const auto read = read_speeds(out); !read) return base::fail(read.error().message);
  out.collectives = variable(kCollectives);
  if (!out.collectives.empty())
    if (const auto selection = collective::parse_selection(out.collectives); !selection)
      return base::fail(fmt::format("the variable {}: {}", kCollectives, selection.error().message));
  if (const auto read = read_calls(out); !read) return base::fail(read.error().message);
  out.predict = flag(kPredict, true);
  out.progress = flag(kProgress, true);
  out.full_report = flag(kFull, false);
  out.json_file = variable(kJson);
  out.run_file = variable(kOutput);
  out.report_file = variable(kReport);
  out.skip_libraries = variable(kSkip);
  out.counters = names_in(variable(kCounters));
  return out;
}

base::Result<void> check_no_pipes(const Settings& settings) {
  std::vector<std::string> files = settings.platforms;
  files.push_back(settings.placement.hostfile);
  files.push_back(settings.regions_file);
  for (const std::string& file : files) {
    std::error_code error;
    if (!file.empty() && std::filesystem::is_fifo(file, error))
      return base::fail(fmt::format("{}: found a pipe, expected a file: it is read again when the program runs", file));
  }
  return {};
}

base::Result<void> check_coupled(const Settings& settings) {
  if (settings.coupled && !settings.predict)
    return base::fail("found --coupled with --no-predict, expected a platform whose outcomes the program gets");
  if (settings.coupled && settings.virtual_clocks && settings.real_wtime)
    return base::fail("found --virtual-clocks with --real-wtime, expected one of them");
  if (settings.coupled) return {};
  if (settings.real_wtime) return base::fail("found --real-wtime without --coupled, expected both");
  if (settings.virtual_clocks) return base::fail("found --virtual-clocks without --coupled, expected both");
  if (settings.one_thread) return base::fail("found --one-thread without --coupled, expected both");
  if (settings.ends_on_fault) return base::fail("found --on-fault without --coupled, expected both");
  if (settings.patience_s > 0) return base::fail("found --patience without --coupled, expected both");
  return {};
}

void export_settings(const Settings& settings) {
  std::string platforms;
  for (const std::string& name : settings.platforms) {
    if (!platforms.empty()) platforms += ',';
    // find_platform()'s order: a file or folder here may be called like one of ours
    platforms += platform::builtin_xml(name).empty() && std::filesystem::exists(name) ? absolute(name) : name;
  }
  put(kPlatform, platforms);
  if (settings.placement.ranks_per_node > 0) put(kPpn, std::to_string(settings.placement.ranks_per_node));
  if (settings.placement.cpus_per_rank > 0) put(kCpusPerRank, std::to_string(settings.placement.cpus_per_rank));
  if (settings.placement.round_robin) put(kMapBy, "node");
  put(kHostfile, absolute(settings.placement.hostfile));
  if (settings.relative_speed) put(kRelativeSpeed, relative_speed_text(settings));
  if (settings.host_speed) put(kHostSpeed, fmt::format("{}", settings.host_speed->value()));
  if (settings.frequency) put(kFrequency, fmt::format("{}", settings.frequency->value() / 1e9));
  put(kCollectives, settings.collectives);
  put(kMessageModel, settings.message_model);
  put(kProgressRule, settings.progress_rule);
  if (settings.preconnected) put(kPreconnected, "1");
  if (settings.network != sim::NetworkModel::flows) put(kNetwork, "blocks");
  if (settings.wait != sim::WaitMode::poll) put(kMpiWait, std::string(sim::name_of(settings.wait)));
  if (settings.policy != sim::CollectivePolicy::none) put(kPolicy, std::string(sim::name_of(settings.policy)));
  if (settings.seed) put(kSeed, std::to_string(*settings.seed));
  if (settings.realisations > 0) put(kRealisations, std::to_string(settings.realisations));
  if (settings.ensemble) put(kEnsemble, std::to_string(*settings.ensemble));
  if (!settings.predict) put(kPredict, "0");
  if (!settings.progress) put(kProgress, "0");
  if (settings.full_report) put(kFull, "1");
  put(kJson, absolute(settings.json_file));
  put(kOutput, absolute(settings.run_file));
  put(kReport, absolute(settings.report_file));
  if (settings.stack > 1) put(kStack, std::to_string(settings.stack));
  put(kSkip, settings.skip_libraries);
  put(kCounters, fmt::format("{}", fmt::join(settings.counters, ",")));
  if (settings.buffer_mb > 0) put(kBuffer, std::to_string(settings.buffer_mb));
  if (settings.coupled) put(kCoupled, "1");
  if (settings.real_wtime) put(kRealWtime, "1");
  if (settings.virtual_clocks) put(kVirtualClocks, "1");
  if (settings.one_thread) put(kOneThread, "1");
  if (settings.ends_on_fault) put(kOnFault, "end");
  if (settings.patience_s > 0) put(kPatience, std::to_string(settings.patience_s));
  if (settings.isolate > 0) put(kIsolate, std::to_string(settings.isolate));
  if (settings.cpu_clock) put(kCpuClock, "1");
  put(kRegions, absolute(settings.regions_file));
}

void forget_variable(std::string_view option) {
  std::string name = "FARCAST_";
  for (const char c : option) name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (option == "progress") name = kProgressRule;
  if (option == "buffer") name = kBuffer;
  unsetenv(name.c_str());
}

base::Result<Settings> settings_in_force(const Settings& said) {
  for (const std::string& name : said.platforms) {
    if (platform::builtin_xml(name).empty() && absolute(name).find(',') != std::string::npos)
      return base::fail(
          fmt::format("{}: found a comma in the path, expected none (ranks get the platforms between commas)", name));
  }
  export_settings(said);
  return settings_from_environment();
}

} // namespace farcast::live
