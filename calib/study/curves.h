// Sections through samples of one kind of measurement, and the lines of overhead that predictions
// can use of them.
//
// Samples -> Curve -> OverheadLine. Units SI. Threads: pure functions.
#pragma once

#include "calib/fit/piecewise.h"
#include "calib/study/probe_output.h"
#include "predictor/platform/platform.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace farcast::study {

inline constexpr std::size_t kLeastSamples = 10; // of a section
inline constexpr double kMostOverhead = 0.9;

// Samples of one kind of measurement and the sections through them.
struct Curve {
  std::string name; // "one-way", "send", "isend", "receive", "network"; "self"
  std::vector<fit::TimedSize> samples;
  fit::PiecewiseFit fit;
};

struct OverheadLine {
  double above_bytes; // strict
  double base_s;      // >= 0
  double per_byte_s;  // >= 0
};

struct Line {
  double base_s;
  double per_byte_s;
  fit::Interval per_byte_interval;
};

fit::Estimate middle_of(const std::vector<fit::TimedSize>& figures);

// Returns: the fitted section, or where it falls or begins below zero the best of what may be.
// Sizes may be shifted by `shift`.
Line non_negative(const fit::Section& section, const std::vector<fit::TimedSize>& samples, double end, double shift);

// Returns: the size up to which a section goes.
double end_of(const fit::PiecewiseFit& fit, std::size_t section);

std::vector<OverheadLine> overhead_lines(const Curve& curve);
// Returns: the standard errors of these lines' parameters; no line that is not the fitted one.
platform::OverheadErrors overhead_errors(const Curve& curve);
// Returns: seconds of a call with so many bytes.
double overhead(const std::vector<OverheadLine>& lines, double bytes);

std::vector<fit::TimedSize> timed_sizes(const std::vector<Sample>& samples);

// Fits what can be fitted; a curve without sections and a note otherwise. The break is required
// only where both sides have samples.
Curve fit_curve(std::string name, std::vector<fit::TimedSize> samples, std::optional<double> known_break,
                const std::string& where, std::vector<std::string>& notes);

// os + or may not eat the message's time up: a copy measured alone may cost more than in a
// ping-pong, where caches are warm, so both together are at most kMostOverhead of the one-way time.
// That is the time of the sample's batch: a figure that is the bound is as unsure as the bound.
void bound_samples(std::vector<fit::TimedSize>& samples, const Curve& one_way, const std::vector<OverheadLine>& before);

} // namespace farcast::study
