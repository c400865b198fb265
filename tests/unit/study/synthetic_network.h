// What a probe would write on a network with known truth, with noise and outliers: for the tests of
// calib/study.
#pragma once

#include "calib/study/probe_output.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <random>
#include <string>

namespace farcast::test {

struct NetworkTruth {
  double eager_limit = 65480;
  double latency_s = 100e-6;
  double wakeup_latency_s = 12e-6;
  double lateness_s = 0;           // of cards and switches in the mean; at best they have none
  bool round_trips = true;         // of bytes between kernels
  double bytes_per_second = 125e6; // wire
  double payload = 1448, mtu = 1500;
  double send_base_s = 4e-6, send_per_byte_s = 1e-10;
  double isend_base_s = 3e-6;
  double cold_call_s = 1.2e-6; // of that
  double bulk_write_base_s = 15e-6, bulk_write_per_byte_s = 2e-10;
  double bulk_read_base_s = 3e-6, bulk_read_per_byte_s = 1.5e-10;
  double receive_base_s = 2e-6, receive_per_byte_s = 2e-10;
  double rendezvous_s = 250e-6;                         // more, beyond the eager limit
  double self_base_s = 0.6e-6, self_per_byte_s = 3e-10; // of a rank to itself
  double local_base_s = 5e-8, reduction_per_byte_s = 2e-10, copy_per_byte_s = 1e-10;
  double noise = 0.01;
  double outlier_share = 0.02;
  int batches = 0;    // 0: the probe tells none
  double drift = 0.0; // standard deviation of what all times of a batch have in common, as a share

