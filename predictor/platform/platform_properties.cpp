#include "predictor/platform/platform_properties.h"

#include "predictor/platform/quantity_text.h"
#include "predictor/platform/smpi_config.h"
#include "predictor/platform/uncertainty.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace farcast::platform {

namespace {

constexpr std::string_view kProvenance = "farcast:provenance:";

template <class Value> struct Field {
  std::string_view id;
  Value Transport::*target;
};
constexpr std::array<Field<double>, 12> kNumbers = {{{"farcast:eager_limit", &Transport::eager_limit},
                                                     {"farcast:eager_header", &Transport::eager_header},
                                                     {"farcast:rts_bytes", &Transport::rts_bytes},
                                                     {"farcast:cts_bytes", &Transport::cts_bytes},
                                                     {"farcast:data_header", &Transport::data_header},
                                                     {"farcast:fin_bytes", &Transport::fin_bytes},
                                                     {"farcast:packet_payload", &Transport::packet_payload},
                                                     {"farcast:packet_overhead", &Transport::packet_overhead},
                                                     {"farcast:socket_buffer", &Transport::socket_buffer},
                                                     {"farcast:first_window", &Transport::first_window},
                                                     {"farcast:bulk_write", &Transport::bulk_write_s},
                                                     {"farcast:bulk_read", &Transport::bulk_read_s}}};
constexpr std::array<Field<base::Seconds>, 4> kTimes = {{{"farcast:wakeup_latency", &Transport::wakeup_latency},
                                                         {"farcast:cold_call", &Transport::cold_call},
                                                         {"farcast:blocking_spin", &Transport::blocking_spin},
                                                         {"farcast:blocking_wakeup", &Transport::blocking_wakeup}}};
// The names that earlier versions wrote, which mean the same.
struct Synonym {
  std::string_view former;
  std::string_view id;
};
constexpr std::array<Synonym, 1> kSynonyms = {{{"farcast:handling", "farcast:wakeup_latency"}}};
struct Near {
  std::string_view id;
  NearFactors PointToPoint::*distance;
  Factor NearFactors::*target;
};
constexpr std::array<Near, 6> kNear = {{{"farcast:bw_factor_same_cache", &PointToPoint::same_cache, &NearFactors::bandwidth},
                                        {"farcast:lat_factor_same_cache", &PointToPoint::same_cache, &NearFactors::latency},
                                        {"farcast:bw_factor_same_node", &PointToPoint::same_node, &NearFactors::bandwidth},
                                        {"farcast:lat_factor_same_node", &PointToPoint::same_node, &NearFactors::latency},
                                        {"farcast:bw_factor_same_switch", &PointToPoint::same_switch, &NearFactors::bandwidth},
                                        {"farcast:lat_factor_same_switch", &PointToPoint::same_switch, &NearFactors::latency}}};
struct Own { // what a process does without a network
  std::string_view id;
  Overhead PointToPoint::*target;
};
constexpr std::array<Own, 3> kOwn = {{{"farcast:self_message", &PointToPoint::self_message},
                                      {"farcast:reduction", &PointToPoint::reduction},
                                      {"farcast:copy", &PointToPoint::copy}}};
constexpr std::array<std::string_view, model::kBlockCount> kBlocks = {
    "farcast:block_p2p", "farcast:block_broadcast", "farcast:block_scat",  "farcast:block_gather",
    "farcast:block_a2a", "farcast:block_bar",       "farcast:block_rdisk", "farcast:block_wdisk"};
constexpr std::array<std::string_view, 6> kOthers = {"farcast:virtualization", "farcast:transport",   "farcast:progress",
                                                     "farcast:storage_host",   "farcast:description", "farcast:source"};
// Of a test bed whose hosts share the cores of one machine with a software switch. Older files have
// them; they mean nothing.
constexpr std::array<std::string_view, 8> kOfTestBed = {
    "farcast:shared_cores",       "farcast:shared_handling",   "farcast:waking_work",      "farcast:switch_waking_work",
    "farcast:switch_notify_work", "farcast:switch_frame_work", "farcast:switch_byte_work", "farcast:switch_read_ahead"};

template <class Names> bool lists(const Names& names, std::string_view id) {
  return std::find(names.begin(), names.end(), id) != names.end();
}

std::string_view present_name(std::string_view id) {
  const auto found = std::find_if(kSynonyms.begin(), kSynonyms.end(), [&](const Synonym& one) { return one.former == id; });
  return found == kSynonyms.end() ? id : found->id;
}

template <class Table> auto named(const Table& table, std::string_view id) -> decltype(table.data()) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& row) { return row.id == id; });
  return found == table.end() ? nullptr : &*found;
}

base::Result<void> apply_storage_host(const Property& property, Platform& platform) {
  const auto found =
      std::find_if(platform.hosts.begin(), platform.hosts.end(), [&](const Host& host) { return host.name == property.value; });
  if (found == platform.hosts.end()) {
    return unlike(property, "the name of a host");
  }
  if (!found->disk) {
    return unlike(property, "a host with a <disk>, or with farcast:disk_read_bw and farcast:disk_write_bw");
  }
  platform.storage_host = static_cast<HostId>(found - platform.hosts.begin());
  return {};
}

base::Result<void> apply_block(const Property& property, Platform& platform) {
  const std::optional<model::BlockParameters> formula = model::parse_block(property.value);
  if (!formula) {
    return unlike(property, fmt::format("{}, such as 3.7e-6:0.63e-9:2048", model::kBlockText));
  }
  const auto* const name = std::find(kBlocks.begin(), kBlocks.end(), property.id);
  platform.blocks.at(static_cast<std::size_t>(name - kBlocks.begin())) = formula;
  return {};
}

