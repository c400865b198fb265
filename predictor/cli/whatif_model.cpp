#include "predictor/cli/whatif_model.h"

#include "predictor/base/atomic_file.h"
#include "predictor/base/read_file.h"
#include "predictor/cli/refusal.h"
#include "predictor/report/what_if_stencil.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace farcast::cli {

namespace {

constexpr std::array<std::string_view, 4> kOfModels{"--model", "--parameters", "--K", "--cores"};
constexpr std::array<std::string_view, 5> kOfBoth{"--frequency", "--best", "--csv", "--json", "--help"};

constexpr std::size_t kMostParameters = std::size_t{16} << 20U; // bytes

template <class Names> bool has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

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
  if (!done) fmt::print(stderr, "farcast: {}\n", done.error().message);
  return done.has_value();
}

} // namespace

void add_model(CLI::App& command, ModelRequest& request) {
  command
      .add_option(
          "--model", request.model,
          "ask a model of a program instead of a recorded run: stencil, a grid of tiles\n(with --parameters, --K, --cores, "
          "--frequency)")
      ->check(CLI::IsMember({"stencil"}).description(""))
      ->type_name("stencil");
  command.add_option("--parameters", request.parameters, "the stencil's parameters, JSON (man farcast)")->type_name("FILE");
  add_numbers(command, "--K", request.axes.tiles, "tiles along each dimension of a core's supertile (default: the ideal number)",
              "K,...");
  add_numbers(command, "--cores", request.axes.cores, "numbers of cores, each with the supertile that follows", "N,...");
}

void check_model(const CLI::App& command, const ModelRequest& request, const std::vector<std::string>& run_files) {
  const bool model = !request.model.empty();
  if (model && !run_files.empty())
    throw CLI::ValidationError("--model",
                               fmt::format("found the run file {} beside it, expected one of both", run_files.front()));
  if (model && request.parameters.empty()) throw CLI::RequiresError("--model " + request.model, "--parameters");
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || option->get_positional() || has(kOfBoth, name) || has(kOfModels, name) == model) continue;
    throw CLI::ValidationError(name, model ? "--model stencil does not know it" : "it belongs to --model stencil");
  }
}

int model_command(const ModelRequest& request, const ModelOutput& output) {
  const auto text = base::read_file(request.parameters, kMostParameters);
  if (!text) return refuse(text.error().message);
  const auto stencil = scenario::read_stencil(*text, request.parameters);
  if (!stencil) return refuse(stencil.error().message);
  report::WhatIfStencil what;
  what.name = request.parameters;
  what.program = stencil->program;
  what.goal = output.goal;
  what.ideal = request.axes.tiles.empty() && request.axes.cores.empty();
  auto points = scenario::stencil_points(*stencil, request.axes);
  if (!points) return refuse(points.error().message);
  what.points = std::move(*points);
  fmt::print("{}", report::stencil_text(what, output.rows));
  const bool csv = write(output.csv_file, report::stencil_csv(what));
  const bool json = write(output.json_file, report::to_text(report::stencil_json(what)) + "\n");
  return csv && json ? 0 : 1;
}

} // namespace farcast::cli
