// The table of what the ranks spend their virtual time on: one column per activity, and what each
// rank sends.
#include "predictor/base/format.h"
#include "predictor/report/activities.h"
#include "predictor/report/text_layout.h"
#include "predictor/report/text_sections.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace farcast::report {
namespace {

// Sum and extremes of one figure over some ranks.
struct Column {
  double sum = 0.0;
  double min = 0.0;
  double max = 0.0;
  std::size_t ranks = 0;

  [[nodiscard]] double mean() const { return ranks == 0 ? 0.0 : sum / static_cast<double>(ranks); }
};

// Returns: the column of figure(rank) over the ranks from `first` on.
template <class Figure> Column column_of(const sim::Prediction& prediction, std::size_t first, Figure figure) {
  Column column;
  for (std::size_t rank = first; rank < prediction.ranks.size(); ++rank) {
    const double value = figure(prediction.ranks[rank]);
    column.sum += value;
    column.min = column.ranks == 0 ? value : std::min(column.min, value);
    column.max = column.ranks == 0 ? value : std::max(column.max, value);
    ++column.ranks;
  }
  return column;
}

// Appends one row: cell(figure) for each column of seconds, then the bytes. `pick` takes one value
// out of a Column.
template <class Pick>
void append_row(std::string& out, const std::string& label, const sim::Prediction& prediction, std::size_t first, Pick pick) {
  fmt::format_to(std::back_inserter(out), "  {:<13}", label);
  for (const ActivityName& name : kActivityNames) {
    const Column column = column_of(prediction, first, [&](const sim::RankTimes& rank) { return seconds_in(rank, name); });
    fmt::format_to(std::back_inserter(out), " {:>9.4g}", pick(column));
  }
  const Column sent = column_of(prediction, first, [](const sim::RankTimes& rank) { return rank.sent.value(); });
  fmt::format_to(std::back_inserter(out), " {:>9}\n", base::format_bytes(base::Bytes(pick(sent))));
}

void append_rank_row(std::string& out, const sim::Prediction& prediction, std::size_t rank) {
  const sim::RankTimes& times = prediction.ranks[rank];
  fmt::format_to(std::back_inserter(out), "  {:<13}", fmt::format("rank {}", rank));
  for (const ActivityName& name : kActivityNames) fmt::format_to(std::back_inserter(out), " {:>9.4g}", seconds_in(times, name));
  fmt::format_to(std::back_inserter(out), " {:>9}\n", base::format_bytes(times.sent));
}

void append_share_row(std::string& out, const sim::Prediction& prediction) {
  const double all = prediction.time.value() * static_cast<double>(prediction.ranks.size());
  fmt::format_to(std::back_inserter(out), "  {:<13}", "share (%)");
  for (const ActivityName& name : kActivityNames) {
    const Column column = column_of(prediction, 0, [&](const sim::RankTimes& rank) { return seconds_in(rank, name); });
    fmt::format_to(std::back_inserter(out), " {:>9.2f}", all > 0.0 ? 100.0 * column.sum / all : 0.0);
  }
  out += '\n';
}

} // namespace

void append_rank_times(std::string& out, const sim::Prediction& prediction, const TextOptions& options) {
  const std::size_t ranks = prediction.ranks.size();
  if (ranks == 0) return;
  fmt::format_to(std::back_inserter(out), "Where the ranks' time goes on {} (seconds)\n", short_platform(prediction.platform));
  fmt::format_to(std::back_inserter(out), "  {:<13}", "");
  for (const ActivityName& name : kActivityNames) fmt::format_to(std::back_inserter(out), " {:>9}", name.column);
  fmt::format_to(std::back_inserter(out), " {:>9}\n", "sent");
  append_share_row(out, prediction);
  append_row(out, "min", prediction, 0, [](const Column& column) { return column.min; });
  append_row(out, "mean", prediction, 0, [](const Column& column) { return column.mean(); });
  append_row(out, "max", prediction, 0, [](const Column& column) { return column.max; });
  // A single rank left over is listed, not summarised.
  const std::size_t listed = options.full || ranks <= options.max_ranks + 1 ? ranks : options.max_ranks;
  for (std::size_t rank = 0; rank < listed; ++rank) append_rank_row(out, prediction, rank);
  if (listed < ranks)
    append_row(out, fmt::format("{}-{} mean", listed, ranks - 1), prediction, listed,
               [](const Column& column) { return column.mean(); });
  out += '\n';
}

} // namespace farcast::report
