#include "predictor/live/predictor_process.h"

#include "predictor/base/atomic_file.h"
#include "predictor/base/process_info.h"
#include "predictor/base/progress_line.h"
#include "predictor/live/answer_writer.h"
#include "predictor/live/live_session.h"
#include "predictor/live/output.h"
#include "predictor/live/standstill.h"
#include "predictor/live/steal_time.h"
#include "predictor/report/blocked.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <sched.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace farcast::live {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMemoryBudget = std::uint64_t{2} << 30;
constexpr std::chrono::seconds kNobodyCame{30};
constexpr std::chrono::seconds kLateRanks{3};
constexpr std::chrono::seconds kMissingRanks{stream::kGiveUpSeconds}; // since the last one came
constexpr std::chrono::seconds kSlowInit{600}; // as long as somebody is in MPI_Init: many ranks on few cores leave it one by one
constexpr std::chrono::seconds kEndsWithin{5}; // who is told to end
constexpr int kCalibrationMs = 60;
constexpr std::chrono::seconds kSilentStart{2};
constexpr std::chrono::seconds kBetweenLines{1};
constexpr const char* kSeveralThreads = "several threads may call MPI (--one-thread: only one does)";

// What a rank leaves us: its core, its real-time class, its descriptors, its signals. None of it is
// ours.
void detach() {
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; ++fd) dup2(null, fd);
  close_range(3, ~0u, 0);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTSTP, SIGTTOU, SIGTTIN, SIGXFSZ, SIGUSR1, SIGUSR2}) {
    std::signal(signal, SIG_IGN);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  sched_setaffinity(0, sizeof(all), &all);
  rlimit descriptors{}; // three for each rank
  if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
    descriptors.rlim_cur = descriptors.rlim_max;
    setrlimit(RLIMIT_NOFILE, &descriptors);
  }
  const sched_param normal{};
  sched_setscheduler(0, SCHED_OTHER, &normal);
  setpriority(PRIO_PROCESS, 0, 0);
}

// "run.h5" -> "run.node7.h5"
std::string file_of_node(const std::string& file, const std::string& node) {
  const std::filesystem::path path(file);
  return (path.parent_path() / (path.stem().string() + "." + node + path.extension().string())).string();
}

class Predictor {
public:
  Predictor(Settings settings, Faults faults, const std::string& problem)
      : settings_(std::move(settings)), faults_(std::move(faults)), recording_(kMemoryBudget), session_(recording_),
        standstill_(std::chrono::seconds(settings_.patience_s)) {
    if (!problem.empty()) recording_.notes.push_back("no prediction: " + problem);
  }

  int run(const std::string& job) {
    if (!session_.listen(job)) return 0; // another rank's predictor was faster
    recording_.start_date = base::iso_date_now();
    ticks_per_second_ = base::measure_ticks_per_second(kCalibrationMs);
    watch();
    if (session_.ranks_here() == 0) return 0;
    finish();
    return 0;
  }

private:
  void watch() {
    for (;;) {
      session_.step();
      session_.keep_alive(); // a rank may wait for the others to reach their MPI_Finalize
      if (session_.idle_since_start(kNobodyCame)) return;
      // Playing beside ranks that leave no core idle would take theirs.
      if (!run_ && session_.all_ranks_known() && !session_.any_multithreaded() && (session_.cores_idle() || settings_.coupled))
        start();
      if (settings_.coupled) watch_coupled();
      show_progress();
      // When somebody dies the launcher goes down, too, and who it was is not to be found any more.
      if (!launcher_known_ && session_.first_pid() > 0) {
        launcher_stderr_ = base::open_stderr_of_ancestor(session_.first_pid(), false);
        launcher_known_ = true;
      }
      if (!session_.all_ended()) continue;
      if (session_.all_ranks_known() || Clock::now() - session_.last_arrival() > kLateRanks) return;
    }
  }

  // Ranks that wait for answers must not wait for ranks that will never come, nor beyond the user's
  // patience.
  void watch_coupled() {
    const auto now = Clock::now();
    if (!answers_ && !refused_ && session_.ranks_here() > 0 && !session_.all_ranks_known() &&
        now - session_.last_arrival() > (session_.any_in_init() ? kSlowInit : kMissingRanks))
      refuse_answers("not all ranks of the job run under farcast");
    if (!answers_ && !refused_ && session_.all_ranks_known() && session_.any_multithreaded())
      refuse_answers(kSeveralThreads);              // of some ranks: the others wait
    if (refused_) session_.release(stream::kAlone); // also those that come late
    if (!answers_) return;
    session_.release_strangers();
    if (standstill_.begins(session_, run_ ? run_->first_played() : 0, now)) {
      session_.tell_ranks(standstill_.in_words(session_, recording_, run_ ? run_->virtual_time_s() : 0));
      if (settings_.ends_on_fault) session_.release(stream::kEnds);
    }
    if (!settings_.ends_on_fault || killed_ || !standstill_.lasts(kEndsWithin, now)) return;
    for (const LiveSession::LastCall& last : session_.last_calls()) {
      if (last.pid > 0) kill(last.pid, SIGTERM); // else it is where we cannot see it
    }
    killed_ = true;
  }

