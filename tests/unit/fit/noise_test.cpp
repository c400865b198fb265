#include "calib/fit/noise.h"

#include "tests/unit/fit/synthetic.h"

#include <catch2/catch.hpp>
#include <numeric>

using namespace farcast::fit;

namespace {

struct Data {
  std::vector<double> x, exact, y;
  std::vector<char> kept;
};

// A steep line with a jump in the middle, every 40th sample an outlier if wished.
Data line_with_jump(std::size_t count, double relative, double additive, bool outliers) {
  synthetic::Random random(17);
  Data data;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = std::exp(0.01 * static_cast<double>(i)), exact = 1.0 + 2.0 * x + (i >= count / 2 ? 5.0 * x : 0.0);
    data.x.push_back(x);
    data.exact.push_back(exact);
    data.y.push_back(exact + std::hypot(relative * exact, additive) * random.normal());
    if (outliers && i % 40 == 20) data.y.back() *= 3.0;
    data.kept.push_back(1);
  }
  return data;
}

} // namespace

TEST_CASE("noise is measured beside trends, jumps and outliers") {
  for (const bool outliers : {false, true}) {
    const Data data = line_with_jump(800, 0.05, 0.0, outliers);
    const Noise noise = estimate_noise(data.x, data.y, running_median(data.y), data.kept, 1e-3);
    CHECK(noise.model.relative == Approx(0.05).epsilon(0.2));
    for (std::size_t i = 0; i < data.x.size(); i += 50) CHECK(noise.scale[i] == Approx(0.05 * data.exact[i]).epsilon(0.7));
  }
}

TEST_CASE("noise with a constant and a relative part") {
  const Data data = line_with_jump(900, 0.02, 3.0, false);
  const Noise noise = estimate_noise(data.x, data.y, data.exact, data.kept, 1e-3);
  CHECK(noise.model.additive == Approx(3.0).epsilon(0.25));
  CHECK(noise.model.relative == Approx(0.02).epsilon(0.25));
  CHECK(noise.model(0.0) == noise.model.additive);
}

TEST_CASE("exact data have the least noise that was asked for") {
  const Data data = line_with_jump(100, 0.0, 0.0, false);
  const Noise noise = estimate_noise(data.x, data.y, data.exact, data.kept, 0.01);
  for (std::size_t i = 0; i < data.x.size(); ++i) CHECK(noise.scale[i] >= 0.01 * data.exact[i] * 0.999);
  CHECK(noise.model.relative == 0.01);
}

TEST_CASE("the first screening finds outliers and leaves jumps alone") {
  const Data data = line_with_jump(800, 0.03, 0.0, true);
  const Noise noise = estimate_noise(data.x, data.y, running_median(data.y), data.kept, 1e-3);
  const std::vector<char> kept = screen_outliers(data.x, data.y, noise.scale, 5.0);
  std::size_t found = 0, wrong = 0;
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (!kept[i]) (i % 40 == 20 ? found : wrong) += 1;
  CHECK(found == 20);
  CHECK(wrong <= 1);
  for (std::size_t i = 395; i < 405; ++i) CHECK(kept[i]); // the jump is at 400
}

TEST_CASE("running medians keep ends and steps") {
  CHECK(running_median(std::vector<double>{1, 2, 3}) == std::vector<double>{2, 2, 2});
  std::vector<double> step(10, 1.0);
  step.resize(20, 9.0);
  CHECK(running_median(step) == step);
  CHECK(running_median(std::vector<double>{5}) == std::vector<double>{5});
}
