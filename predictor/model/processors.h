// Iterative programs on unequal processors: Soares16 eq. (1) to (4), and the best division of data.
//
//   T = I (W / R_P + N_op m T_ij)     m = log2 P (1), P - 1 (2), 1 (3); (4) is (3) with N_op = 1
//   I iterations of W seconds of computation and N_op operations, each m messages (logp_network.h)
// 1. R_P is "the relative computing power". Eq. (1) divides the problem's size by it, so it is a
//    speed; (2) to (4) add it to times, so there it is an iteration's time. Here R_P is always a
//    speed, and that time is W / R_P, W being its time where R_P = 1.
// 2. Eq. (1) has the whole run's size, the others an iteration's: here W is one iteration's, and
//    the size of (1) is I W. It is the part of one processor: the printed estimates of EP halve
//    with 2 P.
// 3. log2 P stays a real number where P is no power of two.
// 4. Unequal processors wait for each other once per iteration: the slowest one's time counts.
// Threads: pure functions.
#pragma once

#include "predictor/base/result.h"
#include "predictor/base/units.h"

#include <cstdint>
#include <span>
#include <vector>

namespace farcast::model {

enum class Pattern : std::uint8_t {
  tree,       // eq. (1), EP: a reduction
  all_to_all, // eq. (2), FT
  exchange,   // eq. (3) SP, (4) HIS: with neighbours
};
// Returns: m. Requires: processors >= 1.
double messages_per_operation(Pattern pattern, int processors);

struct Communication { // of one iteration
  Pattern pattern = Pattern::exchange;
  double operations = 1.0; // N_op
};

struct Processor {
  double relative_speed = 1.0; // R_P, above 0
  base::Seconds work;          // W: of its part of the data, where R_P = 1
  base::Seconds message;       // T_ij over its network
};

// Of one processor among `processors`. Requires: a relative speed above 0.
base::Seconds iteration_time(const Processor& processor, const Communication& communication, int processors);
// Of the run on all of them. Requires: at least one.
base::Seconds run_time(std::span<const Processor> processors, const Communication& communication, double iterations);

// A host that takes a part of the data, which is counted in seconds of work where R_P = 1.
struct Worker {
  double relative_speed = 1.0; // R_P, above 0
  base::Seconds communication; // of an iteration, whatever its part
};

struct Division {
  std::vector<double> share; // [worker], together 1; 0: the host is better left out
  base::Seconds time;        // of an iteration so divided
  base::Seconds equal_time;  // with equal parts
  base::Seconds speed_time;  // with parts in proportion to R_P alone

  [[nodiscard]] double gain() const { return equal_time / time; }
};

// The division with the least time of an iteration, max over hosts with data of share W / R_P +
// communication. Its hosts all end together. Requires nothing. Errors: no hosts, a figure out of
// range, no work.
base::Result<Division> best_division(base::Seconds work, std::span<const Worker> hosts);

} // namespace farcast::model
