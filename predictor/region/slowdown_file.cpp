#include "predictor/region/slowdown_file.h"

#include "predictor/base/atomic_file.h"
#include "predictor/base/read_file.h"
#include "predictor/region/adjustment_file.h"
#include "predictor/trace/hdf5_tables.h"

#include <cmath>
#include <fmt/format.h>
#include <sys/stat.h>

namespace farcast::region {

namespace {

using trace::column_of;
using trace::Hdf5Id;
using trace::Hdf5Reader;
using trace::Hdf5Writer;
using trace::same_length;

constexpr const char* kFormat = "farcast-regions";
constexpr std::uint64_t kChunk = 4096;
constexpr std::int64_t kMostRanks = 1 << 24;
constexpr std::uint64_t kMostCorunners = std::uint64_t{1} << 24;
constexpr std::size_t kMostTextBytes = std::size_t{256} << 20;
constexpr std::size_t kTextPiece = std::size_t{1} << 16;
constexpr std::string_view kSignature("\x89HDF\r\n\x1a\n", 8);

void write_reals(Hdf5Writer& file, hid_t at, const char* name, const std::vector<double>& column) {
  bool done = column.empty();
  file.elements(at, name, H5T_IEEE_F64LE, column.size(), kChunk, [&]() {
    const std::uint64_t count = done ? 0 : column.size();
    done = true;
    return std::pair<const void*, std::uint64_t>(column.data(), count);
  });
}

std::vector<double> read_reals(Hdf5Reader& file, hid_t at, const char* name) {
  std::vector<double> out;
  file.elements(at, name, H5T_IEEE_F64LE, sizeof(double), kChunk, [&](const void* data, std::uint64_t count) {
    const auto* values = static_cast<const double*>(data);
    out.insert(out.end(), values, values + count);
  });
  return out;
}

// --- writing ---

void write_provenance(Hdf5Writer& file, const SlowdownProvenance& from) {
  const hid_t root = file.root();
  file.text(root, "farcast", from.farcast_version);
  file.text(root, "program", from.program);
  file.text(root, "executable", from.executable);
  file.text(root, "command", from.command);
  file.text(root, "host", from.host);
  file.text(root, "cpu_model", from.cpu_model);
  file.text(root, "mpi_library", from.mpi_library);
  file.text(root, "mpi_version", from.mpi_version);
  file.text(root, "date", from.date);
  file.integer(root, "cores", from.cores);
  file.integer(root, "ranks", from.ranks);
  file.integer(root, "repetitions", from.repetitions);
  file.natural(root, "lent", from.lent);
  if (from.frequency_hz > 0.0) file.natural(root, "frequency_hz", static_cast<std::uint64_t>(std::llround(from.frequency_hz)));
}

void write_callers(Hdf5Writer& file, const std::vector<SiteStack>& callers) {
  std::vector<std::uint64_t> site;
  SiteStack frames;
  for (std::size_t i = 0; i < callers.size(); ++i) {
    site.insert(site.end(), callers[i].size(), i);
    frames.insert(frames.end(), callers[i].begin(), callers[i].end());
  }
  const Hdf5Id group = file.group(file.root(), "callers");
  file.naturals(group.get(), "site", site);
  file.texts(group.get(), "object", column_of(frames, [](const SiteKey& frame) { return frame.first; }));
  file.naturals(group.get(), "offset", column_of(frames, [](const SiteKey& frame) { return frame.second; }));
}

void write_regions(Hdf5Writer& file, const std::vector<RegionSlowdown>& regions) {
  using R = RegionSlowdown;
  const Hdf5Id group = file.group(file.root(), "regions");
  file.naturals(group.get(), "from", column_of(regions, [](const R& r) { return std::uint64_t{r.from}; }));
  file.naturals(group.get(), "to", column_of(regions, [](const R& r) { return std::uint64_t{r.to}; }));
  file.naturals(group.get(), "visits", column_of(regions, [](const R& r) { return r.visits; }));
  write_reals(file, group.get(), "alone_s", column_of(regions, [](const R& r) { return r.alone_s; }));
  write_reals(file, group.get(), "simgrid_ratio", column_of(regions, [](const R& r) { return simgrid_ratio(r); }));
  std::vector<std::uint64_t> region;
  std::vector<SlowdownPoint> points;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    for (const SlowdownPoint& point : regions[i].points) {
      region.push_back(i);
      points.push_back(point);
    }
  }
  using P = SlowdownPoint;
  const Hdf5Id curve = file.group(file.root(), "points");
  file.naturals(curve.get(), "region", region);
  file.naturals(curve.get(), "co_runners", column_of(points, [](const P& p) { return static_cast<std::uint64_t>(p.corunners); }));
  write_reals(file, curve.get(), "slowdown", column_of(points, [](const P& p) { return p.slowdown; }));
  write_reals(file, curve.get(), "spread", column_of(points, [](const P& p) { return p.spread; }));
  file.naturals(curve.get(), "samples", column_of(points, [](const P& p) { return p.samples; }));
}

// --- reading ---

SlowdownProvenance read_provenance(Hdf5Reader& file) {
  SlowdownProvenance out;
  const hid_t root = file.root();
  out.farcast_version = file.text(root, "farcast");
  out.program = file.text(root, "program");
  out.executable = file.text(root, "executable");
  out.command = file.text(root, "command");
  out.host = file.text(root, "host");
  out.cpu_model = file.text(root, "cpu_model");
  out.mpi_library = file.text(root, "mpi_library");
  out.mpi_version = file.text(root, "mpi_version");
  out.date = file.text(root, "date");
  out.cores = static_cast<int>(file.integer(root, "cores", 0, kMostRanks));
  out.ranks = static_cast<int>(file.integer(root, "ranks", 0, kMostRanks));
  out.repetitions = static_cast<int>(file.integer(root, "repetitions", 0, kMostRanks));
  out.lent = file.natural(root, "lent");
  if (file.ok() && file.has_attribute(root, "frequency_hz"))
    out.frequency_hz = static_cast<double>(file.natural(root, "frequency_hz"));
  return out;
}

std::vector<SiteStack> read_callers(Hdf5Reader& file, std::size_t sites) {
  const Hdf5Id group = file.group(file.root(), "callers");
  const auto site = file.naturals(group.get(), "site");
  const auto object = file.texts(group.get(), "object");
  const auto offset = file.naturals(group.get(), "offset");
  std::vector<SiteStack> out(sites);
  if (!same_length(file, group.get(), {site.size(), object.size(), offset.size()})) return out;
  for (std::size_t i = 0; i < site.size(); ++i) {
    if (site[i] >= sites) {
      file.fail(fmt::format("/callers: caller {} is of site {}, but there are {} sites", i, site[i], sites));
      return out;
    }
    out[site[i]].emplace_back(object[i], offset[i]);
  }
  return out;
}

bool is_factor(double value) { return std::isfinite(value) && value > 0; }

void read_points(Hdf5Reader& file, std::vector<RegionSlowdown>& regions) {
  const Hdf5Id group = file.group(file.root(), "points");
  const auto region = file.naturals(group.get(), "region");
  // Files of earlier versions call the column "company".
  const auto corunners = file.naturals(group.get(), file.exists(group.get(), "co_runners") ? "co_runners" : "company");
  const auto slowdown = read_reals(file, group.get(), "slowdown");
  const auto spread = read_reals(file, group.get(), "spread");
  const auto samples = file.naturals(group.get(), "samples");
  if (!same_length(file, group.get(), {region.size(), corunners.size(), slowdown.size(), spread.size(), samples.size()})) return;
  for (std::size_t i = 0; i < region.size(); ++i) {
    if (region[i] >= regions.size())
      return file.fail(fmt::format("/points: point {} is of region {}, expected at most {}", i, region[i], regions.size()));
    std::vector<SlowdownPoint>& points = regions[region[i]].points;
    const std::uint64_t least = points.empty() ? 1 : static_cast<std::uint64_t>(points.back().corunners) + 1;
    if (corunners[i] < least || corunners[i] > kMostCorunners || (points.empty() && corunners[i] != 1))
      return file.fail(fmt::format("/points: point {} is of {} co-runners, expected the next one, from 1 on", i, corunners[i]));
    if (!is_factor(slowdown[i]))
      return file.fail(fmt::format("/points: point {} has slowdown {}, expected a number above 0", i, slowdown[i]));
    if (!std::isfinite(spread[i]) || spread[i] < 0)
      return file.fail(fmt::format("/points: point {} has spread {}, expected a number from 0 on", i, spread[i]));
    points.push_back({static_cast<int>(corunners[i]), slowdown[i], spread[i], samples[i]});
  }
}

std::vector<RegionSlowdown> read_regions(Hdf5Reader& file, std::size_t sites) {
  const Hdf5Id group = file.group(file.root(), "regions");
  const auto from = file.naturals(group.get(), "from");
  const auto to = file.naturals(group.get(), "to");
  const auto visits = file.naturals(group.get(), "visits");
  const auto alone = read_reals(file, group.get(), "alone_s");
  std::vector<RegionSlowdown> out;
  if (!same_length(file, group.get(), {from.size(), to.size(), visits.size(), alone.size()})) return out;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] >= sites || to[i] >= sites) {
      file.fail(
          fmt::format("/regions: region {} lies between the sites {} and {}, but there are {} sites", i, from[i], to[i], sites));
      return out;
    }
    if (!std::isfinite(alone[i]) || alone[i] < 0) {
      file.fail(fmt::format("/regions: region {} took {} s alone, expected a number from 0 on", i, alone[i]));
      return out;
    }
    RegionSlowdown region;
    region.from = static_cast<std::uint32_t>(from[i]);
    region.to = static_cast<std::uint32_t>(to[i]);
    region.visits = visits[i];
    region.alone_s = alone[i];
    out.push_back(std::move(region));
  }
  read_points(file, out);
  for (std::size_t i = 0; i < out.size() && file.ok(); ++i) {
    if (out[i].points.empty()) file.fail(fmt::format("/points: region {} has none", i));
  }
  return out;
}

