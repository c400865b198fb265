// Ensembles: scenarios that differ in what is left to chance, and what their predictions come to
// together.
//
// A realisation is one history of those that chance allows (sim::Options::seed). What is predicted
// is their mean, with so many of them that it is settled: half of its 90 % interval by Student's t
// is at most kSettled of it (Stein, A two-sample test for a linear hypothesis whose power is
// independent of the variance, 1945: how many more are needed follows from those that are there).
// All scenarios that leave something to chance get the same realisations. How far the prediction may be
// off, members tell that have other draws of all that is not known, and are played behind (members.h).
// Threads: as Questions.
#pragma once

#include "predictor/scenario/members.h"
#include "predictor/scenario/questions.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace farcast::scenario {

struct Spread { // seconds
  double mean = 0;
  double median = 0;
  double least = 0;
  double most = 0;
};

// Requires: values is not empty.
Spread spread_of(std::vector<double> values);

// The calls at one site: in each realisation the rank that spends the least time in them, of those
// that spend any, and the rank that spends the most.
struct SiteSpread {
  Spread quickest_rank;
  Spread slowest_rank;
};

struct Realisations {
  std::uint64_t first_seed = 1;
  std::size_t count = 0;
  Spread time;                               // of the predictions
  double known_to = 0;                       // of their mean: half of its 90 % interval, as a share; infinite for one
  std::map<std::uint32_t, SiteSpread> sites; // those that some rank spends time at, in each realisation
};

using RealisationsOf = std::vector<std::optional<Realisations>>; // of each of several predictions; empty: there are none

// Requires: members is not empty; one numbering of sites.
Realisations realisations_of(const std::vector<sim::Prediction>& members);

// Which realisations are played.
struct Draws {
  std::uint64_t first_seed = 1; // 0: nothing is left to chance, where count is 1
  std::size_t count = 0;        // 0: as many as settle the mean
  // Of the ensemble that tells how far the prediction may be off; unset: as many as are affordable.
  std::optional<std::size_t> members = 0;
  Deviations deviations = Deviations::of_another_run;
  std::uint64_t member_seed = 0;            // members have the seeds from first_seed + member_seed on
  double member_events = kPredictionEvents; // of the engine, that they may cost together
  bool tell_apart = true;                   // which of the things that are not known makes most of it: more members
};

inline constexpr double kSettled = 0.01; // of the mean

// Returns: how many realisations there should be, given the times of those that there are; no more
// than these when they suffice. Of cheap ones (`events` of the engine in each) there are more from
// the beginning, of dear ones fewer at the end.
std::size_t enough_realisations(const std::vector<double>& times, std::uint64_t events);

// Returns: whether the scenario has several realisations: only ordered channels have anything to
// draw.
bool leaves_to_chance(const Scenario& scenario);

// Returns: how many realisations all scenarios should have. `times`: [scenario that leaves
// something to chance][realisation that there is], seconds; `events`: of one of them, at most.
std::size_t wanted_realisations(const Draws& draws, const std::vector<std::vector<double>>& times, std::uint64_t events);

struct Expected {
  trace::SiteTable sites;                   // canonical numbers
  std::vector<sim::Prediction> predictions; // [scenario] the mean of its realisations
  RealisationsOf realisations;              // [scenario] unset where nothing is left to chance, or one was asked for
  std::vector<MemberValues> members;        // [scenario]; empty where no ensemble was played
};

class Ensemble {
public:
  // Starts to answer.
  Ensemble(Source& source, std::vector<Scenario> scenarios, Draws draws, Pool pool = {});

  // Returns: whether all is answered. Asks for more realisations when those that there are do not
  // suffice.
  bool finished();
  void wait();
  // Members may cost so many events of the engine; to be said before they are asked.
  void afford(double member_events) { draws_.member_events = member_events; }
  // Of a run that is compared with another: members tell how sure it is of the mean of such runs,
  // and chance on the network and what a whole run computes more than another have other draws in
  // the second of them; to be said before they are asked.
  void compared(bool second) {
    draws_.deviations = Deviations::of_the_mean;
    draws_.member_seed = second ? 1U << 20U : 0;
  }
  [[nodiscard]] std::size_t size() const { return scenarios_.size(); } // scenarios
  // Returns: how far the slowest of those that are played now is, as Questions do.
  [[nodiscard]] double virtual_time_s() const { return questions_->virtual_time_s(); }
  [[nodiscard]] std::uint64_t slots_played() const { return questions_->slots_played(); }
  [[nodiscard]] std::uint64_t first_played() const { return questions_->first_played(); }
  // Returns: how many of the predictions that are made now are there, and how many these are.
  [[nodiscard]] std::pair<std::size_t, std::size_t> made() const { return {questions_->answered(), questions_->size()}; }
  // Returns: all that has been asked so far.
  [[nodiscard]] const std::vector<Scenario>& asked() const { return asked_; }

  // Waits. `others` as of Questions::answers(). May be called once.
  Expected expected(const std::vector<trace::SiteTable>& others = {});

private:
  struct Stage {
    std::vector<std::size_t> first; // [scenario] its first question, and the end of the last one's
    Answers answers;                // none while it is under way
  };
  void ask(std::size_t from, std::size_t to);
  bool ask_members();
  [[nodiscard]] MembersPlan plan_of(std::size_t scenario) const;
  [[nodiscard]] std::vector<double> times_of(std::size_t scenario) const;
  void tell_confidence(Expected& out, const std::vector<std::vector<Outcome>>& realisations);
  [[nodiscard]] std::size_t wanted() const;

  Source& source_;
  std::vector<Scenario> scenarios_;
  Draws draws_;
  Pool pool_;
  std::vector<bool> chance_; // [scenario] it leaves something to chance
  std::vector<Scenario> asked_;
  std::size_t drawn_ = 0; // realisations that have been asked for
  std::vector<Stage> stages_;
  MembersPlan plan_;      // of members; none where none are asked
  Stage members_;         // not part of asked_
  bool varies_ = false;   // members are being answered, or have been
  bool under_way_ = true; // the last stage is being answered
  std::optional<Questions> questions_;
};

} // namespace farcast::scenario
