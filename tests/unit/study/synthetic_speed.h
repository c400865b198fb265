// Records of speed with known truth: a node whose cores are `power` times as fast as the first
// one's, with noise and late runs.
#pragma once

#include "calib/study/speed_record.h"
#include "tests/unit/fit/synthetic.h"

#include <string>
#include <vector>

namespace farcast::test {

struct SpeedTruth {
  // R_P against a node with powers 1, of kernels bound by each.
  double compute = 1.0, memory = 1.0, latency = 1.0;
  double full = 1.0;  // of these, where all cores compute
  double share = 0.8; // b of compute; 0.2 of memory
  double noise = 0.01;
  double late = 0.05; // share of the runs that are late by half
  double busy = 0.0;  // share of the repetitions in which all runs are late, by up to a fifth
  int cores = 4;
  std::size_t repetitions = 15;
  std::vector<double> frequencies{0.0};
};

inline study::SpeedRecord speed_record(const SpeedTruth& truth, std::uint64_t seed) {
  synthetic::Random random(seed);
  study::SpeedRecord record;
  record.provenance.host = "alpha";
  record.provenance.cpu = "a CPU";
  record.provenance.date = "2026-01-02T03:04:05Z";
  record.kernels = "1, a compiler";
  record.cores = truth.cores;
  struct Kernel {
    const char* name;
    const char* bound;
    std::uint64_t bytes;
    double seconds, power, share;
  };
  std::vector<double> slow; // [repetition]
  for (std::size_t i = 0; i < truth.repetitions; ++i) slow.push_back(random.chance(truth.busy) ? random.uniform(1.0, 1.2) : 1.0);
  const double highest = *std::max_element(truth.frequencies.begin(), truth.frequencies.end());
  for (const Kernel& kernel : {Kernel{"multiply-add", "compute", 0, 1e-9, truth.compute, truth.share},
                               Kernel{"matrix", "compute", 55296, 2e-9, truth.compute, truth.share},
                               Kernel{"triad", "memory", 100663296, 4e-9, truth.memory, 0.2},
                               Kernel{"chase", "latency", 67108864, 9e-8, truth.latency, 0.2}}) {
    for (const int cores : {1, truth.cores}) {
      for (const double frequency : truth.frequencies) {
        study::SpeedMeasurement measured{kernel.name, kernel.bound, kernel.bytes, cores, frequency, {}};
        const double clock = frequency > 0.0 ? kernel.share * highest / frequency + 1.0 - kernel.share : 1.0;
        const double exact = kernel.seconds * clock / (kernel.power * (cores == 1 ? 1.0 : truth.full));
        for (std::size_t i = 0; i < truth.repetitions; ++i)
          measured.seconds.push_back(exact * (1.0 + truth.noise * random.normal()) * (random.chance(truth.late) ? 1.5 : 1.0) *
                                     slow[i]);
        record.measurements.push_back(measured);
      }
    }
  }
  return record;
}

} // namespace farcast::test
