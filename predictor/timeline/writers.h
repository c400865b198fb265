// Time lines as files that other tools show: Perfetto, OTF2, Paje, CSV. What each file holds is in
// timeline/formats.md.
//
// In: time lines of one run, measured and predicted. Out: one file with all of them, or for OTF2 a
// new folder; it appears whole or not at all. Memory: that of one rank's reading, or of all ranks'
// for Paje, whose events stand in the order of time. Threads: one.
#pragma once

#include "predictor/timeline/time_line.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace farcast::timeline {

enum class Format : std::uint8_t { perfetto, otf2, paje, csv };

// Returns: events (slices, messages) that the file holds. Errors: of the file; a time line that is
// not whole; `stop` (null: never) became true; OTF2: this farcast was built without it.
base::Result<std::uint64_t> write(Format format, const std::vector<TimeLine>& lines, const std::string& path,
                                  const std::atomic<bool>* stop);

// The formats one by one; as write().
base::Result<std::uint64_t> write_perfetto(const std::vector<TimeLine>& lines, const std::string& path,
                                           const std::atomic<bool>* stop);
base::Result<std::uint64_t> write_otf2(const std::vector<TimeLine>& lines, const std::string& path,
                                       const std::atomic<bool>* stop);
base::Result<std::uint64_t> write_paje(const std::vector<TimeLine>& lines, const std::string& path,
                                       const std::atomic<bool>* stop);
base::Result<std::uint64_t> write_csv(const std::vector<TimeLine>& lines, const std::string& path, const std::atomic<bool>* stop);

// Returns: what a slice is called where there is room for its place: "MPI_Recv solver.c:120",
// "solver.c:90 -> solver.c:120".
std::string text_of(const Names& names, sim::Activity activity, std::uint32_t site, std::uint32_t region);

} // namespace farcast::timeline
