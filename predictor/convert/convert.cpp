#include "predictor/convert/convert.h"

#include "predictor/base/atomic_file.h"
#include "predictor/base/output_folder.h"
#include "predictor/convert/goal_writer.h"
#include "predictor/convert/ti_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace farcast::convert {

namespace {

base::Result<void> write_ti(trace::Timelines& timelines, const Plan& plan, Shared& shared, const std::string& path) {
  auto folder = base::OutputFolder::create(path);
  if (!folder) return base::fail(folder.error().message);
  std::string index;
  for (int rank = 0; rank < timelines.ranks(); ++rank) {
    std::string text;
    TiWriter writer(rank, shared, plan.ranks[static_cast<std::size_t>(rank)]);
    trace::Operation operation;
    while (timelines.next(rank, operation)) writer.write(operation, text);
    writer.end(text);
    const std::string name = fmt::format("rank-{}.ti", rank);
    if (auto written = folder->write(name, text); !written) return written;
    index += name + "\n";
  }
  if (auto written = folder->write("trace", index); !written) return written;
  return folder->commit();
}

base::Result<void> write_goal(trace::Timelines& timelines, const Plan& plan, Shared& shared, const std::string& path) {
  auto file = base::AtomicFile::create(path);
  if (!file) return base::fail(file.error().message);
  if (auto written = file->write(fmt::format("num_ranks {}\n", timelines.ranks())); !written) return written;
  for (int rank = 0; rank < timelines.ranks(); ++rank) {
    std::string text = fmt::format("\nrank {} {{\n", rank);
    GoalWriter writer(rank, shared, plan.ranks[static_cast<std::size_t>(rank)], text);
    trace::Operation operation;
    while (timelines.next(rank, operation)) writer.write(operation);
    writer.end();
    text += "}\n";
    if (auto written = file->write(text); !written) return written;
  }
  return file->commit();
}

} // namespace

base::Result<Outcome> convert(trace::Timelines& first, trace::Timelines& second, const Options& options,
                              const std::string& path) {
  auto plan = make_plan(first);
  if (!plan) return base::fail(plan.error().message);
  if (options.format == Format::ti && options.plain && !plan->beyond_plain.empty())
    return base::fail(fmt::format("the plain format cannot say what {} did ({}): leave out --plain", options.origin,
                                  fmt::join(plan->beyond_plain, "; ")));
  Shared shared{.options = options, .tags = {}, .communicators = CommunicatorNumbers(second.ranks()), .losses = {}};
  auto written = options.format == Format::ti ? write_ti(second, *plan, shared, path) : write_goal(second, *plan, shared, path);
  if (!written) return base::fail(written.error().message);
  return Outcome{shared.actions, shared.losses.sentences()};
}

} // namespace farcast::convert
