// farcast: the only place that parses options.
#include "calib/study/faulty_files.h"
#include "predictor/base/program_image.h"
#include "predictor/base/version.h"
#include "predictor/cli/calibrate_options.h"
#include "predictor/cli/check_outputs.h"
#include "predictor/cli/commands.h"
#include "predictor/cli/compare_command.h"
#include "predictor/cli/convert_command.h"
#include "predictor/cli/help.h"
#include "predictor/cli/model_options.h"
#include "predictor/cli/platform_new_command.h"
#include "predictor/cli/power_options.h"
#include "predictor/cli/refusal.h"
#include "predictor/cli/report_command.h"
#include "predictor/cli/whatif_command.h"
#include "predictor/live/predictor_process.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <string_view>
#include <unistd.h>

namespace {

using farcast::cli::above_zero;
using farcast::cli::one_of;
using farcast::cli::quiet;
using farcast::live::Settings;

// Where a run is played, and by which rules.
void add_platform_and_rules(CLI::App& command, Settings& settings) {
  farcast::cli::add_platform_and_messages(command, settings);
  farcast::cli::add_realisations(command, settings);
}

void add_model_options(CLI::App& command, Settings& settings) {
  add_platform_and_rules(command, settings);
  farcast::cli::add_waits(command, settings);
}

void add_prediction_options(CLI::App& command, Settings& settings) {
  add_model_options(command, settings);
  farcast::cli::add_ensemble(command, settings);
  farcast::cli::add_computation_options(command, settings);
  farcast::cli::add_frequency(command, settings);
  command.add_option("--report", settings.report_file, "write the whole text report into a file")->type_name("FILE");
  command.add_flag("--full", settings.full_report,
                   "print the whole report, with every rank, region and call site, instead of one\nscreen");
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
  command.add_flag("--coupled", settings.coupled,
                   "the program lives in the virtual time of the first platform:\nTest, Iprobe, Waitany, MPI_ANY_SOURCE and "
                   "MPI_Wtime answer\nas they would there");
  command.add_flag("--real-wtime", settings.real_wtime, "with --coupled: MPI_Wtime stays this machine's");
  command.add_flag("--virtual-clocks", settings.virtual_clocks,
                   "with --coupled: the program's clock_gettime and gettimeofday tell the\nvirtual time, too");
  command.add_flag("--one-thread", settings.one_thread,
                   "with --coupled: one thread of a rank calls MPI, whatever thread level\nthe program asks for");
  command
      .add_option_function<std::string>(
          "--on-fault", [&settings](const std::string& text) { settings.ends_on_fault = text == "end"; },
          "with --coupled: where nobody answers any more, the program goes\non by itself (continue, the default) or ends")
      ->check(one_of({"continue", "end"}))
      ->type_name("continue|end");
  command
      .add_option("--patience", settings.patience_s,
                  "with --coupled: where nothing goes on for that long, print\nwhat each rank is in, and do as --on-fault says")
      ->check(quiet(CLI::Range(1, 1 << 20)))
      ->type_name("SECONDS");
  command.add_option("--isolate", settings.isolate, "at most K ranks of a node compute at a time (default: all)")
      ->check(quiet(CLI::Range(1, 1 << 16)))
      ->type_name("K");
  command.add_option("--buffer", settings.buffer_mb, "bound of a rank's record buffer in MB (default 512)")
      ->check(quiet(CLI::Range(1, 1024)))
      ->type_name("MB");
}

// Returns: the command whose help fits, as `platform new`, with a blank behind it.
std::string asked_of(const CLI::App& app, const std::vector<std::string>& words) {
  std::string out;
  const CLI::App* at = &app;
  for (const std::string& word : words) {
    const auto named = at->get_subcommands([&](const CLI::App* command) { return command->check_name(word); });
    if (named.empty()) break;
    at = named.front();
    out += word + " ";
  }
  return out;
}

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

// What is said on the command line goes before what stands in the environment.
void forget_variables_of_given(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    for (const std::string& name : option->get_lnames()) farcast::live::forget_variable(name);
  }
}

