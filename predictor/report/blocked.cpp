#include "predictor/report/blocked.h"

#include "predictor/region/frame_names.h"
#include "predictor/report/sentences.h"
#include "predictor/trace/function_info.h"

#include <algorithm>
#include <fmt/format.h>

namespace farcast::report {

using sim::ProblemKind;

std::string blocked_lines(const sim::Prediction& prediction, const trace::SiteTable& sites) {
  const auto stops = [](const sim::Problem& problem) {
    return problem.kind == ProblemKind::deadlock || problem.kind == ProblemKind::no_bandwidth;
  };
  const auto& problems = prediction.problems;
  if (std::none_of(problems.begin(), problems.end(), stops)) return "";
  region::FrameNames names;
  std::vector<SiteInfo> named(sites.sites().size());
  for (const sim::Problem& problem : problems) {
    if (problem.kind != ProblemKind::blocked || !problem.site || *problem.site >= named.size()) continue;
    SiteInfo& info = named[*problem.site];
    if (!info.text.empty()) continue;
    const trace::Site& site = sites.sites()[*problem.site];
    info.mpi_function = trace::function_infos()[site.function].name;
    if (!site.frames.empty()) info.text = names.of(site.frames.front()).text;
  }
  std::string out;
  for (const sim::Problem& problem : problems) {
    const bool rank = problem.kind == ProblemKind::blocked;
    out += fmt::format("farcast: {}{}\n", rank ? "  " : "", problem_sentence(problem, named));
  }
  return out;
}

} // namespace farcast::report
