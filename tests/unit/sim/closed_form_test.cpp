// Closed forms as the oracle: with constant factors and a network in which messages of different
// ranks never meet, a message and each such algorithm take the time of their named equation, played
// as messages and by `closed-form` alike.
#include "unit/sim/scenario.h"

#include "predictor/collective/formulas.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace closed_form_test {

using namespace scenario;
using Kind = trace::CollectiveKind;

namespace {

constexpr double kExact = 1e-12; // relative
constexpr double kAlpha = 2 * kLatency;

// T(n) = alpha + n beta, by rendezvous: no envelope, no overheads, no window, both directions of a
// host's link independent.
platform::Platform ideal(int hosts) {
  platform::Platform platform = flat(hosts);
  platform.p2p.latency_factor = {{0, 1}};
  platform.p2p.bandwidth_factor = {{0, 1}};
  platform.p2p.envelope_bytes = 0;
  platform.p2p.tcp_gamma = 0;
  platform.p2p.detached_below_bytes = 0;
  return platform;
}

double T(double bytes) { return kAlpha + bytes / kBandwidth; }
double lg(int p) { return std::floor(std::log2(p)); }
double ceil_lg(int p) { return std::ceil(std::log2(p)); }
bool power(int p) { return (p & (p - 1)) == 0; }

// Thakur05 section 4.3: n / 2 + n / 4 + ... in lg(p) rounds.
double halving(int p, double n) {
  double sum = 0;
  for (int k = 1; k <= lg(p); ++k) sum += T(n / std::exp2(k));
  return sum;
}
// Thakur05 section 4.1: b + 2 b + 4 b ... up to (p - 1) b in ceil(lg p) rounds.
double doubling(int p, double b) {
  double sum = 0;
  for (int have = 1; have < p; have *= 2) sum += T(b * std::min(have, p - have));
  return sum;
}

struct Equation {
  Kind kind;
  const char* algorithm;
  double bytes; // of the whole buffer, or of one block; below 0: as many for each rank
  bool (*holds)(int p);
  int largest; // up to there every size, then some
  double (*seconds)(int p, double n);
};

bool any(int p) { return p > 1; }
bool even(int p) { return p % 2 == 0; }
bool two(int p) { return p == 2; }
bool twos(int p) { return p > 1 && power(p); }
int extra(int p) { return power(p) ? 0 : 1; }

constexpr double kWhole = 1048576; // 1024 ranks can halve it
constexpr double kBlock = 1000;

// Every p up to there. Then algorithms of log(p) rounds, or of p messages, take the powers of two,
// their neighbours, 768 and 1000; those of p rounds, which send up to p^2 messages, 63, 64, 65,
// 100, 257 and 1024.
constexpr int kMany = 128;
constexpr int kSome = 40;

const Equation kEquations[] = {
    // Barriers: rounds of empty messages.
    {Kind::barrier, "linear", 0, any, kMany, [](int p, double) { return p * T(0); }}, // they come together, and go one by one
    {Kind::barrier, "double_ring", 0, any, kSome, [](int p, double) { return 2 * p * T(0); }},
    {Kind::barrier, "recursive_doubling", 0, any, kMany, [](int p, double) { return (lg(p) + 2 * extra(p)) * T(0); }},
    {Kind::barrier, "bruck", 0, any, kMany, [](int p, double) { return ceil_lg(p) * T(0); }},
    {Kind::barrier, "two_proc", 0, two, kMany, [](int, double) { return T(0); }},
    // Thakur05 section 4.2 and its alternatives.
    {Kind::bcast, "pipeline", kWhole, any, kSome, [](int p, double n) { return (p - 1) * T(n); }},
    {Kind::bcast, "chain", kWhole, any, kSome, [](int p, double n) { return (p - 1) * T(n); }},
    {Kind::bcast, "scatter_allgather", kWhole, twos, kMany, [](int p, double n) { return halving(p, n) + doubling(p, n / p); }},
    {Kind::bcast, "scatter_allgather_ring", kWhole, twos, kSome,
     [](int p, double n) { return halving(p, n) + (p - 1) * T(n / p); }},
    // Thakur05 section 4.5.
    {Kind::reduce, "linear", kWhole, any, kMany, [](int p, double n) { return (p - 1) * T(n); }},
    {Kind::reduce, "pipeline", kWhole, any, kSome, [](int p, double n) { return (p - 1) * T(n); }},
    {Kind::reduce, "rabenseifner", kWhole, any, kMany,
     [](int p, double n) { return 2 * halving(p, n) + extra(p) * 2 * T(n / 2); }},
    {Kind::allreduce, "recursive_doubling", kWhole, any, kMany, [](int p, double n) { return (lg(p) + 2 * extra(p)) * T(n); }},
    {Kind::allreduce, "ring", -1024, any, kSome, [](int p, double n) { return 2 * (p - 1) * T(n / p); }},
    {Kind::allreduce, "rabenseifner", kWhole, any, kMany,
     [](int p, double n) { return 2 * halving(p, n) + extra(p) * (2 * T(n / 2) + T(n)); }},
    {Kind::allreduce, "reduce_scatter_allgather", kWhole, any, kMany,
     [](int p, double n) { return 2 * halving(p, n) + extra(p) * 2 * T(n); }},
    {Kind::reduce_scatter_block, "recursive_halving", kBlock, twos, kMany, [](int p, double b) { return halving(p, b * p); }},
    {Kind::reduce_scatter_block, "noncommutative", kBlock, twos, kMany, [](int p, double b) { return halving(p, b * p); }},
    {Kind::reduce_scatter_block, "butterfly", kBlock, twos, kMany, [](int p, double b) { return halving(p, b * p); }},
    {Kind::reduce_scatter_block, "pairwise", kBlock, any, kSome, [](int p, double b) { return (p - 1) * T(b); }},
    {Kind::reduce_scatter_block, "recursive_doubling", kBlock, twos, kMany,
     [](int p, double b) {
       double sum = 0;
       for (int held = 1; held < p; held *= 2) sum += T(b * (p - held));
       return sum;
     }},
    {Kind::scan, "linear", kWhole, any, kSome, [](int p, double n) { return (p - 1) * T(n); }},
    {Kind::scan, "recursive_doubling", kWhole, any, kMany, [](int p, double n) { return ceil_lg(p) * T(n); }},
    {Kind::gather, "basic_linear", kBlock, any, kMany, [](int p, double b) { return (p - 1) * T(b); }},
    {Kind::gather, "binomial", kBlock, twos, kMany, doubling},
    {Kind::gather, "linear_sync", kBlock, any, kMany, [](int p, double b) { return (p - 1) * (T(0) + T(b)) + T(0); }},
    {Kind::scatter, "basic_linear", kBlock, any, kMany, [](int p, double b) { return (p - 1) * T(b); }},
    {Kind::scatter, "binomial", kBlock, twos, kMany, doubling},
    // Thakur05 section 4.1.
    {Kind::allgather, "recursive_doubling", kBlock, twos, kMany, doubling},
    {Kind::allgather, "bruck", kBlock, any, kMany, doubling},
    {Kind::allgather, "ring", kBlock, any, kSome, [](int p, double b) { return (p - 1) * T(b); }},
    {Kind::allgather, "neighbor", kBlock, even, kSome, [](int p, double b) { return T(b) + (p / 2 - 1) * T(2 * b); }},
    {Kind::allgather, "two_proc", kBlock, two, kSome, [](int, double b) { return T(b); }},
    // Thakur05 section 4.4.
    {Kind::alltoall, "modified_bruck", kBlock, any, kMany,
     [](int p, double b) {
       double sum = 0;
       for (int bit = 1; bit < p; bit *= 2) {
         int blocks = 0;
         for (int distance = 1; distance < p; ++distance) blocks += (distance & bit) != 0;
         sum += T(b * blocks);
       }
       return sum;
     }},
    {Kind::alltoall, "pairwise", kBlock, any, kSome, [](int p, double b) { return (p - 1) * T(b); }},
    {Kind::alltoall, "two_proc", kBlock, two, kSome, [](int, double b) { return T(b); }},
};

double played(const Equation& equation, const platform::Platform& platform, int p, double bytes, const char* also) {
  Program program(p);
  program.all_init();
  for (int rank = 0; rank < p; ++rank) program.rank(rank).collective(equation.kind, bytes);
  program.all_finalize();
  sim::Options options;
  const std::string text = fmt::format("{}{}={}", also, collective::name_of(equation.kind), equation.algorithm);
  options.collectives = collective::parse_selection(text).value();
  const sim::Prediction prediction = sim::predict(program, platform, one_per_host(p), options);
  REQUIRE(prediction.complete);
  return prediction.time.value();
}

bool listed(const Equation& equation, int p) {
  if (p <= equation.largest) return true;
  if (equation.largest == kSome) return (p >= 63 && p <= 65) || p == 100 || p == 257 || p == 1024;
  return power(p) || power(p - 1) || power(p + 1) || p == 768 || p == 1000;
}

} // namespace

