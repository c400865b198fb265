// What there is to say about a file of calibration, as data: calibration finds it
// (calib/study/judge.h), a prediction that rests on the file carries it, report/cautions.h makes
// words. Plain data.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace farcast::model {

// Of one fitted section; `section` is its name: "one-way (other-node) above 65480 B", "broadcast".
struct FewSamples {
  std::string section;
  std::size_t samples = 0;
  std::size_t expected = 0; // at least
  bool of_power = false;
};
struct ManyOutliers {
  std::string section;
  std::size_t outliers = 0;
  std::size_t samples = 0;
};
struct LargeResiduals { // shares of the time
  std::string section;
  bool tail = false; // one sample in 20 lies further off; else half of them do
  double residual = 0.0;
  double bound = 0.0;
};
struct LowRSquared {
  std::string section;
  double r_squared = 0.0;
  double expected = 0.0;          // at least
  std::optional<double> growth{}; // of the time over the section, where that is why R^2 says something
};

// Of the kernels of `calibrate speed`, all together.
struct FewKernelRuns {
  std::size_t kernels_with_few = 0;
  std::size_t kernels = 0;
  std::string fewest;       // the kernel
  std::size_t samples = 0;  // of that
  std::size_t expected = 0; // at least
};
struct KernelsScatter {
  std::size_t kernels_that_do = 0;
  std::size_t kernels = 0;
  std::string most;      // the kernel
  double residual = 0.0; // of that, as a share of its time
  double bound = 0.0;
};
struct OtherKernels { // version and compiler
  std::string recorded;
  std::string here;
  bool other_work = false; // else only another compiler
};

// Of regions' slowdowns.
struct OtherBuild { // of the program
  std::string error;
};
struct NoRegions {};
struct FormatOfSimGrid {};
struct FewRepetitions {
  int repetitions = 0;
  int expected = 0; // at least
};
struct TokensLent {
  std::size_t times = 0;
};
struct SlowdownsScatter {
  double share = 0.0; // of the computation, in regions that do
  double bound = 0.0; // of the relative standard deviation
};
struct MostCorunnersUnmet {
  double share = 0.0; // of the computation
};

// Of any file.
struct LibraryUnsaid {};
struct QualityUnsaid {};
struct OtherLibrary {
  std::string measured;
  std::string program;
  std::string linked; // with this one; empty: not said
};
struct LibraryNotInstalled {
  std::string measured;
  std::vector<std::string> installed;
};
struct OtherProcessor {
  std::string measured;
  std::string here;
  std::string host; // the same one; empty: another
};
struct MeasuredElsewhere {
  std::string host;
  std::string here;
};
struct FigureMissing { // the file is of an earlier version
  std::string property;
};
struct NoteOfFile { // what who measured had to say
  std::string text;
};

struct Finding {
  bool fault = false; // measure again; else a remark
  std::variant<FewSamples, ManyOutliers, LargeResiduals, LowRSquared, FewKernelRuns, KernelsScatter, OtherKernels, OtherBuild,
               NoRegions, FormatOfSimGrid, FewRepetitions, TokensLent, SlowdownsScatter, MostCorunnersUnmet, LibraryUnsaid,
               QualityUnsaid, OtherLibrary, LibraryNotInstalled, OtherProcessor, MeasuredElsewhere, FigureMissing, NoteOfFile>
      what;
};

struct FaultyFile { // should be measured again
  std::string name;
  Finding first;
  std::size_t more = 0; // faults
};

} // namespace farcast::model
