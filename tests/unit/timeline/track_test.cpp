// The events of a rank: in order, properly nested, and as long as the prediction says.
#include "predictor/timeline/track.h"

#include "unit/timeline/sample_line.h"

#include <cmath>
#include <map>
#include <set>

using namespace sample;
using timeline::Event;
using timeline::Slice;
using timeline::TimeLine;
using timeline::Track;

TEST_CASE("slices nest, follow each other and end with the prediction") {
  const Sample run = play_twice(any_kind());
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    Track track(run.lines[0], rank);
    Event event;
    std::vector<Event> open;
    double at = 0;
    double waiting = 0;
    double covered = 0;
    double left = 0; // the last slice that has none around it
    while (track.next(event)) {
      REQUIRE(event.time >= at);
      at = event.time;
      if (event.kind == Event::Kind::enter) {
        if (open.empty()) CHECK(event.time == left);
        open.push_back(event);
      } else if (event.kind == Event::Kind::leave) {
        REQUIRE_FALSE(open.empty());
        CHECK(timeline::key_of(open.back().slice) == timeline::key_of(event.slice));
        const double length = event.time - open.back().time;
        CHECK(length > 0);
        if (event.slice.kind == Slice::Kind::waiting) waiting += length;
        open.pop_back();
        if (!open.empty()) continue;
        covered += length;
        left = event.time;
      }
    }
    CHECK(open.empty());
    CHECK(at == run.prediction.time.value());
    CHECK(covered == Approx(run.prediction.time.value()).epsilon(1e-12));
    CHECK(waiting == Approx(seconds(run.prediction, static_cast<int>(rank), sim::Activity::waiting)).margin(1e-15));
  }
}

TEST_CASE("a call is one slice, with its waiting inside") {
  TimeLine line(1);
  using sim::Activity;
  const double enter = 1.0;
  line.intervals.append(0, {0.0, enter, 0.0, 4, 7, Activity::compute});
  line.intervals.append(0, {enter, 1.5, enter, 4, 7, Activity::point_to_point});
  line.intervals.append(0, {1.5, 2.0, enter, 4, 7, Activity::waiting});
  line.intervals.append(0, {2.0, 2.5, enter, 4, 7, Activity::point_to_point});
  line.intervals.append(0, {2.5, 3.0, 2.5, 4, 7, Activity::point_to_point}); // another call of the same place
  line.received.append(0, {1, 0.5, 2.5, 8, 0});
  line.sent.append(0, {2, 2.5, 0, 8, 0});
  line.received.append(0, {2, 2.5, 2.5, 8, 0});
  line.end_s = 3.0;
  Track track(line, 0);
  Event event;
  std::string seen;
  while (track.next(event)) {
    const std::map<Event::Kind, char> letter{{Event::Kind::received, 'r'},
                                             {Event::Kind::leave, ')'},
                                             {Event::Kind::enter, '('},
                                             {Event::Kind::sent, 's'},
                                             {Event::Kind::received_at_once, 'o'}};
    const std::map<Slice::Kind, char> kind{{Slice::Kind::compute, 'c'}, {Slice::Kind::call, 'm'}, {Slice::Kind::waiting, 'w'}};
    seen += letter.at(event.kind);
    if (event.kind == Event::Kind::enter) seen += kind.at(event.slice.kind);
  }
  CHECK(seen == "(c)(m(w)r)(mso)");
}

TEST_CASE("what rounding tears apart is put together: times never descend, and none is behind the end") {
  TimeLine line(1);
  timeline::Recorder recorder(line, false);
  const double next = 1.0;
  const double later = std::nextafter(next, 2.0);
  recorder.interval({0, sim::Activity::compute, 0, 0, 0.0, later, 0.0}); // the engine ends it at `next`
  recorder.interval({0, sim::Activity::local, 0, 0, next, 2.0, next});
  recorder.interval({0, sim::Activity::compute, 0, 0, 2.0, std::nextafter(2.0, 3.0), 2.0}); // nothing, but for rounding
  recorder.interval({0, sim::Activity::local, 0, 0, 2.0, std::nextafter(3.0, 4.0), 2.0});
  sim::Prediction prediction;
  prediction.time = Seconds(3.0);
  recorder.concluded(prediction);
  std::vector<double> times;
  Track track(line, 0);
  Event event;
  while (track.next(event)) times.push_back(event.time);
  CHECK(times == std::vector<double>{0.0, next, next, 2.0, 2.0, 3.0});
}

TEST_CASE("every message of the program is sent and received once, those of collectives where they are wanted") {
  const bool inside = GENERATE(false, true);
  const Sample run = play_twice(any_kind(), inside);
  std::map<std::uint64_t, double> sent;
  std::set<std::uint64_t> received;
  double bytes = 0;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    Track track(run.lines[0], rank);
    Event event;
    while (track.next(event)) {
      if (event.kind != Event::Kind::sent) continue;
      CHECK(sent.emplace(event.message.id, event.time).second);
      bytes += event.message.bytes;
    }
  }
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    Track track(run.lines[0], rank);
    Event event;
    while (track.next(event)) {
      if (event.kind != Event::Kind::received && event.kind != Event::Kind::received_at_once) continue;
      CHECK(received.insert(event.message.id).second);
      REQUIRE(sent.contains(event.message.id));
      CHECK(event.message.sent == sent.at(event.message.id));
      CHECK(event.time >= event.message.sent);
    }
  }
  CHECK(received.size() == sent.size());
  double all = 0;
  for (const sim::RankTimes& rank : run.prediction.ranks) all += rank.sent.value();
  const double of_program = 4 * 2 * (8.0 + 2000 + 300000) + 500 + 100 + 4000;
  CHECK(bytes == Approx(inside ? all : of_program).epsilon(1e-12));
}
