#include "calib/instruments/child_program.h"
#include "calib/instruments/speed_runs.h"
#include "calib/instruments/this_run.h"
#include "calib/kernels/kernels.h"
#include "calib/study/speed_comparison.h"
#include "calib/study/speed_record.h"
#include "predictor/base/atomic_file.h"
#include "predictor/base/process_info.h"
#include "predictor/base/read_file.h"
#include "predictor/cli/calibrate_commands.h"
#include "predictor/cli/check_outputs.h"
#include "predictor/cli/commands.h"
#include "predictor/cli/speed_of_regions.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace farcast::cli {

namespace {

base::Result<study::SpeedRecord> read_record(const std::string& path) {
  const auto text = base::read_file(path);
  if (!text) return tl::unexpected(text.error());
  return study::read_speed_file(*text, path);
}

// Of a pipe nothing is taken: who reads it needs all of it, and regions come in HDF5 files alone.
bool holds_regions(const std::string& path) {
  if (std::error_code error; !std::filesystem::is_regular_file(path, error)) return false;
  constexpr std::string_view kBeginning = "\x89HDF";
  auto file = base::InputFile::open(path);
  std::string head;
  return file && file->append(head, kBeginning.size()) && head == kBeginning;
}

std::string node_of(const study::SpeedRecord& record) {
  return fmt::format("{} ({}, {} cores)", record.provenance.host, record.provenance.cpu, record.cores);
}

using Column = std::optional<study::SpeedComparison>; // none: that number of co-runners was not measured on both

std::string cell(const Column& column, const std::string& name, bool group) {
  if (!column) return "-";
  const auto& list = group ? column->groups : column->items;
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.name == name; });
  return found == list.end() ? "-" : study::power_text(found->power);
}

void print_comparison(const Column& alone, const Column& full) {
  const study::SpeedComparison& rows = full ? *full : *alone;
  fmt::print("  {:<20} {:<8} {:>26} {:>26}\n", "kernel", "bound", "one core alone", "each of all cores");
  for (const auto& item : rows.items)
    fmt::print("  {:<20} {:<8} {:>26} {:>26}\n", item.name, item.group, cell(alone, item.name, false),
               cell(full, item.name, false));
  for (const auto& group : rows.groups)
    fmt::print("  {:<20} {:<8} {:>26} {:>26}\n", "mean", group.name, cell(alone, group.name, true), cell(full, group.name, true));
  fmt::print("  {:<20} {:<8} {:>26} {:>26}\n", "mean", "all", alone ? study::power_text(alone->overall) : "-",
             full ? study::power_text(full->overall) : "-");
}

void print_use(const Column& alone, const Column& full, const std::string& here, const std::string& there) {
  const study::SpeedComparison& usual = full ? *full : *alone;
  fmt::print("\nfor runs that were recorded on {}, predicted for cores as those of {}:\n", here, there);
  if (full)
    fmt::print("  --relative-speed {}    where the ranks fill the nodes, here and there\n", study::option_text(full->overall));
  if (alone) fmt::print("  --relative-speed {}    where few cores of a node compute\n", study::option_text(alone->overall));
  fmt::print("or on the platform's hosts: <prop id=\"farcast:relative_speed\" value=\"{:.4g}\"/>; the other way round: {:.4g}\n",
             1.0 / usual.overall.value, usual.overall.value);
  fmt::print("Kernels differ: {:.4g} to {:.4g}. A program lies somewhere between; its own regions tell where (farcast calibrate "
             "regions on both nodes, then farcast calibrate speed here.h5 --against there.h5).\n",
             1.0 / usual.highest, 1.0 / usual.lowest);
}

int compare(const study::SpeedRecord& here, const std::string& here_name, const study::SpeedRecord& there,
            const std::string& there_name) {
  if (const auto fine = study::check_comparable(here, here_name, there, there_name); !fine) return refuse(fine.error().message);
  const auto column = [&](study::Corunners corunners) -> Column {
    auto compared = study::compare_kernels(study::times_of(here, corunners), study::times_of(there, corunners));
    return compared ? Column(*std::move(compared)) : std::nullopt;
  };
  const Column alone = column(study::Corunners::alone), full = column(study::Corunners::full);
  if (!alone && !full)
    return refuse(fmt::format("{}: found no kernel that {} has too, expected the kernels of one farcast", there_name, here_name));
  fmt::print("R_P: speed of {}\nagainst {}, with 95 % intervals\n\n", node_of(here), node_of(there));
  print_comparison(alone, full);
  if (here.kernels != there.kernels)
    fmt::print("note: the kernels were built differently ({} and {}): compilers differ as processors do\n", here.kernels,
               there.kernels);
  const std::size_t left_out = (alone ? alone->left_out : 0) + (full ? full->left_out : 0);
  if (left_out > 0) fmt::print("note: {} measurements that only one of both has were left out\n", left_out);
  print_use(alone, full, here.provenance.host, there.provenance.host);
  return 0;
}

