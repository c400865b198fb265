#include "predictor/scenario/gains.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace farcast;
using scenario::Improvement;

namespace {

trace::Site site(std::uint64_t offset) { return {{{"/bin/app", "id", offset}}, 1}; }

} // namespace

TEST_CASE("sites are named by the computation of the critical path before and behind them, most first") {
  trace::SiteTable sites;
  const std::uint32_t a = sites.site(site(1)), b = sites.site(site(2)), c = sites.site(site(3));
  const std::uint32_t a_b = sites.region(a, b), b_b = sites.region(b, b), b_c = sites.region(b, c);
  sim::Prediction prediction;
  sim::Bottlenecks& found = prediction.bottlenecks.emplace();
  using sim::PathPart;
  found.path[{PathPart::compute, a_b}] = base::Seconds(1);
  found.path[{PathPart::compute, b_b}] = base::Seconds(5);
  found.path[{PathPart::compute, b_c}] = base::Seconds(2);
  found.path[{PathPart::message, a}] = base::Seconds(100);
  const std::map<trace::Frame, std::string> names{
      {site(1).frames[0], "x.c:1"}, {site(2).frames[0], "x.c:2"}, {site(3).frames[0], "x.c:3"}};
  CHECK(scenario::sites_on_path(prediction, sites, names, 9) == std::vector<std::string>{"x.c:2", "x.c:3", "x.c:1"});
  CHECK(scenario::sites_on_path(prediction, sites, names, 1) == std::vector<std::string>{"x.c:2"});
  auto nameless = names;
  nameless[site(3).frames[0]] = "app+0x3"; // no option can name it
  CHECK(scenario::sites_on_path(prediction, sites, nameless, 9) == std::vector<std::string>{"x.c:2", "x.c:1"});
}

TEST_CASE("each improvement differs from the point in one thing, by what its option says") {
  scenario::Point base;
  base.platform = "p";
  base.bandwidth = 2.0;
  const std::vector<Improvement> all = scenario::improvements_of(base, 10, {"x.c:2"});
  REQUIRE(all.size() == 5);
  CHECK(all[0].option == "--speedup x.c:2=1.1");
  CHECK((all[0].faster == "x.c:2" && all[0].times == 1.1 && all[0].point.bandwidth == 2.0));
  CHECK(all[1].option == "--bandwidth x2.2");
  CHECK((all[1].point.bandwidth == 2.2 && all[1].point.latency == 1.0 && all[1].faster.empty()));
  CHECK(all[2].option == "--latency x0.9");
  CHECK((all[2].point.bandwidth == 2.0 && all[2].point.latency == 0.9));
  CHECK(all[3].limit);
  CHECK((all[4].limit && all[4].point.even && all[4].option == "--balance even"));
  CHECK((all[4].point.bandwidth == 2.0 && !all[3].point.even));
  CHECK(std::count_if(all.begin(), all.end(), [](const Improvement& one) { return one.limit; }) == 2);
}
