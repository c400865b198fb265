#include "predictor/report/cautions.h"

#include "predictor/base/format.h"
#include "predictor/report/sentences.h"
#include "predictor/report/text_sections.h"

#include <fmt/format.h>

namespace farcast::report {

namespace {

std::string percent(double share) { return fmt::format("{:.3g} %", share * 100.0); }

struct FindingInWords {
  std::string operator()(const model::FewSamples& few) const {
    return fmt::format("{} rests on {} samples only; expected {} or more: {}", few.section, few.samples, few.expected,
                       few.of_power ? "longer steps, or a faster meter" : "measure longer");
  }
  std::string operator()(const model::ManyOutliers& many) const {
    return fmt::format("{}: {} of {} samples are outliers; the machine was busy: measure again on a quiet one", many.section,
                       many.outliers, many.samples);
  }
  std::string operator()(const model::LargeResiduals& fit) const {
    return fmt::format("{} {} more than {} off (bound {})", fit.section,
                       fit.tail ? "scatters: one sample in 20 lies" : "fits poorly: half of its samples lie",
                       percent(fit.residual), percent(fit.bound));
  }
  std::string operator()(const model::LowRSquared& fit) const {
    return fmt::format("{} fits poorly: R^2 is {:.3f}{} (expected {} or more)", fit.section, fit.r_squared,
                       fit.growth ? fmt::format(" where the time grows {:.1f}-fold", *fit.growth) : "", fit.expected);
  }
  std::string operator()(const model::FewKernelRuns& few) const {
    return fmt::format("{} of {} kernels rest on few samples, {} on {} only; expected {} or more: measure with more --repeat",
                       few.kernels_with_few, few.kernels, few.fewest, few.samples, few.expected);
  }
  std::string operator()(const model::KernelsScatter& times) const {
    return fmt::format("{} of {} kernels scatter, {} most, by {} (bound {}); the machine was busy: measure again on a quiet one",
                       times.kernels_that_do, times.kernels, times.most, percent(times.residual), percent(times.bound));
  }
  std::string operator()(const model::OtherKernels& other) const {
    return fmt::format("its kernels ({}) are not those of this farcast ({}): {}", other.recorded, other.here,
                       other.other_work ? "they do other work, and times cannot be compared"
                                        : "compilers differ as processors do");
  }
  std::string operator()(const model::OtherBuild& program) const { return program.error; }
  std::string operator()(const model::NoRegions&) const { return "it has no region"; }
  std::string operator()(const model::FormatOfSimGrid&) const {
    return "SimGrid's format says nothing of its origin or quality, nor of numbers of co-runners between one rank and all";
  }
  std::string operator()(const model::FewRepetitions& few) const {
    return fmt::format("each run was repeated {} times only; expected {} or more: measure with more --repeat", few.repetitions,
                       few.expected);
  }
  std::string operator()(const model::TokensLent& lent) const {
    return fmt::format("{} times a rank that should have waited computed beside an isolated one", lent.times);
  }
  std::string operator()(const model::SlowdownsScatter& regions) const {
    return fmt::format("regions with {:.1f} % of the computation have slowdowns that scatter by more than {:.0f} %: the machine "
                       "was busy, or they do other work in each run",
                       regions.share * 100.0, regions.bound * 100.0);
  }
  std::string operator()(const model::MostCorunnersUnmet& regions) const {
    return fmt::format("regions with {:.1f} % of the computation were hardly ever met with the most co-runners",
                       regions.share * 100.0);
  }
  std::string operator()(const model::LibraryUnsaid&) const { return "the file does not say which MPI library was measured"; }
  std::string operator()(const model::QualityUnsaid&) const { return "the file does not say how well its figures fit"; }
  std::string operator()(const model::OtherLibrary& other) const {
    if (other.linked.empty())
      return fmt::format("it was measured with {}, and {} is linked with another library", other.measured, other.program);
    return fmt::format("it was measured with {}, but {} is linked with {}", other.measured, other.program, other.linked);
  }
  std::string operator()(const model::LibraryNotInstalled& library) const {
    return fmt::format("it was measured with {}, but installed here: {}", library.measured,
                       fmt::join(library.installed, " and "));
  }
  std::string operator()(const model::OtherProcessor& other) const {
    if (other.host.empty())
      return fmt::format("it was measured with the processor {}, and this one is {}", other.measured, other.here);
    return fmt::format("it was measured with the processor {}, but {} has {}", other.measured, other.host, other.here);
  }
  std::string operator()(const model::MeasuredElsewhere& there) const {
    return fmt::format("it was measured on {}, and this is {}", there.host, there.here);
  }
  // Files of earlier versions can be read: what they lack is assumed.
  std::string operator()(const model::FigureMissing& figure) const {
    const char* what = "with --p2p smpi, small messages that come before their receive are predicted too slow";
    if (figure.property == "farcast:self_message") what = "messages of a rank to itself are predicted by an assumed rate";
    if (figure.property == "farcast:reduction" || figure.property == "farcast:copy")
      what = "what collectives do beside messages takes no time";
    return fmt::format("it has no {}: {}; measure again to have it", figure.property, what);
  }
  std::string operator()(const model::NoteOfFile& note) const { return note.text; }
};

std::string faulty_file_sentence(const model::FaultyFile& file) {
  return fmt::format("{} should be measured again: {}{} (farcast calibrate check)", file.name, finding_sentence(file.first),
                     file.more > 0 ? fmt::format("; and {} more", file.more) : "");
}

void append_slowdown_cautions(std::vector<scenario::Remark>& remarks, const sim::SlowdownUse& use) {
  constexpr double kMuch = 0.005; // of the computation: less changes no figure that is printed
  if (use.played_beyond.value() > kMuch * use.played.value())
    remarks.push_back(
        {true, "more co-runners than measured", use.played_beyond / use.played,
         fmt::format("{} of the predicted computation has up to {} ranks computing on its node, and its slowdowns were measured "
                     "with at most {}: "
                     "they are taken as with {}, which is too fast if more ranks slow each other down further ({})",
                     base::format_share(use.played_beyond.value(), use.played.value()), use.corunners_played,
                     use.corunners_measured, use.corunners_measured, slowdowns_source(use))});
  const double measured = (use.exact + use.neighbour + use.same_file + use.none).value();
  if (use.beyond.value() > kMuch * measured)
    remarks.push_back(
        {true, "", 0.0,
         fmt::format("{} of the recorded computation had more ranks beside it than the slowdowns were measured with: "
                     "what it takes alone is taken too long ({})",
                     base::format_share(use.beyond.value(), measured), slowdowns_source(use))});
}

} // namespace

std::string finding_sentence(const model::Finding& finding) { return std::visit(FindingInWords(), finding.what); }

std::string slowdowns_source(const sim::SlowdownUse& use) {
  if (use.date.empty()) return fmt::format("{}, ratios of SimGrid", use.file);
  return fmt::format("{}, measured on {} with {} ranks, {}", use.file, use.host, use.ranks, use.date);
}

std::vector<scenario::Remark> caution_remarks(const sim::Prediction& prediction) {
  std::vector<scenario::Remark> remarks;
  for (const model::FaultyFile& file : prediction.faulty_files) remarks.push_back({true, "", 0.0, faulty_file_sentence(file)});
  if (prediction.slowdowns) append_slowdown_cautions(remarks, *prediction.slowdowns);
  return remarks;
}

std::vector<std::string> cautions_of(const sim::Prediction& prediction) {
  std::vector<std::string> sentences;
  for (scenario::Remark& remark : caution_remarks(prediction)) sentences.push_back(std::move(remark.sentence));
  return sentences;
}

std::vector<std::string> cautions_of_run(const RunSummary& run) {
  std::vector<std::string> sentences = pushed_aside_warnings(run);
  for (const CrowdedThreads& crowded : run.crowded) sentences.push_back("CROWDED THREADS: " + crowded_sentence(crowded) + ".");
  if (!run.complete) sentences.emplace_back("INCOMPLETE RUN: the figures cover only what was recorded.");
  return sentences;
}

} // namespace farcast::report
