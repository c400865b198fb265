// Does the piecewise fit find what is known to be there? synthetic.h says what: contrasts, noise,
// n, outliers.
#include "tests/unit/fit/synthetic.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <fmt/format.h>

using namespace farcast::fit;
using synthetic::Generator;
using synthetic::Truth;

namespace {

// The full number where it takes seconds; instrumented and debugging builds look at the first ones.
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kFull = 1000;
#else
constexpr std::uint64_t kFull = 100;
#endif

struct Share {
  std::size_t of = 0, all = 0;
  void count(bool hit) {
    of += hit ? 1 : 0;
    ++all;
  }
  [[nodiscard]] double value() const { return all == 0 ? 1.0 : static_cast<double>(of) / static_cast<double>(all); }
  // Whether the share may be that much, but for chance: three standard deviations of so many trials.
  [[nodiscard]] bool about(double nominal) const {
    return all > 0 && value() >= nominal - 3.0 * std::sqrt(nominal * (1.0 - nominal) / static_cast<double>(all));
  }
  [[nodiscard]] std::string text() const { return fmt::format("{} of {} ({:.2f} %)", of, all, 100.0 * value()); }
};

struct Score {
  Share right_number; // cases with as many sections as are there; weak breaks may be found or not, each by its interval
  Share within_one;   // sharp breaks found within one sample
  Share sharp_inside; // sharp breaks inside the interval of the break found nearest
  Share weak_inside;  // weak breaks that were found, likewise
  Share weak_found;
  Share slopes, bases; // inside their intervals, in cases with all breaks found
};

std::size_t distance(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

// The found break for a true one: the nearest that no other has, if the true place is inside its
// interval or within three samples.
const Breakpoint* match(const PiecewiseFit& fit, std::size_t samples_below, std::vector<char>& taken) {
  const Breakpoint* best = nullptr;
  for (const Breakpoint& found : fit.breaks) {
    const std::size_t index = static_cast<std::size_t>(&found - fit.breaks.data());
    const bool inside = found.first_samples_below <= samples_below && samples_below <= found.last_samples_below;
    if (taken[index] || (!inside && distance(found.samples_below, samples_below) > 3)) continue;
    if (best == nullptr || distance(found.samples_below, samples_below) < distance(best->samples_below, samples_below))
      best = &found;
  }
  if (best != nullptr) taken[static_cast<std::size_t>(best - fit.breaks.data())] = 1;
  return best;
}

void judge(const Truth& truth, const PiecewiseFit& fit, Score& score) {
  std::vector<char> taken(fit.breaks.size(), 0);
  bool all_sharp = true, all = true;
  for (const Truth::Break& there : truth.breaks) {
    const Breakpoint* found = match(fit, there.samples_below, taken);
    all = all && found != nullptr;
    const bool inside =
        found != nullptr && found->first_samples_below <= there.samples_below && there.samples_below <= found->last_samples_below;
    if (there.sharp) {
      all_sharp = all_sharp && found != nullptr;
      score.within_one.count(found != nullptr && distance(found->samples_below, there.samples_below) <= 1);
      if (found != nullptr) score.sharp_inside.count(inside);
    } else {
      score.weak_found.count(found != nullptr);
      if (found != nullptr) score.weak_inside.count(inside);
    }
  }
  const bool none_invented = std::all_of(taken.begin(), taken.end(), [](char one) { return one != 0; });
  score.right_number.count(all_sharp && none_invented);
  if (!all || !none_invented) return;
  for (std::size_t k = 0; k < truth.sections.size(); ++k) {
    score.slopes.count(fit.sections[k].per_byte_s.interval.contains(truth.sections[k].slope));
    score.bases.count(fit.sections[k].base_s.interval.contains(truth.sections[k].base));
  }
}

Score run(const Generator& generator, std::uint64_t cases, const PiecewiseOptions& options = {}) {
  Score score;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    const Truth truth = generator(seed);
    const auto fit = fit_piecewise(truth.samples, options);
    REQUIRE(fit);
    judge(truth, *fit, score);
  }
  return score;
}

void print(const char* what, std::uint64_t cases, const Score& score) {
  fmt::print("{}, {} cases:\n  right number of sections {}\n  sharp breaks within one sample {}, inside their interval {}\n",
             what, cases, score.right_number.text(), score.within_one.text(), score.sharp_inside.text());
  if (score.weak_found.all > 0)
    fmt::print("  weak breaks found {}, inside their interval {}\n", score.weak_found.text(), score.weak_inside.text());
  fmt::print("  slopes inside their 95 % interval {}, bases {}\n", score.slopes.text(), score.bases.text());
}

} // namespace

TEST_CASE("sections of known truth come back: every break sharp") {
  const Score score = run(Generator{}, kFull);
  print("2-7 sections, noise 1-20 %, 2 % outliers, all breaks sharp", kFull, score);
  CHECK(score.right_number.value() >= 0.95);
  CHECK(score.within_one.value() >= 0.98);
  CHECK(score.sharp_inside.value() >= 0.95);
  CHECK(score.slopes.about(0.95));
  CHECK(score.bases.about(0.95));
}

TEST_CASE("among weak breaks and bends the sharp ones are found, and every interval holds") {
  Generator generator;
  generator.weak = 0.4;
  const std::uint64_t cases = kFull * 3 / 10;
  const Score score = run(generator, cases);
  print("40 % of the breaks weak (half of these only a bend)", cases, score);
  CHECK(score.right_number.about(0.95));
  CHECK(score.within_one.about(0.98));
  CHECK(score.sharp_inside.about(0.95));
  CHECK(score.weak_inside.about(0.95));
  CHECK(score.slopes.about(0.95));
  CHECK(score.bases.about(0.95));
}

TEST_CASE("at the smallest sharp contrast") {
  // With both lines known 99.2 % and 94.1 % could be placed within one sample (synthetic.h).
  const std::uint64_t cases = kFull / 10;
  Generator generator;
  generator.most_contrast = 1.0001;
  const Score two = run(generator, cases);
  print("each jump 5 noises / sqrt(2)", cases, two);
  CHECK(two.within_one.about(0.95));
  CHECK(two.right_number.about(0.95));
  generator.neighbourhood = 4.0;
  const Score four = run(generator, cases);
  print("each jump 5 noises / sqrt(4)", cases, four);
  CHECK(four.sharp_inside.about(0.95));
  CHECK(four.slopes.about(0.95));
}

TEST_CASE("without a break there is one section, whatever the noise and outliers") {
  Generator generator;
  generator.least_sections = generator.most_sections = 1;
  const std::uint64_t cases = kFull * 2 / 10;
  const Score score = run(generator, cases);
  print("one section", cases, score);
  CHECK(score.right_number.about(0.99));
}
