#include "calib/study/probe_output.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace farcast::study {

namespace {

constexpr std::string_view kFirstLine = "farcast-probe 2";

std::string_view take_word(std::string_view& text) {
  const std::size_t end = text.find(' ');
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return word;
}

template <class Number> bool parse(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

} // namespace

std::string ProbeOutput::fact(const std::string& name) const {
  const auto found = facts.find(name);
  return found == facts.end() ? "" : found->second;
}

double ProbeOutput::number(const std::string& name, double otherwise) const {
  double value = 0.0;
  return parse(std::string_view(fact(name)), value) ? value : otherwise;
}

std::vector<Sample> ProbeOutput::of(std::string_view kind, std::string_view pair_class) const {
  std::vector<Sample> found;
  for (const Sample& sample : samples) {
    if (sample.kind == kind && sample.pair_class == pair_class) found.push_back(sample);
  }
  return found;
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
    sample.sitting = sitting_;
    sample.kind = take_word(rest);
    sample.pair_class = take_word(rest);
    if (!parse(take_word(rest), sample.bytes) || !parse(take_word(rest), sample.messages) || !parse(rest, sample.seconds))
      return unlike();
    if (!(sample.bytes >= 0.0) || !(sample.seconds > 0.0) || !std::isfinite(sample.seconds)) return unlike();
    output_.samples.push_back(std::move(sample));
  } else if (word == "fact") {
    const std::string name(take_word(rest));
    output_.facts[name] = std::string(rest);
  } else if (word == "sitting") {
    int sitting = 0;
    if (!parse(rest, sitting) || sitting <= sitting_) return unlike(); // in order of time
    sitting_ = sitting;
  } else if (word == "progress") {
    if (!parse(rest, progress_)) return unlike();
  } else if (line == "end") {
    complete_ = true;
  } else {
    return unlike();
  }
  return {};
}

} // namespace farcast::study
