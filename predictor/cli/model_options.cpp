#include "predictor/cli/model_options.h"
#include "predictor/cli/help.h"

#include "predictor/base/missing_file.h"
#include "predictor/collective/selection.h"
#include "predictor/platform/quantity_text.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

namespace farcast::cli {

using live::Settings;

CLI::Validator quiet(const CLI::Validator& check) { return check.description(""); }

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

CLI::Validator existing_file() {
  return CLI::Validator(
      [](const std::string& path) {
        struct stat status {};
        return ::stat(path.c_str(), &status) == 0 ? std::string() : fmt::format("{}: {}", path, base::why_not_found(path, errno));
      },
      "");
}

namespace {

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
      ->check(one_of(names))
      ->type_name(fmt::format("{}", fmt::join(names, "|")));
}

// What carries messages.
void add_message_rules(CLI::App& command, Settings& settings) {
  command
      .add_option("--p2p", settings.message_model,
                  "smpi: independent flows; channel: messages of a pair in order (default: the platform's)")
      ->check(one_of({"smpi", "channel"}))
      ->type_name("smpi|channel");
  add_named(
      command, "--network", sim::kNetworkModels, settings.network,
      "flows (default), or blocks: messages between nodes, collectives and files by\nthe platform's block formulas (Proficz "
      "and Czarnul 2016)");
  command
      .add_option("--progress", settings.progress_rule, "when ranks advance a message with channels: in-call (default) or async")
      ->check(one_of({"in-call", "async"}))
      ->type_name("in-call|async");
  command.add_flag("--preconnected", settings.preconnected,
                   "with channels over TCP: ranks have their connections from the start, as\nwith Open MPI's mpi_preconnect_mpi "
                   "(default: made when first needed)");
}

} // namespace

void add_platform_and_messages(CLI::App& command, Settings& settings) {
  command
      .add_option(
          "-p,--platform", settings.platforms,
          "cluster to predict: a built-in name (see `farcast platforms`) or a SimGrid\nplatform file; may be given several times")
      ->type_name("NAME|FILE")
      ->allow_extra_args(false)
      ->take_all();
  command
      .add_option("--cpus-per-rank", settings.placement.cpus_per_rank,
                  "cores that each rank has for its threads (default: as many as they used\nwhen recorded, or as there is room "
                  "for; replay: 1)")
      ->check(quiet(CLI::Range(1, 1 << 16)))
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--map-by", [&settings](const std::string& by) { settings.placement.round_robin = by == "node"; },
          "core: fill node after node (default); node: one rank per node in turn")
      ->check(one_of({"core", "node"}))
      ->type_name("core|node");
  command
      .add_option("--hostfile", settings.placement.hostfile, "virtual hosts in order: lines `host`, `host slots=N` or `host:N`")
      ->check(existing_file())
      ->type_name("FILE");
  command
      .add_option_function<std::string>(
          "--collectives",
          [&settings](const std::string& text) {
            if (const auto selection = collective::parse_selection(text); !selection)
              throw CLI::ValidationError("--collectives", selection.error().message);
            settings.collectives = text;
          },
          "whose algorithms collectives take: openmpi, mpich (default: the program's own\nlibrary), or by name: "
          "alltoall=pairwise,bcast=binomial; closed-form:\ntheir formulas instead of their messages")
      ->type_name("LIBRARY|CALL=NAME,...");
  add_message_rules(command, settings);
}

void add_realisations(CLI::App& command, Settings& settings) {
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

void add_ensemble(CLI::App& command, Settings& settings) {
  command
      .add_option(
          "--ensemble", settings.ensemble,
          "tell how far time and energy may be off by N predictions with other draws of\nwhat is not known, at least 20; 0: "
          "do not (default: as many as take little time)")
      ->check(quiet(CLI::Range(0, 10000)))
      ->type_name("N");
}

void add_waits(CLI::App& command, Settings& settings) {
  add_named(command, "--mpi-wait", sim::kWaitModes, settings.wait,
            "how MPI calls wait: by polling (default), or without their core");
  add_named(command, "--policy", sim::kPolicies, settings.policy,
            "what collectives do to save power (Kandalla et al. 2010; default: none)");
  command.add_option("--ppn", settings.placement.ranks_per_node, "ranks per virtual node (default: as many as it has cores for)")
      ->check(above_zero())
      ->type_name("K");
}

void add_computation_options(CLI::App& command, Settings& settings) {
  command
      .add_option_function<std::string>(
          "--relative-speed",
          [&settings](const std::string& text) {
            if (const auto read = live::read_relative_speed(text, settings); !read)
              throw CLI::ValidationError("--relative-speed", read.error().message);
          },
          "speed of the platform's cores against this machine's, with the ends of its\n95 % interval where it has one (default: "
          "as "
          "measured)")
      ->type_name("X[:LOW:HIGH]");
  command
      .add_option_function<std::string>(
          "--host-speed",
          [&settings](const std::string& text) {
            const auto speed = platform::parse_speed(text);
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
      ->check(existing_file())
      ->type_name("FILE");
}

void add_frequency(CLI::App& command, Settings& settings) {
  command
      .add_option_function<double>(
          "--frequency", [&settings](const double& ghz) { settings.frequency = base::Hertz(ghz * 1e9); },
          "clock of the platform's hosts: one of their farcast:frequencies (default: the\nstate that the platform says)")
      ->check(above_zero())
      ->type_name("GHZ");
}

} // namespace farcast::cli
