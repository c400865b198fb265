#include "calib/fit/linear.h"

#include "calib/fit/distributions.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <random>

namespace farcast::fit {

namespace {

constexpr double kDependent = 1e-10; // of a column's length is left after the others were taken out: it depends on them

// The weighted problem with columns of length 1, factored: A P = Q R, and Q^T b.
class Factored {
  // [column in R] -> column as given
  [[nodiscard]] const Eigen::VectorXi& order() const { return qr_.colsPermutation().indices(); }
  [[nodiscard]] auto upper() const { return qr_.matrixR().topRows(scale_.size()).triangularView<Eigen::Upper>(); }

  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr_;
  Eigen::VectorXd b_;     // Q^T b
  Eigen::VectorXd scale_; // [column as given] its weighted length

public:
  Factored(const Matrix& regressors, std::span<const double> observations, std::span<const double> weights)
      : scale_(static_cast<Eigen::Index>(regressors.columns())) {
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto rows = static_cast<Eigen::Index>(regressors.rows());
    Eigen::MatrixXd a = Eigen::Map<const Rows>(regressors.row(0).data(), rows, scale_.size());
    b_ = Eigen::Map<const Eigen::VectorXd>(observations.data(), rows);
    if (!weights.empty()) {
      const Eigen::VectorXd root = Eigen::Map<const Eigen::VectorXd>(weights.data(), rows).cwiseSqrt();
      a = root.asDiagonal() * a;
      b_ = b_.cwiseProduct(root);
    }
    for (Eigen::Index column = 0; column < scale_.size(); ++column) {
      scale_[column] = a.col(column).norm();
      if (scale_[column] > 0.0) a.col(column) /= scale_[column];
    }
    qr_.setThreshold(kDependent);
    qr_.compute(a);
    b_.applyOnTheLeft(qr_.householderQ().adjoint());
  }

  [[nodiscard]] std::size_t rank() const { return static_cast<std::size_t>(qr_.rank()); }
  // The first column that the others explain. Requires: rank() < columns.
  [[nodiscard]] std::size_t dependent_column() const { return static_cast<std::size_t>(order()[qr_.rank()]); }
  // Requires (both): full rank.
  [[nodiscard]] std::vector<double> solve() const {
    const Eigen::VectorXd permuted = upper().solve(b_.head(scale_.size()));
    std::vector<double> answer(static_cast<std::size_t>(scale_.size()));
    for (Eigen::Index i = 0; i < scale_.size(); ++i)
      answer[static_cast<std::size_t>(order()[i])] = permuted[i] / scale_[order()[i]];
    return answer;
  }
  [[nodiscard]] Matrix inverse_normal() const { // (A^T A)^-1 in the caller's units
    const Eigen::Index n = scale_.size();
    const Eigen::MatrixXd inverse_r = upper().solve(Eigen::MatrixXd::Identity(n, n));
    const Eigen::MatrixXd permuted = inverse_r * inverse_r.transpose();
    Matrix answer(static_cast<std::size_t>(n), static_cast<std::size_t>(n));
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j)
        answer(static_cast<std::size_t>(order()[i]), static_cast<std::size_t>(order()[j])) =
            permuted(i, j) / (scale_[order()[i]] * scale_[order()[j]]);
    return answer;
  }
  [[nodiscard]] double residual_squares() const { return b_.tail(b_.size() - qr_.rank()).squaredNorm(); }
};

double weighted_total_squares(std::span<const double> observations, std::span<const double> weights) {
  double total_weight = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    total_weight += weight;
    sum += weight * observations[i];
  }
  double squares = 0.0;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const double distance = observations[i] - sum / total_weight;
    squares += (weights.empty() ? 1.0 : weights[i]) * distance * distance;
  }
  return squares;
}

base::Result<void> check_input(const Matrix& regressors, std::span<const double> observations, std::span<const double> weights) {
  if (observations.size() != regressors.rows() || (!weights.empty() && weights.size() != regressors.rows()))
    return base::fail(fmt::format("{} rows of regressors, {} observations and {} weights do not belong together",
                                  regressors.rows(), observations.size(), weights.size()));
  for (std::size_t row = 0; row < regressors.rows(); ++row) {
    bool finite = std::isfinite(observations[row]) && (weights.empty() || (weights[row] > 0.0 && std::isfinite(weights[row])));
    for (const double value : regressors.row(row)) finite = finite && std::isfinite(value);
    if (!finite)
      return base::fail(fmt::format("sample {} has a value that is not finite, or a weight that is not positive", row + 1));
  }
  if (regressors.rows() < regressors.columns())
    return base::fail(fmt::format("{} samples cannot determine {} coefficients", regressors.rows(), regressors.columns()));
  return {};
}

