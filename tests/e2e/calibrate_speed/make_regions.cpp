// Writes a file of regions with known times: make_regions FILE HOST BUILD FREQUENCY_HZ SECONDS
// SECONDS SECONDS
//
// Regions a.c:10 -> a.c:20 (co-runners slow it by half), a.c:20 -> b.c:30 and b.c:30 -> a.c:10.
// Addresses belong to the build.
#include "predictor/region/slowdown_file.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace farcast;

namespace {

trace::ResolvedSite site(const std::string& build, int offset, const std::string& file, int line) {
  trace::ResolvedSite out{};
  out.module = "/home/me/app";
  out.build_id = build;
  out.offset = static_cast<std::uint64_t>(offset) + build.size();
  out.file = "src/" + file;
  out.line = line;
  out.text = file + ":" + std::to_string(line);
  return out;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 8) return 2;
  region::SlowdownTable table;
  table.provenance.host = argv[2];
  table.provenance.cpu_model = "a processor of " + table.provenance.host;
  table.provenance.program = "app small";
  table.provenance.date = "2026-01-02T03:04:05Z";
  table.provenance.ranks = 2;
  table.provenance.repetitions = 5;
  table.provenance.frequency_hz = std::atof(argv[4]);
  const std::string build = argv[3];
  table.sites = {site(build, 0x10, "a.c", 10), site(build, 0x20, "a.c", 20), site(build, 0x30, "b.c", 30)};
  table.regions = {{0, 1, 100, std::atof(argv[5]), {{1, 1.0, 0.01, 5}, {2, 1.5, 0.02, 5}}},
                   {1, 2, 10, std::atof(argv[6]), {{1, 1.0, 0.01, 5}, {2, 1.0, 0.02, 5}}},
                   {2, 0, 1, std::atof(argv[7]), {{1, 1.0, 0.01, 5}, {2, 1.0, 0.0, 0}}}};
  const auto written = region::write_slowdowns(argv[1], table);
  if (!written) std::fprintf(stderr, "%s\n", written.error().message.c_str());
  return written ? 0 : 1;
}
