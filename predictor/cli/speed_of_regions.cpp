#include "predictor/cli/speed_of_regions.h"

#include "calib/study/aligned_regions.h"
#include "calib/study/speed_comparison.h"
#include "predictor/base/format.h"
#include "predictor/cli/commands.h"
#include "predictor/region/slowdown_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace farcast::cli {

namespace {

constexpr std::size_t kTopRegions = 20;
constexpr std::size_t kFrequenciesForALaw = 3;

base::Result<std::vector<region::SlowdownTable>> read_all(const std::vector<std::string>& paths) {
  std::vector<region::SlowdownTable> tables;
  for (const std::string& path : paths) {
    auto table = region::read_slowdowns(path);
    if (!table) return tl::make_unexpected(table.error());
    const bool timed =
        std::none_of(table->regions.begin(), table->regions.end(), [](const auto& r) { return r.divisor.has_value(); });
    if (!timed || table->regions.empty())
      return base::fail(fmt::format("{}: found no times of regions, expected a file of `farcast calibrate regions`", path));
    tables.push_back(*std::move(table));
  }
  return tables;
}

std::string node_of(const region::SlowdownTable& table) {
  return fmt::format("{} ({}, {} ranks)", table.provenance.host, table.provenance.cpu_model, table.provenance.ranks);
}

void print_alignment(const study::AlignedRegions& aligned) {
  fmt::print("\n{} of the computation lies in these {} regions{}.\n", base::format_share(aligned.covered, 1.0),
             aligned.rows.size(), aligned.by_line ? ", aligned by file and line: the programs are of different builds" : "");
  if (aligned.other_visits > 0)
    fmt::print("{} regions were visited another number of times (other input, other ranks, or a matter of time) and left out.\n",
               aligned.other_visits);
}

int compare_nodes(const SpeedRequest& request, const std::vector<region::SlowdownTable>& tables) {
  const study::AlignedRegions aligned = study::align_regions(tables);
  const auto column = [&](study::Corunners corunners) {
    return study::compare_parts(study::times_of(aligned, 0, corunners), study::times_of(aligned, 1, corunners));
  };
  const auto alone = column(study::Corunners::alone), full = column(study::Corunners::full);
  if (!alone || !full)
    return refuse(fmt::format("{}: found no region that {} has too, expected files of the same program and input",
                              request.against, request.records.front()));
  const std::string here = tables[0].provenance.host, there = tables[1].provenance.host;
  fmt::print("R_P: speed of {}\nagainst {}, with 95 % intervals\n\n  {:>10} {:>26} {:>26}  region\n", node_of(tables[0]),
             node_of(tables[1]), "alone here", "one core alone", "all ranks together");
  const std::size_t top = std::min(kTopRegions, aligned.rows.size());
  for (std::size_t i = 0; i < top; ++i)
    fmt::print("  {:>10} {:>26} {:>26}  {}\n", base::format_time(base::Seconds(alone->items[i].seconds_here)),
               study::power_text(alone->items[i].power), study::power_text(full->items[i].power), aligned.rows[i].name);
  fmt::print("  {:>10} {:>26} {:>26}  all of them\n", "", study::power_text(alone->overall), study::power_text(full->overall));
  print_alignment(aligned);
  fmt::print("\nfor runs of this program that were recorded on {}, predicted for cores as those of {}:\n", here, there);
  fmt::print("  --relative-speed {}    where all ranks of a node compute together\n", study::option_text(full->overall));
  fmt::print("  --relative-speed {}    where each has its node to itself, and with --regions {}\n",
             study::option_text(alone->overall), request.records.front());
  fmt::print("the other way round: {:.4g} and {:.4g}\n", full->overall.value, alone->overall.value);
  if (request.adjustments.empty()) return 0;
  if (const auto written = region::write_adjustments(request.adjustments, study::speed_adjustments(aligned, tables[0])); !written)
    return refuse(written.error().message);
  fmt::print("each region by itself, all ranks together: --regions {}\n", request.adjustments);
  return 0;
}

// Returns: of each table, as told by the option or the file. Errors: not told, or too few.
base::Result<std::vector<double>> frequencies_of(const SpeedRequest& request, const std::vector<region::SlowdownTable>& tables) {
  std::vector<double> frequencies = request.frequencies;
  if (frequencies.empty()) {
    for (const auto& table : tables) {
      if (table.provenance.frequency_hz <= 0.0)
        return base::fail(
            fmt::format("{}: it does not tell a frequency that its cores were held to: name those of all files in their "
                        "order with --frequencies",
                        table.source));
      frequencies.push_back(table.provenance.frequency_hz);
    }
  }
  if (frequencies.size() != tables.size())
    return base::fail(
        fmt::format("--frequencies: found {} for {} files, expected one for each", frequencies.size(), tables.size()));
  if (std::set<double>(frequencies.begin(), frequencies.end()).size() < kFrequenciesForALaw)
    return base::fail(
        fmt::format("found regions at fewer than {} frequencies, expected {} or more for the law of the frequency, or "
                    "--against the file of another node",
                    kFrequenciesForALaw, kFrequenciesForALaw));
  return frequencies;
}

int tell_laws(const SpeedRequest& request, const std::vector<region::SlowdownTable>& tables) {
  const auto frequencies = frequencies_of(request, tables);
  if (!frequencies) return refuse(frequencies.error().message);
  const study::AlignedRegions aligned = study::align_regions(tables);
  if (aligned.rows.empty()) return refuse("found no region that all files have, expected files of the same program and input");
  std::vector<std::vector<study::TimeAt>> times(aligned.rows.size() + 1); // [region], then all of them together
  for (std::size_t table = 0; table < tables.size(); ++table) {
    const auto here = study::times_of(aligned, table, study::Corunners::alone);
    study::TimeAt whole{(*frequencies)[table], {}};
    for (std::size_t i = 0; i < here.size(); ++i) {
      times[i].push_back({(*frequencies)[table], here[i].seconds});
      whole.seconds.value += here[i].seconds.value;
      whole.seconds.standard_error = std::hypot(whole.seconds.standard_error, here[i].seconds.standard_error);
    }
    times.back().push_back(whole);
  }
  std::vector<study::FrequencyUse> uses;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (i >= kTopRegions && i < aligned.rows.size()) continue;
    const auto law = study::law_of(times[i]);
    if (!law) return refuse(law.error().message);
    uses.push_back({i < aligned.rows.size() ? aligned.rows[i].name : "all of them", *law});
  }
  const std::set<double> different(frequencies->begin(), frequencies->end());
  fmt::print("regions of {} on {}\n{}", tables[0].provenance.program, tables[0].provenance.host,
             study::use_table(uses, {different.begin(), different.end()}));
  print_alignment(aligned);
  fmt::print("for runs recorded at the highest frequency, predicted at another one: --relative-speed as in its column\n");
  return 0;
}

} // namespace

int compare_regions(const SpeedRequest& request) {
  std::vector<std::string> paths = request.records;
  if (!request.against.empty()) {
    if (paths.size() > 1) return refuse("--against compares one file of regions with another one; several are for frequencies");
    if (!request.frequencies.empty()) return refuse("--frequencies is for the files of one node, --against for two nodes");
    paths.push_back(request.against);
  } else if (!request.adjustments.empty()) {
    return refuse("--adjustments needs --against, the file of another node");
  }
  const auto tables = read_all(paths);
  if (!tables) return refuse(tables.error().message);
  return request.against.empty() ? tell_laws(request, *tables) : compare_nodes(request, *tables);
}

} // namespace farcast::cli
