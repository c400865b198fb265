// What is known of a sweep, in a folder: so that a sweep that was killed goes on where it was, and
// processes of one job share it.
//
// Each process appends to a file of its own (PART.jsonl, JSON lines) and reads those of all. The
// first line names the sweep; files of another one are not read, and its own is begun again. A line
// that is not whole (its process was killed) is left out. Figures are written so that they are read
// back to the last bit. Threads: one owner; any number of processes, on nodes that share the
// folder.
#pragma once

#include "predictor/base/result.h"
#include "predictor/base/units.h"
#include "predictor/scenario/remark.h"
#include "predictor/sim/prediction.h"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace farcast::scenario {

struct SweepQuestion {
  std::size_t scenario = 0;
  std::uint64_t seed = 0;   // of its realisation
  std::uint64_t member = 0; // of an ensemble (members.h), from 1; 0: the scenario itself
  auto operator<=>(const SweepQuestion&) const = default;
};

struct SweepAnswer {
  base::Seconds time{0.0};
  std::optional<base::Joules> energy; // of the nodes; unset: the platform has no power figures
  int nodes = 0;
  bool complete = true;
  std::uint64_t events = 0;
  std::array<base::Seconds, sim::kActivities> spent{}; // [activity] by a rank in the mean
  energy::EnergyParts energy_parts{};
  base::Joules links{0.0};       // energy of links, beside that of the nodes
  std::vector<Remark> remarks{}; // of a scenario's first realisation
};

using SweepAnswers = std::map<SweepQuestion, SweepAnswer>;

class SweepStore {
public:
  // `sweep`: what tells this sweep from others, one line. Errors: the folder cannot be made, or
  // written to.
  static base::Result<SweepStore> open(const std::string& folder, const std::string& sweep, int part);
  SweepStore(SweepStore&& other) noexcept;
  SweepStore& operator=(SweepStore&&) = delete;
  SweepStore(const SweepStore&) = delete;
  SweepStore& operator=(const SweepStore&) = delete;
  ~SweepStore();

  [[nodiscard]] const std::string& folder() const { return folder_; }
  // Returns: whether an earlier process of this part had begun the sweep. What others of the same job
  // have answered a moment ago is no sign of that.
  [[nodiscard]] bool goes_on() const { return goes_on_; }
  // Errors: it cannot be written.
  base::Result<void> add(const SweepQuestion& question, const SweepAnswer& answer);
  // Adds to `answers` what has come since the last call. Returns: how many processes have begun.
  int read(SweepAnswers& answers);
  // Returns: whether somebody has removed the folder: the sweep is over.
  [[nodiscard]] bool is_gone() const;
  // The sweep is over: nothing of it is left, but for files of others.
  void remove();

private:
  SweepStore(std::string folder, std::string sweep, int descriptor, bool goes_on);
  struct Part {
    std::uint64_t read_to = 0; // bytes
    bool of_this_sweep = false;
  };

  std::string folder_;
  std::string sweep_;
  int descriptor_;
  bool goes_on_;
  std::map<std::string, Part> parts_; // by path
};

} // namespace farcast::scenario
