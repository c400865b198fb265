// A prediction of a small program that has all kinds of calls, and its time line.
#pragma once

#include "predictor/timeline/recorder.h"
#include "unit/sim/scenario.h"

#include <catch2/catch.hpp>

namespace sample {

using namespace scenario;

inline constexpr int kRanks = 4;

inline void fill(Program& program) {
  using trace::CollectiveKind;
  program.all_init();
  for (int rank = 0; rank < kRanks; ++rank) {
    const int next = (rank + 1) % kRanks;
    const int before = (rank + kRanks - 1) % kRanks;
    Script& script = program.rank(rank);
    script.compute(1e-4 * (rank + 1));
    for (const double bytes : {8.0, 2000.0, 300000.0}) {
      script.ireceive(before, 1, 5).at_site(1, 0).isend(next, bytes, 2, 5).at_site(2, 1).compute(2e-5 * rank);
      script.wait({1, 2}).at_site(3, 2);
      script.send_receive(next, bytes, before, 6).at_site(4, 3);
    }
    script.collective(CollectiveKind::allreduce, 80000).at_site(5, 4).icollective(CollectiveKind::bcast, 30000, 3);
    script.compute(1e-3).wait({3}).at_site(3, 5);
    if (rank == 0) script.send(1, 500, 7).at_site(6, 0).transfer(2, 100, 4000, 4).at_site(7, 1).wait({4}).at_site(3, 2);
    if (rank == 0) script.ireceive(0, 9, 1).isend(0, 0, 8, 1).wait({8, 9}); // to itself
    if (rank == 1) script.compute(5e-3).probe(0, 7).at_site(8, 0).receive(0, 7).at_site(1, 0);
    script.compute(1e-5 * rank);
  }
  program.all_finalize();
}

inline timeline::Names names() {
  std::vector<timeline::CallName> calls;
  for (const char* const function :
       {"MPI_Init", "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Sendrecv", "MPI_Allreduce", "MPI_Send", "MPI_Put", "MPI_Probe"})
    calls.push_back({function, "a \"quoted\", name.c:" + std::to_string(calls.size()), "a.c", static_cast<int>(calls.size())});
  return {calls, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 3}}};
}

struct Sample {
  sim::Prediction prediction;
  std::vector<timeline::TimeLine> lines; // two of the same prediction
};

inline Sample play_twice(platform::TransportKind kind, bool inside_collectives = false) {
  platform::Platform platform = flat(kRanks);
  platform.transport.kind = kind;
  platform.transport.eager_limit = 1000;
  platform.transport.socket_buffer = 50000;
  platform.p2p.send_overhead = {platform::OverheadSection{0, 1e-6, 1e-10}};
  platform.p2p.isend_overhead = platform.p2p.receive_overhead = platform.p2p.send_overhead;
  Sample out;
  Program program(kRanks);
  fill(program);
  for (const char* const name : {"measured", "predicted on \"flat\""}) {
    program.rewind();
    timeline::TimeLine& line = out.lines.emplace_back(kRanks);
    timeline::Recorder recorder(line, inside_collectives);
    out.prediction = sim::predict(program, platform, one_per_host(kRanks), sim::Options{}, nullptr, &recorder);
    REQUIRE(out.prediction.complete);
    line.name = name;
    line.names = names();
    line.host_of = {"n0", "n1", "n2", "n3"};
  }
  return out;
}

inline platform::TransportKind any_kind() {
  return GENERATE(platform::TransportKind::smpi, platform::TransportKind::tcp_openmpi, platform::TransportKind::rdma);
}

} // namespace sample