// Errors: `code` is the exit code then.
base::Result<study::SpeedRecord> measure(const SpeedRequest& request, int& code) {
  instruments::SpeedRuns runs;
  runs.cores = base::usable_cores();
  runs.repetitions = request.repetitions;
  runs.sample_s = request.sample_s;
  runs.seed = request.seed;
  study::SpeedRecord record;
  record.provenance = instruments::provenance_of_this_run("", request.seed);
  record.kernels = kernels::build();
  record.cores = static_cast<int>(runs.cores.size());
  code = kNothingToMeasure;
  if (runs.cores.empty()) return base::fail("no core can be used by this process");
  auto clocks = instruments::CoreClocks::open(request.cpufreq, runs.cores);
  if (clocks) {
    code = kBadInput;
    auto chosen = clocks->choose(request.frequencies);
    if (!chosen) return tl::make_unexpected(chosen.error());
    runs.clocks = &*clocks;
    runs.frequencies = *std::move(chosen);
  } else if (!request.frequencies.empty()) {
    return base::fail("--frequencies: " + clocks.error().message);
  } else {
    record.notes.push_back("at the frequencies that the system chose: " + clocks.error().message);
  }
  fmt::print("{} kernels and sizes, {} times, on one core and on {}{}\n", kernels::cases().size(), runs.repetitions, record.cores,
             runs.clocks != nullptr ? fmt::format(", at {} frequencies", runs.frequencies.size()) : std::string());
  std::fflush(stdout);
  instruments::watch_signals();
  auto measured = instruments::run_kernels(runs, record.notes);
  code = 1;
  if (!measured) return tl::make_unexpected(measured.error());
  record.measurements = *std::move(measured);
  if (record.measurements.empty() && instruments::ending_signal() == 0) return base::fail("no kernel could be run");
  return record;
}

int measure_and_compare(const SpeedRequest& request) {
  if (const auto file = check_outputs({request.output}); !file) return refuse(file.error().message);
  std::optional<study::SpeedRecord> other;
  if (!request.against.empty()) {
    auto read = read_record(request.against);
    if (!read) return refuse(read.error().message);
    other = *std::move(read);
  }
  int code = kBadInput;
  const auto record = measure(request, code);
  if (instruments::ending_signal() != 0) return 128 + instruments::ending_signal();
  if (!record) return refuse(record.error().message, code);
  fmt::print("\n{}", study::speed_table(*record));
  if (const std::string laws = study::law_table(*record); !laws.empty()) fmt::print("\n{}", laws);
  if (!request.output.empty()) {
    const std::string speed = study::speed_file(*record);
    if (const auto written = base::write_file(request.output, speed); !written) return refuse(written.error().message, 1);
    fmt::print("\nfarcast: speed written to {}\n", request.output);
    say_faults(speed, request.output);
  }
  if (!other) return 0;
  fmt::print("\n");
  return compare(*record, "this run", *other, request.against);
}

int compare_records(const SpeedRequest& request) {
  if (request.records.size() > 1)
    return refuse(
        fmt::format("found {} records, expected one of this node and --against one of another", request.records.size()));
  if (!request.frequencies.empty()) return refuse("--frequencies: a record of kernels tells its frequencies itself");
  const auto here = read_record(request.records.front());
  if (!here) return refuse(here.error().message);
  if (request.against.empty()) {
    fmt::print("{}", study::speed_table(*here));
    if (const std::string laws = study::law_table(*here); !laws.empty()) fmt::print("\n{}", laws);
    return 0;
  }
  const auto there = read_record(request.against);
  if (!there) return refuse(there.error().message);
  return compare(*here, request.records.front(), *there, request.against);
}

} // namespace

int calibrate_speed_command(const SpeedRequest& request) {
  if (!request.records.empty() && !request.output.empty())
    return refuse("--output is for what is measured now; records are only compared");
  const bool regions = !request.records.empty() && holds_regions(request.records.front());
  if (!regions && !request.adjustments.empty())
    return refuse(
        "--adjustments needs files of regions: farcast calibrate speed here.h5 --against there.h5 --adjustments speed.csv");
  if (regions) return compare_regions(request);
  return request.records.empty() ? measure_and_compare(request) : compare_records(request);
}

} // namespace farcast::cli
