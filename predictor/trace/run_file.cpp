#include "predictor/trace/run_file.h"

#include "predictor/base/atomic_file.h"
#include "predictor/base/missing_file.h"
#include "predictor/trace/function_info.h"
#include "predictor/trace/hdf5_tables.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <sys/stat.h>
#include <unordered_map>

namespace farcast::trace {

namespace {

constexpr const char* kFormat = "farcast-run";
constexpr std::uint64_t kBlockSlots = 8192;
constexpr std::uint64_t kMemoryBudget = std::uint64_t{256} << 20; // of what is read; the rest goes to a temporary file
constexpr int kMostRanks = 1 << 24;
constexpr std::uint64_t kMostThreads = 4096;
constexpr std::array<std::string_view, 4> kEnds = {"running", "finalized", "died", "switched off"}; // [RankEnd]

// The fields of a Call slot, so that other tools see names. Extension slots keep their bytes: the
// fields cover all 64.
Hdf5Id slot_type() {
  using stream::CallSlot;
  Hdf5Id type(H5Tcreate(H5T_COMPOUND, sizeof(CallSlot)), H5Tclose);
  H5Tinsert(type.get(), "kind", offsetof(CallSlot, kind), H5T_STD_U8LE);
  H5Tinsert(type.get(), "flags", offsetof(CallSlot, flags), H5T_STD_U8LE);
  H5Tinsert(type.get(), "function", offsetof(CallSlot, function), H5T_STD_U16LE);
  H5Tinsert(type.get(), "comm", offsetof(CallSlot, comm), H5T_STD_U32LE);
  H5Tinsert(type.get(), "t_enter", offsetof(CallSlot, t_enter), H5T_STD_U64LE);
  H5Tinsert(type.get(), "site", offsetof(CallSlot, site), H5T_STD_U64LE);
  H5Tinsert(type.get(), "bytes", offsetof(CallSlot, bytes), H5T_STD_U64LE);
  H5Tinsert(type.get(), "peer", offsetof(CallSlot, peer), H5T_STD_I32LE);
  H5Tinsert(type.get(), "tag", offsetof(CallSlot, tag), H5T_STD_I32LE);
  H5Tinsert(type.get(), "result", offsetof(CallSlot, result), H5T_STD_U64LE);
  H5Tinsert(type.get(), "handle", offsetof(CallSlot, handle), H5T_STD_U64LE);
  H5Tinsert(type.get(), "result_bytes", offsetof(CallSlot, result_bytes), H5T_STD_U64LE);
  return type;
}

// --- writing ---

void write_modules(Hdf5Writer& file, hid_t rank, const std::vector<LoadedModule>& modules) {
  const Hdf5Id group = file.group(rank, "modules");
  file.naturals(group.get(), "base", column_of(modules, [](const LoadedModule& m) { return m.base; }));
  file.naturals(group.get(), "end", column_of(modules, [](const LoadedModule& m) { return m.end; }));
  file.texts(group.get(), "build_id", column_of(modules, [](const LoadedModule& m) { return m.build_id; }));
  file.texts(group.get(), "path", column_of(modules, [](const LoadedModule& m) { return m.path; }));
}

void write_threads(Hdf5Writer& file, hid_t rank, const RankThreads& threads) {
  file.natural(rank, "program_threads", static_cast<std::uint64_t>(threads.program));
  file.natural(rank, "computing_threads", static_cast<std::uint64_t>(threads.computing));
  file.real(rank, "peak_cores", threads.peak_cores);
  file.naturals(rank, "allowed_cores", threads.cores);
}

void write_rank(Hdf5Writer& file, hid_t ranks, const std::string& name, Recording& recording, const RankRecording& rank) {
  const Hdf5Id group = file.group(ranks, name);
  {
    const std::lock_guard<std::mutex> lock(recording.mutex);
    file.integer(group.get(), "rank", rank.rank);
    file.integer(group.get(), "pid", rank.pid);
    file.text(group.get(), "host", rank.host);
    file.real(group.get(), "ticks_per_second", rank.ticks_per_second);
    file.natural(group.get(), "overhead_ticks", rank.overhead_ticks);
    file.natural(group.get(), "in_call_ticks", rank.in_call_ticks);
    file.natural(group.get(), "call_cost_ticks", rank.call_cost_ticks);
    file.natural(group.get(), "cpu_clock", rank.cpu_clock ? 1 : 0);
    file.natural(group.get(), "aside_partial", rank.aside_partial ? 1 : 0);
    file.natural(group.get(), "multithreaded", rank.multithreaded ? 1 : 0);
    file.natural(group.get(), "isolation", static_cast<std::uint64_t>(rank.isolation));
    file.natural(group.get(), "cores", static_cast<std::uint64_t>(rank.cores));
    file.text(group.get(), "end", std::string(kEnds[static_cast<std::size_t>(rank.end)]));
    file.text(group.get(), "off_reason", rank.off_reason);
    if (!rank.counters_note.empty()) file.text(group.get(), "counters_note", rank.counters_note);
    file.natural(group.get(), "refused", rank.refused);
    file.natural(group.get(), "thread_count", rank.threads.size());
    write_threads(file, group.get(), rank.threads_seen);
    write_modules(file, group.get(), rank.modules);
  }
  const Hdf5Id threads = file.group(group.get(), "threads");
  const Hdf5Id type = slot_type();
  for (std::size_t i = 0; i < rank.threads.size(); ++i) {
    const SlotStream& slots = *rank.threads[i];
    if (!slots.closed()) return file.fail(threads.get(), fmt::format("thread {} is still being recorded", i));
    SlotCursor cursor(slots);
    file.elements(threads.get(), std::to_string(i), type.get(), slots.size(), kBlockSlots, [&cursor] {
      const std::span<const stream::Slot> block = cursor.next();
      return std::pair<const void*, std::uint64_t>(block.data(), block.size());
    });
  }
}

void write_run(Hdf5Writer& file, Recording& recording) {
  {
    const std::lock_guard<std::mutex> lock(recording.mutex);
    file.text(file.root(), "format", kFormat);
    file.integer(file.root(), "version", kRunFileVersion);
    file.text(file.root(), "program", recording.program);
    file.text(file.root(), "executable", recording.executable);
    file.text(file.root(), "mpi_library", recording.mpi_library);
    file.text(file.root(), "mpi_version", recording.mpi_version);
    file.text(file.root(), "start_date", recording.start_date);
    file.integer(file.root(), "world_size", recording.world_size);
    if (!recording.counters.empty()) file.text(file.root(), "counters", fmt::format("{}", fmt::join(recording.counters, ",")));
    file.real(file.root(), "predictor_cpu_s", recording.predictor_cpu_s);
    file.natural(file.root(), "backlog_records", recording.backlog_records);
    file.natural(file.root(), "lent", recording.lent);
    if (!recording.coupled_to.empty()) file.text(file.root(), "coupled_to", recording.coupled_to);
    file.real(file.root(), "steal_share", recording.steal_share);
    file.texts(file.root(), "notes", recording.notes);
    file.texts(file.root(), "functions", column_of(function_infos(), [](const FunctionInfo& info) { return info.name; }));
    write_sites(file, recording.resolved);
  }
  const Hdf5Id ranks = file.group(file.root(), "ranks");
  int unnamed = 0;
  for (const auto& rank : recording.ranks) {
    const std::string name = rank->rank >= 0 ? std::to_string(rank->rank) : fmt::format("without_number_{}", unnamed++);
    write_rank(file, ranks.get(), name, recording, *rank);
  }
}

// --- reading ---

// Numbers of functions in the file -> our numbers: the table may have changed between versions.
class FunctionNumbers {
public:
  FunctionNumbers(Hdf5Reader& file, const std::vector<std::string>& names) {
    std::unordered_map<std::string_view, std::uint16_t> ours;
    const std::vector<FunctionInfo>& infos = function_infos();
    for (std::size_t i = 0; i < infos.size(); ++i) ours.emplace(infos[i].name, static_cast<std::uint16_t>(i));
    for (std::size_t i = 0; i < names.size() && file.ok(); ++i) {
      const auto known = ours.find(names[i]);
      if (known == ours.end()) {
        file.fail(fmt::format("/functions: '{}' is unknown to this version of farcast", names[i]));
      } else {
        identity_ = identity_ && known->second == i;
        number_.push_back(known->second);
      }
    }
  }
  // Numbers beyond the table stay as they are: the decoder passes over them.
  void translate(std::span<stream::Slot> slots) const {
    if (identity_) return;
    for (stream::Slot& slot : slots) {
      if (slot.kind == stream::SlotKind::call && slot.call.function < number_.size())
        slot.call.function = number_[slot.call.function];
    }
  }

private:
  std::vector<std::uint16_t> number_; // [number in the file]
  bool identity_ = true;
};

std::vector<LoadedModule> read_modules(Hdf5Reader& file, hid_t rank) {
  const Hdf5Id group = file.group(rank, "modules");
  const auto base = file.naturals(group.get(), "base");
  const auto end = file.naturals(group.get(), "end");
  const auto build_id = file.texts(group.get(), "build_id");
  const auto path = file.texts(group.get(), "path");
  std::vector<LoadedModule> out;
  if (!same_length(file, group.get(), {base.size(), end.size(), build_id.size(), path.size()})) return out;
  for (std::size_t i = 0; i < base.size(); ++i) out.push_back({base[i], end[i], build_id[i], path[i]});
  return out;
}

// Files of earlier versions know nothing of threads.
RankThreads read_threads(Hdf5Reader& file, hid_t rank) {
  RankThreads out;
  if (!file.ok() || !file.has_attribute(rank, "program_threads")) return out;
  out.program = static_cast<int>(file.natural(rank, "program_threads", kMostRanks));
  out.computing = static_cast<int>(file.natural(rank, "computing_threads", kMostRanks));
  out.peak_cores = std::clamp(file.real(rank, "peak_cores"), 0.0, static_cast<double>(kMostRanks));
  out.cores = file.naturals(rank, "allowed_cores");
  return out;
}

RankEnd read_end(Hdf5Reader& file, hid_t group) {
  const std::string text = file.text(group, "end");
  const auto found = std::find(kEnds.begin(), kEnds.end(), text);
  if (file.ok() && found == kEnds.end())
    file.fail(group, fmt::format("attribute 'end' is '{}': expected how the rank ended", text));
  return found == kEnds.end() ? RankEnd::died : static_cast<RankEnd>(found - kEnds.begin());
}

std::unique_ptr<RankRecording> read_rank(Hdf5Reader& file, hid_t ranks, const std::string& name, Recording& recording,
                                         const FunctionNumbers& functions) {
  auto rank = std::make_unique<RankRecording>();
  const Hdf5Id group = file.group(ranks, name);
  rank->rank = static_cast<int>(file.integer(group.get(), "rank", -1, recording.world_size - 1));
  rank->pid = static_cast<int>(file.integer(group.get(), "pid", 0, std::numeric_limits<int>::max()));
  rank->host = file.text(group.get(), "host");
  rank->ticks_per_second = file.real(group.get(), "ticks_per_second");
  if (file.ok() && rank->ticks_per_second <= 0) file.fail(group.get(), "attribute 'ticks_per_second' is not positive");
  rank->overhead_ticks = file.natural(group.get(), "overhead_ticks");
  rank->cpu_clock = file.natural(group.get(), "cpu_clock", 1) != 0;
  if (file.ok() && file.has_attribute(group.get(), "aside_partial"))
    rank->aside_partial = file.natural(group.get(), "aside_partial", 1) != 0;
  rank->multithreaded = file.natural(group.get(), "multithreaded", 1) != 0;
  for (const auto& [name_of_value, value] : {std::pair("isolation", &rank->isolation), std::pair("cores", &rank->cores)}) {
    if (file.ok() && file.has_attribute(group.get(), name_of_value))
      *value = static_cast<int>(file.natural(group.get(), name_of_value, kMostRanks));
  }
  rank->end = read_end(file, group.get());
  rank->off_reason = file.text(group.get(), "off_reason");
  for (const auto& [name_of_value, value] :
       {std::pair("in_call_ticks", &rank->in_call_ticks), std::pair("call_cost_ticks", &rank->call_cost_ticks)}) {
    if (file.ok() && file.has_attribute(group.get(), name_of_value)) *value = file.natural(group.get(), name_of_value);
  }
  if (file.ok() && file.has_attribute(group.get(), "counters_note"))
    rank->counters_note = file.text(group.get(), "counters_note");
  rank->refused = file.natural(group.get(), "refused");
  rank->threads_seen = read_threads(file, group.get());
  rank->modules = read_modules(file, group.get());
  const std::uint64_t threads = file.natural(group.get(), "thread_count", kMostThreads);
  const Hdf5Id streams = file.group(group.get(), "threads");
  const Hdf5Id type = slot_type();
  std::vector<stream::Slot> block;
  for (std::uint64_t i = 0; i < threads && file.ok(); ++i) {
    SlotStream& slots = *rank->threads.emplace_back(std::make_unique<SlotStream>(recording.spill));
    file.elements(streams.get(), std::to_string(i), type.get(), stream::kSlotBytes, kBlockSlots,
                  [&](const void* data, std::uint64_t count) {
                    block.resize(count);
                    std::memcpy(block.data(), data, count * stream::kSlotBytes);
                    functions.translate(block);
                    slots.append(block);
                  });
    slots.close();
  }
  return rank;
}

// Names of events have no commas.
std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    if (comma > at) out.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return out;
}

void read_run(Hdf5Reader& file, Recording& recording) {
  if (file.ok() && (!file.has_attribute(file.root(), "format") || file.text(file.root(), "format") != kFormat)) {
    file.fail("it is an HDF5 file, but not a run that farcast recorded");
  }
  const std::int64_t version = file.integer(file.root(), "version", 1, std::numeric_limits<std::int32_t>::max());
  if (file.ok() && (version < kOldestRunFileVersion || version > kRunFileVersion)) {
    file.fail(fmt::format("its format has version {}, this farcast reads version {}: {}", version, kRunFileVersion,
                          version > kRunFileVersion ? "use a newer one" : "record the run again"));
  }
  recording.program = file.text(file.root(), "program");
  recording.executable = file.text(file.root(), "executable");
  recording.mpi_library = file.text(file.root(), "mpi_library");
  recording.mpi_version = file.text(file.root(), "mpi_version");
  recording.start_date = file.text(file.root(), "start_date");
  recording.world_size = static_cast<int>(file.integer(file.root(), "world_size", 0, kMostRanks));
  if (file.ok() && file.has_attribute(file.root(), "counters"))
    recording.counters = split_names(file.text(file.root(), "counters"));
  recording.predictor_cpu_s = file.real(file.root(), "predictor_cpu_s");
  recording.backlog_records = file.natural(file.root(), "backlog_records");
  if (file.ok() && file.has_attribute(file.root(), "lent")) recording.lent = file.natural(file.root(), "lent");
  if (file.ok() && file.has_attribute(file.root(), "coupled_to")) recording.coupled_to = file.text(file.root(), "coupled_to");
  if (file.ok() && file.has_attribute(file.root(), "steal_share")) recording.steal_share = file.real(file.root(), "steal_share");
  recording.notes = file.texts(file.root(), "notes");
  recording.resolved = read_sites(file);
  const FunctionNumbers functions(file, file.texts(file.root(), "functions"));
  const Hdf5Id ranks = file.group(file.root(), "ranks");
  for (const std::string& name : file.names(ranks.get())) {
    auto rank = read_rank(file, ranks.get(), name, recording, functions);
    if (!file.ok()) return;
    if (rank->rank >= 0 && name != std::to_string(rank->rank)) {
      return file.fail(fmt::format("/ranks/{}: it holds rank {}", name, rank->rank));
    }
    recording.ranks.push_back(std::move(rank));
  }
}

// By rank; those that never got one last, in the order that they had.
void sort_ranks(Recording& recording) {
  const auto key = [](const std::unique_ptr<RankRecording>& rank) { return static_cast<unsigned>(rank->rank); };
  std::stable_sort(recording.ranks.begin(), recording.ranks.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

} // namespace

base::Result<void> write_run_file(const std::string& path, Recording& recording) {
  base::Result<base::AtomicFile> aside = base::AtomicFile::create(path);
  if (!aside) return tl::unexpected(aside.error());
  struct stat status {};
  if (::stat(aside->aside_path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return base::fail(fmt::format("cannot write '{}': an HDF5 file needs a regular file", path));
  }
  Hdf5Writer file(aside->aside_path(), path);
  write_run(file, recording);
  if (base::Result<void> closed = file.close(); !closed) return closed;
  return aside->commit();
}

bool is_run_file(const std::string& path) {
  constexpr std::string_view kHdf5("\x89HDF\r\n\x1a\n", 8);
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  std::ifstream file(path, std::ios::binary);
  std::array<char, kHdf5.size()> begin{};
  file.read(begin.data(), begin.size());
  return file.gcount() == static_cast<std::streamsize>(begin.size()) && std::string_view(begin.data(), begin.size()) == kHdf5;
}

base::Result<std::unique_ptr<Recording>> read_run_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    return base::fail(fmt::format("cannot read '{}': {}", path, base::why_not_found(path, errno)));
  if (!S_ISREG(status.st_mode)) return base::fail(fmt::format("cannot read '{}': it is not a regular file", path));
  if (::access(path.c_str(), R_OK) != 0) return base::fail(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  auto recording = std::make_unique<Recording>(kMemoryBudget);
  recording->source = path;
  Hdf5Reader file(path);
  read_run(file, *recording);
  if (!file.ok()) return base::fail(file.message());
  sort_ranks(*recording);
  return recording;
}

} // namespace farcast::trace
