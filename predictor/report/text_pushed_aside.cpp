#include "predictor/base/format.h"
#include "predictor/report/text_layout.h"
#include "predictor/report/text_sections.h"

#include <fmt/format.h>

namespace farcast::report {

namespace {

constexpr double kWorthAWarning = 0.05;

std::string shares(const PushedAside& aside) {
  std::string text = fmt::format("{} of the ranks' time", base::format_share(aside.share, 1.0));
  if (aside.worst > aside.share)
    text += fmt::format(" ({} of rank {}'s)", base::format_share(aside.worst, 1.0), aside.worst_rank);
  return text;
}

std::string steal(const PushedAside& aside) {
  return aside.steal ? base::format_share(*aside.steal, 1.0) : std::string("unknown");
}

bool lost_much(const PushedAside& aside) { return aside.worst > kWorthAWarning; }
bool hypervisor_took_much(const PushedAside& aside) { return aside.steal.value_or(0) > kWorthAWarning; }

} // namespace

std::vector<std::string> pushed_aside_warnings(const RunSummary& run) {
  std::vector<std::string> out;
  if (!run.pushed_aside) return out;
  const PushedAside& aside = *run.pushed_aside;
  if (lost_much(aside))
    out.push_back(fmt::format("DISTURBED RUN: in {} the rank could have run, and something else had its core. That was taken out "
                              "of the computation; what remains is less certain than that of a quiet machine.",
                              shares(aside)));
  if (hypervisor_took_much(aside))
    out.push_back(
        fmt::format("DISTURBED RUN: this machine's hypervisor took {} of its processor time for others; that is part of "
                    "the measured computation unless the kernel takes it out.",
                    steal(aside)));
  return out;
}

bool others_had_cores(const RunSummary& run) {
  if (!run.pushed_aside) return false;
  const bool by_themselves = run.shared_cores || !run.crowded.empty();
  return hypervisor_took_much(*run.pushed_aside) || (lost_much(*run.pushed_aside) && !by_themselves);
}

void append_pushed_aside(std::string& out, const RunSummary& run) {
  if (!run.pushed_aside) return;
  const PushedAside& aside = *run.pushed_aside;
  append_wrapped(
      out, "  ",
      fmt::format("Taken out of computation and local calls: {}, when it could have run and something else had its core. "
                  "Hypervisor steal: {} of this machine's processor time.",
                  shares(aside), steal(aside)));
  if (aside.partial_ranks > 0)
    append_wrapped(
        out, "  ",
        fmt::format("On {} ranks that is not all: /proc/thread-self/schedstat cannot be read there, and computation in "
                    "which a rank also slept kept all of its time.",
                    aside.partial_ranks));
}

} // namespace farcast::report
