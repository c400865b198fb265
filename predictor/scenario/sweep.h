// Many scenarios of one run, of which only the totals are wanted: an ensemble that can be killed
// and go on, and that several processes can share.
//
// As an Ensemble: all scenarios that leave something to chance get the same realisations, so many
// as settle the means of all. Process `rank` of `size` plays every size-th of the questions that
// nobody has answered, and takes the others' answers from the store. The answers are the same
// whoever played them. Threads: as Questions.
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

class Sweep {
public:
  // Starts to answer. `store`: null: nothing is kept, and size is 1; else it outlives the sweep.
  // `remarks_of`: may be null.
  Sweep(Source& source, std::vector<Scenario> scenarios, Draws draws, SweepStore* store = nullptr, Share share = {},
        RemarksOf remarks_of = {}, Pool pool = {});

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

private:
  void ask(std::size_t from, std::size_t to);
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
  std::vector<bool> chance_; // [scenario] it leaves something to chance
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
