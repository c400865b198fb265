#include "predictor/scenario/ti_source.h"

#include <utility>

namespace farcast::scenario {

namespace {

// A location as a call site: its text is the frame's object. The trace itself has none, and comes
// first.
trace::SiteTable table_of(const trace::TiTimelines& timelines) {
  trace::SiteTable out;
  for (std::size_t i = 0; i < timelines.sites().size(); ++i) {
    trace::Site site;
    site.frames.emplace_back().path = i == 0 ? std::string() : timelines.sites()[i];
    out.site(site);
  }
  for (const auto& [from, to] : timelines.regions()) out.region(from, to);
  return out;
}

std::vector<double> speeds_of(const PlacedPlatform& placed) {
  std::vector<double> out;
  for (const platform::HostId host : placed.placement.host_of) out.push_back(placed.platform.hosts[host].speed.value());
  return out;
}

} // namespace

std::string ti_site_text(const trace::Site& site) {
  return site.frames.front().path.empty() ? "trace" : site.frames.front().path;
}

trace::TiTimelines timelines_for(const trace::TiTraceFiles& files, const PlacedPlatform& placed) {
  return {files, speeds_of(placed), *placed.platform.p2p.test_cost};
}

struct TiSource::Decoding {
  explicit Decoding(const trace::TiTraceFiles& files)
      : timelines(files, {}, base::Seconds(0)),
        shared(
            timelines, [this]() -> const auto& { return timelines.flops().size() > 1 ? timelines.flops() : none; },
            allowance_for_operations(false)) {}
  const std::vector<double> none;
  trace::TiTimelines timelines;
  trace::SharedTimelines shared;
};

class TiSource::Alone final : public Reading {
public:
  Alone(const trace::TiTraceFiles& files, const PlacedPlatform& placed)
      : timelines_(new trace::TiTimelines(timelines_for(files, placed))) {}
  trace::Timelines& timelines() override { return *timelines_; }
  void conclude(sim::Prediction& /*prediction*/) override {}
  [[nodiscard]] Sites sites() const override {
    return [timelines = timelines_] { return table_of(*timelines); };
  }

private:
  std::shared_ptr<trace::TiTimelines> timelines_;
};

class TiSource::OneOfMany final : public Reading {
public:
  OneOfMany(std::shared_ptr<Decoding> decoding, std::unique_ptr<trace::SharedTimelines::Reader> reader,
            const PlacedPlatform& placed)
      : decoding_(std::move(decoding)), reader_(std::move(reader)) {
    reader_->adapt_with([speeds = speeds_of(placed), test = *placed.platform.p2p.test_cost](int rank, trace::Operation& operation,
                                                                                            const std::vector<double>& flops) {
      const double speed = speeds[static_cast<std::size_t>(rank)];
      double seconds = flops.empty() ? operation.compute.value() / speed : 0.0;
      for (const double part : flops) seconds += part / speed;
      operation.compute = base::Seconds(seconds);
      if (operation.kind == trace::OperationKind::poll) operation.measured = test;
    });
  }
  trace::Timelines& timelines() override { return *reader_; }
  void conclude(sim::Prediction& /*prediction*/) override {}
  [[nodiscard]] Sites sites() const override {
    return [decoding = decoding_] { return table_of(decoding->timelines); };
  }

private:
  std::shared_ptr<Decoding> decoding_;
  std::unique_ptr<trace::SharedTimelines::Reader> reader_;
};

TiSource::TiSource(trace::TiTraceFiles files) : files_(std::move(files)), decodings_(std::make_unique<Decodings<Decoding>>()) {}

TiSource::~TiSource() = default;

void TiSource::expect(std::size_t readings, std::size_t /*at_once*/, std::function<void()> /*begin*/) {
  alone_ = readings <= 1;
  decodings_->expect(readings);
}

std::unique_ptr<Reading> TiSource::open(const Scenario& scenario) {
  if (alone_) return std::make_unique<Alone>(files_, *scenario.where);
  auto [decoding, reader] = decodings_->open([this] { return std::make_shared<Decoding>(files_); });
  return std::make_unique<OneOfMany>(std::move(decoding), std::move(reader), *scenario.where);
}

} // namespace farcast::scenario
