// Decodes the scripts of one rank's threads, or of several ranks.
#pragma once

#include "predictor/trace/decoder.h"
#include "predictor/trace/recorded_timelines.h"

#include <catch2/catch.hpp>
#include <memory>
#include <unit/trace/slot_script.h>
#include <vector>

namespace farcast::trace {

inline std::unique_ptr<RankRecording> rank_of(Recording& recording, int rank, const std::vector<SlotScript>& threads) {
  auto made = std::make_unique<RankRecording>();
  made->rank = rank;
  made->multithreaded = threads.size() > 1;
  for (const SlotScript& script : threads) {
    made->threads.push_back(std::make_unique<SlotStream>(recording.spill));
    made->threads.back()->append(script.slots());
    made->threads.back()->close();
  }
  return made;
}

// A run of one thread per rank, played rank by rank.
class DecodedRun {
public:
  explicit DecodedRun(const std::vector<std::vector<SlotScript>>& ranks, std::uint64_t overhead_ticks = 0,
                      std::uint64_t in_call_ticks = 0)
      : recording_(1 << 20) {
    recording_.world_size = static_cast<int>(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      recording_.ranks.push_back(rank_of(recording_, static_cast<int>(i), ranks[i]));
      recording_.ranks.back()->overhead_ticks = overhead_ticks;
      recording_.ranks.back()->in_call_ticks = in_call_ticks;
    }
    timelines_ = std::make_unique<RecordedTimelines>(recording_);
    for (int i = 0; i < timelines_->timelines(); ++i) {
      operations_.emplace_back();
      Operation operation;
      while (timelines_->next(i, operation)) operations_.back().push_back(operation);
    }
  }
  // Returns: [timeline]'s operations.
  [[nodiscard]] const std::vector<Operation>& operator[](std::size_t timeline) const { return operations_[timeline]; }
  [[nodiscard]] std::size_t timelines() const { return operations_.size(); }
  [[nodiscard]] const SiteTable& sites() const { return timelines_->sites(); }

private:
  Recording recording_;
  std::unique_ptr<RecordedTimelines> timelines_;
  std::vector<std::vector<Operation>> operations_;
};

// The operations of rank 0 in a world of `size` ranks; MPI_Init, which opens the script, is left out.
inline std::vector<Operation> decode(const SlotScript& script, int size = 4, std::uint64_t overhead_ticks = 0,
                                     std::uint64_t in_call_ticks = 0) {
  std::vector<std::vector<SlotScript>> ranks(static_cast<std::size_t>(size));
  for (auto& rank : ranks) rank.resize(1);
  ranks[0][0] = script;
  static std::vector<std::unique_ptr<DecodedRun>> kept; // communicators are valid as long as their timelines
  kept.push_back(std::make_unique<DecodedRun>(ranks, overhead_ticks, in_call_ticks));
  std::vector<Operation> out = (*kept.back())[0];
  if (!out.empty() && out.front().kind == OperationKind::init) out.erase(out.begin());
  return out;
}

constexpr double ns(double count) { return count * 1e-9; }
inline bool near(base::Seconds a, double b) { return a.value() == Catch::Detail::Approx(b).margin(1e-15); }

inline std::vector<OperationKind> kinds(const std::vector<Operation>& operations) {
  std::vector<OperationKind> out;
  for (const Operation& operation : operations) out.push_back(operation.kind);
  return out;
}

} // namespace farcast::trace

template <> struct Catch::StringMaker<farcast::trace::OperationKind> {
  static std::string convert(farcast::trace::OperationKind kind) {
    static constexpr const char* kNames[] = {"local",       "init",         "finalize", "send",     "receive", "isend",
                                             "ireceive",    "send_receive", "probe",    "wait",     "forget",  "collective",
                                             "icollective", "transfer",     "storage",  "istorage", "poll"};
    return kNames[static_cast<std::size_t>(kind)];
  }
};
