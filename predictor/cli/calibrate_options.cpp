#include "predictor/cli/calibrate_options.h"

#include "predictor/cli/calibrate_commands.h"
#include "predictor/cli/calibrate_regions.h"
#include "predictor/cli/help.h"
#include "predictor/cli/model_options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace farcast::cli {

namespace {

constexpr double kQuickSeconds = 3.0;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

CLI::Validator quiet(const CLI::Validator& check) { return check.description(""); }

void add_probe_options(CLI::App& command, instruments::ProbeRequest& probe) {
  command.add_option("--mpi", probe.mpi, "the job's library: openmpi or mpich (default: as mpirun tells)")
      ->check(one_of({"openmpi", "mpich"}))
      ->type_name("LIBRARY");
  auto* duration = command.add_option("--duration", probe.duration_s, "seconds to measure (default 60; collectives: at most)");
  duration->check(quiet(CLI::Range(0.1, 86400.0)))->type_name("S");
  command
      .add_flag_callback(
          "--quick", [&probe] { probe.duration_s = kQuickSeconds; }, "a few seconds, for a first look")
      ->excludes(duration);
  command.add_option("--max-bytes", probe.max_bytes, "largest message")
      ->check(quiet(CLI::Range(std::int64_t{1024}, kMostBytes)))
      ->type_name("BYTES");
  command.add_option("--seed", probe.seed, "of sizes and order (default 1)")->type_name("N");
}

void add_network(CLI::App& group, std::function<int()>& action) {
  auto request = std::make_shared<NetworkRequest>();
  request->probe.probe = "network";
  request->probe.max_bytes = 4 << 20;
  CLI::App* command =
      group.add_subcommand("network", "messages between ranks: mpirun -np 2 farcast calibrate network -o net.xml");
  command->add_option("-o,--output", request->output, "platform file to write")->required()->type_name("FILE.xml");
  command->add_option("--svg", request->picture, "picture of samples and fit (default: beside the output)")
      ->type_name("FILE.svg");
  command
      ->add_option(
          "--samples", request->samples,
          "samples of earlier runs: this run's are added, and the platform\nis made of all (a new file: of this run only)")
      ->type_name("FILE");
  command->add_option("--nodes", request->nodes, "nodes of the platform that is written (default: as many as took part)")
      ->check(quiet(CLI::Range(1, 1 << 20)))
      ->type_name("N");
  add_probe_options(*command, request->probe);
  command->callback([request, &action] { action = [request] { return calibrate_network_command(*request); }; });
}

void add_collectives(CLI::App& group, std::function<int()>& action) {
  auto request = std::make_shared<CollectivesRequest>();
  request->probe.probe = "collectives";
  request->probe.max_bytes = 1 << 20;
  CLI::App* command =
      group.add_subcommand("collectives", "collective calls and the disk, as formulas: mpirun -np P farcast calibrate "
                                          "collectives -o blocks.json");
  command->add_option("-o,--output", request->output, "file to write (JSON)")->required()->type_name("FILE.json");
  command->add_option("--directory", request->probe.directory, "where disk reads and writes are measured (default: the output's)")
      ->type_name("DIR");
  add_probe_options(*command, request->probe);
  command->callback([request, &action] { action = [request] { return calibrate_collectives_command(*request); }; });
}

void add_power(CLI::App& group, std::function<int()>& action) {
  auto request = std::make_shared<PowerRequest>();
  CLI::App* command =
      group.add_subcommand("power", "what this node draws idle, computing, polling: farcast calibrate power -o power.json");
  command->add_option("-o,--output", request->output, "file to write (JSON)")->required()->type_name("FILE.json");
  auto* meter =
      command->add_option("--meter", request->meter, "log that a wattmeter's program writes meanwhile: lines time,watts");
  meter->check(existing_file())->type_name("FILE.csv");
  command->add_option("--meter-offset", request->meter_offset_s, "seconds to add to the log's times")
      ->needs(meter)
      ->type_name("S");
  command->add_option("--powercap", request->powercap, "where the kernel shows energy counters (default /sys/class/powercap)")
      ->excludes(meter)
      ->type_name("DIR");
  command->add_option("--step", request->step_s, "seconds of each load step (default 10)")
      ->check(quiet(CLI::Range(0.2, 3600.0)))
      ->type_name("S");
  command->add_option("--mpi", request->mpi, "whose polling and probing: openmpi or mpich")
      ->check(one_of({"openmpi", "mpich"}))
      ->type_name("LIBRARY");
  add_clock_options(*command, request->cpufreq, request->frequencies,
                    "as 1.2GHz,1800MHz: clocks to measure at (default: up to five of all)");
  command->callback([request, &action] { action = [request] { return calibrate_power_command(*request); }; });
}

void add_speed(CLI::App& group, std::function<int()>& action) {
  auto request = std::make_shared<SpeedRequest>();
  CLI::App* command = group.add_subcommand(
      "speed", "how fast this node's cores compute, against another node's: farcast calibrate speed -o here.json");
  command->add_option("-o,--output", request->output, "file to write (JSON)")->type_name("FILE.json");
  command->add_option("--against", request->against, "the same of another node: its file is compared with this one")
      ->check(existing_file())
      ->type_name("FILE");
  command
      ->add_option("--adjustments", request->adjustments,
                   "of files of regions: write SimGrid's comp-adjustment-file, for --regions")
      ->type_name("FILE.csv");
  command->add_option("--repeat", request->repetitions, "runs of each kernel (default 15)")
      ->check(quiet(CLI::Range(1, 10000)))
      ->type_name("R");
  command->add_option("--sample", request->sample_s, "seconds of each run at least (default 0.02)")
      ->check(quiet(CLI::Range(0.0001, 60.0)))
      ->type_name("S");
  command->add_option("--seed", request->seed, "of the order (default 1)")->type_name("N");
  add_clock_options(*command, request->cpufreq, request->frequencies,
                    "as 1.2GHz,1800MHz: clocks to measure at (default: up to five of all),\nor those of files of regions");
  command
      ->add_option("records", request->records,
                   "measured before, instead of now: one file of `calibrate speed`, or\nfiles of `calibrate regions`")
      ->check(existing_file())
      ->type_name("FILE");
  command->callback([request, &action] { action = [request] { return calibrate_speed_command(*request); }; });
}

void add_check(CLI::App& group, std::function<int()>& action) {
  struct Check {
    std::string file;
    std::string program;
  };
  auto check = std::make_shared<Check>();
  CLI::App* command = group.add_subcommand("check", "judge a calibration file in plain words");
  command->add_option("file", check->file, "what a command of `calibrate` wrote")->required()->type_name("FILE");
  command->add_option("--program", check->program, "the program to predict: is it of the same MPI library?")
      ->type_name("PROGRAM");
  command->callback([check, &action] { action = [check] { return calibrate_check_command(check->file, check->program); }; });
}

} // namespace

void add_clock_options(CLI::App& command, std::string& folder, std::vector<double>& frequencies, const std::string& what) {
  command
      .add_option_function<std::vector<std::string>>(
          "--frequencies",
          [&frequencies](const std::vector<std::string>& words) {
            for (const std::string& word : words) {
              auto frequency = instruments::parse_frequency(word);
              if (!frequency) throw CLI::ValidationError("--frequencies", frequency.error().message);
              frequencies.push_back(*frequency);
            }
          },
          what)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("F,...");
  command
      .add_option("--cpufreq", folder, fmt::format("where the kernel lets clocks be set (default {})", instruments::kCpuFolder))
      ->type_name("DIR");
}

void add_calibrate(CLI::App& app, std::function<int()>& action) {
  CLI::App* group = app.add_subcommand("calibrate", "measure a network, a node or a program, for predictions that rest on it");
  group->require_subcommand(1);
  for (const auto add : {add_calibrate_regions, add_network, add_collectives, add_power, add_speed, add_check})
    add(*group, action);
}

} // namespace farcast::cli
