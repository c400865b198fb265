// What a probe wrote, as data: facts about the run and single measurements.
//
// Text in pieces of any size (calib/probes/probe.h has the lines) -> ProbeOutput. Threads: none,
// one owner.
#pragma once

#include "calib/fit/batches.h"
#include "predictor/base/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace farcast::study {

struct Sample {
  std::string kind;       // "one-way", "send" ... (calib/probes/exchanges.h), or a collective's name
  std::string pair_class; // "same-cache" ... "other-node"
  double bytes = 0.0;
  int messages = 1; // or ranks
  double seconds = 0.0;
  int batch = fit::kNoBatch;
};

struct ProbeOutput {
  std::map<std::string, std::string> facts;
  std::vector<Sample> samples;

  // Returns: the fact's text, or "" without it.
  [[nodiscard]] std::string fact(const std::string& name) const;
  // Returns: the fact as a number, or `otherwise` without it.
  [[nodiscard]] double number(const std::string& name, double otherwise) const;
  [[nodiscard]] std::vector<Sample> of(std::string_view kind, std::string_view pair_class) const;
};

// Returns: the lines that ProbeReader takes for the same output.
std::string to_text(const ProbeOutput& output);
// Returns: samples of both, the later one's batches as those of a further run (fit/batches.h);
// facts of the later one, and of the kernel's least round-trip times the lesser. Errors: they are
// of different ranks, libraries or sizes, or found other eager limits; one sentence.
base::Result<ProbeOutput> join(const ProbeOutput& earlier, const ProbeOutput& later);

class ProbeReader {
public:
  // Errors: a line that no probe of this version writes; says which. Nothing more is taken then.
  base::Result<void> take(std::string_view text);
  [[nodiscard]] double progress() const { return progress_; } // 0 to 1
  // The probe has written everything. Without it the output is a part, and no calibration is made
  // of it.
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] const ProbeOutput& output() const { return output_; }

private:
  base::Result<void> take_line(std::string_view line);

  ProbeOutput output_;
  std::string rest_; // of a line that is not there whole yet
  std::size_t lines_ = 0;
  int batch_ = fit::kNoBatch;
  double progress_ = 0.0;
  bool complete_ = false;
};

} // namespace farcast::study