base::Result<SlowdownTable> read_hdf5(const std::string& path) {
  SlowdownTable table;
  table.source = path;
  Hdf5Reader file(path);
  if (file.ok() && (!file.has_attribute(file.root(), "format") || file.text(file.root(), "format") != kFormat))
    file.fail("it is an HDF5 file, but not one that `farcast calibrate regions` wrote");
  const std::int64_t version = file.integer(file.root(), "version", 1, std::numeric_limits<std::int32_t>::max());
  if (file.ok() && version > kSlowdownFileVersion)
    file.fail(fmt::format("its format has version {}, this farcast reads version {}", version, kSlowdownFileVersion));
  table.provenance = read_provenance(file);
  table.sites = read_sites(file);
  if (version >= 2) table.callers = read_callers(file, table.sites.size());
  table.regions = read_regions(file, table.sites.size());
  if (!file.ok()) return base::fail(file.message());
  return table;
}

} // namespace

base::Result<SlowdownTable> read_slowdowns(const std::string& path) {
  const auto unreadable = [&](std::string_view why) { return base::fail(fmt::format("cannot read '{}': {}", path, why)); };
  auto file = base::InputFile::open(path);
  if (!file) return unreadable(file.error().message);
  std::string text;
  for (std::size_t piece = kSignature.size(), got = 1; got > 0 && text.size() <= kMostTextBytes;) {
    const auto more = file->append(text, piece);
    if (!more) return unreadable(more.error().message);
    if (text == kSignature)
      return file->is_pipe() ? unreadable("an HDF5 file needs a regular file, not a pipe") : read_hdf5(path);
    got = *more;
    piece = text.size() < kSignature.size() ? kSignature.size() - text.size() : kTextPiece;
  }
  if (text.size() > kMostTextBytes) return unreadable("it is neither an HDF5 file nor a comp-adjustment-file of SimGrid");
  if (text.empty() || text.find('\0') != std::string::npos)
    return base::fail(fmt::format("cannot read '{}': found {}, expected the HDF5 file of `farcast calibrate regions` or a "
                                  "comp-adjustment-file of SimGrid",
                                  path, text.empty() ? "an empty file" : "binary data"));
  return parse_adjustments(text, path);
}

base::Result<void> write_slowdowns(const std::string& path, const SlowdownTable& table) {
  base::Result<base::AtomicFile> aside = base::AtomicFile::create(path);
  if (!aside) return tl::unexpected(aside.error());
  struct stat status {};
  if (::stat(aside->aside_path().c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return base::fail(fmt::format("cannot write '{}': an HDF5 file needs a regular file", path));
  Hdf5Writer file(aside->aside_path(), path);
  file.text(file.root(), "format", kFormat);
  file.integer(file.root(), "version", table.callers.empty() ? 1 : kSlowdownFileVersion);
  write_provenance(file, table.provenance);
  write_sites(file, table.sites);
  if (!table.callers.empty()) write_callers(file, table.callers);
  write_regions(file, table.regions);
  if (base::Result<void> closed = file.close(); !closed) return closed;
  return aside->commit();
}

base::Result<void> write_adjustments(const std::string& path, const SlowdownTable& table) {
  return base::write_file(path, adjustment_text(table));
}

} // namespace farcast::region
