// One rank's operations as a GOAL schedule: vertices `send`, `recv` and `calc` with their
// dependencies, as LogGOPSim reads them.
//
// What a rank does in order is a chain of `requires`; what it only starts hangs beside the chain,
// begins after what was issued before it (`irequires`), and is joined by a `calc 0` where it is
// waited for. Collectives are their messages. Computation is in nanoseconds. Messages of no bytes
// have one: LogGOPSim counts the gaps between bytes.
// Source: Hoefler, Schneider, Lumsdaine 2010; LogGOPSim's txt2bin for the grammar.
#pragma once

#include "predictor/convert/ti_writer.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace farcast::convert {

class GoalWriter {
public:
  GoalWriter(int rank, Shared& shared, const RankPlan& plan, std::string& out)
      : rank_(rank), shared_(shared), plan_(plan), out_(out) {}
  void write(const trace::Operation& operation);
  void end();

private:
  using Vertex = std::uint64_t; // the number of its label; 0: none

  Vertex add(const std::string& what, const std::vector<Vertex>& after);
  Vertex calc(double nanoseconds, const std::vector<Vertex>& after);
  Vertex send(int peer, double bytes, int tag, const std::vector<Vertex>& after);
  Vertex receive(int peer, double bytes, int tag, const std::vector<Vertex>& after);
  void issue(std::uint32_t request, Vertex vertex);
  void compute();
  void message(const trace::Operation& operation);
  void collective(const trace::Operation& operation);
  Vertex messages_of(const trace::Operation& operation, Vertex after);
  void wait(const std::vector<std::uint32_t>& requests);
  void lose(const std::string& what) { shared_.losses.count(what, rank_); }
  [[nodiscard]] int tag_of(const trace::Operation& operation, int tag);

  int rank_;
  Shared& shared_;
  const RankPlan& plan_;
  std::string& out_;
  Vertex made_ = 0;
  Vertex after_ = 0;  // what the rank does next comes after it
  Vertex issued_ = 0; // begun last, maybe not done
  double pending_ns_ = 0;
  bool started_ = false;
  bool finished_ = false;
  std::unordered_map<std::uint32_t, std::vector<Vertex>> requests_;
  std::map<std::uint32_t, std::uint32_t> calls_; // collectives per communicator
};

} // namespace farcast::convert
