#include "calib/study/probe_output.h"

#include "predictor/base/words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace farcast::study {

namespace {

constexpr std::string_view kFirstLine = "farcast-probe 2";

using base::take_word;

} // namespace

std::string ProbeOutput::fact(const std::string& name) const {
  const auto found = facts.find(name);
  return found == facts.end() ? "" : found->second;
}

double ProbeOutput::number(const std::string& name, double otherwise) const {
  double value = 0.0;
  return base::read_number(std::string_view(fact(name)), value) ? value : otherwise;
}

std::vector<Sample> ProbeOutput::of(std::string_view kind, std::string_view pair_class) const {
  std::vector<Sample> found;
  for (const Sample& sample : samples) {
    if (sample.kind == kind && sample.pair_class == pair_class) found.push_back(sample);
  }
  return found;
}

std::string to_text(const ProbeOutput& output) {
  std::string text = std::string(kFirstLine) + "\n";
  for (const auto& [name, value] : output.facts) text += fmt::format("fact {} {}\n", name, value);
  int batch = fit::kNoBatch;
  for (const Sample& sample : output.samples) {
    if (sample.batch != batch) text += fmt::format("batch {}\n", batch = sample.batch);
    text += fmt::format("sample {} {} {:.0f} {} {:.9g}\n", sample.kind, sample.pair_class, sample.bytes, sample.messages,
                        sample.seconds);
  }
  return text + "end\n";
}

base::Result<ProbeOutput> join(const ProbeOutput& earlier, const ProbeOutput& later) {
  const auto is_measured = [](const std::string& name) { return name == "seed" || name.starts_with("tcp_rtt."); };
  ProbeOutput all = later;
  for (const auto& [name, value] : later.facts) {
    const std::string before = earlier.fact(name);
    if (!is_measured(name) && before != value)
      return base::fail(fmt::format("the samples are of other runs: found {} '{}', expected '{}'", name, before, value));
    if (name.starts_with("tcp_rtt.") && earlier.number(name, 0.0) > 0.0)
      all.facts[name] = fmt::format("{:.9g}", std::min(earlier.number(name, 0.0), later.number(name, HUGE_VAL)));
  }
  all.samples = earlier.samples;
  int shift = 0;
  for (const Sample& sample : earlier.samples)
    shift = std::max(shift, (std::max(0, sample.batch) / fit::kBatchesOfRun + 1) * fit::kBatchesOfRun);
  for (Sample sample : later.samples) {
    if (sample.batch != fit::kNoBatch) sample.batch += shift;
    all.samples.push_back(std::move(sample));
  }
  return all;
}

base::Result<void> ProbeReader::take(std::string_view text) {
  rest_ += text;
  std::size_t start = 0;
  for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', start)) {
    if (auto taken = take_line(std::string_view(rest_).substr(start, end - start)); !taken) return taken;
    start = end + 1;
  }
  rest_.erase(0, start);
  return {};
}

base::Result<void> ProbeReader::take_line(std::string_view line) {
  ++lines_;
  std::string_view rest = line;
  const auto unlike = [&] {
    return base::fail(fmt::format("the probe's line {} is '{}': it is of another version", lines_, line));
  };
  if (lines_ == 1) {
    if (line != kFirstLine) return unlike();
    return {};
  }
  const std::string_view word = take_word(rest);
  if (word == "sample") {
    Sample sample;
    sample.batch = batch_;
    sample.kind = take_word(rest);
    sample.pair_class = take_word(rest);
    if (!base::read_number(take_word(rest), sample.bytes) || !base::read_number(take_word(rest), sample.messages) ||
        !base::read_number(rest, sample.seconds))
      return unlike();
    if (!(sample.bytes >= 0.0) || !(sample.seconds > 0.0) || !std::isfinite(sample.seconds)) return unlike();
    output_.samples.push_back(std::move(sample));
  } else if (word == "fact") {
    const std::string name(take_word(rest));
    output_.facts[name] = std::string(rest);
  } else if (word == "batch" || word == "sitting") { // the latter in samples of earlier versions
    int batch = 0;
    if (!base::read_number(rest, batch) || batch <= batch_) return unlike(); // in order of time
    batch_ = batch;
  } else if (word == "progress") {
    if (!base::read_number(rest, progress_)) return unlike();
  } else if (line == "end") {
    complete_ = true;
  } else {
    return unlike();
  }
  return {};
}

} // namespace farcast::study
