// The time lines of `farcast trace`: what was measured, then one prediction per platform.
#include "predictor/base/format.h"
#include "predictor/cli/convert_command.h"
#include "predictor/cli/recorded_platforms.h"
#include "predictor/cli/refusal.h"
#include "predictor/report/sentences.h"
#include "predictor/timeline/measured.h"
#include "predictor/timeline/recorder.h"

#include <csignal>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace farcast::cli {

namespace {

constexpr int kInterrupted = 130; // 128 + SIGINT, as shells have it

std::atomic<std::atomic<bool>*> to_stop{nullptr};

// Ctrl-C ends the prediction and the writing as if they had nothing more to read, so that nothing is
// left behind.
class StopsOnInterrupt {
public:
  explicit StopsOnInterrupt(std::atomic<bool>& stop) {
    to_stop.store(&stop);
    before_ = std::signal(SIGINT, [](int) {
      if (std::atomic<bool>* const flag = to_stop.load()) flag->store(true);
    });
  }
  StopsOnInterrupt(const StopsOnInterrupt&) = delete;
  StopsOnInterrupt& operator=(const StopsOnInterrupt&) = delete;
  ~StopsOnInterrupt() {
    std::signal(SIGINT, before_);
    to_stop.store(nullptr);
  }

private:
  void (*before_)(int);
};

struct Lines {
  std::vector<timeline::TimeLine> lines;
  std::vector<std::string> remarks; // sentences
};

std::string name_of(const sim::Prediction& prediction) {
  const std::string history =
      prediction.transport.seed > 0 ? fmt::format(", realisation {}", prediction.transport.seed) : std::string();
  return fmt::format("predicted on {}{}", prediction.platform, history);
}

void predict(const ConvertRequest& request, const scenario::SlowdownTable& slowdowns, trace::Recording& recording,
             scenario::Scenario scenario, region::FrameNames& frames, Lines& out) {
  if (scenario::leaves_to_chance(scenario)) scenario.options.seed = request.settings.seed.value_or(1);
  timeline::TimeLine line(recording.ranks.size());
  timeline::Recorder recorder(line, request.inside_collectives);
  scenario.observer = &recorder;
  scenario::RecordedSource source(recording, slowdowns);
  const scenario::Played played = scenario::play(source, scenario);
  line.name = name_of(played.prediction);
  for (const platform::HostId host : scenario.where->placement.host_of)
    line.host_of.push_back(scenario.where->platform.hosts[host].name);
  line.names = timeline::Names(played.sites, frames);
  if (!played.prediction.complete && !played.prediction.problems.empty())
    out.remarks.push_back(fmt::format("{}: {}", line.name, report::problem_text(played.prediction.problems.front())));
  out.lines.push_back(std::move(line));
}

void measure(trace::Recording& recording, region::FrameNames& frames, Lines& out) {
  trace::SiteTable sites;
  out.lines.push_back(timeline::measured(recording, sites));
  out.lines.back().names = timeline::Names(sites, frames);
  if (!recording.complete) out.remarks.emplace_back("measured: the run is not whole; `farcast predict` says what is missing");
}

void say(const ConvertRequest& request, timeline::Format format, const Lines& done, std::uint64_t events) {
  std::FILE* const out = request.output == "/dev/stdout" ? stderr : stdout;
  std::vector<std::string> lines;
  for (const timeline::TimeLine& line : done.lines)
    lines.push_back(fmt::format("{} {}", line.name, base::format_time(base::Seconds(line.end_s))));
  fmt::print(out, "farcast: {}: {} ranks, {} events; {}\n", request.output, done.lines.front().ranks(), events,
             fmt::join(lines, "; "));
  for (const std::string& remark : done.remarks) fmt::print(out, "farcast: {}\n", remark);
  if (format == timeline::Format::perfetto)
    fmt::print(out, "farcast: open it with https://ui.perfetto.dev or chrome://tracing\n");
  if (format == timeline::Format::otf2) fmt::print(out, "farcast: its anchor file is {}/traces.otf2\n", request.output);
}

} // namespace

int write_time_lines(const ConvertRequest& request, timeline::Format format, trace::Recording& recording) {
  std::vector<scenario::Scenario> scenarios;
  scenario::SlowdownTable slowdowns;
  if (request.settings.predict) {
    auto placed = platforms_for(request.settings, recording);
    if (!placed) return refuse(placed.error().message);
    sim::Options options = live::options_of(request.settings);
    if (!options.collectives.library) options.collectives.library = collective::library_named(recording.mpi_library);
    scenarios = live::scenarios_on(std::move(*placed), options);
    auto loaded = live::load_slowdowns(request.settings);
    if (!loaded) return refuse(loaded.error().message);
    slowdowns = std::move(*loaded);
    if (const auto same = live::check_slowdowns(slowdowns, recording); !same) return refuse(same.error().message);
  }
  const StopsOnInterrupt interrupt(recording.abandoned);
  region::FrameNames frames(recording.resolved);
  Lines done;
  measure(recording, frames, done);
  for (const scenario::Scenario& one : scenarios) predict(request, slowdowns, recording, one, frames, done);
  const auto events = timeline::write(format, done.lines, request.output, &recording.abandoned);
  if (!events && recording.abandoned) return refuse(fmt::format("interrupted: {} was not written", request.output), kInterrupted);
  if (!events) return refuse(events.error().message);
  say(request, format, done, *events);
  return 0;
}

} // namespace farcast::cli
