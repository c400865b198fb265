// Linear regression with few regressors: weighted least squares, the same with coefficients >= 0,
// and cross-validation.
//
// Regressors (rows = samples, columns = coefficients), observations, weights -> coefficients with
// their uncertainty. weight[row] is 1 / variance up to a common factor: residual variance is
// estimated. Invariants:
// 1. Columns are scaled to equal length before anything else: bytes beside ones lose no digits.
//    Householder QR with column pivoting (Eigen's, which stays inside linear.cpp); a column that
//    the others explain to 1e-10 is an error, not a large number.
// 2. Standard errors are those of least squares with known relative weights, times the estimated
//    residual scale.
// 3. Folds are a function of (count, folds, seed) alone.
// Threads: pure functions. Sizes: meant for up to some tens of columns. O(rows * columns^2).
#pragma once

#include "calib/fit/statistics.h"
#include "predictor/base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace farcast::fit {

class Matrix { // row by row
public:
  Matrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), values_(rows * columns, 0.0) {}
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  double& operator()(std::size_t row, std::size_t column) { return values_[row * columns_ + column]; }
  double operator()(std::size_t row, std::size_t column) const { return values_[row * columns_ + column]; }
  [[nodiscard]] std::span<const double> row(std::size_t index) const { return {values_.data() + index * columns_, columns_}; }

private:
  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> values_;
};

struct LinearFit {
  std::vector<Estimate> coefficient; // [column]
  Matrix covariance{0, 0};           // [column, column] of the coefficients
  double r_squared = 0.0; // weighted, around the weighted mean; Requires nothing of the columns: may be < 0 without a constant
  double residual_scale = 0.0; // standard deviation of a residual of weight 1
  std::size_t samples = 0;

  [[nodiscard]] double operator()(std::span<const double> regressors) const;
};

// Returns: the least-squares fit. Empty weights: all 1. Requires: weights > 0 and finite.
// Errors: fewer samples than columns, not finite, columns that depend on each other (named by number).
// As many samples as columns: fits exactly, standard errors are infinite.
base::Result<LinearFit> fit_linear(const Matrix& regressors, std::span<const double> observations,
                                   std::span<const double> weights = {}, double confidence = 0.95);

// The same with every coefficient >= 0 (Lawson and Hanson 1974, chapter 23). Coefficients held at 0
// have standard error 0 and the interval {0, 0}; the others' are conditional on that. Dependent
// columns are no error here: one of them gets the weight.
base::Result<LinearFit> fit_non_negative(const Matrix& regressors, std::span<const double> observations,
                                         std::span<const double> weights = {}, double confidence = 0.95);

// Returns: fold[sample] in 0 .. folds-1, sizes differing by at most one, shuffled by the seed.
std::vector<std::size_t> make_folds(std::size_t count, std::size_t folds, std::uint64_t seed = 1);

// One model in one fold: from the samples to learn from to a prediction per sample; nullopt: this
// sample it cannot predict.
using Predictor = std::function<std::optional<double>(std::size_t sample)>;
using Learner = std::function<std::optional<Predictor>(std::span<const std::size_t> training)>;

// Returns: prediction[sample], each made by a model that did not see the samples of its fold;
// nullopt where it could not.
std::vector<std::optional<double>> cross_predict(std::span<const std::size_t> folds, const Learner& learner);

struct CrossValidation {
  double rms_error = 0.0;           // in the unit of the observations
  double mean_relative_error = 0.0; // mean of |error| / |observation|
  std::size_t samples = 0;          // that could be predicted
};

// k-fold cross-validation of fit_linear. Requires: 2 <= folds <= rows.
CrossValidation cross_validate(const Matrix& regressors, std::span<const double> observations,
                               std::span<const double> weights = {}, std::size_t folds = 5, std::uint64_t seed = 1);

} // namespace farcast::fit
