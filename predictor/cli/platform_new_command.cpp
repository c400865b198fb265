// farcast platform new: a file for a cluster of which a few figures are known.
#include "predictor/cli/platform_new_command.h"
#include "predictor/base/atomic_file.h"
#include "predictor/base/format.h"
#include "predictor/cli/model_options.h"
#include "predictor/cli/refusal.h"
#include "predictor/platform/new_cluster.h"
#include "predictor/platform/quantity_text.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <tuple>

namespace farcast::cli {

namespace {

struct Request {
  platform::NewCluster cluster;
  std::string output;
  bool force = false;
};

// An option whose value is a quantity as platform files write it.
template <class Quantity>
CLI::Option* add_quantity(CLI::App& command, const std::string& name, Quantity& target,
                          base::Result<Quantity> (*parse)(std::string_view), const std::string& help, const char* type) {
  return command
      .add_option_function<std::string>(
          name,
          [name, &target, parse](const std::string& text) {
            const auto value = parse(text);
            if (!value) throw CLI::ValidationError(name, value.error().message);
            target = *value;
          },
          help)
      ->type_name(type);
}

// The file's name as the prefix of host names.
std::string name_from(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }, '_');
  return name.empty() ? "cluster" : name;
}

int platform_new_command(const Request& request) {
  std::error_code error;
  if (!request.force && std::filesystem::exists(request.output, error))
    return refuse(fmt::format("{} is there already (--force writes it anew)", request.output));
  const platform::NewCluster& cluster = request.cluster;
  for (const auto& [option, latency, bandwidth] : {std::tuple("--latency", cluster.latency, cluster.bandwidth),
                                                   std::tuple("--node-latency", cluster.node_latency, cluster.node_bandwidth)})
    if (latency < platform::envelope_time(bandwidth))
      return refuse(fmt::format("{}: found {}, expected at least the {} that the 16 B beside each message take", option,
                                base::format_time(latency), base::format_time(platform::envelope_time(bandwidth))));
  const std::string text = platform::cluster_file(name_from(request.output), request.cluster);
  if (const auto written = base::write_file(request.output, text); !written) return refuse(written.error().message);
  fmt::print("farcast: {} written; `farcast platform show {}` says what it comes to\n", request.output, request.output);
  return 0;
}

void add_watts(CLI::App& command, platform::NewCluster& cluster) {
  command
      .add_option_function<std::string>(
          "--watts",
          [&cluster](const std::string& text) {
            const std::size_t comma = text.find(',');
            double idle = -1, computing = -1;
            if (comma == std::string::npos || !CLI::detail::lexical_cast(text.substr(0, comma), idle) ||
                !CLI::detail::lexical_cast(text.substr(comma + 1), computing) || idle < 0 || computing < idle)
              throw CLI::ValidationError(
                  "--watts", fmt::format("found '{}', expected IDLE,COMPUTING, as 95,220: the second is not less", text));
            cluster.idle = base::Watts(idle);
            cluster.computing = base::Watts(computing);
          },
          "of a node: idle, and with all cores computing (default: no power figures)")
      ->type_name("IDLE,COMPUTING");
}

} // namespace

void add_platform_new(CLI::App& platform, std::function<int()>& action) {
  CLI::App* command = platform.add_subcommand(
      "new",
      "write a file of a cluster: farcast platform new --nodes 16 --cores 12 --bandwidth 10Gbps --latency 1.5us -o my.xml");
  const auto request = std::make_shared<Request>();
  platform::NewCluster& cluster = request->cluster;
  constexpr int kMost = 1 << 20;
  command->add_option("--nodes", cluster.nodes, "nodes")->required()->check(quiet(CLI::Range(1, kMost)))->type_name("N");
  command->add_option("--cores", cluster.cores, "cores of a node")
      ->required()
      ->check(quiet(CLI::Range(1, kMost)))
      ->type_name("N");
  add_quantity<base::BytesPerSecond>(*command, "--bandwidth", cluster.bandwidth, platform::parse_bandwidth,
                                     "of a node's link in each direction, e.g. 10Gbps, 1.25GBps", "BANDWIDTH")
      ->required();
  add_quantity<base::Seconds>(*command, "--latency", cluster.latency, platform::parse_time,
                              "of a message of 0 B between two nodes, one way, e.g. 1.5us", "TIME")
      ->required();
  add_quantity<base::BytesPerSecond>(*command, "--node-bandwidth", cluster.node_bandwidth, platform::parse_bandwidth,
                                     "of messages within a node (default 5GBps, assumed)", "BANDWIDTH");
  add_quantity<base::Seconds>(*command, "--node-latency", cluster.node_latency, platform::parse_time,
                              "the same (default 0.5us, assumed)", "TIME");
  add_quantity<base::FlopsPerSecond>(*command, "--speed", cluster.speed, platform::parse_speed,
                                     "flop/s of a core, for traces and --host-speed (default 1Gf)", "SPEED");
  add_watts(*command, cluster);
  command->add_option("-o,--output", request->output, "the file to write")->required()->type_name("FILE.xml");
  command->add_flag("--force", request->force, "write it even if it is there already");
  command->callback([request, &action] { action = [request] { return platform_new_command(*request); }; });
}

} // namespace farcast::cli
