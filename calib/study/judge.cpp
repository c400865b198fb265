#include "calib/study/judge.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace farcast::study {

using model::Finding;

namespace {

constexpr std::size_t kFewSamples = 30; // per section
constexpr double kManyOutliers = 0.15;  // of the samples
// Percentiles of |measured - fitted| / fitted. Calls of a microsecond scatter more than messages,
// and count less.
constexpr double kPoorMessage = 0.10;
constexpr double kPoorMessageTail = 0.50;
constexpr double kPoorCall = 0.50;
constexpr double kPoorBlock = 0.50;  // two parameters for all sizes cannot follow every algorithm
constexpr double kPoorBlockR2 = 0.7; // Proficz16 has 0.73 at the lowest
// R^2 says something only where the time changes by more than its scatter.
constexpr double kLeastChange = 2.0;
constexpr double kPoorR2 = 0.9;
constexpr std::size_t kFewSettings = 12;    // samples of power: three settings
constexpr std::size_t kFewRepetitions = 10; // of a kernel
constexpr double kWideTimes = 0.05;         // scatter of a kernel's times, as a share of their median

std::string name_of(const SectionQuality& section) {
  std::string name = section.pair_class == "all" ? section.curve : fmt::format("{} ({})", section.curve, section.pair_class);
  if (section.above_bytes > 0.0) name += fmt::format(" above {:.0f} B", section.above_bytes);
  return name;
}

double most_typical_residual(const SectionQuality& section, const std::string& kind) {
  if (kind == "collectives") return kPoorBlock;
  return section.curve == "one-way" ? kPoorMessage : kPoorCall;
}

void judge_section(const SectionQuality& section, const std::string& kind, std::vector<Finding>& findings) {
  const std::string name = name_of(section);
  if (section.samples < kFewSamples) findings.push_back({true, model::FewSamples{name, section.samples, kFewSamples}});
  if (static_cast<double>(section.outliers) > kManyOutliers * static_cast<double>(section.samples))
    findings.push_back({true, model::ManyOutliers{name, section.outliers, section.samples}});
  const double bound = most_typical_residual(section, kind);
  if (section.residual_50 > bound)
    findings.push_back({true, model::LargeResiduals{name, false, section.residual_50, bound}});
  else if (section.curve == "one-way" && section.residual_95 > kPoorMessageTail)
    findings.push_back({true, model::LargeResiduals{name, true, section.residual_95, kPoorMessageTail}});
  const double begin = section.base_s + section.per_byte_s * section.above_bytes;
  const double end = section.base_s + section.per_byte_s * section.largest_bytes;
  if (section.curve == "one-way" && begin > 0.0 && end > kLeastChange * begin && section.r_squared < kPoorR2)
    findings.push_back({true, model::LowRSquared{name, section.r_squared, kPoorR2, end / begin}});
}

// The network's part follows from the others, whose residuals say how well: but it is to be known to
// what a message takes in all.
void judge_network(const SectionQuality& part, const std::vector<SectionQuality>& sections, std::vector<Finding>& findings) {
  const SectionQuality* whole = nullptr;
  for (const SectionQuality& section : sections) {
    if (section.curve == "one-way" && section.pair_class == part.pair_class && section.above_bytes <= part.above_bytes)
      whole = &section;
  }
  if (whole == nullptr) return;
  const double message = whole->base_s + whole->per_byte_s * part.above_bytes;
  const double unsure = (part.base_interval_s.high - part.base_interval_s.low) / 2;
  if (message > 0 && unsure > message)
    findings.push_back({true, model::LargeResiduals{name_of(part), false, unsure / message, 1.0}});
}

void judge_block(const SectionQuality& block, std::vector<Finding>& findings) {
  if (block.r_squared < kPoorBlockR2)
    findings.push_back({true, model::LowRSquared{name_of(block), block.r_squared, kPoorBlockR2}});
}

void judge_power(const SectionQuality& load, std::vector<Finding>& findings) {
  if (load.samples < kFewSettings) findings.push_back({true, model::FewSamples{load.curve, load.samples, kFewSettings, true}});
  if (load.r_squared < kPoorR2) findings.push_back({true, model::LowRSquared{load.curve, load.r_squared, kPoorR2}});
}

// One finding for all kernels: a busy machine shows in many.
void judge_speed(const CalibrationRecord& record, const Surroundings& here, std::vector<Finding>& findings) {
  const SectionQuality* shortest = nullptr;
  const SectionQuality* widest = nullptr;
  std::size_t few = 0, wide = 0;
  for (const SectionQuality& kernel : record.sections) {
    if (shortest == nullptr || kernel.samples < shortest->samples) shortest = &kernel;
    if (widest == nullptr || kernel.residual_50 > widest->residual_50) widest = &kernel;
    few += kernel.samples < kFewRepetitions ? 1 : 0;
    wide += kernel.residual_50 > kWideTimes ? 1 : 0;
  }
  const std::size_t kernels = record.sections.size();
  if (few > 0)
    findings.push_back({true, model::FewKernelRuns{few, kernels, name_of(*shortest), shortest->samples, kFewRepetitions}});
  if (wide > 0)
    findings.push_back({true, model::KernelsScatter{wide, kernels, name_of(*widest), widest->residual_50, kWideTimes}});
  if (here.kernels.empty() || record.kernels == here.kernels) return;
  const auto version = [](const std::string& build) { return build.substr(0, build.find(',')); };
  const bool other_work = version(record.kernels) != version(here.kernels);
  findings.push_back({other_work, model::OtherKernels{record.kernels, here.kernels, other_work}});
}

// What a node does is a matter of its processor.
void judge_processor(const CalibrationRecord& record, const Surroundings& here, std::vector<Finding>& findings) {
  const Provenance& made = record.provenance;
  if (made.cpu.empty() || here.cpu.empty() || made.cpu == here.cpu) return;
  const bool same_host = made.host == here.host;
  findings.push_back({same_host, model::OtherProcessor{made.cpu, here.cpu, same_host ? here.host : ""}});
}

bool is_of_family(const std::string& library, const std::string& family) {
  return family == "openmpi" ? library.starts_with("Open MPI") : library.starts_with("MPICH");
}

void judge_library(const CalibrationRecord& record, const Surroundings& here, std::vector<Finding>& findings) {
  const std::string& mpi = record.provenance.mpi;
  if (mpi.empty()) {
    findings.push_back({true, model::LibraryUnsaid{}});
    return;
  }
  if (!here.program.empty() && !here.program_library.empty() && !is_of_family(mpi, here.program_library))
    findings.push_back({true, model::OtherLibrary{mpi, here.program, here.program_library == "openmpi" ? "Open MPI" : "MPICH"}});
  if (here.libraries.empty() || std::find(here.libraries.begin(), here.libraries.end(), mpi) != here.libraries.end()) return;
  findings.push_back({true, model::LibraryNotInstalled{mpi, here.libraries}});
}

} // namespace

