// The options of `farcast report`.
#include "predictor/cli/model_options.h"
#include "predictor/cli/power_options.h"
#include "predictor/cli/report_command.h"

#include <algorithm>
#include <memory>

namespace farcast::cli {

namespace {

void add_output(CLI::App& command, ReportRequest& request) {
  command.add_option("--html", request.output, "the page")->required()->type_name("FILE.html");
  command
      .add_option_function<std::string>(
          "--price",
          [&request](const std::string& text) {
            const auto price = html::parse_price(text);
            if (!price) throw CLI::ValidationError("--price", price.error().message);
            request.price = *price;
          },
          "what energy costs, e.g. 0.25/kWh or 0.25EUR/kWh: what each run would cost")
      ->type_name("PRICE/kWh");
  command.add_option("--sweep", request.sweep, "points of `farcast whatif --json FILE`, shown as energy against time")
      ->check(quiet(CLI::ExistingFile))
      ->type_name("FILE.json");
  command.add_option("--gains", request.gains, "what would help most, of `farcast whatif --gains 10 --json FILE`")
      ->check(quiet(CLI::ExistingFile))
      ->type_name("FILE.json");
}

} // namespace

std::string shell_line(const std::vector<std::string>& words) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./,:=+@%";
  std::string out;
  for (const std::string& word : words) {
    out += out.empty() ? "" : " ";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      out += word;
      continue;
    }
    out += '\'';
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += '\'';
  }
  return out;
}

void add_report(CLI::App& app, const std::vector<std::string>& arguments, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand(
      "report", "recorded runs as a page for a browser: farcast report a.h5 b.h5 --platform taurus --html out.html");
  const auto request = std::make_shared<ReportRequest>();
  live::Settings& settings = request->settings;
  settings.bottlenecks = true;
  add_output(*command, *request);
  add_platform_and_messages(*command, settings);
  add_realisations(*command, settings);
  command->remove_option(command->get_option("--json"));
  add_waits(*command, settings);
  add_computation_options(*command, settings);
  add_frequency(*command, settings);
  add_node_records(*command, settings);
  add_memory_bound(*command, settings);
  command->add_option("files", request->run_files, "run files of one or several runs; those of all nodes of a run are joined")
      ->required()
      ->type_name("FILE.h5 ...");
  std::vector<std::string> words{"farcast"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  request->command = shell_line(words);
  command->callback([request, &action] { action = [request] { return report_command(*request); }; });
}

} // namespace farcast::cli
