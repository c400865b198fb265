// One rank's operations as lines of a time-independent trace.
//
// Invariants: (1) a line is in SimGrid 3.32's format wherever that can say it; (2) rounding never
// adds up: what a line's integer leaves out of computation or sleep is carried to the next.
#pragma once

#include "predictor/collective/schedule.h"
#include "predictor/convert/convert.h"
#include "predictor/convert/plan.h"

#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <set>
#include <string>

namespace farcast::convert {

// What all ranks of a run share.
struct Shared {
  const Options& options;
  TagNumbers tags;
  CommunicatorNumbers communicators;
  Losses losses;
  std::uint64_t actions = 0;
};

inline constexpr double kDetachedBelow = 65536; // SimGrid's default: below it a sender never waits, whatever the mode

class TiWriter {
public:
  TiWriter(int rank, Shared& shared, const RankPlan& plan) : rank_(rank), shared_(shared), plan_(plan) {}
  // Appends the lines to `out`.
  void write(const trace::Operation& operation, std::string& out);
  // What is due when the timeline has ended.
  void end(std::string& out);

private:
  template <class... Args> void line(std::string& out, const char* format, const Args&... args) {
    fmt::format_to(std::back_inserter(out), "{} ", rank_);
    fmt::vformat_to(std::back_inserter(out), format, fmt::make_format_args(args...));
    out += '\n';
    ++shared_.actions;
  }
  void flush(std::string& out);
  void flush_probe(const trace::Operation* next, std::string& out);
  void message(const trace::Operation& operation, std::string& out);
  void post(const trace::Operation& operation, bool sends, std::string& out);
  void exchange(const trace::Operation& operation, std::string& out);
  void transfer(const trace::Operation& operation, std::string& out);
  void lock(const trace::Operation& operation, std::string& out);
  void wait(const trace::Operation& operation, std::string& out);
  void collective(const trace::Operation& operation, std::string& out);
  void collective_of(trace::CollectiveKind kind, const trace::Operation& operation, std::string& out);
  void expand(const trace::Operation& operation, std::string& out);
  std::string name_of(const trace::Operation& operation, std::string& out);
  void local(const trace::Operation& operation);
  void lose(const std::string& what) { shared_.losses.count(what, rank_); }
  [[nodiscard]] int tag_of(const trace::Operation& operation, int tag);

  int rank_;
  Shared& shared_;
  const RankPlan& plan_;
  double compute_flops_ = 0; // not yet written
  double sleep_s_ = 0;
  bool started_ = false;
  bool finished_ = false;
  RequestBook book_;
  std::set<std::uint32_t> numbered_;             // requests with a number that are under way
  std::set<std::uint32_t> defined_;              // communicators
  std::map<std::uint32_t, std::uint32_t> calls_; // collectives per communicator, when expanded
  std::optional<trace::Operation> probe_;        // not yet written: its receive may follow at once
};

// Returns: the arguments of a collective, in bytes, as ti_trace.md lists them. ranks: of whom the
// lists speak.
std::string ti_arguments(const trace::Collective& collective, std::size_t ranks, bool inter);

} // namespace farcast::convert