std::vector<Finding> judge(const CalibrationRecord& record, const Surroundings& here) {
  std::vector<Finding> findings;
  const bool of_node = record.kind == "power" || record.kind == "speed"; // which need no MPI library
  if (!of_node || !record.provenance.mpi.empty()) judge_library(record, here, findings);
  if (of_node) judge_processor(record, here, findings);
  if (record.sections.empty()) findings.push_back({true, model::QualityUnsaid{}});
  if (record.kind == "speed") judge_speed(record, here, findings);
  for (const SectionQuality& section : record.sections) {
    if (record.kind == "speed") break;
    if (record.kind == "power") {
      judge_power(section, findings);
      continue;
    }
    if (section.curve != "network")
      judge_section(section, record.kind, findings);
    else
      judge_network(section, record.sections, findings);
    if (record.kind == "collectives") judge_block(section, findings);
  }
  if (!record.provenance.host.empty() && !here.host.empty() && record.provenance.host != here.host)
    findings.push_back({false, model::MeasuredElsewhere{record.provenance.host, here.host}});
  for (const std::string& name : record.missing) findings.push_back({false, model::FigureMissing{name}});
  for (const std::string& note : record.notes) findings.push_back({false, model::NoteOfFile{note}});
  std::stable_partition(findings.begin(), findings.end(), [](const Finding& finding) { return finding.fault; });
  return findings;
}

} // namespace farcast::study
