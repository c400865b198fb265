// Messages of a prediction as arrows between ranks' lines of a time line: those that the program
// sent, not those inside of collectives.
//
// One prediction each. Memory: at most kMostArrows, and the messages under way; of more, those that
// were on the way longest are kept. Threads: that of predict(); afterwards any.
#pragma once

#include "predictor/report/json_text.h"
#include "predictor/sim/observer.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace farcast::html {

inline constexpr std::size_t kMostArrows = 20000;

struct Arrow {
  std::uint32_t source; // ranks
  std::uint32_t destination;
  double posted; // seconds
  double arrived;
  [[nodiscard]] double on_the_way() const { return arrived - posted; }
};

class Arrows {
public:
  void posted(const sim::MessagePosted& message);
  void arrived(const sim::MessageArrived& message);

  [[nodiscard]] std::uint64_t all() const { return all_; } // that arrived
  // Returns: those that are kept, in the order of their sending.
  [[nodiscard]] std::vector<Arrow> kept() const;

private:
  std::unordered_map<std::uint64_t, Arrow> under_way_; // by id
  std::vector<Arrow> longest_;                         // a heap, the shortest in front
  std::uint64_t all_ = 0;
};

// `end_s`: of the time line. Returns: schema.md, `arrows`.
report::Json arrows_value(const Arrows& arrows, double end_s);

} // namespace farcast::html
