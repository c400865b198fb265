// Where a calibration comes from: written into every file that calibration makes, and judged later
// (judge.h).
#pragma once

#include "calib/fit/piecewise.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace farcast::study {

struct Provenance {
  std::string host;
  std::string cpu;     // model name
  std::string mpi;     // the library as it names itself
  std::string date;    // ISO 8601, UTC
  std::string command; // command line
  std::string version; // of farcast
  double seed = 0.0;
};

// The quality of one fitted section, as it stands in a file: "curve=send class=other-node above=0
// ... p95=0.034".
struct SectionQuality {
  std::string curve;
  std::string pair_class;
  double above_bytes = 0.0;
  double break_low_bytes = 0.0; // interval of above_bytes; equal: known, or the first section
  double break_high_bytes = 0.0;
  double largest_bytes = 0.0; // of its samples
  double base_s = 0.0;
  double per_byte_s = 0.0;
  fit::Interval base_interval_s; // 95 %; {0, 0}: not known
  fit::Interval per_byte_interval_s;
  std::size_t samples = 0;
  std::size_t outliers = 0;
  double r_squared = 0.0;
  double residual_50 = 0.0; // shares of the time
  double residual_90 = 0.0;
  double residual_95 = 0.0;
};

// Returns: one entry per section.
std::vector<SectionQuality> section_quality(std::string_view curve, std::string_view pair_class, const fit::PiecewiseFit& fit);
std::string to_text(const SectionQuality& quality);
// Returns: nothing when the text is not one of to_text's.
std::optional<SectionQuality> parse_section_quality(std::string_view text);

// Returns: the provenance as (name, value), in a fixed order, and back. Unknown names are passed over.
std::vector<std::pair<std::string, std::string>> to_entries(const Provenance& provenance);
Provenance from_entries(const std::vector<std::pair<std::string, std::string>>& entries);

} // namespace farcast::study