  [[nodiscard]] double payload_rate() const { return bytes_per_second * payload / (payload + (mtu - payload) + 38); }
  [[nodiscard]] double network_s(double bytes) const {
    // On both links of the way; the first packet is on the second one when it has left the first.
    const double header = 2 * (22 + 52 + 38) / bytes_per_second + std::min(bytes, payload) / payload_rate();
    return latency_s + lateness_s + wakeup_latency_s + header + bytes / payload_rate() +
           (bytes > eager_limit ? rendezvous_s : 0.0);
  }
  [[nodiscard]] double one_way_s(double bytes) const {
    if (bytes > eager_limit) return network_s(bytes);
    return network_s(bytes) + send_base_s + send_per_byte_s * bytes + receive_base_s + receive_per_byte_s * bytes;
  }
};

inline std::string probe_facts(const NetworkTruth& truth, const std::string& pair_class) {
  std::string text =
      fmt::format("farcast-probe 2\nfact mpi Open MPI v4.1.4\nfact ranks 2\nfact hosts 2\nfact seed 1\nfact max_bytes 4194304\n"
                  "fact cores 2\nfact pair.{0} ranks 0 and 1 (a, b)\nfact eager_limit.{0} {1:.0f}\n",
                  pair_class, truth.eager_limit);
  if (pair_class == "other-node")
    text += fmt::format("fact tcp_payload.{0} {1:.0f}\nfact tcp_mtu.{0} {2:.0f}\nfact tcp_rtt.{0} {3:.9g}\n", pair_class,
                        truth.payload, truth.mtu, 2 * (truth.latency_s + 2 * 90 / truth.bytes_per_second));
  return text;
}

// Of a byte between kernels. The probe has as many as ping-pongs; their draws are their own.
inline double round_trip_of(const NetworkTruth& truth, std::mt19937& random) {
  const auto early = [&] { return (2 * static_cast<double>(random()) / 4294967296.0 - 1) * truth.lateness_s; };
  return 2 * (truth.latency_s + truth.lateness_s + 2 * 90 / truth.bytes_per_second) + early() + early();
}

// The lines of a probe on `truth`: `count` samples of each kind, sizes log-uniform up to 4 MiB.
inline std::string probe_lines(const NetworkTruth& truth, int count, std::uint32_t seed,
                               const std::string& pair_class = "other-node") {
  std::mt19937 random(seed);
  std::mt19937 random_of_self(seed + 1);
  std::mt19937 random_of_kernels(seed + 2);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  int batch = -1;
  double pace = 1.0; // of this batch
  const auto noisy = [&](double seconds) {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += uniform(); // nearly normal, the same on every machine
    const double outlier = uniform() < truth.outlier_share ? 5.0 + 20.0 * uniform() : 0.0;
    return pace * seconds * std::max(0.05, 1.0 + truth.noise * sum + outlier);
  };
  std::string text = probe_facts(truth, pair_class);
  // Of one message, against the mean: cards and switches have nothing to do at best.
  const auto late = [&] { return truth.lateness_s > 0 ? (2 * uniform() - 1) * truth.lateness_s : 0.0; };
  const auto add = [&](const char* kind, double bytes, int messages, double seconds) {
    text += fmt::format("sample {} {} {:.0f} {} {:.9g}\n", kind, pair_class, bytes, messages, seconds);
  };
  const auto log_uniform = [&](double most) { return std::floor(std::exp(uniform() * std::log(most))); };
  for (int i = 0; i < count; ++i) {
    if (const int now = i * truth.batches / count; truth.batches > 0 && now > batch) {
      batch = now;
      double sum = -6.0;
      for (int k = 0; k < 12; ++k) sum += uniform();
      pace = 1.0 + truth.drift * sum;
      text += fmt::format("batch {}\n", batch);
    }
    double bytes = log_uniform(4194304.0);
    add("one-way", bytes, 1, noisy(truth.one_way_s(bytes)) + (late() + late()) / 2); // half of a ping-pong
    bytes = log_uniform(truth.eager_limit);
    add("send", bytes, 1, noisy(truth.send_base_s + truth.send_per_byte_s * bytes));
    add("isend", bytes, 1, noisy(truth.isend_base_s));
    bytes = log_uniform(truth.eager_limit);
    add("receive", bytes, 1, noisy(truth.receive_base_s + truth.receive_per_byte_s * bytes));
    const double own = std::floor(std::exp(static_cast<double>(random_of_self()) / 4294967296.0 * std::log(4194304.0)));
    const double off = static_cast<double>(random_of_self()) / 4294967296.0 - 0.5;
    text += fmt::format("sample self self {:.0f} 1 {:.9g}\n", own,
                        pace * (1.0 + truth.noise * off) * (truth.self_base_s + truth.self_per_byte_s * own));
    text += fmt::format("sample reduction self {:.0f} 1 {:.9g}\n", own,
                        pace * (1.0 + truth.noise * off) * (truth.local_base_s + truth.reduction_per_byte_s * own));
    text += fmt::format("sample copy self {:.0f} 1 {:.9g}\n", own,
                        pace * (1.0 + truth.noise * off) * (truth.local_base_s + truth.copy_per_byte_s * own));
    if (truth.round_trips && pair_class == "other-node") add("round-trip", 0, 1, pace * round_trip_of(truth, random_of_kernels));
    if (i % 10 != 0) continue;
    add("iprobe", 0, 200, 80e-9 * pace);
    add("test", 0, 200, 50e-9 * pace);
    const double bulk = 500e3 + 50e3 * (i / 10 % 60);
    add("both", bulk, 2, noisy(truth.one_way_s(bulk)));
    add("bulk-write", bulk, 1, noisy(truth.bulk_write_base_s + truth.bulk_write_per_byte_s * bulk));
    add("bulk-read", bulk, 1, noisy(truth.bulk_read_base_s + truth.bulk_read_per_byte_s * bulk));
    add("both-slow", bulk, 2, noisy(truth.one_way_s(bulk) + bulk / truth.payload_rate()));
    add("isend-again", 100, 1, noisy(truth.isend_base_s - truth.cold_call_s));
    add("train", 100, 32, 2.0 * truth.one_way_s(100) + 31 * 5e-6);
  }
  return text + "progress 1.0\nend\n";
}

// What a reader makes of a whole output of the probe.
inline study::ProbeOutput output_of(const std::string& lines) {
  study::ProbeReader reader;
  REQUIRE(reader.take(lines));
  REQUIRE(reader.complete());
  return reader.output();
}

} // namespace farcast::test