void add_exec(CLI::App& app, Input& input) {
  CLI::App* command =
      app.add_subcommand("exec", "run one rank's program under farcast: mpirun -np 4 farcast exec [options] -- program ...");
  add_program(*command, input);
  command->callback([&input, command] {
    forget_variables_of_given(*command);
    input.action = [&input] { return farcast::cli::exec_command(input.settings, input.program); };
  });
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
  command->callback([&input, command] {
    forget_variables_of_given(*command);
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
  command->add_flag("--bottlenecks", input.settings.bottlenecks,
                    "the critical path, what ranks wait for, and what they compute unequally");
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

void add_compare(CLI::App& app, Input& input) {
  CLI::App* command = app.add_subcommand(
      "compare", "what became faster or slower from one run to another: farcast compare a.h5 b.h5 --platform taurus");
  add_prediction_options(*command, input.settings);
  command->remove_option(command->get_option("--report"));
  farcast::cli::add_node_records(*command, input.settings);
  command->add_option("files", input.run_files, "the earlier run and the later one")->required()->type_name("BEFORE.h5 AFTER.h5");
  command->callback(
      [&input] { input.action = [&input] { return farcast::cli::compare_command(input.settings, input.run_files); }; });
}

void add_whatif(CLI::App& app, Input& input) {
  CLI::App* command = app.add_subcommand(
      "whatif", "ask many questions of a recorded run at once: farcast whatif run.h5 --platform a.xml --ppn 1,2,4");
  add_platform_and_rules(*command, input.settings);
  farcast::cli::add_ensemble(*command, input.settings);
  farcast::cli::add_computation_options(*command, input.settings);
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

// An option that other commands have, with why this one does not.
void refuse_ensemble(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--ensemble",
          [](const std::string&) {
            throw CLI::ValidationError("--ensemble",
                                       "a time-independent trace has amounts of work, not how long they took, so that nothing "
                                       "tells how far they may be off: `farcast predict` of the recorded run has intervals");
          })
      ->group(""); // not in the help
}

void add_replay(CLI::App& app, Input& input) {
  CLI::App* command = app.add_subcommand("replay", "play a SimGrid TI trace: farcast replay trace.txt --platform cluster.xml");
  add_model_options(*command, input.settings);
  refuse_ensemble(*command);
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
  farcast::cli::add_report(app, input.what_if.command, input.action);
  app.add_subcommand("platforms", "list the built-in platforms")->callback([&input] {
    input.action = farcast::cli::platforms_command;
  });
  CLI::App* platform = app.add_subcommand("platform", "look at a platform, or write one: farcast platform show cluster.xml");
  platform->require_subcommand(1);
  farcast::cli::add_platform_new(*platform, input.action);
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

// Returns: the words, "help predict" as "predict --help". mpirun's users type -np; CLI11 would read it
// as -n p.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words;
  bool own = true;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--") own = false;
    words.push_back(own && word == "-np" ? "--np" : std::move(word));
  }
  return farcast::cli::with_help_option(std::move(words));
}

int run(int argc, char** argv) {
  CLI::App app{"Predicts how long an unmodified MPI program takes, and how much energy, on a cluster that you describe.",
               "farcast"};
  app.set_version_flag("--version", farcast::base::version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  Input input;
  input.what_if.command.assign(argv + 1, argv + argc);
  for (const auto add : {add_exec, add_run, add_predict, add_compare, add_whatif, add_replay, add_collectives, add_rest})
    add(app, input);
  app.footer(farcast::cli::kExamples);
  const std::vector<std::string> words = words_of(argc, argv);
  if (words.empty()) {
    farcast::cli::tell("{}", app.help());
    return farcast::cli::kBadInput;
  }
  if (const std::string unknown = farcast::cli::unknown_command(app, words); !unknown.empty())
    return farcast::cli::refuse(farcast::base::launcher_rank() <= 0 ? unknown : "");
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend())); // CLI11 takes them from the last
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const int code = error.get_exit_code();
    const bool words_left =
        code == static_cast<int>(CLI::ExitCodes::ExtrasError) || code == static_cast<int>(CLI::ExitCodes::RequiredError);
    const std::string unknown = words_left ? farcast::cli::unknown_word(app, words) : "";
    // Every rank of a job gets here: one of them speaks.
    if (farcast::base::launcher_rank() <= 0)
      farcast::cli::tell("farcast: {} (farcast {}--help)\n", unknown.empty() ? error.what() : unknown, asked_of(app, words));
    return farcast::cli::kBadInput;
  }
  const Settings& settings = input.settings;
  if (!app.got_subcommand("exec")) { // whose ranks look for themselves
    const auto writable = farcast::cli::check_outputs(
        {settings.json_file, settings.run_file, settings.report_file, settings.power_file, input.what_if.csv_file});
    if (!writable) return farcast::cli::refuse(farcast::base::launcher_rank() <= 0 ? writable.error().message : "");
  }
  return input.action();
}

// What was closed stays closed to whoever writes there, but no file gets its number.
void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0)
      static_cast<void>(open("/dev/null", (stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC));
}

} // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2 || std::string_view(argv[1]) != "exec") hold_standard_streams(); // whose program has what it was given
    const int code = run(argc, argv);
    if (std::fflush(stdout) == 0) return code;
    farcast::cli::tell("farcast: cannot write to standard output: {}\n", std::strerror(errno));
    return code == 0 ? 1 : code;
  } catch (const std::exception& error) {
    farcast::cli::tell("farcast: {}\n", error.what());
    return 1;
  }
}
