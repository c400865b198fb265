// What a platform's figures come to: how long one message takes between two hosts, and which
// algorithms collective calls take.
//
// Messages are played by the engine, as those of a prediction are: one rank sends, the other one
// receives, both are ready at once and connected. Pure functions.
#pragma once

#include "predictor/collective/ranges.h"
#include "predictor/scenario/scenario.h"
#include "predictor/trace/operation.h"

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace farcast::html {

struct MessageTimes {
  std::string where; // "between two hosts in a row"
  std::string from;  // hosts
  std::string to;
  std::vector<double> seconds; // [kMessageBytes] until the receive returns
};
inline constexpr std::array<double, 4> kMessageBytes{0, 1e3, 64e3, 1e6};

// Returns: of a host to itself where it has two cores, of the hosts of the first two nodes with ranks
// and of the first and last host of the platform, as far as these are different ways.
std::vector<MessageTimes> message_times(const scenario::Scenario& scenario);

struct CollectiveChoice {
  std::string_view call;
  std::string_view counts; // what the ranges' bytes are of
  std::vector<collective::Range> ranges;
};

// Returns: for the kinds of call, what a communicator of all ranks takes at which size. Calls that
// have no choice are left out; with --network blocks, where some take the platform's formulas, all are.
std::vector<CollectiveChoice> collective_choices(const scenario::Scenario& scenario,
                                                 const std::set<trace::CollectiveKind>& kinds);

} // namespace farcast::html
