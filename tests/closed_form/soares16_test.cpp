// Soares, dos Santos and Lobosco, "A Parallel Model for Heterogeneous Cluster", ICA3PP 2016
// (slides).
#include "tests/closed_form/figures.h"

#include "predictor/model/logp_network.h"
#include "predictor/model/processors.h"
#include "tests/unit/fit/synthetic.h"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace soares16_test {

using namespace farcast;
using namespace closed_form;
using model::Pattern;

namespace {

base::Seconds s(double value) { return base::Seconds(value); }

// L, o in microseconds and g at a size.
model::LogpNetwork::Row row(double bytes, double latency_us, double overhead_us, double gap_us) {
  return {base::Bytes(bytes), s(latency_us * kMicro), s(overhead_us * kMicro), s(gap_us * kMicro)};
}

model::LogpNetwork ethernet() {
  return model::LogpNetwork::from_rows({row(0, 10, 5, 0), row(1e6, 10, 5, 10000), row(4e6, 40, 11, 30000)}).value();
}

double run(std::vector<model::Processor> processors, model::Communication communication, double iterations) {
  return model::run_time(processors, communication, iterations).value();
}

// Equal processors.
double run(int count, model::Processor processor, model::Communication communication, double iterations) {
  return run(std::vector<model::Processor>(static_cast<std::size_t>(count), processor), communication, iterations);
}

} // namespace

TEST_CASE("Soares16 eq. (5): T_ij = L_d + M / B_d + o_d") {
  const model::LogpNetwork network = ethernet();
  CHECK(network.message(base::Bytes(0)).value() == by_hand(15 * kMicro));
  CHECK(network.message(base::Bytes(1e6)).value() == by_hand(10015 * kMicro)); // 1 MB at 100 MB/s
  CHECK(network.bandwidth(base::Bytes(1e6)).value() == by_hand(1e8));
  CHECK(network.message(base::Bytes(5e5)).value() == by_hand(5015 * kMicro));
  CHECK(network.message(base::Bytes(2e6)).value() == by_hand((20 + 7 + 10000 + 20000.0 / 3) * kMicro)); // a third of the way
  CHECK(network.message(base::Bytes(8e6)).value() == by_hand(60051 * kMicro)); // beyond: at g's bandwidth
  CHECK(network.bandwidth(base::Bytes(8e6)).value() == by_hand(4e6 / 30000 / kMicro));
}

TEST_CASE("Soares16: figures of a network out of range are named") {
  const auto error = [](std::vector<model::LogpNetwork::Row> rows) {
    const auto network = model::LogpNetwork::from_rows(std::move(rows));
    return network ? std::string() : network.error().message;
  };
  CHECK(error({}) == "a LogP network needs L, o and g at one message size at least");
  CHECK(error({row(1, 1, 1, 1), row(1, 2, 2, 2)}) == "message sizes of a LogP network must ascend");
  CHECK(error({row(1, -1, 1, 1)}) == "LogP network: L is -1e-06, expected at least 0");
}

TEST_CASE("Soares16 eq. (1) to (4), R_P a speed everywhere") {
  const base::Seconds message = ethernet().message(base::Bytes(1e6)); // 0.010015 s
  // (1): size / R_P + I N_op log2(P) T_ij; 100 / 2 + 1 * 3 * 3 * T_ij
  CHECK(run(8, {2.0, s(100), message}, {Pattern::tree, 3}, 1) == by_hand(50.090135));
  // (1) over 5 iterations: the size is I W
  CHECK(run(8, {2.0, s(20), message}, {Pattern::tree, 3}, 5) == by_hand(50.450675));
  CHECK(run(6, {1.0, s(1), message}, {Pattern::tree, 1}, 1) == by_hand(1 + 2.584962500721156 * 0.010015)); // log2 6 as it is
  // (2): I (R_p + N_op (P - 1) T_ij) with R_p, there a time, 4 / 2 s
  CHECK(run(4, {2.0, s(4), message}, {Pattern::all_to_all, 1}, 20) == by_hand(40.6009));
  // (3): I (R_p + N_op T_ij)
  CHECK(run(9, {1.0, s(1), message}, {Pattern::exchange, 6}, 400) == by_hand(424.036));
  // (4): I (R_p + T_ij)
  CHECK(run(2, {4.0, s(2), message}, {Pattern::exchange, 1}, 100) == by_hand(51.0015));
  CHECK(run(1, {1.0, s(3), message}, {Pattern::tree, 1}, 1) == 3.0);       // alone: log2 1 = 0
  CHECK(run(1, {1.0, s(3), message}, {Pattern::all_to_all, 1}, 1) == 3.0); // P - 1 = 0
}

