#include "calib/study/provenance.h"

#include "predictor/base/words.h"

#include <array>
#include <fmt/format.h>

namespace farcast::study {

namespace {

struct NumberField {
  std::string_view name;
  double SectionQuality::*member;
};
constexpr std::array kNumbers = {
    NumberField{"above", &SectionQuality::above_bytes},     NumberField{"low", &SectionQuality::break_low_bytes},
    NumberField{"high", &SectionQuality::break_high_bytes}, NumberField{"largest", &SectionQuality::largest_bytes},
    NumberField{"base", &SectionQuality::base_s},           NumberField{"per_byte", &SectionQuality::per_byte_s},
    NumberField{"r2", &SectionQuality::r_squared},          NumberField{"p50", &SectionQuality::residual_50},
    NumberField{"p90", &SectionQuality::residual_90},       NumberField{"p95", &SectionQuality::residual_95}};

struct IntervalField {
  std::string_view low_name, high_name;
  fit::Interval SectionQuality::*member;
};
constexpr std::array kIntervals = {IntervalField{"base_low", "base_high", &SectionQuality::base_interval_s},
                                   IntervalField{"per_byte_low", "per_byte_high", &SectionQuality::per_byte_interval_s}};

struct TextField {
  std::string_view name;
  std::string Provenance::*member;
};
constexpr std::array kTexts = {TextField{"host", &Provenance::host},       TextField{"cpu", &Provenance::cpu},
                               TextField{"mpi", &Provenance::mpi},         TextField{"date", &Provenance::date},
                               TextField{"command", &Provenance::command}, TextField{"farcast", &Provenance::version}};

bool take_field(std::string_view name, std::string_view value, SectionQuality& quality) {
  if (name == "curve") {
    quality.curve = value;
    return true;
  }
  if (name == "class") {
    quality.pair_class = value;
    return true;
  }
  if (name == "samples") return base::read_number(value, quality.samples);
  if (name == "outliers") return base::read_number(value, quality.outliers);
  for (const NumberField& field : kNumbers) {
    if (field.name == name) return base::read_number(value, quality.*field.member);
  }
  for (const IntervalField& field : kIntervals) {
    if (field.low_name == name) return base::read_number(value, (quality.*field.member).low);
    if (field.high_name == name) return base::read_number(value, (quality.*field.member).high);
  }
  return false;
}

} // namespace

std::vector<SectionQuality> section_quality(std::string_view curve, std::string_view pair_class, const fit::PiecewiseFit& fit) {
  std::vector<SectionQuality> all;
  for (std::size_t i = 0; i < fit.sections.size(); ++i) {
    const fit::Section& section = fit.sections[i];
    SectionQuality quality;
    quality.curve = curve;
    quality.pair_class = pair_class;
    quality.above_bytes = quality.break_low_bytes = quality.break_high_bytes = section.from_bytes;
    if (i > 0) {
      quality.break_low_bytes = fit.breaks[i - 1].bytes_interval.low;
      quality.break_high_bytes = fit.breaks[i - 1].bytes_interval.high;
    }
    quality.largest_bytes = section.largest_bytes;
    quality.base_s = section.base_s.value;
    quality.per_byte_s = section.per_byte_s.value;
    quality.base_interval_s = section.base_s.interval;
    quality.per_byte_interval_s = section.per_byte_s.interval;
    quality.samples = section.samples;
    quality.outliers = section.outliers;
    quality.r_squared = section.r_squared;
    quality.residual_50 = section.residual_50;
    quality.residual_90 = section.residual_90;
    quality.residual_95 = section.residual_95;
    all.push_back(std::move(quality));
  }
  return all;
}

std::string to_text(const SectionQuality& quality) {
  std::string text = fmt::format("curve={} class={} samples={} outliers={}", quality.curve, quality.pair_class, quality.samples,
                                 quality.outliers);
  for (const NumberField& field : kNumbers) text += fmt::format(" {}={:.6g}", field.name, quality.*field.member);
  for (const IntervalField& field : kIntervals) {
    const fit::Interval& interval = quality.*field.member;
    if (interval.low < interval.high)
      text += fmt::format(" {}={:.6g} {}={:.6g}", field.low_name, interval.low, field.high_name, interval.high);
  }
  return text;
}

std::optional<SectionQuality> parse_section_quality(std::string_view text) {
  SectionQuality quality;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || !take_field(word.substr(0, equals), word.substr(equals + 1), quality))
      return std::nullopt;
  }
  return quality.curve.empty() ? std::nullopt : std::optional(quality);
}

std::vector<std::pair<std::string, std::string>> to_entries(const Provenance& provenance) {
  std::vector<std::pair<std::string, std::string>> entries;
  entries.reserve(kTexts.size() + 1);
  for (const TextField& field : kTexts) entries.emplace_back(field.name, provenance.*field.member);
  entries.emplace_back("seed", fmt::format("{:.0f}", provenance.seed));
  return entries;
}

Provenance from_entries(const std::vector<std::pair<std::string, std::string>>& entries) {
  Provenance provenance;
  for (const auto& [name, value] : entries) {
    for (const TextField& field : kTexts) {
      if (field.name == name) provenance.*field.member = value;
    }
    if (name == "seed" && !base::read_number(std::string_view(value), provenance.seed)) provenance.seed = 0.0;
  }
  return provenance;
}

} // namespace farcast::study
