#include "predictor/cli/whatif_model.h"

#include "predictor/base/atomic_file.h"
#include "predictor/base/read_file.h"
#include "predictor/cli/help.h"
#include "predictor/cli/list_options.h"
#include "predictor/cli/recorded_platforms.h"
#include "predictor/cli/refusal.h"
#include "predictor/report/what_if_blocks.h"
#include "predictor/report/what_if_stencil.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace farcast::cli {

namespace {

using Names = std::vector<std::string_view>;
// The options that each model knows.
const Names& options_of(std::string_view model) {
  static const Names stencil{"--model", "--parameters", "--K", "--cores", "--frequency", "--best", "--csv", "--json", "--help"};
  static const Names blocks{"--model",  "--parameters", "--processes", "--platform", "--ppn",
                            "--blocks", "--best",       "--csv",       "--json",     "--help"};
  return model == "stencil" ? stencil : blocks;
}
// Of them, what a recorded run does not know, with the model that does.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOfModelsAlone{
    {{"--parameters", "stencil or blocks"}, {"--K", "stencil"}, {"--cores", "stencil"}, {"--processes", "blocks"}}};

constexpr std::size_t kMostParameters = std::size_t{16} << 20U; // bytes

bool has(const Names& names, std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); }

void add_numbers(CLI::App& command, const char* name, std::vector<double>& values, const char* help, const char* type) {
  command
      .add_option_function<std::string>(
          name,
          [&values, name](const std::string& text) {
            auto read = scenario::parse_numbers(text);
            if (!read) throw CLI::ValidationError(name, read.error().message);
            values = std::move(*read);
          },
          help)
      ->type_name(type);
}

// Returns: whether it could be written, or nobody asked for it; otherwise it has said why not.
bool write(const std::string& path, const std::string& text) {
  if (path.empty()) return true;
  const auto done = base::write_file(path, text);
  if (!done) tell("farcast: {}\n", done.error().message);
  return done.has_value();
}

} // namespace

void add_model(CLI::App& command, ModelRequest& request) {
  command
      .add_option("--model", request.model,
                  "ask a model of a program instead of a recorded run: stencil, a grid of tiles\n(with --K, --cores, "
                  "--frequency), or blocks, of groups of identical\nprocesses (with --platform, --processes, --ppn)")
      ->check(one_of({"stencil", "blocks"}))
      ->type_name("stencil|blocks");
  command.add_option("--parameters", request.parameters, "the model's parameters, JSON (man farcast)")->type_name("FILE");
  add_numbers(command, "--K", request.axes.tiles, "tiles along each dimension of a core's supertile (default: the ideal number)",
              "K,...");
  add_numbers(command, "--cores", request.axes.cores, "numbers of cores, each with the supertile that follows", "N,...");
  command
      .add_option_function<std::vector<std::string>>(
          "--processes",
          [&request](const std::vector<std::string>& texts) {
            add_named_lists("--processes", texts, scenario::parse_processes, &scenario::ProcessAxis::label, request.processes);
          },
          "processes of a group of the program of blocks; may be given several times")
      ->type_name("GROUP=N,...")
      ->allow_extra_args(false)
      ->take_all();
}

void check_model(const CLI::App& command, const ModelRequest& request, const std::vector<std::string>& run_files) {
  const bool model = !request.model.empty();
  if (model && !run_files.empty())
    throw CLI::ValidationError("--model",
                               fmt::format("found the run file {} beside it, expected one of both", run_files.front()));
  if (model && request.parameters.empty()) throw CLI::RequiresError("--model " + request.model, "--parameters");
  if (request.model == "blocks" && command.count("--platform") == 0) throw CLI::RequiresError("--model blocks", "--platform");
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || option->get_positional()) continue;
    if (model && !has(options_of(request.model), name))
      throw CLI::ValidationError(name, fmt::format("--model {} does not know it", request.model));
    for (const auto& [alone, knows] : kOfModelsAlone)
      if (!model && alone == name) throw CLI::ValidationError(name, fmt::format("it belongs to --model {}", knows));
  }
}

namespace {

// Prints the table and writes the files of a model. Returns: the exit code.
template <class What, class Text, class Csv, class Document>
int show(const What& what, const ModelOutput& output, Text text, Csv csv_of, Document json_of) {
  fmt::print("{}", text(what, output.rows));
  const bool csv = write(output.csv_file, csv_of(what));
  const bool json = write(output.json_file, report::to_text(json_of(what)) + "\n");
  return csv && json ? 0 : 1;
}

int stencil_command(const std::string& text, const ModelRequest& request, const ModelOutput& output) {
  const auto stencil = scenario::read_stencil(text, request.parameters);
  if (!stencil) return refuse(stencil.error().message);
  auto points = scenario::stencil_points(*stencil, request.axes);
  if (!points) return refuse(points.error().message);
  const report::WhatIfStencil what{request.parameters, stencil->program, output.goal,
                                   request.axes.tiles.empty() && request.axes.cores.empty(), std::move(*points)};
  return show(what, output, report::stencil_text, report::stencil_csv, report::stencil_json);
}

int blocks_command(const live::Settings& settings, const std::string& text, const ModelRequest& request,
                   const ModelOutput& output) {
  const auto program = scenario::read_block_program(text, request.parameters);
  if (!program) return refuse(program.error().message);
  const auto platforms = platforms_by_name(settings, settings.platforms);
  if (!platforms) return refuse(platforms.error().message);
  scenario::BlockAxes axes{{}, request.processes, request.ranks_per_node};
  report::WhatIfBlocks what{request.parameters, program->program, {}, output.goal, {}};
  for (const scenario::ProcessAxis& axis : request.processes) what.labels.push_back(axis.label);
  for (const std::string& name : settings.platforms)
    if (std::ranges::find(axes.platforms, &platforms->at(name)) == axes.platforms.end())
      axes.platforms.push_back(&platforms->at(name));
  auto points = scenario::block_points(*program, axes);
  if (!points) return refuse(points.error().message);
  what.points = std::move(*points);
  return show(what, output, report::blocks_text, report::blocks_csv, report::blocks_json);
}

} // namespace

int model_command(const live::Settings& settings, const ModelRequest& request, const ModelOutput& output) {
  const auto text = base::read_file(request.parameters, kMostParameters);
  if (!text) return refuse(text.error().message);
  return request.model == "stencil" ? stencil_command(*text, request, output) : blocks_command(settings, *text, request, output);
}

} // namespace farcast::cli