TEST_CASE("a message takes alpha + n beta") {
  const platform::Platform platform = ideal(2);
  for (const double bytes : {0.0, 1.0, 8.0, 1000.0, 65536.0, 1e6, 1e9, 1e12}) {
    Program program(2);
    program.all_init();
    program.rank(0).send(1, bytes);
    program.rank(1).receive(0);
    program.all_finalize();
    CAPTURE(bytes);
    REQUIRE(std::abs(play(program, platform).time.value() / T(bytes) - 1) <= kExact);
  }
}

TEST_CASE("algorithms without contention take their equations' times, p = 2 to 1024") {
  const platform::Platform platform = ideal(1024);
  for (const Equation& equation : kEquations)
    for (int p = 2; p <= 1024; ++p) {
      if (!equation.holds(p) || !listed(equation, p)) continue;
      const double bytes = equation.bytes < 0 ? -equation.bytes * p : equation.bytes;
      const double expected = equation.seconds(p, bytes);
      CAPTURE(collective::name_of(equation.kind), equation.algorithm, p, expected);
      REQUIRE(std::abs(played(equation, platform, p, bytes, "") / expected - 1) <= kExact);
      REQUIRE(std::abs(played(equation, platform, p, bytes, "closed-form,") / expected - 1) <= kExact);
    }
}