TEST_CASE("Soares16: of unequal processors and networks the slowest one counts") {
  const model::Processor slow{1.0, s(1), s(0.001)}, fast{4.0, s(2), s(0.6)};
  CHECK(run({slow, fast}, {Pattern::exchange, 1}, 10) == by_hand(11.0));                   // fast: 0.5 + 0.6 s
  CHECK(run({slow, fast, fast}, {Pattern::all_to_all, 1}, 10) == by_hand(17.0));           // 0.5 + 1.2 s
  CHECK(run({slow, {4.0, s(2), s(0.001)}}, {Pattern::exchange, 1}, 10) == by_hand(10.01)); // the slow one
  CHECK(model::iteration_time(fast, {Pattern::exchange, 1}, 2).value() == by_hand(1.1));
}

TEST_CASE("the best division of data over unequal hosts, by hand") {
  const auto divide = [](double work, std::vector<model::Worker> workers) {
    return model::best_division(s(work), workers).value();
  };
  const model::Division plain = divide(12, {{1.0, s(0)}, {3.0, s(0)}}); // by speed alone
  CHECK(plain.share == std::vector<double>{0.25, 0.75});
  CHECK(plain.time.value() == by_hand(3.0));
  CHECK(plain.equal_time.value() == by_hand(6.0));
  CHECK(plain.speed_time.value() == by_hand(3.0));
  CHECK(plain.gain() == by_hand(2.0));
  const model::Division apart = divide(12, {{1.0, s(0)}, {3.0, s(1)}}); // the fast one is on the slow network: (12 + 3 * 1) / 4
  CHECK(apart.time.value() == by_hand(3.75));
  CHECK(apart.share[0] == by_hand(0.3125));
  CHECK(apart.share[1] == by_hand(0.6875));
  CHECK(apart.speed_time.value() == by_hand(4.0));
  CHECK(apart.gain() == by_hand(1.6));
  const model::Division left_out = divide(12, {{3.0, s(20)}, {1.0, s(0)}}); // not worth its communication
  CHECK(left_out.share == std::vector<double>{0.0, 1.0});
  CHECK(left_out.time.value() == by_hand(12.0));
  CHECK(left_out.equal_time.value() == by_hand(22.0));
}

TEST_CASE("no other division is better, and all that take data end together") {
  synthetic::Random random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<model::Worker> workers;
    for (std::size_t i = 0; i <= random.below(6); ++i) workers.push_back({random.uniform(0.5, 8), s(random.uniform(0, 4))});
    const auto best = model::best_division(s(10), workers);
    REQUIRE(best);
    double all = 0;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      all += best->share[i];
      if (best->share[i] > 0)
        REQUIRE(best->share[i] * 10 / workers[i].relative_speed + workers[i].communication.value() ==
                by_hand(best->time.value()));
      else
        REQUIRE(workers[i].communication >= best->time);
    }
    REQUIRE(all == by_hand(1.0));
    CHECK(best->time.value() <= best->equal_time.value() * (1 + 1e-12));
    CHECK(best->time.value() <= best->speed_time.value() * (1 + 1e-12));
  }
}

