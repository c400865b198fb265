// A set of scenarios, answered from one source by a pool of threads.
//
// In: a source, scenarios. Out: their predictions, in the order of the scenarios, with one
// numbering of call sites and regions. Each prediction is what its scenario asked alone would get,
// byte for byte, whatever the number of threads.
// Threads: each of the pool takes the next scenario that nobody has, until none is left. All
// functions for one owner, except the figures of progress: any. Source, scenarios' platforms and
// what `begin` refers to must outlive it.
#pragma once

#include "predictor/base/workers.h"
#include "predictor/scenario/source.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace farcast::scenario {

struct Answers {
  trace::SiteTable sites; // canonical numbers
  std::vector<sim::Prediction> predictions;
};

struct Pool {
  std::size_t threads = 0;     // 0: as many as cores
  std::function<void()> begin; // called by each thread before anything else; may be null
};

class Questions {
public:
  // Starts to answer.
  Questions(Source& source, std::vector<Scenario> scenarios, Pool pool = {});
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;

  [[nodiscard]] bool finished() const { return workers_.finished(); }
  // Throws what went wrong in a thread.
  void wait() { workers_.wait(); }
  [[nodiscard]] std::size_t size() const { return scenarios_.size(); }
  // Returns: how far the slowest scenario is, in its own time and in the source's slots.
  [[nodiscard]] double virtual_time_s() const;
  [[nodiscard]] std::uint64_t slots_played() const;
  // The same of the first question, which is the one that answers a coupled program.
  [[nodiscard]] std::uint64_t first_played() const;
  // Returns: how many scenarios have been answered.
  [[nodiscard]] std::size_t answered() const;

  // Returns: the prediction of a scenario as soon as it is there, with numbers of call sites that
  // are its own; null before.
  [[nodiscard]] const sim::Prediction* answered(std::size_t scenario) const;

  // Waits. `others`: tables of what was measured, whose sites and regions get numbers too. May be
  // called once.
  Answers answers(const std::vector<trace::SiteTable>& others = {});

private:
  struct Question {
    sim::Progress progress;
    std::unique_ptr<Reading> reading; // while it is played
    std::uint64_t slots_played = 0;   // afterwards
    Sites sites;
    sim::Prediction prediction;
    std::atomic<bool> answered{false}; // the prediction is whole
  };
  void answer(std::size_t index);
  static std::uint64_t played(const Question& question);

  Source& source_;
  std::vector<Scenario> scenarios_;
  std::vector<std::unique_ptr<Question>> questions_; // [scenario]
  mutable std::mutex mutex_;                         // of readings and slots_played
  base::Workers workers_;
};

// A scenario that was played on the calling thread, with the numbers of sites that its observer was
// told.
struct Played {
  sim::Prediction prediction;
  trace::SiteTable sites;
};
// Requires: the source has not been asked before.
Played play(Source& source, const Scenario& scenario);

// Returns: the answers, when all are there.
Answers ask(Source& source, std::vector<Scenario> scenarios, Pool pool = {});

} // namespace farcast::scenario