TEST_CASE("one rank alone takes no time") {
  const platform::Platform platform = ideal(1);
  for (const Equation& equation : kEquations) {
    CAPTURE(collective::name_of(equation.kind), equation.algorithm);
    CHECK(played(equation, platform, 1, std::abs(equation.bytes), "") == 0);
    CHECK(played(equation, platform, 1, std::abs(equation.bytes), "closed-form,") == 0);
  }
}

TEST_CASE("by a closed form, members wait as the data flows") {
  const platform::Platform platform = ideal(4);
  const auto ends = [&](Kind kind, const std::string& name, const std::vector<double>& entries, int root) {
    Program program(4);
    program.all_init();
    for (int rank = 0; rank < 4; ++rank)
      program.rank(rank).compute(entries[static_cast<std::size_t>(rank)]).collective(kind, kWhole, root);
    for (int rank = 0; rank < 4; ++rank) program.rank(rank).compute(0).finalize();
    sim::Options options;
    options.collectives = collective::parse_selection("closed-form," + name).value();
    const sim::Prediction prediction = sim::predict(program, platform, one_per_host(4), options);
    REQUIRE(prediction.complete);
    REQUIRE(std::all_of(prediction.ranks.begin(), prediction.ranks.end(), [](const auto& rank) { return rank.messages == 0; }));
    std::vector<double> out;
    for (const auto& rank : prediction.ranks)
      out.push_back(prediction.time.value() - rank.in[static_cast<std::size_t>(sim::Activity::ended)].value());
    return out;
  };
  const auto near = [](std::vector<double> expected) {
    for (double& value : expected) value = std::round(value * 1e12) / 1e12;
    return expected;
  };
  const auto rounded = [&](const std::vector<double>& found) { return near(found); };
  const double t = T(kWhole);
  // Everyone waits for the last.
  CHECK(rounded(ends(Kind::allreduce, "allreduce=recursive_doubling", {1, 2, 3, 0.5}, 0)) ==
        near({3 + 2 * t, 3 + 2 * t, 3 + 2 * t, 3 + 2 * t}));
  // From the root on: a late member does not hold up the others.
  CHECK(rounded(ends(Kind::bcast, "bcast=pipeline", {1, 2, 9, 0.5}, 1)) == near({2 + 3 * t, 2 + 2 * t, 9, 2 + 3 * t}));
  // Only the root waits.
  CHECK(rounded(ends(Kind::reduce, "reduce=pipeline", {1, 2, 9, 0.5}, 1)) == near({1 + t, 9 + 3 * t, 9 + t, 0.5 + t}));
  // Each waits for those below.
  CHECK(rounded(ends(Kind::scan, "scan=linear", {1, 0.5, 4, 2}, 0)) == near({1 + t, 1 + 3 * t, 4 + 3 * t, 4 + 3 * t}));
}