TEST_CASE("what cannot be divided is said") {
  const auto error = [](double work, std::vector<model::Worker> workers) {
    const auto division = model::best_division(s(work), workers);
    return division ? std::string() : division.error().message;
  };
  CHECK(error(1, {}) == "there are no hosts to divide data between");
  CHECK(error(0, {{1.0, s(0)}}) == "division of data: the work is 0, expected more than 0");
  CHECK(error(1, {{0.0, s(0)}}) == "division of data: a relative speed is 0, expected more than 0");
}

namespace {

struct Row { // seconds, printed to 0.1; error in %, to 0.1
  const char* what;
  double real, estimated, error;
  bool fits; // whether the error follows from any times that print so
};
constexpr Row kTables[] = {{"EP, 2 AMD, Ethernet", 295.6, 295.8, 0.1, true},
                           {"FT, 2 AMD, Ethernet", 95.0, 96.3, 1.5, true},
                           {"HIS, 2 AMD, Ethernet", 213.4, 219.1, 2.7, true},
                           {"EP, 2 AMD, Infiniband", 297.2, 295.8, 0.5, true},
                           {"FT, 2 AMD, Infiniband", 66.1, 69.4, 5.0, true},
                           {"HIS, 2 AMD, Infiniband", 102.7, 109, 6.1, true},
                           {"EP, 4 nodes", 118.0, 110.5, 6.4, true},
                           {"EP, 8 nodes", 52.0, 55.2, 6.3, true},
                           {"EP, 16 nodes", 28.6, 28.6, 0.0, true},
                           {"FT, 4 nodes", 71.4, 72.0, 0.9, true},
                           {"FT, 8 nodes", 67.0, 68.1, 1.8, true},
                           {"FT, 16 nodes", 65.8, 64.1, 2.7, true},
                           {"SP, 4 nodes", 442.3, 445.7, 0.6, false},
                           {"SP, 9 nodes", 265.9, 267.7, 1.0, false},
                           {"SP, 16 nodes", 343.7, 345.4, 0.5, true},
                           {"HIS, configuration 1", 47.2, 42.5, 10.0, true},
                           {"HIS, configuration 2", 59.8, 54.2, 9.2, true},
                           {"HIS, configuration 3", 107.8, 95.0, 12.0, true}};

} // namespace

TEST_CASE("Soares16's tables: the errors follow from the times, but of SP on 4 and 9 nodes") {
  std::string contradictions;
  for (const Row& printed : kTables) {
    CAPTURE(printed.what);
    const double off = std::fabs(printed.estimated - printed.real);
    const double least = 100 * std::max(0.0, off - 0.1) / (printed.real + 0.05);
    const double most = 100 * (off + 0.1) / (printed.real - 0.05);
    CHECK((printed.error + 0.05 >= least && printed.error - 0.05 <= most) == printed.fits);
    if (!printed.fits)
      contradictions +=
          fmt::format("  {}: printed {} %, of the times {:.2f} %\n", printed.what, printed.error, 100 * off / printed.real);
  }
  WARN("rows whose error does not follow from their times:\n" << contradictions);
}

TEST_CASE("Soares16 contradicts itself: its estimates of EP on 4, 8 and 16 nodes do not obey eq. (1)") {
  // On twice the nodes half of the computation and one more step of log2 P: T(P) = S / P + k log2
  // P, so T(16) = 1.75 T(8) - 0.625 T(4), which the printing's rounding lets reach 27.66 s.
  const Printed on4{110.5, 0.1}, on8{55.2, 0.1}, on16{28.6, 0.1};
  const double most = 1.75 * on8.high() - 0.625 * on4.low();
  CHECK(most == by_hand(27.65625));
  CHECK(most < on16.low());
  WARN(fmt::format("printed: 28.6 s on 16 nodes; eq. (1) takes at most {:.2f} s where 4 nodes take 110.5 and 8 take 55.2", most));
}

} // namespace soares16_test
