// A small run made by hand, with round figures that a reader of the golden reports can check in the
// head.
//
// Two ranks on one node, one second each: rank 0 computes 0.75 s and communicates 0.25 s, rank 1
// 0.5 s and 0.5 s.
#pragma once

#include "predictor/report/run_summary.h"
#include "predictor/sim/prediction.h"

#include <vector>

namespace farcast::report {

inline SiteStats stats(std::uint64_t count, double total_s, double max_s, double min_s, double bytes_per_call = 0.0) {
  using base::Bytes;
  using base::Seconds;
  SiteStats result;
  result.time = {count, Seconds(total_s), Seconds(max_s), Seconds(min_s)};
  if (bytes_per_call > 0.0)
    result.sent = {count, Bytes(bytes_per_call * static_cast<double>(count)), Bytes(bytes_per_call), Bytes(bytes_per_call)};
  return result;
}

inline RunSummary sample_run() {
  using base::Seconds;
  RunSummary run;
  run.farcast_version = "0.1.0";
  run.program = "./halo --steps 100";
  run.executable = "/home/user/halo";
  run.mpi_library = "Open MPI";
  run.mpi_version = "4.1.4";
  run.start_date = "2026-11-20T12:00:00+00:00";
  run.wall = Seconds(1.0);
  run.ranks = {{"node-a", Seconds(1.0), Seconds(0.25), ThreadsOfRank{4, 2, 12, 1.5}}, {"node-a", Seconds(1.0), Seconds(0.5)}};
  run.calls = {{"MPI_Init", 2}, {"MPI_Send", 100}, {"MPI_Recv", 100}, {"MPI_Allreduce", 2}, {"MPI_Finalize", 2}};
  run.recorded = 206;
  run.time_dependent_decisions = 7;
  run.sites = {{"init+0x1f (libhalo.so)", "", 0, "init", "libhalo.so", "MPI_Init"},
               {"halo.c:120", "/home/user/src/halo.c", 120, "exchange", "halo", "MPI_Send"},
               {"halo.c:124", "/home/user/src/halo.c", 124, "exchange", "halo", "MPI_Recv"},
               {"norm.cpp:30", "/home/user/src/norm.cpp", 30, "Norm<double, 3>::over_all_processes(Field const&)", "halo",
                "MPI_Allreduce"},
               {"halo.c:7", "/home/user/src/halo.c", 7, "never_called", "halo", "MPI_Abort"}};
  run.site_stats.resize(run.sites.size());
  run.site_stats[1] = {stats(100, 0.125, 0.01, 0.001, 4096.0), {}};
  run.site_stats[2] = {{}, stats(100, 0.375, 0.02, 0.002)};
  run.site_stats[3] = {stats(1, 0.125, 0.125, 0.125, 8.0), stats(1, 0.125, 0.125, 0.125, 8.0)};
  run.regions = {{0, 1}, {1, 1}, {2, 3}};
  run.region_stats = {{2, Seconds(0.25), 0.5}, {99, Seconds(0.75), 0.03125}, {1, Seconds(0.25), 0.0}};
  run.unmodelled = {{"MPI_Win_fence", {4, Seconds(0.002)}}};
  run.overhead.per_call = Seconds(48e-9);
  run.overhead.per_rank = {Seconds(5e-6), Seconds(6e-6)};
  run.overhead.predictor_cpu = Seconds(0.015);
  run.overhead.backlog_records = 12;
  run.overhead.share_of_wall = 0.000006;
  run.pushed_aside = {0.04, 0.0625, 1, 0, 0.001};
  return run;
}

inline sim::RankTimes rank_times(double compute, double p2p, double collective, double waiting, double ended) {
  using base::Seconds;
  sim::RankTimes times;
  times.in = {Seconds(compute), Seconds(p2p), Seconds(collective), Seconds(0.0), Seconds(waiting), Seconds(0.0), Seconds(ended)};
  return times;
}

inline std::vector<sim::Prediction> sample_predictions() {
  using base::Joules;
  using base::Seconds;
  sim::Prediction taurus;
  taurus.platform = "taurus";
  taurus.placement = "blocks of 12 ranks per node on 1 of 16 nodes";
  taurus.assumptions = {sim::PollingAssumed{base::Watts(188.0)}, sim::MemoryUncontended{2}};
  taurus.time = Seconds(2.0);
  taurus.energy = Joules(320.0);
  taurus.energy_parts = {Joules(184.0), Joules(100.0), Joules(36.0), Joules(0.0)};
  taurus.nodes = {{0, Joules(320.0), Seconds(0.0)}};
  taurus.nodes_used = 1;
  taurus.ranks = {rank_times(0.75, 0.5, 0.25, 0.25, 0.25), rank_times(0.5, 0.5, 0.25, 0.75, 0.0)};
  taurus.ranks[0].sent = base::Bytes(409608.0);
  taurus.ranks[0].messages = 101;
  taurus.ranks[0].energy = Joules(170.0);
  taurus.ranks[1].energy = Joules(149.0);
  taurus.idle_energy = Joules(1.0);
  taurus.sites[1] = {{100, Seconds(0.5), Seconds(0.01), Seconds(0.001), Joules(40.0)}, {}};
  taurus.sites[2] = {{}, {100, Seconds(1.25), Seconds(0.02), Seconds(0.01), Joules(110.0)}};
  taurus.sites[3] = {{1, Seconds(0.25), Seconds(0.25), Seconds(0.25), Joules(20.0)},
                     {1, Seconds(0.25), Seconds(0.25), Seconds(0.25), Joules(20.0)}};
  taurus.regions = {{0, {2, Seconds(0.25), Seconds(0.25), Joules(30.0)}},
                    {1, {99, Seconds(0.75), Seconds(0.75), Joules(90.0)}},
                    {2, {1, Seconds(0.25), Seconds(0.25), Joules(9.0)}}};

  sim::Prediction galera = taurus;
  galera.platform = "/home/user/clusters/of/many/kinds/galera.xml";
  galera.placement = "one rank per node on 2 of 16 nodes";
  galera.compute_speed = {host::ComputeSpeed::Source::option, 2.0, 2.0};
  galera.assumptions.clear();
  galera.faulty_files = {{galera.platform, {true, model::FewSamples{"one-way (other-node)", 12, 30}}}};
  galera.time = Seconds(1.5);
  galera.energy.reset();
  galera.energy_parts = {};
  galera.nodes = {{0, Joules(0.0), Seconds(0.0)}, {1, Joules(0.0), Seconds(0.0)}};
  galera.nodes_used = 2;
  galera.ranks = {rank_times(0.375, 0.5, 0.25, 0.25, 0.125), rank_times(0.25, 0.5, 0.25, 0.5, 0.0)};
  galera.ranks[0].sent = taurus.ranks[0].sent;
  galera.ranks[0].messages = taurus.ranks[0].messages;
  galera.complete = false;
  sim::Problem blocked{.kind = sim::ProblemKind::blocked, .rank = 1, .site = 2, .operation = trace::OperationKind::receive};
  blocked.peer = 0;
  blocked.tag = 3;
  blocked.at_s = 1.25;
  galera.problems = {blocked};
  for (auto& [region, times] : galera.regions) times.predicted = times.measured * 0.5;
  return {taurus, galera};
}

} // namespace farcast::report
