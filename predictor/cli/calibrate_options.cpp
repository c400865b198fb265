#include "predictor/cli/calibrate_options.h"

#include "predictor/cli/calibrate_commands.h"
#include "predictor/cli/calibrate_regions.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace farcast::cli {

namespace {

constexpr double kQuickSeconds = 3.0;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

CLI::Validator quiet(const CLI::Validator& check) { return check.description(""); }

void add_probe_options(CLI::App& command, ProbeRequest& probe) {
  command.add_option("--mpi", probe.mpi, "the job's library: openmpi or mpich (default: as mpirun tells)")
      ->check(quiet(CLI::IsMember({"openmpi", "mpich"})))
      ->type_name("LIBRARY");
  auto* duration = command.add_option("--duration", probe.duration_s, "seconds to measure at most (default 60)");
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
  meter->check(quiet(CLI::ExistingFile))->type_name("FILE.csv");
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
      ->check(quiet(CLI::IsMember({"openmpi", "mpich"})))
      ->type_name("LIBRARY");
  command->callback([request, &action] { action = [request] { return calibrate_power_command(*request); }; });
}

void add_check(CLI::App& group, std::function<int()>& action) {
  struct Check {
    std::string file;
    std::string program;
  };
  auto check = std::make_shared<Check>();
  CLI::App* command = group.add_subcommand("check", "judge a calibration file in plain words");
  command->add_option("file", check->file, "what `calibrate network`, `collectives` or `regions` wrote")
      ->required()
      ->type_name("FILE");
  command->add_option("--program", check->program, "the program to predict: is it of the same MPI library?")
      ->type_name("PROGRAM");
  command->callback([check, &action] { action = [check] { return calibrate_check_command(check->file, check->program); }; });
}

} // namespace

void add_calibrate(CLI::App& app, std::function<int()>& action) {
  CLI::App* group = app.add_subcommand("calibrate", "measure a network or a program, for predictions that rest on it");
  group->require_subcommand(1);
  for (const auto add : {add_calibrate_regions, add_network, add_collectives, add_power, add_check}) add(*group, action);
}

} // namespace farcast::cli
