// Many scenarios of one run, of which only the totals are wanted: an ensemble that can be killed
// and go on, and that several processes can share.
//
// As an Ensemble: all scenarios that leave something to chance get the same realisations, so many
// as settle the means of all. Process `rank` of `size` plays every size-th of the questions that
// nobody has answered, and takes the others' answers from the store. The answers are the same
// whoever played them.
// How far points and their differences may be off, members tell (members.h) that are played behind,
// with common draws for all points. Unasked, of all points where so many as an interval needs cost
// no more than half of what the points themselves did, or Draws::member_events; else of the base
// and of those that come first in the ranking, as many as that allows.
// Threads: as Questions.
#pragma once

#include "predictor/scenario/ensemble.h"
#include "predictor/scenario/sweep_store.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace farcast::scenario {

struct Share { // of the work
  int rank = 0;
  int size = 1;
};

// What is to be said beside a prediction.
using RemarksOf = std::function<std::vector<Remark>(const sim::Prediction&)>;
// What scenarios are ranked by: the least comes first.
using CostOf = std::function<double(std::size_t scenario, const SweepAnswer&)>;

class Sweep {
public:
  // Starts to answer. `store`: null: nothing is kept, and size is 1; else it outlives the sweep.
  // `remarks_of`: may be null.
  Sweep(Source& source, std::vector<Scenario> scenarios, Draws draws, SweepStore* store = nullptr, Share share = {},
        RemarksOf remarks_of = {}, Pool pool = {});

  // Which scenario the others are compared with, and what they are ranked by (else by the first,
  // and by time); before finished().
  void rank_by(std::size_t base, CostOf cost_of);

  // Returns: whether all is answered, or cannot be. To be called again and again: it keeps what has
  // been answered meanwhile. Errors: it cannot be kept. Throws what went wrong in a thread.
  base::Result<bool> finished();
  [[nodiscard]] std::size_t asked() const { return asked_.size(); }
  [[nodiscard]] std::size_t answered() const { return known_; }
  // Returns: how many were answered before this process began.
  [[nodiscard]] std::size_t found() const { return found_; }
  // Returns: whether this process has played all of its share.
  [[nodiscard]] bool waits_for_others() const { return share_.size > 1 && (!questions_ || questions_->finished()); }
  // Returns: how many processes share the sweep as far as this one knows, itself included.
  [[nodiscard]] int processes() const { return processes_; }
  // Returns: the mean over the scenario's realisations; unset while one is not known.
  [[nodiscard]] std::optional<SweepAnswer> answer(std::size_t scenario) const;
  // Returns: how they differ; unset where there is one only, or while one is not known.
  [[nodiscard]] std::optional<Realisations> realisations(std::size_t scenario) const;
  // Returns: what members make of it; unset where it has none, or while one is not known.
  [[nodiscard]] std::optional<MemberValues> member_values(std::size_t scenario) const;
  // Returns: whether members that were to be played have not been, as when the sweep was interrupted.
  [[nodiscard]] bool lacks_members() const { return draws_.members != 0 && (!varies_ || known_ < asked_.size()); }

private:
  void ask(std::size_t from, std::size_t to);
  void choose_members();
  bool ask_members();
  void enqueue(const SweepQuestion& question, const Scenario& scenario);
  void play_enqueued();
  [[nodiscard]] MembersPlan plan_of(std::size_t scenario) const;
  [[nodiscard]] std::vector<std::size_t> ranking() const;
  [[nodiscard]] std::vector<Outcome> outcomes(std::size_t scenario) const;
  void read_store();
  void count_known();
  [[nodiscard]] std::size_t wanted() const;
  base::Result<void> take_answers();
  [[nodiscard]] std::vector<sim::Prediction> members(std::size_t scenario) const;
  [[nodiscard]] SweepQuestion question_of(std::size_t scenario, std::size_t draw) const;

  Source& source_;
  std::vector<Scenario> scenarios_;
  Draws draws_;
  SweepStore* store_;
  Share share_;
  RemarksOf remarks_of_;
  Pool pool_;
  std::size_t base_ = 0;
  CostOf cost_of_;
  std::vector<bool> chance_; // [scenario] it leaves something to chance
  std::vector<bool> chosen_; // [scenario] it has members; empty: none has
  MembersPlan plan_;
  bool varies_ = false; // members have been asked for, where there are any
  std::vector<Scenario> enqueued_;
  std::vector<SweepQuestion> asked_;
  SweepAnswers answers_;
  std::size_t known_ = 0; // of those asked
  std::size_t found_ = 0;
  int processes_ = 1;
  std::size_t drawn_ = 0; // realisations that have been asked for
  std::vector<SweepQuestion> played_here_;
  std::vector<bool> taken_; // [played here] its answer is known
  std::optional<Questions> questions_;
};

} // namespace farcast::scenario
