// farcast: the only place that parses options.
#include "calib/study/faulty_files.h"
#include "predictor/base/program_image.h"
#include "predictor/base/version.h"
#include "predictor/cli/calibrate_options.h"
#include "predictor/cli/commands.h"
#include "predictor/cli/convert_command.h"
#include "predictor/cli/power_options.h"
#include "predictor/cli/whatif_command.h"
#include "predictor/collective/selection.h"
#include "predictor/live/predictor_process.h"
#include "predictor/platform/quantity_text.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <fmt/format.h>
#include <functional>

namespace {

using farcast::live::Settings;

// CLI11 prints a check's name behind the option's type; our types say it already.
CLI::Validator quiet(const CLI::Validator& check) { return check.description(""); }

// CLI11's own check prints the largest double as the upper bound.
CLI::Validator above_zero() {
  return CLI::Validator(
      [](const std::string& text) {
        constexpr double kLargest = 1e30; // beyond it, or as far below 1, times are no numbers any more
        double value = 0.0;
        return CLI::detail::lexical_cast(text, value) && value >= 1.0 / kLargest && value <= kLargest
                   ? std::string()
                   : fmt::format("found '{}', expected a number above 0", text);
      },
      "");
}

// An option that takes one of the names of a table.
template <class Table, class Value>
CLI::Option* add_named(CLI::App& command, const char* name, const Table& table, Value& target, const char* help) {
  std::vector<std::string> names(table.size());
  std::transform(table.begin(), table.end(), names.begin(), [](const auto& row) { return std::string(row.first); });
  return command
      .add_option_function<std::string>(
          name,
          [&table, &target](const std::string& text) {
            for (const auto& [known, value] : table)
              if (known == text) target = value;
          },
          help)
      ->check(quiet(CLI::IsMember(names)))
      ->type_name(fmt::format("{}", fmt::join(names, "|")));
}

// What carries messages.
void add_message_rules(CLI::App& command, Settings& settings) {
  command
      .add_option("--p2p", settings.message_model,
                  "smpi: independent flows; channel: messages of a pair in order (default: the platform's)")
      ->check(quiet(CLI::IsMember({"smpi", "channel"})))
      ->type_name("smpi|channel");
  add_named(
      command, "--network", farcast::sim::kNetworkModels, settings.network,
      "flows (default), or blocks: messages between nodes, collectives and files by\nthe platform's block formulas (Proficz "
      "and Czarnul 2016)");
  command
      .add_option("--progress", settings.progress_rule, "when ranks advance a message with channels: in-call (default) or async")
      ->check(quiet(CLI::IsMember({"in-call", "async"})))
      ->type_name("in-call|async");
  command.add_flag("--preconnected", settings.preconnected,
                   "with channels over TCP: ranks have their connections from the start, as\nwith Open MPI's mpi_preconnect_mpi "
                   "(default: made when first needed)");
}

// Where a run is played, and by which rules.
void add_platform_and_rules(CLI::App& command, Settings& settings) {
  command
      .add_option(
          "-p,--platform", settings.platforms,
          "cluster to predict: a built-in name (see `farcast platforms`) or a SimGrid\nplatform file; may be given several times")
      ->type_name("NAME|FILE")
      ->allow_extra_args(false)
      ->take_all();
  command
      .add_option("--cpus-per-rank", settings.placement.cpus_per_rank,
                  "cores that each rank has for its threads (default: as many as they used\nwhen recorded; replay: 1)")
      ->check(quiet(CLI::Range(1, 1 << 16)))
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--map-by", [&settings](const std::string& by) { settings.placement.round_robin = by == "node"; },
          "core: fill node after node (default); node: one rank per node in turn")
      ->check(quiet(CLI::IsMember({"core", "node"})))
      ->type_name("core|node");
  command
      .add_option("--hostfile", settings.placement.hostfile, "virtual hosts in order: lines `host`, `host slots=N` or `host:N`")
      ->check(quiet(CLI::ExistingFile))
      ->type_name("FILE");
  command
      .add_option_function<std::string>(
          "--collectives",
          [&settings](const std::string& text) {
            if (const auto selection = farcast::collective::parse_selection(text); !selection)
              throw CLI::ValidationError("--collectives", selection.error().message);
            settings.collectives = text;
          },
          "whose algorithms collectives take: openmpi, mpich (default: the program's own\nlibrary), or by name: "
          "alltoall=pairwise,bcast=binomial; closed-form:\ntheir formulas instead of their messages")
      ->type_name("LIBRARY|CALL=NAME,...");
  add_message_rules(command, settings);
  command
      .add_option(
          "--realisations", settings.realisations,
          "with channels: take the mean of N histories of those that chance allows\n(default: as many as settle it to 1 %)")
      ->check(quiet(CLI::Range(1, 100000)))
      ->type_name("N");
  command
      .add_option(
          "--seed", settings.seed,
          "with channels: play this history alone (0: nothing is left to chance), or,\nwith --realisations, begin with it")
      ->check(quiet(CLI::Range(0, 1000000000)))
      ->type_name("N");
  command.add_option("--json", settings.json_file, "write the report as JSON too")->type_name("FILE");
}

