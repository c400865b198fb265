#include "predictor/cli/convert_command.h"

#include "predictor/base/output_folder.h"
#include "predictor/cli/check_outputs.h"
#include "predictor/cli/commands.h"
#include "predictor/cli/help.h"
#include "predictor/cli/model_options.h"
#include "predictor/cli/power_options.h"
#include "predictor/cli/read_run.h"
#include "predictor/convert/convert.h"
#include "predictor/trace/rank_threads.h"
#include "predictor/trace/recorded_timelines.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <variant>

namespace farcast::cli {

namespace {

constexpr const char* kTimeLineGroup = "Options of perfetto, otf2, paje and csv";

using AnyFormat = std::variant<convert::Format, timeline::Format>;
struct KnownFormat {
  const char* name;
  AnyFormat format;
};
constexpr std::array<KnownFormat, 6> kFormats{{{"ti", convert::Format::ti},
                                               {"goal", convert::Format::goal},
                                               {"perfetto", timeline::Format::perfetto},
                                               {"otf2", timeline::Format::otf2},
                                               {"paje", timeline::Format::paje},
                                               {"csv", timeline::Format::csv}}};

std::vector<std::string> names_of_formats() {
  std::vector<std::string> names(kFormats.size());
  std::transform(kFormats.begin(), kFormats.end(), names.begin(), [](const KnownFormat& one) { return one.name; });
  return names;
}

void say_what_to_do(const ConvertRequest& request, const convert::Options& options, const trace::Recording& recording) {
  if (options.format == convert::Format::goal) return;
  const collective::Library library = options.selection.library_or(collective::Library::openmpi);
  const int cpus = trace::cores_per_rank(recording);
  fmt::print("farcast: play it with `farcast replay {}/trace --platform FILE --collectives {}{}`; on hosts of speed {:g}Gf "
             "(--host-speed of convert) it computes as fast as it did here\n",
             request.output, name_of(library), cpus > 1 ? fmt::format(" --cpus-per-rank {}", cpus) : "",
             options.flops_per_second / 1e9);
  fmt::print("farcast: or inside the folder with `smpirun -np {} -platform FILE -hostfile HOSTS -replay trace "
             "--cfg=smpi/host-speed:{:g}Gf --cfg=smpi/coll-selector:{}`{}\n",
             recording.world_size, options.flops_per_second / 1e9, library == collective::Library::mpich ? "mpich" : "ompi",
             options.plain ? "" : " where it has only what SimGrid knows (--plain)");
}

// While it lives Ctrl-C waits: what is made for a moment is not left behind.
class HoldsInterrupts {
public:
  HoldsInterrupts() {
    sigset_t interrupts;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigaddset(&interrupts, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &interrupts, &before_);
  }
  HoldsInterrupts(const HoldsInterrupts&) = delete;
  HoldsInterrupts& operator=(const HoldsInterrupts&) = delete;
  ~HoldsInterrupts() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_{};
};

// Errors: the output cannot be made. Leaves nothing behind.
base::Result<void> check_output(const std::string& path, const AnyFormat& format) {
  const bool folder = format == AnyFormat(convert::Format::ti) || format == AnyFormat(timeline::Format::otf2);
  if (!folder) return check_outputs({path});
  const HoldsInterrupts held;
  if (const auto made = base::OutputFolder::create(path); !made) return base::fail(made.error().message);
  return {};
}

int write_for_simulator(const ConvertRequest& request, convert::Format format, trace::Recording& recording) {
  convert::Options options;
  options.format = format;
  options.plain = request.plain;
  if (request.settings.host_speed) options.flops_per_second = request.settings.host_speed->value();
  if (!request.settings.collectives.empty()) {
    if (const auto selection = collective::parse_selection(request.settings.collectives)) options.selection = *selection;
  }
  if (!options.selection.library) options.selection.library = collective::library_named(recording.mpi_library);
  options.origin = fmt::format("{}, recorded by farcast ({})", recording.program, recording.start_date);
  for (char& c : options.origin) { // it becomes a comment
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  trace::RecordedTimelines first(recording);
  trace::RecordedTimelines second(recording);
  const auto done = convert::convert(first, second, options, request.output);
  if (!done) return refuse(done.error().message);
  fmt::print("farcast: {}: {} ranks, {} {}\n", request.output, recording.world_size, done->actions,
             options.format == convert::Format::ti ? "actions" : "vertices");
  for (const std::string& loss : done->losses) fmt::print("farcast: {}\n", loss);
  say_what_to_do(request, options, recording);
  return 0;
}

// Which options mean something to one kind of file alone.
std::string misplaced(const ConvertRequest& request, const KnownFormat& known) {
  const bool simulator = std::holds_alternative<convert::Format>(known.format);
  if (request.plain && known.format != AnyFormat(convert::Format::ti))
    return fmt::format("--plain is a matter of --to ti: {} has one format",
                       known.name == std::string("goal") ? "GOAL" : known.name);
  if (simulator && !request.of_time_lines.empty())
    return fmt::format("{} is a matter of --to perfetto, otf2, paje and csv: --to {} writes what was recorded, for no platform",
                       fmt::join(request.of_time_lines, ", "), known.name);
  return "";
}

void add_format(CLI::App& command, ConvertRequest& request) {
  command.add_option("files", request.run_files, "run files; those of all nodes of one run are joined")
      ->required()
      ->type_name("FILE.h5 ...");
  command
      .add_option("--to", request.format,
                  "ti: SimGrid's time-independent trace, a folder; goal: LogGOPSim's schedule, a\nfile, with collectives as "
                  "messages; time lines, measured and predicted, for viewers:\nperfetto: Chrome's JSON, also for "
                  "ui.perfetto.dev; otf2: an archive, a folder; paje:\nSimGrid's dialect; csv: a row per interval and message")
      ->required()
      ->check(one_of(names_of_formats()))
      ->type_name(fmt::format("{}", fmt::join(names_of_formats(), "|")));
  command.add_option("-o,--output", request.output, "the new folder or the file")->required()->type_name("FOLDER|FILE");
  command.add_flag("--plain", request.plain,
                   "ti: only what SimGrid 3.32 plays; collectives of other communicators as their messages");
}

// The options that say how to predict. Those that mean nothing to a simulator's file get a group of
// their own.
void add_prediction(CLI::App& command, ConvertRequest& request) {
  live::Settings& settings = request.settings;
  const std::size_t before = command.get_options().size();
  add_platform_and_messages(command, settings);
  command
      .add_option("--seed", settings.seed,
                  "with channels: the history that is played, of those that chance allows (default 1;\n0: nothing is left to "
                  "chance)")
      ->check(quiet(CLI::Range(0, 1000000000)))
      ->type_name("N");
  add_waits(command, settings);
  add_computation_options(command, settings);
  add_frequency(command, settings);
  add_node_records(command, settings);
  command.add_flag_callback(
      "--no-predict", [&settings] { settings.predict = false; }, "only the measured time line");
  command.add_flag("--inside-collectives", request.inside_collectives, "the messages that collectives are made of, too");
  command.get_option("--host-speed")
      ->description("ti: flops that a second of computation becomes (default 1Gf); a platform's hosts of\nthis speed compute as "
                    "fast as the recording ones. Time lines: as of predict");
  command.get_option("--collectives")
      ->description(
          "whose algorithms collectives take that become messages, as of predict (default: the\nprogram's own library)");
  const std::vector<CLI::Option*> options = command.get_options();
  for (std::size_t i = before; i < options.size(); ++i) {
    if (!options[i]->check_lname("collectives") && !options[i]->check_lname("host-speed")) options[i]->group(kTimeLineGroup);
  }
}

void add_command(CLI::App& app, const char* name, const char* about, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand(name, about);
  const auto request = std::make_shared<ConvertRequest>();
  add_format(*command, *request);
  add_prediction(*command, *request);
  command->callback([request, command, &action] {
    for (const CLI::Option* option : command->get_options())
      if (option->get_group() == kTimeLineGroup && option->count() > 0) request->of_time_lines.push_back(option->get_name());
    action = [request] { return convert_command(*request); };
  });
}

} // namespace

int convert_command(const ConvertRequest& request) {
  const auto known = std::find_if(kFormats.begin(), kFormats.end(), [&](const auto& one) { return request.format == one.name; });
  if (const std::string why = misplaced(request, *known); !why.empty()) return refuse(why);
  const auto run = read_run(request.run_files);
  if (!run) return refuse(run.error().message);
  if (const auto writable = check_output(request.output, known->format); !writable) return refuse(writable.error().message);
  if (const auto* const format = std::get_if<convert::Format>(&known->format))
    return write_for_simulator(request, *format, **run);
  return write_time_lines(request, std::get<timeline::Format>(known->format), **run);
}

void add_convert(CLI::App& app, std::function<int()>& action) {
  add_command(app, "convert", "write a recorded run for other tools: farcast convert run.h5 --to ti -o folder", action);
  add_command(app, "trace",
              "the same; a run's time line, for viewers: farcast trace run.h5 --platform taurus --to perfetto -o run.json",
              action);
}

} // namespace farcast::cli
