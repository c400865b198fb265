#include "predictor/model/processors.h"

#include "predictor/model/figures.h"

#include <algorithm>
#include <cmath>

namespace farcast::model {

namespace {

base::Result<void> check(base::Seconds work, std::span<const Worker> hosts) {
  if (hosts.empty()) return base::fail("there are no hosts to divide data between");
  Figures figures("division of data");
  figures.positive("the work", work.value());
  for (const Worker& host : hosts)
    figures.positive("a relative speed", host.relative_speed).at_least("a communication time", host.communication.value(), 0.0);
  return figures.result();
}

// The end T with sum over hosts of max(0, T - communication) R_P = work: hosts join in the order of
// their communication times as long as theirs comes before the end that the others reach without
// them.
base::Seconds common_end(base::Seconds work, std::span<const Worker> hosts) {
  std::vector<Worker> ordered(hosts.begin(), hosts.end());
  std::ranges::stable_sort(ordered, {}, &Worker::communication);
  double speed = 0.0, started = 0.0, end = 0.0;
  for (const Worker& host : ordered) {
    const double communication = host.communication.value();
    if (speed > 0.0 && communication >= end) break;
    speed += host.relative_speed;
    started += host.relative_speed * communication;
    end = (work.value() + started) / speed;
  }
  return base::Seconds(end);
}

base::Seconds slowest(base::Seconds work, std::span<const Worker> hosts, auto share) {
  base::Seconds last(0.0);
  for (const Worker& host : hosts) last = std::max(last, share(host) * work / host.relative_speed + host.communication);
  return last;
}

} // namespace

double messages_per_operation(Pattern pattern, int processors) {
  switch (pattern) {
  case Pattern::tree:
    return std::log2(processors);
  case Pattern::all_to_all:
    return processors - 1;
  case Pattern::exchange:
    break;
  }
  return 1.0;
}

base::Seconds iteration_time(const Processor& processor, const Communication& communication, int processors) {
  const double messages = communication.operations * messages_per_operation(communication.pattern, processors);
  return processor.work / processor.relative_speed + messages * processor.message;
}

base::Seconds run_time(std::span<const Processor> processors, const Communication& communication, double iterations) {
  base::Seconds slowest_iteration(0.0);
  for (const Processor& processor : processors)
    slowest_iteration =
        std::max(slowest_iteration, iteration_time(processor, communication, static_cast<int>(processors.size())));
  return iterations * slowest_iteration;
}

base::Result<Division> best_division(base::Seconds work, std::span<const Worker> hosts) {
  if (const auto fine = check(work, hosts); !fine) return tl::make_unexpected(fine.error());
  Division division;
  division.time = common_end(work, hosts);
  double speeds = 0.0;
  for (const Worker& host : hosts) {
    const base::Seconds computing = std::max(base::Seconds(0.0), division.time - host.communication);
    division.share.push_back(computing * host.relative_speed / work);
    speeds += host.relative_speed;
  }
  const double equal = 1.0 / static_cast<double>(hosts.size());
  division.equal_time = slowest(work, hosts, [equal](const Worker&) { return equal; });
  division.speed_time = slowest(work, hosts, [speeds](const Worker& host) { return host.relative_speed / speeds; });
  return division;
}

} // namespace farcast::model