void add_model_options(CLI::App& command, Settings& settings) {
  add_platform_and_rules(command, settings);
  add_named(command, "--mpi-wait", farcast::sim::kWaitModes, settings.wait,
            "how MPI calls wait: by polling (default), or without their core");
  add_named(command, "--policy", farcast::sim::kPolicies, settings.policy,
            "what collectives do to save power (Kandalla et al. 2010; default: none)");
  command.add_option("--ppn", settings.placement.ranks_per_node, "ranks per virtual node (default: as many as it has cores for)")
      ->check(above_zero())
      ->type_name("K");
}

// How fast the platform computes.
void add_computation_options(CLI::App& command, Settings& settings) {
  command
      .add_option_function<double>(
          "--relative-speed", [&settings](const double& speed) { settings.relative_speed = speed; },
          "speed of the platform's cores against this machine's (default: as measured)")
      ->check(above_zero())
      ->type_name("X");
  command
      .add_option_function<std::string>(
          "--host-speed",
          [&settings](const std::string& text) {
            const auto speed = farcast::platform::parse_speed(text);
            if (!speed) throw CLI::ValidationError("--host-speed", speed.error().message);
            settings.host_speed = *speed;
          },
          "flop/s of a core of this machine, as platform files write speed (default: smpi/host-speed of\nthe platform, else "
          "its first host's)")
      ->type_name("SPEED");
  command
      .add_option(
          "--regions", settings.regions_file,
          "slowdowns of regions beside co-runners: the file of `farcast calibrate\nregions`, or SimGrid's comp-adjustment-file")
      ->check(quiet(CLI::ExistingFile))
      ->type_name("FILE");
}

void add_prediction_options(CLI::App& command, Settings& settings) {
  add_model_options(command, settings);
  add_computation_options(command, settings);
  command
      .add_option_function<double>(
          "--frequency", [&settings](const double& ghz) { settings.frequency = farcast::base::Hertz(ghz * 1e9); },
          "clock of the platform's hosts: one of their farcast:frequencies (default: the\nstate that the platform says)")
      ->check(above_zero())
      ->type_name("GHZ");
  command.add_option("--report", settings.report_file, "write the text report into a file too")->type_name("FILE");
  command.add_flag("--full", settings.full_report, "every rank, region and call site in the report");
}

void add_recording_options(CLI::App& command, Settings& settings) {
  command.add_option("-o,--output", settings.run_file, "write a run file (HDF5) for `farcast predict`")->type_name("FILE.h5");
  command.add_flag_callback(
      "--no-predict", [&settings] { settings.predict = false; }, "only measure");
  command.add_flag_callback(
      "--no-progress", [&settings] { settings.progress = false; }, "no progress line on the terminal");
  command.add_option("--stack", settings.stack, "stack frames per call site (default 1)")
      ->check(quiet(CLI::Range(1, 32)))
      ->type_name("1..32");
  command.add_option("--skip-lib", settings.skip_libraries, "wrapper libraries whose callers are the call sites, e.g. libblacs")
      ->type_name("NAME,...");
  command
      .add_option_function<std::string>(
          "--counters",
          [&settings](const std::string& text) {
            auto events = farcast::live::parse_counters(text);
            if (!events) throw CLI::ValidationError("--counters", events.error().message);
            settings.counters = std::move(*events);
          },
          "hardware events to count per region, by their PAPI names, e.g.\nPAPI_TOT_INS,PAPI_TOT_CYC")
      ->type_name("EVENT,...");
  command.add_option("--isolate", settings.isolate, "at most K ranks of a node compute at a time (default: all)")
      ->check(quiet(CLI::Range(1, 1 << 16)))
      ->type_name("K");
  command.add_option("--buffer", settings.buffer_mb, "bound of a rank's record buffer in MB (default 512)")
      ->check(quiet(CLI::Range(1, 1024)))
      ->type_name("MB");
}