// Uncertainty and quality, once the coefficients' values are known; `covariance` without the
// residual scale.
LinearFit finish(std::vector<double> values, Matrix covariance, double residual_squares, double total_squares,
                 std::size_t samples, std::size_t free_columns, double confidence) {
  const auto degrees = static_cast<double>(samples - free_columns);
  const double variance = degrees > 0.0 ? residual_squares / degrees : std::numeric_limits<double>::infinity();
  LinearFit fit;
  fit.samples = samples;
  fit.residual_scale = std::sqrt(variance);
  fit.r_squared = total_squares > 0.0 ? 1.0 - residual_squares / total_squares : 1.0;
  const double factor = two_sided_factor(confidence, degrees);
  for (std::size_t i = 0; i < covariance.rows(); ++i)
    for (std::size_t j = 0; j < covariance.columns(); ++j)
      if (covariance(i, j) != 0.0) covariance(i, j) *= variance;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double error = std::sqrt(covariance(i, i));
    const double half = error > 0.0 ? factor * error : 0.0;
    fit.coefficient.push_back({values[i], error, {values[i] - half, values[i] + half}});
  }
  fit.covariance = std::move(covariance);
  return fit;
}

Matrix columns_of(const Matrix& all, const std::vector<std::size_t>& chosen) {
  Matrix part(all.rows(), chosen.size());
  for (std::size_t row = 0; row < all.rows(); ++row)
    for (std::size_t column = 0; column < chosen.size(); ++column) part(row, column) = all(row, chosen[column]);
  return part;
}

// The active set of Lawson and Hanson: which columns are above zero, and their values.
class ActiveSet {
public:
  ActiveSet(const Matrix& regressors, std::span<const double> observations, std::span<const double> weights)
      : regressors_(regressors), observations_(observations), weights_(weights), value_(regressors.columns(), 0.0),
        refused_(regressors.columns(), false) {
    for (std::size_t round = 0; round < 3 * regressors_.columns() + 10; ++round) {
      const std::size_t column = steepest();
      if (column == regressors_.columns()) return;
      if (!enter(column)) refused_[column] = true; // depends on those already in
    }
  }
  [[nodiscard]] const std::vector<double>& value() const { return value_; }
  [[nodiscard]] const std::vector<std::size_t>& positive() const { return positive_; }
  [[nodiscard]] double residual_squares() const {
    double sum = 0.0;
    for (std::size_t row = 0; row < regressors_.rows(); ++row) sum += weight(row) * residual(row) * residual(row);
    return sum;
  }

private:
  [[nodiscard]] double weight(std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }
  [[nodiscard]] double residual(std::size_t row) const {
    double rest = observations_[row];
    for (const std::size_t column : positive_) rest -= regressors_(row, column) * value_[column];
    return rest;
  }
  [[nodiscard]] std::size_t steepest() const;
  bool enter(std::size_t column);

  const Matrix& regressors_;
  std::span<const double> observations_, weights_;
  std::vector<double> value_;
  std::vector<bool> refused_;
  std::vector<std::size_t> positive_; // ascending
};

// The column outside whose growth lowers the error most, by the cosine between it and what is left;
// columns() for none.
std::size_t ActiveSet::steepest() const {
  std::vector<double> rest(regressors_.rows());
  double rest_squares = 0.0, observed_squares = 0.0;
  for (std::size_t row = 0; row < rest.size(); ++row) {
    rest[row] = residual(row);
    rest_squares += weight(row) * rest[row] * rest[row];
    observed_squares += weight(row) * observations_[row] * observations_[row];
  }
  std::size_t best = regressors_.columns();
  if (rest_squares <= 1e-24 * observed_squares) return best;
  double best_cosine = 1e-9;
  for (std::size_t column = 0; column < regressors_.columns(); ++column) {
    if (refused_[column] || std::binary_search(positive_.begin(), positive_.end(), column)) continue;
    double dot = 0.0, squares = 0.0;
    for (std::size_t row = 0; row < rest.size(); ++row) {
      dot += weight(row) * regressors_(row, column) * rest[row];
      squares += weight(row) * regressors_(row, column) * regressors_(row, column);
    }
    if (squares == 0.0) continue;
    const double cosine = dot / std::sqrt(squares * rest_squares);
    if (cosine > best_cosine) {
      best_cosine = cosine;
      best = column;
    }
  }
  return best;
}

bool ActiveSet::enter(std::size_t column) {
  positive_.insert(std::lower_bound(positive_.begin(), positive_.end(), column), column);
  while (!positive_.empty()) {
    const Factored factored(columns_of(regressors_, positive_), observations_, weights_);
    if (factored.rank() < positive_.size()) {
      std::erase(positive_, column);
      return false;
    }
    const std::vector<double> wanted = factored.solve();
    double step = 1.0; // as far towards `wanted` as all values stay >= 0
    for (std::size_t i = 0; i < positive_.size(); ++i) {
      const double now = value_[positive_[i]];
      if (wanted[i] <= 0.0) step = std::min(step, now > 0.0 ? now / (now - wanted[i]) : 0.0);
    }
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < positive_.size(); ++i) {
      double& now = value_[positive_[i]];
      const bool blocks = wanted[i] <= 0.0 && (now <= 0.0 || now / (now - wanted[i]) <= step);
      now = step == 1.0 ? wanted[i] : now + step * (wanted[i] - now);
      if (blocks || now <= 0.0)
        now = 0.0;
      else
        kept.push_back(positive_[i]);
    }
    if (kept.size() == positive_.size()) return true;
    const bool thrown_out = !std::binary_search(kept.begin(), kept.end(), column);
    positive_ = std::move(kept);
    if (thrown_out && step == 0.0) return false; // its growth was a matter of rounding
  }
  return true;
}

} // namespace

