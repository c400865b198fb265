#include "predictor/cli/convert_command.h"

#include "predictor/cli/commands.h"
#include "predictor/cli/read_run.h"
#include "predictor/convert/convert.h"
#include "predictor/platform/quantity_text.h"
#include "predictor/trace/recorded_timelines.h"

#include <fmt/format.h>
#include <memory>

namespace farcast::cli {

namespace {

void say_what_to_do(const ConvertRequest& request, const convert::Options& options) {
  if (options.format == convert::Format::goal) return;
  const std::string_view library = name_of(options.selection.library_or(collective::Library::openmpi));
  fmt::print("farcast: play it with `farcast replay {}/trace --platform FILE --collectives {}`, or inside the folder with "
             "`smpirun -replay trace`\n",
             request.output, library);
}

} // namespace

int convert_command(const ConvertRequest& request) {
  convert::Options options;
  options.format = request.format == "goal" ? convert::Format::goal : convert::Format::ti;
  options.plain = request.plain;
  if (options.plain && options.format == convert::Format::goal)
    return refuse("--plain is a matter of --to ti: GOAL has one format");
  if (!request.host_speed.empty()) {
    const auto speed = platform::parse_speed(request.host_speed);
    if (!speed) return refuse(fmt::format("--host-speed: {}", speed.error().message));
    options.flops_per_second = speed->value();
  }
  const auto run = read_run(request.run_files);
  if (!run) return refuse(run.error().message);
  trace::Recording& recording = **run;
  if (!request.collectives.empty()) {
    if (const auto selection = collective::parse_selection(request.collectives)) options.selection = *selection;
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
  say_what_to_do(request, options);
  return 0;
}

void add_convert(CLI::App& app, std::function<int()>& action) {
  CLI::App* command =
      app.add_subcommand("convert", "write a recorded run for other simulators: farcast convert run.h5 --to ti -o folder");
  const auto request = std::make_shared<ConvertRequest>();
  command->add_option("files", request->run_files, "run files; those of all nodes of one run are joined")
      ->required()
      ->type_name("FILE.h5 ...");
  command
      ->add_option(
          "--to", request->format,
          "ti: SimGrid's time-independent trace, a folder; goal: LogGOPSim's schedule, a\nfile, with collectives as messages")
      ->required()
      ->check(CLI::IsMember({"ti", "goal"}).description(""))
      ->type_name("ti|goal");
  command->add_option("-o,--output", request->output, "the new folder or the file")->required()->type_name("FOLDER|FILE");
  command
      ->add_option(
          "--host-speed", request->host_speed,
          "ti: flops that a second of computation becomes (default 1Gf); a platform's hosts of\nthis speed compute as fast "
          "as the recording ones")
      ->type_name("SPEED");
  command->add_flag("--plain", request->plain,
                    "ti: only what SimGrid 3.32 plays; collectives of other communicators as their messages");
  command
      ->add_option_function<std::string>(
          "--collectives",
          [request](const std::string& text) {
            if (const auto selection = collective::parse_selection(text); !selection)
              throw CLI::ValidationError("--collectives", selection.error().message);
            request->collectives = text;
          },
          "whose algorithms collectives take that become messages (default: the program's own library)")
      ->type_name("LIBRARY|CALL=NAME,...");
  command->callback([request, &action] { action = [request] { return convert_command(*request); }; });
}

} // namespace farcast::cli
