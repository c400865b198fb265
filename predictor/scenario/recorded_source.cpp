#include "predictor/scenario/recorded_source.h"

#include "predictor/base/process_info.h"
#include "predictor/region/regions_at.h"
#include "predictor/trace/recorded_timelines.h"

#include <algorithm>

namespace farcast::scenario {

namespace {

sim::SlowdownUse use_of(const region::SlowdownTable& table, const region::SlowdownCoverage& coverage) {
  using base::Seconds;
  const region::SlowdownProvenance& from = table.provenance;
  sim::SlowdownUse use;
  use.file = table.source;
  use.host = from.host;
  use.ranks = from.ranks;
  use.date = from.date;
  use.exact = Seconds(coverage.exact_s);
  use.neighbour = Seconds(coverage.neighbour_s);
  use.same_file = Seconds(coverage.same_file_s);
  use.none = Seconds(coverage.none_s);
  use.beyond = Seconds(coverage.beyond_s);
  use.played = Seconds(coverage.played_s);
  use.played_beyond = Seconds(coverage.played_beyond_s);
  use.corunners_played = coverage.corunners_played;
  use.corunners_measured = coverage.corunners_measured;
  return use;
}

bool plays_all_as_recorded(const Scenario& scenario) {
  return scenario.speedups.empty() && scenario.memory_bound.empty() && scenario.division.as_recorded() &&
         (scenario.member.number == 0 || !scenario.member.computation);
}

} // namespace

struct RecordedSource::Decoding {
  Decoding(trace::Recording& recording, bool corrects)
      : timelines(recording),
        shared(timelines,
               corrects ? trace::Details([this]() -> const auto& { return timelines.corunner_shares(); }) : trace::Details(),
               allowance_for_operations(recording.source.empty())) {
    if (corrects) timelines.follow_corunners();
  }
  trace::RecordedTimelines timelines;
  trace::SharedTimelines shared;
};

// The only reading: the engine plays what is decoded.
class RecordedSource::Alone final : public Reading {
public:
  Alone(RecordedSource& source, trace::AnswerSink* answers)
      : timelines_(std::make_shared<trace::RecordedTimelines>(source.recording_, answers)), answers_(answers),
        at_end_(source.coupling_.at_end), table_(source.slowdowns_), slowdowns_(source.slowdowns_for(timelines_->sites())) {
    timelines_->decode_ahead(source.begin_);
    if (slowdowns_ != nullptr) timelines_->correct_with(*slowdowns_);
  }
  trace::Timelines& timelines() override { return *timelines_; }
  region::Slowdowns* slowdowns() override { return slowdowns_.get(); }
  void conclude(sim::Prediction& prediction) override {
    if (answers_ != nullptr && at_end_) at_end_(prediction, timelines_->sites());
    if (answers_ != nullptr) answers_->over();
    if (slowdowns_ != nullptr) prediction.slowdowns = use_of(*table_, slowdowns_->coverage());
  }
  [[nodiscard]] std::uint64_t slots_played() const override { return timelines_->slots_read(); }
  [[nodiscard]] Sites sites() const override {
    return [timelines = timelines_] { return timelines->sites(); };
  }

private:
  std::shared_ptr<trace::RecordedTimelines> timelines_;
  trace::AnswerSink* answers_;
  std::function<void(const sim::Prediction&, const trace::SiteTable&)> at_end_;
  SlowdownTable table_;
  std::unique_ptr<region::Slowdowns> slowdowns_;
};

class RecordedSource::OneOfMany final : public Reading {
public:
  OneOfMany(RecordedSource& source, const Scenario& scenario, std::shared_ptr<Decoding> decoding,
            std::unique_ptr<trace::SharedTimelines::Reader> reader)
      : decoding_(std::move(decoding)), table_(source.slowdowns_), slowdowns_(source.slowdowns_for(decoding_->timelines.sites())),
        speedups_(scenario.speedups, decoding_->timelines.sites()),
        memory_bound_(scenario.memory_bound, decoding_->timelines.sites()), division_(scenario.division),
        member_(scenario.member.computation ? source.spread_.get() : nullptr, scenario.member.number,
                decoding_->timelines.sites()),
        reader_(std::move(reader)) {
    if (slowdowns_ == nullptr && plays_all_as_recorded(scenario)) return;
    reader_->adapt_with([this](int timeline, trace::Operation& operation, const std::vector<double>& share) {
      if (slowdowns_ != nullptr && !share.empty()) operation.alone_share = slowdowns_->alone_share(operation, share);
      double faster = speedups_.of(operation.region);
      if (member_.any() && operation.compute.value() > 0)
        faster /= member_.next(timeline, operation.region, operation.compute.value(), trace::computations_of(operation));
      operation.compute = operation.compute / faster;
      operation.between_looks = operation.between_looks / faster;
      operation.others_s /= static_cast<float>(faster); // the threads beside it
      operation.memory_bound = memory_bound_.has(operation.region);
      if (!division_.as_recorded()) divide(division_, reader_->rank_of(timeline), operation);
    });
  }
  trace::Timelines& timelines() override { return *reader_; }
  region::Slowdowns* slowdowns() override { return slowdowns_.get(); }
  void conclude(sim::Prediction& prediction) override {
    if (slowdowns_ != nullptr) prediction.slowdowns = use_of(*table_, slowdowns_->coverage());
  }
  // Of all slots that have been decoded, as many as of all operations.
  [[nodiscard]] std::uint64_t slots_played() const override {
    const auto slots = static_cast<double>(decoding_->timelines.slots_read());
    const auto decoded = static_cast<double>(decoding_->shared.decoded());
    return decoded == 0 ? 0 : static_cast<std::uint64_t>(slots * std::min(1.0, static_cast<double>(reader_->read()) / decoded));
  }
  [[nodiscard]] Sites sites() const override {
    return [decoding = decoding_] { return decoding->timelines.sites(); };
  }

private:
  std::shared_ptr<Decoding> decoding_;
  SlowdownTable table_;
  std::unique_ptr<region::Slowdowns> slowdowns_;
  region::Speedups speedups_;
  region::RegionsAt memory_bound_;
  Division division_;
  MemberFactors member_;
  std::unique_ptr<trace::SharedTimelines::Reader> reader_; // refers to all of the above
};

RecordedSource::RecordedSource(trace::Recording& recording, SlowdownTable slowdowns, Coupling coupling)
    : recording_(recording), slowdowns_(std::move(slowdowns)), coupling_(std::move(coupling)), answers_(coupling_.answers),
      decodings_(std::make_unique<Decodings<Decoding>>()) {}

RecordedSource::~RecordedSource() = default;

std::unique_ptr<region::Slowdowns> RecordedSource::slowdowns_for(const trace::SiteTable& sites) {
  if (slowdowns_ == nullptr) return nullptr;
  const std::lock_guard<std::mutex> lock(recording_.mutex);
  return std::make_unique<region::Slowdowns>(*slowdowns_, sites, recording_.resolved);
}

void RecordedSource::expect(std::size_t readings, std::size_t at_once, std::function<void()> begin) {
  alone_ = readings <= 1;
  cores_to_spare_ = at_once < base::usable_cores().size();
  begin_ = begin == nullptr ? [] {} : std::move(begin);
  decodings_->expect(answers_.load() == nullptr ? readings : readings - 1);
}

bool RecordedSource::vary_computation(Deviations deviations) {
  trace::RecordedTimelines timelines(recording_);
  spread_ = std::make_unique<RegionSpread>(timelines, timelines.sites(), deviations);
  outcomes_as_recorded_ = timelines.outcomes_as_recorded();
  return true;
}

std::unique_ptr<Reading> RecordedSource::open(const Scenario& scenario) {
  if (trace::AnswerSink* const answers = answers_.exchange(nullptr); answers != nullptr)
    return std::make_unique<Alone>(*this, answers);
  if (alone_ && plays_all_as_recorded(scenario)) return std::make_unique<Alone>(*this, nullptr);
  auto [decoding, reader] = decodings_->open([this] {
    auto made = std::make_shared<Decoding>(recording_, slowdowns_ != nullptr);
    if (cores_to_spare_) made->timelines.decode_ahead(begin_);
    return made;
  });
  return std::make_unique<OneOfMany>(*this, scenario, std::move(decoding), std::move(reader));
}

} // namespace farcast::scenario