double LinearFit::operator()(std::span<const double> regressors) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < coefficient.size(); ++i) sum += coefficient[i].value * regressors[i];
  return sum;
}

base::Result<LinearFit> fit_linear(const Matrix& regressors, std::span<const double> observations,
                                   std::span<const double> weights, double confidence) {
  if (const auto fine = check_input(regressors, observations, weights); !fine) return tl::unexpected(fine.error());
  const Factored factored(regressors, observations, weights);
  if (factored.rank() < regressors.columns())
    return base::fail(fmt::format("coefficient {} of {} cannot be told from the others with these {} samples",
                                  factored.dependent_column() + 1, regressors.columns(), regressors.rows()));
  return finish(factored.solve(), factored.inverse_normal(), factored.residual_squares(),
                weighted_total_squares(observations, weights), regressors.rows(), regressors.columns(), confidence);
}

base::Result<LinearFit> fit_non_negative(const Matrix& regressors, std::span<const double> observations,
                                         std::span<const double> weights, double confidence) {
  if (const auto fine = check_input(regressors, observations, weights); !fine) return tl::unexpected(fine.error());
  const ActiveSet active(regressors, observations, weights);
  const std::vector<std::size_t>& positive = active.positive();
  Matrix covariance(regressors.columns(), regressors.columns());
  if (!positive.empty()) {
    const Matrix part = Factored(columns_of(regressors, positive), observations, weights).inverse_normal();
    for (std::size_t i = 0; i < positive.size(); ++i)
      for (std::size_t j = 0; j < positive.size(); ++j) covariance(positive[i], positive[j]) = part(i, j);
  }
  return finish(active.value(), std::move(covariance), active.residual_squares(), weighted_total_squares(observations, weights),
                regressors.rows(), positive.size(), confidence);
}

std::vector<std::size_t> make_folds(std::size_t count, std::size_t folds, std::uint64_t seed) {
  std::vector<std::size_t> order(count), fold(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  for (std::size_t i = 0; i < count; ++i) fold[order[i]] = i % folds;
  return fold;
}

std::vector<std::optional<double>> cross_predict(std::span<const std::size_t> folds, const Learner& learner) {
  std::vector<std::optional<double>> prediction(folds.size());
  const std::size_t count = folds.empty() ? 0 : *std::max_element(folds.begin(), folds.end()) + 1;
  for (std::size_t fold = 0; fold < count; ++fold) {
    std::vector<std::size_t> training;
    for (std::size_t i = 0; i < folds.size(); ++i)
      if (folds[i] != fold) training.push_back(i);
    const std::optional<Predictor> predictor = learner(training);
    if (!predictor) continue;
    for (std::size_t i = 0; i < folds.size(); ++i)
      if (folds[i] == fold) prediction[i] = (*predictor)(i);
  }
  return prediction;
}

CrossValidation cross_validate(const Matrix& regressors, std::span<const double> observations, std::span<const double> weights,
                               std::size_t folds, std::uint64_t seed) {
  const std::vector<std::size_t> fold = make_folds(regressors.rows(), folds, seed);
  const auto learner = [&](std::span<const std::size_t> training) -> std::optional<Predictor> {
    Matrix part(training.size(), regressors.columns());
    std::vector<double> seen, seen_weights;
    for (std::size_t i = 0; i < training.size(); ++i) {
      for (std::size_t column = 0; column < regressors.columns(); ++column) part(i, column) = regressors(training[i], column);
      seen.push_back(observations[training[i]]);
      if (!weights.empty()) seen_weights.push_back(weights[training[i]]);
    }
    auto fit = fit_linear(part, seen, seen_weights);
    if (!fit) return std::nullopt;
    return [&regressors, model = std::move(*fit)](std::size_t sample) -> std::optional<double> {
      return model(regressors.row(sample));
    };
  };
  CrossValidation quality;
  double squares = 0.0, relative = 0.0;
  const std::vector<std::optional<double>> predicted = cross_predict(fold, learner);
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    if (!predicted[i]) continue;
    const double error = *predicted[i] - observations[i];
    squares += error * error;
    relative += observations[i] != 0.0 ? std::fabs(error / observations[i]) : 0.0;
    ++quality.samples;
  }
  if (quality.samples == 0) return quality;
  quality.rms_error = std::sqrt(squares / static_cast<double>(quality.samples));
  quality.mean_relative_error = relative / static_cast<double>(quality.samples);
  return quality;
}

} // namespace farcast::fit
