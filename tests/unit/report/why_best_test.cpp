#include "predictor/report/why_best.h"

#include <catch2/catch.hpp>

using namespace farcast;
using namespace farcast::report;

namespace {

const Spending kDense{"ppn 8",
                      base::Seconds(1.2),
                      base::Joules(40),
                      {{"computing", 0.6}, {"messages", 0.5}, {"waiting", 0.1}},
                      {{"idle and static power", 25}, {"computing", 14.9}, {"polling", 0.1}}};
const Spending kSpread{"ppn 1",
                       base::Seconds(1),
                       base::Joules(80),
                       {{"computing", 0.6}, {"messages", 0.35}, {"waiting", 0.05}},
                       {{"idle and static power", 66}, {"computing", 13}, {"polling", 1}}};

} // namespace

TEST_CASE("why the best is the best: what the differences come of, and its shares") {
  CHECK(
      why_best("EDP", false, kDense, kSpread, "best in time") ==
      "ppn 8 is best in EDP: against ppn 1, best in time, it takes 1.2 times as long (messages +150.0 ms of +200.0 ms) and 0.5 "
      "times the energy (idle and static power -41.00 J of -40.00 J); of its energy 62 % idle and static power, 37 % computing");
  CHECK(why_best("time", true, kSpread, kDense, "best in energy") ==
        "ppn 1 is best in time: against ppn 8, best in energy, it takes 0.833 times as long (messages -150.0 ms of -200.0 ms) "
        "and 2 "
        "times the energy (idle and static power +41.00 J of +40.00 J); of its time 60 % computing, 35 % messages, 5 % waiting");
}

TEST_CASE("why the best is the best: a part that differs by more than the whole is told with what stands against it") {
  Spending best = kDense;
  best.time_parts = {{"computing", 0.6}, {"messages", 0.6}, {"waiting", 0}};
  CHECK(why_best("EDP", false, best, kSpread, "best in time")
            .starts_with(
                "ppn 8 is best in EDP: against ppn 1, best in time, it takes 1.2 times as long (messages +250.0 ms, waiting "
                "-50.00 ms, in all +200.0 ms) and 0.5 times the energy"));
}

TEST_CASE("why the best is the best: without energy, and where nothing differs") {
  Spending dense = kDense, spread = kSpread;
  dense.energy.reset();
  CHECK(why_best("time", true, spread, dense, "the next") ==
        "ppn 1 is best in time: against ppn 8, the next, it takes 0.833 times as long (messages -150.0 ms of -200.0 ms); of its "
        "time 60 % computing, 35 % messages, 5 % waiting");
  CHECK(why_best("energy", false, kDense, kDense, "the next") == "ppn 8 is best in energy: against ppn 8, the next, it takes as "
                                                                 "long and the same energy; of its energy 62 % idle and static "
                                                                 "power, 37 % computing");
  Spending nothing{"a", base::Seconds(0), {}, {}, {}};
  CHECK(why_best("time", true, nothing, nothing, "the next") == "a is best in time: against a, the next, it takes as long");
}

TEST_CASE("parts of time and energy add up, and stand in JSON with their units") {
  std::array<base::Seconds, sim::kActivities> spent{};
  double all = 0;
  for (std::size_t i = 0; i < spent.size(); ++i) {
    spent[i] = base::Seconds(0.1 * static_cast<double>(i + 1));
    all += spent[i].value();
  }
  double sum = 0;
  for (const auto& [name, amount] : time_parts(spent)) sum += amount;
  CHECK(sum == Approx(all));
  const Parts joules = energy_parts({base::Joules(1), base::Joules(2), base::Joules(3), base::Joules(4)}, base::Joules(5));
  CHECK(parts_json(joules, "j").dump() ==
        R"({"idle_and_static_power_j":1.0,"computing_j":2.0,"polling_j":3.0,"probing_j":4.0,"links_j":5.0})");
}
