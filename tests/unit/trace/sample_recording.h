// A recording with something in every field.
#pragma once

#include "predictor/trace/recording.h"
#include "tests/unit/temporary_folder.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <unit/trace/slot_script.h>
#include <vector>

namespace farcast::trace {

using test::TemporaryFolder;

// Any bytes: they must come back as they were, whatever they mean.
inline std::vector<stream::Slot> noise(std::uint64_t count, std::uint64_t seed) {
  std::vector<stream::Slot> out(count);
  for (stream::Slot& slot : out) {
    std::uint64_t words[8];
    for (std::uint64_t& word : words) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      word = seed ^ (seed >> 29);
    }
    std::memcpy(static_cast<void*>(&slot), words, sizeof(slot));
  }
  return out;
}

inline SlotStream& add_thread(Recording& recording, RankRecording& rank, const std::vector<stream::Slot>& slots) {
  rank.threads.push_back(std::make_unique<SlotStream>(recording.spill));
  rank.threads.back()->append(slots);
  rank.threads.back()->close();
  return *rank.threads.back();
}

inline RankRecording& add_rank(Recording& recording, int number) {
  recording.ranks.push_back(std::make_unique<RankRecording>());
  RankRecording& rank = *recording.ranks.back();
  rank.rank = number;
  rank.pid = 4000 + number;
  rank.host = "node-" + std::to_string(number);
  rank.ticks_per_second = 2.1e9 + number;
  rank.overhead_ticks = 77;
  rank.in_call_ticks = 11;
  rank.call_cost_ticks = 88;
  rank.end = RankEnd::finalized;
  rank.modules = {{0x1000, 0x2000, "abcdef", "/opt/app"}, {0x7f0000000000, 0x7f0000100000, "", "/lib/libm.so.6"}};
  return rank;
}

// Ranks 0 and 1 of 3, and a process that never reached MPI_Init.
inline std::unique_ptr<Recording> sample_recording(std::uint64_t slots = 20000) {
  auto recording = std::make_unique<Recording>(std::uint64_t{1} << 30);
  recording->program = "./app --long-option " + std::string(100000, 'x'); // longer than HDF5's compact attributes can be
  recording->executable = "/opt/app";
  recording->mpi_library = "Open MPI";
  recording->mpi_version = "Open MPI v4.1.4, \xc3\xa4 node";
  recording->start_date = "2026-01-02T03:04:05Z";
  recording->world_size = 3;
  recording->notes = {"one note", "", "and a longer note"};
  recording->counters = {"PAPI_TOT_INS", "perf::PAGE-FAULTS"};
  recording->predictor_cpu_s = 1.25;
  recording->backlog_records = 123456789012;
  recording->steal_share = 0.03125;
  recording->resolved = {{"/opt/app", "abcdef", 0x123, "main.c:12", "/src/main.c", 12, "main"},
                         {"/lib/libm.so.6", "", 0xffffffffffffffff, "libm.so.6+0x1", "", 0, ""}};
  RankRecording& zero = add_rank(*recording, 0);
  add_thread(*recording, zero, noise(slots, 1));
  add_thread(*recording, zero, noise(3, 2));
  zero.multithreaded = true;
  zero.cpu_clock = true;
  zero.aside_partial = true;
  RankRecording& lost = add_rank(*recording, -1);
  lost.end = RankEnd::switched_off;
  lost.off_reason = "the buffer is full";
  lost.refused = 17;
  RankRecording& one = add_rank(*recording, 1);
  one.end = RankEnd::died;
  one.counters_note = "PAPI_TOT_INS: Event does not exist";
  add_thread(*recording, one, {});
  return recording;
}

inline std::vector<stream::Slot> slots_of(const SlotStream& stream) {
  std::vector<stream::Slot> out;
  SlotCursor cursor(stream);
  for (auto part = cursor.next(); !part.empty(); part = cursor.next()) out.insert(out.end(), part.begin(), part.end());
  return out;
}

inline bool same_bytes(const std::vector<stream::Slot>& a, const std::vector<stream::Slot>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(stream::Slot)) == 0);
}

} // namespace farcast::trace