  // The program goes on by itself.
  void refuse_answers(const char* why) {
    refused_ = true;
    const std::lock_guard<std::mutex> lock(recording_.mutex);
    recording_.notes.push_back(fmt::format("--coupled: {}: outcomes and times are those of this machine", why));
  }

  void show_progress() {
    if (!run_ || !settings_.progress || Clock::now() - started_ < kSilentStart || !progress_.due()) return;
    const double real = std::chrono::duration<double>(Clock::now() - started_).count();
    progress_.show(fmt::format("{:.1f} s virtual, {:.1f} s real", run_->virtual_time_s(), real));
  }

  void start() {
    started_ = Clock::now();
    if (session_.ranks_here() < static_cast<std::size_t>(recording_.world_size)) return;
    session_.order_ranks();
    set_clocks();
    std::vector<PlacedPlatform> platforms;
    if (settings_.predict) {
      auto placed = place_all(settings_, recording_.world_size, cpus_per_rank_);
      const std::string problem = placed ? "" : fmt::format("no prediction: {}", placed.error().message);
      if (placed)
        platforms = std::move(*placed);
      else if (std::find(recording_.notes.begin(), recording_.notes.end(), problem) == recording_.notes.end())
        recording_.notes.push_back(problem);
    }
    if (settings_.coupled && session_.all_coupled())
      couple(platforms.empty() ? std::string() : platforms.front().platform.name);
    else if (settings_.coupled && !refused_)
      refuse_answers(session_.any_multithreaded() ? kSeveralThreads : "not all ranks take part");
    const auto at_end = [this](const sim::Prediction& prediction, const trace::SiteTable& sites) {
      if (const std::string lines = report::blocked_lines(prediction, sites); !lines.empty()) session_.tell_ranks(lines);
    };
    run_.emplace(recording_, std::move(platforms), settings_, slowdowns(), faults_, !answers_, std::set<trace::Frame>{},
                 scenario::Coupling{answers_ ? &*answers_ : nullptr, at_end});
  }

  // From now on the first platform's outcomes are the program's.
  void couple(const std::string& platform) {
    if (answers_) return;
    recording_.coupled_to = platform;
    // A coupled rank tells its time by what its calls took, and the engine has to know the same.
    for (const auto& rank : recording_.ranks) rank->in_call_ticks = 0;
    ClockBoard* const clocks = session_.clocks().serves(recording_.ranks.size()) ? &session_.clocks() : nullptr;
    answers_.emplace(session_.couple(), clocks);
    if (platform.empty()) answers_->over();
  }

  // Returns: the table of --regions; null, with a note, where it cannot be used.
  SlowdownTable slowdowns() {
    auto table = load_slowdowns(settings_);
    const std::string problem = !table ? table.error().message : [&] {
      const auto same = check_slowdowns(*table, recording_);
      return same ? std::string() : same.error().message;
    }();
    if (problem.empty()) return std::move(*table);
    recording_.notes.push_back(fmt::format("computation is taken without slowdowns: {}", problem));
    return nullptr;
  }

  void finish() {
    progress_.erase();
    recording_.predictor_cpu_s = base::own_cpu_seconds();
    recording_.steal_share = steal_.share();
    if (const std::uint32_t lent = session_.tokens_lent(); lent > 0) {
      recording_.lent = lent;
      recording_.notes.push_back(
          fmt::format("--isolate {}: {} times a rank was let through although no other one stopped computing "
                      "(it may have waited for this one outside of MPI)",
                      settings_.isolate, lent));
    }
    if (settings_.isolate > 0) {
      const auto open = [](const auto& rank) { return rank->isolation == 0; };
      if (std::any_of(recording_.ranks.begin(), recording_.ranks.end(), open))
        recording_.notes.push_back(fmt::format("--isolate {}: not all ranks took part", settings_.isolate));
    }
    place_threads();
    const std::uint64_t played = run_ ? run_->slots_played() : 0; // what starts now plays at once
    if (!run_) start();
    if (!run_) start_partial();
    std::uint64_t slots = 0;
    for (const auto& rank : recording_.ranks) {
      for (const auto& thread : rank->threads) slots += thread->size();
    }
    if (run_->platforms() > 0) recording_.backlog_records = slots - std::min(slots, played);
    run_->hurry();
    await(slots);
    const Outputs outputs = written();
    if (!session_.deliver(outputs.told)) without_reader(outputs);
    session_.dismiss();
  }

  // Naming call sites and writing files may take longer than ranks wait without a sign of life.
  Outputs written() {
    const std::jthread alive([this](const std::stop_token& over) {
      std::mutex mutex;
      std::condition_variable_any ended;
      std::unique_lock<std::mutex> lock(mutex);
      while (!ended.wait_for(lock, over, std::chrono::seconds(stream::kHeartbeatSeconds), [&] { return over.stop_requested(); }))
        session_.keep_alive();
    });
    return write_outputs(recording_, run_->outcome(), settings_);
  }