// Returns: the command whose help fits, with a blank behind it.
std::string asked_of(int argc, char** argv) { return argc > 1 && argv[1][0] != '-' ? std::string(argv[1]) + " " : std::string(); }

// What the commands' options fill, and what the command line asks for.
struct Input {
  Settings settings;
  std::vector<std::string> program;
  std::vector<std::string> run_files;
  std::vector<std::string> launcher_options;
  std::string launcher;
  std::string trace;
  std::string job;
  std::string platform;
  std::vector<std::string> route_ends;
  farcast::cli::CollectivesQuery query;
  farcast::cli::WhatIfRequest what_if;
  int ranks = 0;
  std::function<int()> action; // of the command that was given
};

void add_program(CLI::App& command, Input& input) {
  add_prediction_options(command, input.settings);
  add_recording_options(command, input.settings);
  command.add_option("program", input.program, "the program and its arguments, after --")->required()->type_name("");
  command.positionals_at_end();
}

void add_exec(CLI::App& app, Input& input) {
  CLI::App* command =
      app.add_subcommand("exec", "run one rank's program under farcast: mpirun -np 4 farcast exec [options] -- program ...");
  add_program(*command, input);
  command->callback([&input] { input.action = [&input] { return farcast::cli::exec_command(input.settings, input.program); }; });
}

void add_run(CLI::App& app, Input& input) {
  CLI::App* command =
      app.add_subcommand("run", "the same with the right mpirun found and its command printed: farcast run -np 4 -- program ...");
  add_program(*command, input);
  command->add_option("-n,--np", input.ranks, "number of ranks")->required()->check(above_zero())->type_name("N");
  command->add_option("--launcher", input.launcher, "mpirun to use instead")->type_name("PROGRAM");
  command->add_option("--launcher-option", input.launcher_options, "hand an option to mpirun; may be given several times")
      ->type_name("OPTION")
      ->allow_extra_args(false)
      ->take_all();
  command->callback([&input] {
    input.action = [&input] {
      return farcast::cli::run_command(input.settings, input.ranks, input.launcher, input.launcher_options, input.program);
    };
  });
}

void add_predict(CLI::App& app, Input& input) {
  CLI::App* command =
      app.add_subcommand("predict", "predict a recorded run again, elsewhere: farcast predict run.h5 --platform other.xml");
  add_prediction_options(*command, input.settings);
  farcast::cli::add_power_series(*command, input.settings);
  farcast::cli::add_node_records(*command, input.settings);
  farcast::cli::add_memory_bound(*command, input.settings);
  command
      ->add_flag_callback(
          "--no-predict", [&input] { input.settings.predict = false; }, "only report what was measured")
      ->excludes("--power-series");
  command->add_option("files", input.run_files, "run files; those of all nodes of one run are joined")
      ->required()
      ->type_name("FILE.h5 ...");
  command->callback(
      [&input] { input.action = [&input] { return farcast::cli::predict_command(input.settings, input.run_files); }; });
}

void add_whatif(CLI::App& app, Input& input) {
  CLI::App* command = app.add_subcommand(
      "whatif", "ask many questions of a recorded run at once: farcast whatif run.h5 --platform a.xml --ppn 1,2,4");
  add_platform_and_rules(*command, input.settings);
  add_computation_options(*command, input.settings);
  farcast::cli::add_node_records(*command, input.settings);
  farcast::cli::add_memory_bound(*command, input.settings);
  farcast::cli::add_axes(*command, input.what_if);
  CLI::Option* files = command->add_option("files", input.run_files, "run files; those of all nodes of one run are joined")
                           ->required()
                           ->type_name("FILE.h5 ...");
  command->get_option("--model")->each([files](const std::string&) { files->required(false); });
  command->callback([&input, command] {
    farcast::cli::check_model(*command, input.what_if.model, input.run_files);
    input.action = [&input] { return farcast::cli::whatif_command(input.settings, input.what_if, input.run_files); };
  });
}

