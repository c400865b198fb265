// A prediction as a time line: an observer that keeps what it is told.
//
// One prediction each. Memory: that of record_file.h, and the messages under way.
// Threads: that of predict(); afterwards any.
#pragma once

#include "predictor/base/flat_map.h"
#include "predictor/sim/observer.h"
#include "predictor/timeline/time_line.h"

#include <vector>

namespace farcast::timeline {

class Recorder final : public sim::Observer {
public:
  // `inside_collectives`: messages that their algorithms send are kept too.
  Recorder(TimeLine& out, bool inside_collectives) : out_(out), inside_collectives_(inside_collectives), last_(out.ranks()) {}

  void interval(const sim::Interval& interval) override;
  void posted(const sim::MessagePosted& message) override;
  void matched(const sim::MessageMatched& message) override { half(message.id, message.time); }
  void arrived(const sim::MessageArrived& message) override { half(message.id, message.time); }
  void concluded(const sim::Prediction& prediction) override;

private:
  struct UnderWay {
    double sent = 0;
    double bytes = 0;
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
    int halves = 0; // what has to happen until it is received: it arrives, and it is matched
  };
  void half(std::uint64_t id, double time);
  void keep(std::size_t rank, double end);

  TimeLine& out_;
  bool inside_collectives_;
  std::vector<Interval> last_;                       // [rank]; its end is known when the next one begins
  base::FlatMap<std::uint64_t, UnderWay> under_way_; // by id
};

} // namespace farcast::timeline