TEST_CASE("block formulas take Proficz16 Table 1's times") {
  const platform::Platform platform = ideal(8);
  const auto time = [&](Kind kind, const std::string& text, double bytes) {
    Program program(8);
    program.all_init();
    for (int rank = 0; rank < 8; ++rank) program.rank(rank).collective(kind, bytes);
    program.all_finalize();
    sim::Options options;
    options.collectives = collective::parse_selection(text).value();
    return sim::predict(program, platform, one_per_host(8), options).time.value();
  };
  const auto near = [](double value) { return Approx(value).epsilon(1e-12).margin(0); };
  CHECK(time(Kind::bcast, "bcast=block:1e-6:2e-9:1000", 1500) == near(1e-6 + 2e-9 * 2000 * std::log10(8)));
  CHECK(time(Kind::scatter, "scatter=block:1e-6:2e-9:1000", 100) == near(1e-6 + 2e-9 * 1000 * std::log10(8) / 8));
  CHECK(time(Kind::gather, "gather=block:1e-6:2e-9", 256) == near(1e-6 + 2e-9 * 2048 * std::log10(8) / 8));
  CHECK(time(Kind::alltoall, "alltoall=block:1e-6:2e-9:1000", 1) == near(1e-6 + 2e-9 * 1000 * 8));
  CHECK(time(Kind::barrier, "barrier=block:-1e-6:2e-6", 0) == near(-1e-6 + 2e-6 * std::log10(8)));
  CHECK(time(Kind::barrier, "barrier=block:-1:2e-6", 0) == 0);
}

TEST_CASE("every algorithm of either library has a formula") {
  const platform::Platform platform = ideal(2);
  const collective::Wire wire{&platform.p2p, kAlpha, kBandwidth};
  for (const collective::Library library : {collective::Library::openmpi, collective::Library::mpich}) {
    const collective::Selection selection{.library = library};
    const collective::Context context{.selection = &selection};
    for (std::size_t i = 0; i < collective::kKinds; ++i) {
      const auto kind = static_cast<Kind>(i);
      for (const std::string_view name : collective::algorithms_of(library, kind))
        for (const int p : {2, 3, 8, 100}) {
          const collective::Call call{.kind = kind, .at = collective::Place{0, p}, .bytes = kBlock, .context = &context};
          CAPTURE(collective::name_of(kind), name, p);
          CHECK(collective::critical_path_of(name, call, wire) >= T(0));
        }
    }
  }
}

} // namespace closed_form_test
