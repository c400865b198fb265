// OTF2 archives (Eschweiler et al., Open Trace Format 2, 2012), through its library.
//
// A location group and a location per rank of each time line, a region per call site and per
// region of computation; times in picoseconds. Locations are written one after another: the
// library holds the memory, and the open file, of one.
#include "predictor/base/output_folder.h"
#include "predictor/base/version.h"
#include "predictor/timeline/track.h"
#include "predictor/timeline/writers.h"

#include <cmath>
#include <cstdarg>
#include <fmt/format.h>
#include <map>
#include <otf2/otf2.h>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace farcast::timeline {

namespace {

constexpr double kTicksPerSecond = 1e12;
constexpr std::uint64_t kNever = std::uint64_t{1} << 63; // ticks: 100 days

std::uint64_t ticks(double seconds) { return static_cast<std::uint64_t>(std::llround(seconds * kTicksPerSecond)); }

OTF2_FlushType write_when_full(void* /*user*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/, void* /*caller*/,
                               bool /*last*/) {
  return OTF2_FLUSH;
}

// The library prints its errors unless they are taken.
OTF2_ErrorCode take_error(void* /*user*/, const char* /*file*/, uint64_t /*line*/, const char* /*function*/, OTF2_ErrorCode code,
                          const char* /*format*/, va_list /*arguments*/) {
  return code;
}

// Numbers of things in the order of their first use.
template <class Key> class Numbers {
public:
  // Returns: the number, and whether it is new.
  std::pair<std::uint32_t, bool> of(const Key& key) {
    const auto [at, fresh] = numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size()));
    return {at->second, fresh};
  }

private:
  std::map<Key, std::uint32_t> numbers_;
};

struct Region {
  std::string name{};
  std::string file{};
  int first_line = 0;
  int last_line = 0;
  OTF2_RegionRole role = OTF2_REGION_ROLE_CODE;
  bool of_mpi = false;
  [[nodiscard]] auto key() const { return std::tie(name, file, first_line, last_line, role); }
  bool operator<(const Region& other) const { return key() < other.key(); }
};

OTF2_RegionRole role_of(sim::Activity activity) {
  switch (activity) {
  case sim::Activity::point_to_point:
    return OTF2_REGION_ROLE_POINT2POINT;
  case sim::Activity::collective:
    return OTF2_REGION_ROLE_COLL_OTHER;
  default:
    return OTF2_REGION_ROLE_FUNCTION;
  }
}

Region region_of(const Names& names, const Slice& slice) {
  switch (slice.kind) {
  case Slice::Kind::waiting:
    return {.name = "waiting", .of_mpi = true};
  case Slice::Kind::ended:
    return {.name = "ended"};
  case Slice::Kind::compute: {
    const auto [from, to] = names.between(slice.region);
    Region region{.name = names.region(slice.region), .file = from.file};
    region.first_line = from.line;
    region.last_line = from.file == to.file ? to.line : 0;
    return region;
  }
  case Slice::Kind::call:
    break;
  }
  const CallName& call = names.call(slice.site);
  return {text_of(names, sim::Activity::local, slice.site, slice.region),
          call.file,
          call.line,
          call.line,
          role_of(slice.activity),
          true};
}