  // Only at its end does a run tell how many cores the ranks' threads used: what was played with
  // one each begins again.
  void place_threads() {
    session_.order_ranks();
    cpus_per_rank_ = trace::cores_per_rank(recording_);
    if (!run_ || answers_ || cpus_per_rank_ == 1 || settings_.placement.cpus_per_rank > 0) return;
    recording_.abandoned.store(true, std::memory_order_relaxed);
    run_.reset();
    recording_.abandoned.store(false, std::memory_order_relaxed);
  }

  // What takes long is announced, and how far it is: the program seems to hang in MPI_Finalize
  // otherwise.
  void await(std::uint64_t slots) {
    constexpr std::chrono::seconds kSilence{2};
    constexpr std::chrono::seconds kBetween{10};
    auto next = Clock::now() + kSilence;
    while (!run_->finished()) {
      usleep(1000);
      session_.keep_alive();
      if (Clock::now() < next) continue;
      next = Clock::now() + kBetween;
      session_.say("farcast: the program is at its end, " + how_far(slots) + "\n");
    }
  }

  [[nodiscard]] std::string how_far(std::uint64_t slots) const {
    const auto [made, asked] = run_->made();
    if (asked > run_->platforms()) return fmt::format("{} of {} predictions are made", made, asked);
    const double share =
        slots == 0 ? 0.0 : static_cast<double>(std::min(run_->slots_played(), slots)) / static_cast<double>(slots);
    return fmt::format("the prediction at {:.0f} % of {} records", 100.0 * share, slots);
  }

  void set_clocks() {
    constexpr double kFixedTicksPerSecond = 1e12;
    for (const auto& rank : recording_.ranks)
      rank->ticks_per_second = rank->fixed_clock ? kFixedTicksPerSecond : ticks_per_second_;
    if (std::any_of(recording_.ranks.begin(), recording_.ranks.end(), [](const auto& rank) { return rank->fixed_clock; }))
      recording_.notes.emplace_back("the clock was the program's own (FARCAST_FIXED_CLOCK): no time was measured");
  }

  // Some ranks of the job were not here: other nodes have them, or they did not run under farcast.
  void start_partial() {
    session_.order_ranks();
    set_clocks();
    // All nodes were given the same names, perhaps on one file system: each writes its own files.
    for (std::string* file : {&settings_.json_file, &settings_.run_file, &settings_.report_file}) {
      if (!file->empty()) *file = file_of_node(*file, base::host_name());
    }
    run_.emplace(recording_, std::vector<PlacedPlatform>{}, settings_, nullptr, faults_, true);
  }

  // Nobody waits: the program died. The report goes where the launcher writes, or else, the whole
  // of it, into a file.
  void without_reader(const Outputs& outputs) {
    const std::string& text = outputs.told;
    if (launcher_stderr_ >= 0) {
      const int flags = fcntl(launcher_stderr_, F_GETFL);
      if ((flags & O_NONBLOCK) != 0) fcntl(launcher_stderr_, F_SETFL, flags & ~O_NONBLOCK); // of our own opening
      struct sigaction interrupts {}; // a pipe that nobody reads must not keep us
      interrupts.sa_handler = [](int) {};
      sigaction(SIGALRM, &interrupts, nullptr);
      alarm(stream::kGiveUpSeconds);
      const ssize_t said = write(launcher_stderr_, text.data(), text.size());
      alarm(0);
      if (said == static_cast<ssize_t>(text.size())) return;
    }
    if (!settings_.report_file.empty()) return; // it is there already
    const std::string path = fmt::format("farcast-report-{}.txt", session_.first_pid());
    static_cast<void>(base::write_file(path, outputs.whole)); // nobody is left to hear about a failure
  }

  Settings settings_;
  Faults faults_;
  trace::Recording recording_;
  LiveSession session_;
  base::ProgressLine progress_{[this] { return base::open_stderr_of_ancestor(session_.first_pid(), true); }, kBetweenLines};
  StealTime steal_;
  std::optional<AnswerWriter> answers_; // of a coupled run
  Standstill standstill_;
  bool refused_ = false; // ranks that wait for answers go on by themselves
  bool killed_ = false;
  std::optional<PredictionRun> run_;
  Clock::time_point started_{};
  double ticks_per_second_ = 1e9;
  int cpus_per_rank_ = 1; // that were seen
  bool launcher_known_ = false;
  int launcher_stderr_ = -1; // -1: it has none that we may write to
};

} // namespace

int predictor_process(const std::string& job, Faults faults) {
  detach();
  auto settings = settings_from_environment();
  if (settings) return Predictor(std::move(*settings), std::move(faults), {}).run(job);
  Settings none;
  none.predict = false;
  return Predictor(std::move(none), std::move(faults), settings.error().message).run(job);
}

} // namespace farcast::live
