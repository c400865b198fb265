#include "predictor/cli/whatif_failures.h"

#include "predictor/platform/quantity_text.h"

#include <fmt/format.h>
#include <string>
#include <utility>

namespace farcast::cli {

namespace {

// An option with a time of at least, or of more than, 0 s.
CLI::Option* add_time(CLI::App& command, const char* name, std::optional<base::Seconds>& value, bool above_zero,
                      const char* help) {
  return command
      .add_option_function<std::string>(
          name,
          [&value, name, above_zero](const std::string& text) {
            const auto time = platform::parse_time(text);
            if (!time) throw CLI::ValidationError(name, time.error().message);
            if (above_zero && *time == base::Seconds(0))
              throw CLI::ValidationError(name,
                                         fmt::format("found {}, expected a time above 0 such as 60s", platform::in_quotes(text)));
            value = *time;
          },
          help)
      ->type_name("TIME");
}

} // namespace

std::optional<report::Checkpointing> FailureRequest::checkpointing() const {
  if (!writing) return std::nullopt;
  return report::Checkpointing{*writing, restart.value_or(*writing), interval, node_failures};
}

void add_failures(CLI::App& command, FailureRequest& request) {
  CLI::Option* checkpoint =
      add_time(command, "--checkpoint", request.writing, true,
               "the time to write a checkpoint, e.g. 60s: adds the expected time and energy on nodes that\nfail, which the "
               "table is then sorted by");
  add_time(command, "--restart", request.restart, false, "to go on from a checkpoint after a failure (default: as to write one)")
      ->needs(checkpoint);
  add_time(command, "--checkpoint-interval", request.interval, true, "computed between checkpoints (default: Daly's best one)")
      ->needs(checkpoint);
  command
      .add_option_function<std::string>(
          "--failure-rate",
          [&request](const std::string& text) {
            const auto rate = platform::parse_non_negative(text);
            if (!rate) throw CLI::ValidationError("--failure-rate", rate.error().message);
            request.node_failures = base::Hertz(*rate);
          },
          "failures of each node per second (default: farcast:failure_rate of the platform)")
      ->type_name("PER_S")
      ->needs(checkpoint);
}

base::Result<std::vector<scenario::UsedNodes>> nodes_of(const std::optional<report::Checkpointing>& asked,
                                                        const std::vector<scenario::Scenario>& scenarios) {
  std::vector<scenario::UsedNodes> out;
  if (!asked) return out;
  for (const scenario::Scenario& one : scenarios) {
    auto nodes = scenario::used_nodes(*one.where, asked->node_failures);
    if (!nodes) return tl::make_unexpected(nodes.error());
    out.push_back(*nodes);
  }
  return out;
}

} // namespace farcast::cli
