#include "predictor/report/power_series_csv.h"

#include "predictor/base/atomic_file.h"
#include "predictor/report/text_layout.h"

#include <fmt/format.h>
#include <iterator>

namespace farcast::report {

namespace {

constexpr std::size_t kChunk = 1 << 20; // bytes that are written at once

class Writer {
public:
  explicit Writer(base::AtomicFile& file) : file_(file) {}

  base::Result<void> rows(const std::string& head, const std::vector<energy::Step>& steps, double end_s) {
    for (const energy::Step& step : steps) {
      // 12 digits: what is behind them is rounding. Times keep all of theirs: steps may be short.
      fmt::format_to(std::back_inserter(text_), "{},{},{:.12g}\n", head, step.begin, step.value);
      if (text_.size() < kChunk) continue;
      if (auto done = flush(); !done) return done;
    }
    fmt::format_to(std::back_inserter(text_), "{},{},\n", head, end_s);
    return {};
  }
  void line(const std::string& line) { text_ += line; }
  base::Result<void> flush() {
    auto written = file_.write(text_);
    text_.clear();
    return written;
  }

private:
  base::AtomicFile& file_;
  std::string text_;
};

} // namespace

base::Result<void> write_power_series(const std::string& path, const std::vector<const sim::PowerSeries*>& series) {
  auto file = base::AtomicFile::create(path);
  if (!file) return tl::make_unexpected(file.error());
  Writer writer(*file);
  writer.line("platform,realisation,node,time_s,watts\n");
  for (const sim::PowerSeries* const one : series) {
    const std::string head = fmt::format("{},{}", in_csv_quotes(one->platform()), one->seed());
    if (auto done = writer.rows(head + ",", one->sum(), one->end_s()); !done) return done;
    for (const sim::PowerSeries::Node& node : one->nodes()) {
      if (auto done = writer.rows(fmt::format("{},{}", head, in_csv_quotes(node.name)), node.watts, one->end_s()); !done)
        return done;
    }
  }
  if (auto done = writer.flush(); !done) return done;
  return file->commit();
}

} // namespace farcast::report