void add_replay(CLI::App& app, Input& input) {
  CLI::App* command = app.add_subcommand("replay", "play a SimGrid TI trace: farcast replay trace.txt --platform cluster.xml");
  add_model_options(*command, input.settings);
  farcast::cli::add_power_series(*command, input.settings);
  command->add_option("trace", input.trace, "the index file that smpirun -replay takes, or one trace of all ranks")
      ->required()
      ->type_name("TRACE");
  command->callback([&input] { input.action = [&input] { return farcast::cli::replay_command(input.settings, input.trace); }; });
}

void add_collectives(CLI::App& app, Input& input) {
  CLI::App* command = app.add_subcommand("collectives", "which algorithm a library takes for which collective call");
  command->add_option("-n,--np", input.query.ranks, "ranks of the communicator")
      ->required()
      ->check(quiet(CLI::Range(1, 1 << 24)))
      ->type_name("N");
  command->add_option("--op", input.query.operation, "one call, e.g. allreduce (default: all)")->type_name("CALL");
  command->add_option("--library", input.query.library, "openmpi (default) or mpich")->type_name("LIBRARY");
  command->add_option("--ppn", input.query.ranks_per_node, "ranks per node (default 1)")->check(above_zero())->type_name("K");
  command->add_option("--element", input.query.element_bytes, "bytes of the datatype's elements (default 8)")
      ->check(above_zero())
      ->type_name("BYTES");
  command->callback([&input] { input.action = [&input] { return farcast::cli::collectives_command(input.query); }; });
}

void add_rest(CLI::App& app, Input& input) {
  farcast::cli::add_calibrate(app, input.action);
  farcast::cli::add_convert(app, input.action);
  app.add_subcommand("platforms", "list the built-in platforms")->callback([&input] {
    input.action = farcast::cli::platforms_command;
  });
  CLI::App* platform = app.add_subcommand("platform", "look at a platform: farcast platform show cluster.xml");
  platform->require_subcommand(1);
  CLI::App* show = platform->add_subcommand("show", "what was understood of it: hosts, links, routes, power");
  show->add_option("platform", input.platform, "a built-in name or a SimGrid platform file")->required()->type_name("NAME|FILE");
  show->add_option("--route", input.route_ends, "two hosts: the links between them as well")->expected(2)->type_name("HOST HOST");
  show->callback(
      [&input] { input.action = [&input] { return farcast::cli::platform_show_command(input.platform, input.route_ends); }; });
  CLI::App* predictor = app.add_subcommand("predictor", "the process that follows a job; started by the ranks themselves");
  predictor->group("");
  predictor->add_option("job", input.job)->required();
  predictor->callback([&input] {
    input.action = [&input] { return farcast::live::predictor_process(input.job, farcast::study::faulty_files); };
  });
}

// Returns: the words in the order that CLI11 takes them, from the last. mpirun's users type -np;
// CLI11 would read it as -n p.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words;
  bool own = true;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--") own = false;
    words.push_back(own && word == "-np" ? "--np" : std::move(word));
  }
  std::reverse(words.begin(), words.end());
  return words;
}

int run(int argc, char** argv) {
  CLI::App app{"Predicts how long an unmodified MPI program takes, and how much energy, on a cluster that you describe.",
               "farcast"};
  app.set_version_flag("--version", farcast::base::version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  Input input;
  for (const auto add : {add_exec, add_run, add_predict, add_whatif, add_replay, add_collectives, add_rest}) add(app, input);
  const auto known = app.get_subcommands([&](const CLI::App* command) { return argc > 1 && command->check_name(argv[1]); });
  if (argc > 1 && argv[1][0] != '-' && known.empty()) {
    fmt::print(stderr,
               "farcast: '{}' is no command; there are exec, run, predict, whatif, replay, convert, platforms, platform,"
               " collectives and calibrate (farcast --help)\n",
               argv[1]);
    return farcast::cli::kBadInput;
  }
  input.what_if.command.assign(argv + 1, argv + argc);
  try {
    app.parse(words_of(argc, argv));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    // Every rank of a job gets here: one of them speaks.
    if (farcast::base::launcher_rank() <= 0)
      fmt::print(stderr, "farcast: {} (farcast {}--help)\n", error.what(), asked_of(argc, argv));
    return farcast::cli::kBadInput;
  }
  return input.action();
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "farcast: {}\n", error.what());
    return 1;
  }
}
