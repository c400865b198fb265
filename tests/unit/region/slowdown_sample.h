// A table of slowdowns for tests: four regions of one program, whose sites stand in two source files.
#pragma once

#include "predictor/region/slowdown_table.h"
#include "predictor/trace/sites.h"

#include <string>

namespace farcast::region {

inline trace::ResolvedSite site_at(std::uint64_t offset, const std::string& file, int line) {
  trace::ResolvedSite site{};
  site.module = "/home/me/app";
  site.build_id = "abcd";
  site.offset = offset;
  site.file = "src/" + file;
  site.line = line;
  site.text = file + ":" + std::to_string(line);
  site.function = "main";
  return site;
}

inline SlowdownTable sample_table() {
  SlowdownTable table;
  table.source = "regions.h5";
  table.provenance = {"0.1.0",
                      "app small",
                      "/home/me/app",
                      "farcast calibrate regions",
                      "vm",
                      "a processor",
                      "Open MPI",
                      "4.1.4",
                      "2026-01-02T03:04:05Z",
                      4,
                      4,
                      3,
                      1};
  table.sites = {site_at(0x10, "a.c", 10), site_at(0x20, "a.c", 20), site_at(0x30, "b.c", 30), site_at(0x40, "b.c", 40)};
  table.regions = {{0, 1, 100, 2.0, {{1, 1.0, 0.01, 3}, {2, 1.2, 0.02, 3}, {4, 2.0, 0.03, 3}}},
                   {1, 2, 10, 1.0, {{1, 1.0, 0.0, 1}, {2, 1.0, 0.0, 0}, {4, 1.5, 0.1, 2}}},
                   {2, 3, 1, 0.0, {{1, 1.0, 0.0, 3}}}};
  return table;
}

// The same places, as a run's timelines number them.
inline std::uint32_t add_site(trace::SiteTable& sites, std::uint64_t offset, const std::string& build_id = "abcd") {
  return sites.site({{{"/elsewhere/app", build_id, offset}}, 1});
}

} // namespace farcast::region
