// What a node draws, as a function of active cores, frequency and workload: three models, fitted
// side by side.
//
// Samples (active cores, frequency, workload, watts) -> parameters and R^2 of each model, and the
// best by cross-validation.
//   (a) Heinrich17 eq. (1), per frequency f:  P(0) = idle(f);  P(n, w) = static(f) + n * dynamic(w,
//   f), n >= 1 (b) Proficz16 Table 1, per frequency, whatever the workload (the paper saw no
//   difference), p threads:
//       (p >= 1: idle takes no part)
//       P = PW_low + KW_low p (p <= P_low);  PW_hi + KW_hi p (P_low < p <= P_hi);  PW_max (p > P_hi)
//   (c) Balladini13 3.1, per workload and number of cores: P = c0 + c1 f + c2 f^2
// 1. A model that the samples cannot carry (one frequency for (c), say) is left out, and says why
//    in one sentence.
// 2. Cross-validation leaves whole settings (n, f, w) out, so that repeated samples of one setting
//    prove nothing; it scores only settings that all fitted models can predict without having seen
//    them; a model that can predict none so is not compared.
// 3. static and dynamic >= 0 in (a); nothing else is bounded.
// Threads: pure functions.
#pragma once

#include "calib/fit/statistics.h"
#include "predictor/base/result.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace farcast::fit {

struct PowerSample {
  int active_cores = 0; // or threads, with hyper-threading; 0: idle, whatever the workload says
  double frequency_hz = 0.0;
  std::string workload; // "compute", "memory", "polling", "probing" ...
  double watts = 0.0;
};

struct HeinrichPower { // (a) at one frequency
  struct Dynamic {
    std::string workload;
    Estimate watts_per_core;
  };
  double frequency_hz = 0.0;
  std::optional<Estimate> idle_w; // nullopt: no idle sample at this frequency
  Estimate static_w;
  std::vector<Dynamic> dynamic; // by workload

  // Returns: watts; nullopt for a workload that was not fitted, or idle that was not measured.
  [[nodiscard]] std::optional<double> operator()(int active_cores, const std::string& workload) const;
};

struct ProficzPower { // (b) at one frequency
  double frequency_hz = 0.0;
  int low_threads = 0;                               // P_low: cores
  int high_threads = 0;                              // P_hi: hardware threads; equal to P_low where there is no middle piece
  Estimate low_w, low_w_per_thread;                  // PW_low, KW_low
  std::optional<Estimate> high_w, high_w_per_thread; // PW_hi, KW_hi
  std::optional<Estimate> max_w;                     // PW_max; nullopt: no sample with more threads than P_hi

  // Requires: threads >= 1. More threads than were measured: as many watts as with all of P_hi.
  [[nodiscard]] double operator()(int threads) const;
};

struct BalladiniPower { // (c) of one workload on one number of cores
  std::string workload; // "" when idle
  int active_cores = 0;
  Estimate constant_w, linear_w_per_ghz, square_w_per_ghz2; // of the frequency in GHz: watts per Hz^2 print badly

  [[nodiscard]] double operator()(double frequency_hz) const;
};

enum class PowerModel { heinrich17, proficz16, balladini13 };
std::string name_of(PowerModel model); // "Heinrich17 eq. (1)" ...

struct PowerQuality {
  PowerModel model = PowerModel::heinrich17;
  bool fitted = false;
  std::string reason;            // why not fitted; one sentence
  double r_squared = 0.0;        // of all samples it covers
  std::size_t samples = 0;       // it covers
  double cross_rms_w = 0.0;      // cross-validated root mean square error
  std::size_t cross_samples = 0; // 0: not compared
};

struct PowerFit {
  std::vector<HeinrichPower> heinrich;   // by frequency
  std::vector<ProficzPower> proficz;     // by frequency
  std::vector<BalladiniPower> balladini; // by workload, then cores
  std::vector<PowerQuality> quality;     // [PowerModel], all three
  std::optional<PowerModel> best;        // nullopt: nothing to compare by; `verdict` says why
  std::string verdict;                   // one sentence

  [[nodiscard]] std::optional<double> watts(PowerModel model, int active_cores, double frequency_hz,
                                            const std::string& workload) const;
};

struct PowerOptions {
  // P_low and P_hi of (b): cores and hardware threads of the node. 0: found from the samples (all
  // pairs are tried).
  int cores = 0;
  int hardware_threads = 0;
  double confidence = 0.95;
  std::size_t folds = 10;
};

// Errors: no samples, watts or frequency not positive, negative cores, or no model that the samples
// can carry.
base::Result<PowerFit> fit_power(std::span<const PowerSample> samples, const PowerOptions& options = {});

} // namespace farcast::fit