base::Result<void> apply_virtualization(const Property& property, Platform& platform) {
  std::vector<double> factors;
  for (const std::string_view part : base::split(property.value, ':')) {
    const base::Result<double> value = parse_positive(trimmed(part));
    if (!value) {
      break;
    }
    factors.push_back(*value);
  }
  if (factors.size() != 3 || std::count(property.value.begin(), property.value.end(), ':') != 2) {
    return unlike(property, "computation:communication:power, factors above 0 such as 1.16:2.12:1");
  }
  platform.virtualization = {factors[0], factors[1], factors[2]}; // its figures follow when all are there
  return {};
}

base::Result<void> apply(const Property& property, Platform& platform) {
  Transport& transport = platform.transport;
  const auto failed = [&](const base::Error& error) {
    return at_place(fmt::format("{}: property {}", property.place, property.id), error);
  };
  if (const Field<double>* number = named(kNumbers, property.id)) {
    const base::Result<double> value = parse_non_negative(property.value);
    if (!value) {
      return failed(value.error());
    }
    transport.*(number->target) = *value;
  } else if (const Near* near = named(kNear, property.id)) {
    base::Result<Factor> factor = parse_factor(property.value);
    if (!factor) {
      return failed(factor.error());
    }
    platform.p2p.*(near->distance).*(near->target) = *std::move(factor);
  } else if (const Field<base::Seconds>* time = named(kTimes, present_name(property.id))) {
    const base::Result<base::Seconds> seconds = parse_time(property.value);
    if (!seconds) {
      return failed(seconds.error());
    }
    transport.*(time->target) = *seconds;
  } else if (const Own* own = named(kOwn, property.id)) {
    base::Result<Overhead> overhead = parse_overhead(property.value);
    if (!overhead) {
      return failed(overhead.error());
    }
    platform.p2p.*(own->target) = *std::move(overhead);
  } else if (lists(kBlocks, property.id)) {
    return apply_block(property, platform);
  } else if (is_uncertainty(property.id)) {
    return apply_uncertainty(property, platform.uncertainty);
  } else if (property.id == "farcast:transport") {
    const auto* const kind =
        std::find_if(kTransports.begin(), kTransports.end(), [&](TransportKind one) { return name_of(one) == property.value; });
    if (kind == kTransports.end()) {
      return unlike(property, "smpi, tcp-openmpi or rdma");
    }
    transport.kind = *kind;
  } else if (property.id == "farcast:progress") {
    if (property.value != "in-call" && property.value != "async") {
      return unlike(property, "in-call or async");
    }
    transport.progress = property.value == "in-call" ? ProgressRule::in_call : ProgressRule::async;
  } else if (property.id == "farcast:virtualization") {
    return apply_virtualization(property, platform);
  } else if (property.id == "farcast:storage_host") {
    return apply_storage_host(property, platform);
  } else if (property.id == "farcast:description") {
    platform.description = platform.description.empty() ? property.value : platform.description;
  } else if (property.id == "farcast:source") {
    platform.source = platform.source.empty() ? property.value : platform.source;
  } else {
    platform.provenance.emplace_back(property.id.substr(kProvenance.size()), property.value);
    if (platform.provenance.back() == std::pair<std::string, std::string>("kind", "network")) platform.p2p.measured = true;
  }
  return {};
}

} // namespace

Properties take_platform_properties(Properties& properties) {
  const auto others = std::stable_partition(properties.begin(), properties.end(), [](const Property& property) {
    return named(kNumbers, property.id) == nullptr && named(kTimes, present_name(property.id)) == nullptr &&
           named(kNear, property.id) == nullptr && named(kOwn, property.id) == nullptr && !property.id.starts_with(kProvenance) &&
           !is_uncertainty(property.id) && !lists(kOthers, property.id) && !lists(kBlocks, property.id) &&
           !lists(kOfTestBed, property.id);
  });
  Properties taken(std::make_move_iterator(others), std::make_move_iterator(properties.end()));
  properties.erase(others, properties.end());
  return taken;
}

std::vector<std::string> platform_property_names() {
  std::vector<std::string> names(kOthers.begin(), kOthers.end());
  for (const auto& number : kNumbers) {
    names.emplace_back(number.id);
  }
  for (const auto& time : kTimes) {
    names.emplace_back(time.id);
  }
  for (const Near& near : kNear) {
    names.emplace_back(near.id);
  }
  for (const Own& own : kOwn) {
    names.emplace_back(own.id);
  }
  names.insert(names.end(), kBlocks.begin(), kBlocks.end());
  names.emplace_back("farcast:uncertainty:NAME");
  return names;
}

base::Result<void> apply_platform_properties(const Properties& properties, Platform& platform) {
  std::map<std::string_view, const Property*> seen;
  const Property* of_test_bed = nullptr; // the first of them
  std::set<std::string_view> without_effect;
  for (const Property& property : properties) {
    if (lists(kOfTestBed, property.id)) {
      of_test_bed = of_test_bed == nullptr ? &property : of_test_bed;
      without_effect.insert(property.id);
      continue;
    }
    const auto [before, first] = seen.emplace(present_name(property.id), &property);
    const bool may_differ = property.id == "farcast:description" || property.id == "farcast:source";
    if (!first && !may_differ && before->second->value != property.value) {
      return unlike(property, fmt::format("{}, as at {}: it speaks of the whole platform", in_quotes(before->second->value),
                                          before->second->place));
    }
    if (first || may_differ) {
      if (const base::Result<void> done = apply(property, platform); !done) {
        return done;
      }
    }
  }
  if (of_test_bed != nullptr) {
    platform.warnings.push_back(fmt::format("{}: hosts that share the cores of one machine are not modelled: {} without effect",
                                            of_test_bed->place, fmt::join(without_effect, ", ")));
  }
  return {};
}

} // namespace farcast::platform