class Archive {
public:
  Archive(const std::string& folder, const std::string& described)
      : archive_(OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                                   OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)) {
    if (archive_ == nullptr) {
      fail();
      return;
    }
    static const OTF2_FlushCallbacks kFlush{write_when_full, nullptr};
    check(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    check(OTF2_Archive_SetCreator(archive_, (std::string("farcast ") + base::version()).c_str()));
    check(OTF2_Archive_SetDescription(archive_, described.c_str()));
    check(OTF2_Archive_OpenEvtFiles(archive_));
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive() { close(); }

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }

  // Writes what happens on a rank. `communicator`: of the ranks of its time line.
  void rank(const TimeLine& line, std::size_t rank, OTF2_CommRef communicator, const std::atomic<bool>* stop) {
    const OTF2_LocationRef location = counts_.size();
    OTF2_EvtWriter* const writer = good_ ? OTF2_Archive_GetEvtWriter(archive_, location) : nullptr;
    if (writer == nullptr) return fail();
    if (known_of_ != &line) known_.clear();
    known_of_ = &line;
    std::uint64_t count = 0;
    Track track(line, rank);
    Event event;
    while (good_ && (stop == nullptr || !stop->load(std::memory_order_relaxed)) && track.next(event)) {
      write(writer, line.names, event, communicator);
      ++count;
    }
    check(OTF2_Archive_CloseEvtWriter(archive_, writer));
    counts_.push_back(count);
    events_ += count;
  }

  // Writes what the events refer to. Requires: all ranks are written.
  void definitions(const std::vector<TimeLine>& lines) {
    check(OTF2_Archive_CloseEvtFiles(archive_));
    local_definitions();
    global_ = good_ ? OTF2_Archive_GetGlobalDefWriter(archive_) : nullptr;
    if (global_ == nullptr) return fail();
    double last = 0;
    for (const TimeLine& line : lines) last = std::max(last, line.end_s);
    check(OTF2_GlobalDefWriter_WriteClockProperties(global_, static_cast<std::uint64_t>(kTicksPerSecond), 0, ticks(last) + 1,
                                                    OTF2_UNDEFINED_TIMESTAMP));
    define_regions();
    std::uint64_t location = 0;
    for (const TimeLine& line : lines) define_ranks(line, location);
    define_communicators(lines);
  }

  // Returns: whether all has been written.
  bool close() {
    if (archive_ == nullptr) return good_;
    check(OTF2_Archive_Close(std::exchange(archive_, nullptr)));
    return good_;
  }

private:
  void check(OTF2_ErrorCode code) { good_ = good_ && code == OTF2_SUCCESS; }
  void fail() { good_ = false; }

  void write(OTF2_EvtWriter* writer, const Names& names, const Event& event, OTF2_CommRef communicator) {
    const std::uint64_t time = ticks(event.time);
    const auto bytes = static_cast<std::uint64_t>(event.message.bytes);
    switch (event.kind) {
    case Event::Kind::enter:
      return check(OTF2_EvtWriter_Enter(writer, nullptr, time, number_of(names, event.slice)));
    case Event::Kind::leave:
      return check(OTF2_EvtWriter_Leave(writer, nullptr, time, number_of(names, event.slice)));
    case Event::Kind::sent:
      return check(OTF2_EvtWriter_MpiSend(writer, nullptr, time, event.message.peer, communicator, 0, bytes));
    case Event::Kind::received:
    case Event::Kind::received_at_once:
      return check(OTF2_EvtWriter_MpiRecv(writer, nullptr, time, event.message.peer, communicator, 0, bytes));
    }
  }

  OTF2_RegionRef number_of(const Names& names, const Slice& slice) {
    const auto [known, unknown] = known_.try_emplace(key_of(slice), 0);
    if (!unknown) return known->second;
    const Region region = region_of(names, slice);
    const auto [number, fresh] = numbers_.of(region);
    if (fresh) regions_.push_back(region);
    return known->second = number;
  }

  // Readers expect a file of them for each location.
  void local_definitions() {
    if (!good_) return;
    check(OTF2_Archive_OpenDefFiles(archive_));
    for (std::uint64_t location = 0; location < counts_.size() && good_; ++location) {
      OTF2_DefWriter* const writer = OTF2_Archive_GetDefWriter(archive_, location);
      if (writer == nullptr) return fail();
      check(OTF2_Archive_CloseDefWriter(archive_, writer));
    }
    check(OTF2_Archive_CloseDefFiles(archive_));
  }

  OTF2_StringRef string(const std::string& text) {
    const auto [number, fresh] = strings_.of(text);
    if (fresh) check(OTF2_GlobalDefWriter_WriteString(global_, number, text.c_str()));
    return number;
  }

  void define_regions() {
    for (OTF2_RegionRef number = 0; number < regions_.size() && good_; ++number) {
      const Region& region = regions_[number];
      const OTF2_StringRef name = string(region.name);
      const OTF2_StringRef file = region.file.empty() ? OTF2_UNDEFINED_STRING : string(region.file);
      const OTF2_StringRef nothing = string("");
      check(OTF2_GlobalDefWriter_WriteRegion(global_, number, name, name, nothing, region.role,
                                             region.of_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, file,
                                             static_cast<std::uint32_t>(region.first_line),
                                             static_cast<std::uint32_t>(region.last_line)));
    }
  }

  // A time line is a machine, its hosts are nodes.
  void define_ranks(const TimeLine& line, std::uint64_t& location) {
    const OTF2_SystemTreeNodeRef machine = nodes_++;
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(global_, machine, string(line.name), string("machine"),
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    std::map<std::string, OTF2_SystemTreeNodeRef> hosts;
    for (std::size_t rank = 0; rank < line.ranks() && good_; ++rank, ++location) {
      const auto [host, fresh] = hosts.try_emplace(line.host_of[rank], nodes_);
      if (fresh)
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(global_, nodes_++, string(line.host_of[rank]), string("node"), machine));
      const OTF2_StringRef name = string(fmt::format("{}: rank {}", line.name, rank));
      check(OTF2_GlobalDefWriter_WriteLocationGroup(global_, static_cast<std::uint32_t>(location), name,
                                                    OTF2_LOCATION_GROUP_TYPE_PROCESS, host->second,
                                                    OTF2_UNDEFINED_LOCATION_GROUP));
      check(OTF2_GlobalDefWriter_WriteLocation(global_, location, name, OTF2_LOCATION_TYPE_CPU_THREAD, counts_[location],
                                               static_cast<std::uint32_t>(location)));
    }
  }

  // All locations that speak MPI, and of each time line the communicator of its ranks.
  void define_communicators(const std::vector<TimeLine>& lines) {
    std::vector<std::uint64_t> all(counts_.size());
    for (std::uint64_t i = 0; i < all.size(); ++i) all[i] = i;
    OTF2_GroupRef group = 0;
    check(OTF2_GlobalDefWriter_WriteGroup(global_, group++, string("MPI locations"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(all.size()),
                                          all.data()));
    std::uint64_t first = 0;
    for (std::uint32_t number = 0; number < lines.size(); ++number) {
      const std::size_t ranks = lines[number].ranks();
      check(OTF2_GlobalDefWriter_WriteGroup(global_, group, string(""), OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                            OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(ranks), all.data() + first));
      check(OTF2_GlobalDefWriter_WriteComm(global_, number, string(fmt::format("{}: all ranks", lines[number].name)), group++,
                                           OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
      first += ranks;
    }
  }

  OTF2_Archive* archive_;
  OTF2_GlobalDefWriter* global_ = nullptr;
  bool good_ = true;
  std::vector<std::uint64_t> counts_; // [location] events
  std::uint64_t events_ = 0;
  std::unordered_map<std::uint64_t, OTF2_RegionRef> known_; // slices of the time line known_of_
  const TimeLine* known_of_ = nullptr;
  Numbers<Region> numbers_;
  std::vector<Region> regions_;
  Numbers<std::string> strings_;
  OTF2_SystemTreeNodeRef nodes_ = 0;
};

// While it is there, the library says nothing itself.
class Quiet {
public:
  Quiet() : before_(OTF2_Error_RegisterCallback(take_error, nullptr)) {}
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  ~Quiet() { OTF2_Error_RegisterCallback(before_, nullptr); }

private:
  OTF2_ErrorCallback before_;
};

} // namespace

base::Result<std::uint64_t> write_otf2(const std::vector<TimeLine>& lines, const std::string& path,
                                       const std::atomic<bool>* stop) {
  for (const TimeLine& line : lines) {
    if (line.end_s * kTicksPerSecond >= static_cast<double>(kNever))
      return base::fail(fmt::format("OTF2: found a time line of {:.4g} s, expected less than 100 days", line.end_s));
  }
  auto folder = base::OutputFolder::create(path);
  if (!folder) return tl::make_unexpected(folder.error());
  const Quiet quiet;
  Archive archive(folder->aside_path(), lines.back().name);
  for (std::uint32_t number = 0; number < lines.size(); ++number) {
    for (std::size_t rank = 0; rank < lines[number].ranks() && archive.good(); ++rank)
      archive.rank(lines[number], rank, number, stop);
  }
  if (stop != nullptr && stop->load(std::memory_order_relaxed)) return base::fail("interrupted");
  if (archive.good()) archive.definitions(lines);
  if (!archive.close()) return base::fail(fmt::format("cannot write '{}': OTF2's library could not (is the disk full?)", path));
  if (auto done = folder->commit(); !done) return tl::make_unexpected(done.error());
  return archive.events();
}

} // namespace farcast::timeline
