// Reader of one <cluster> element: FLAT, FAT_TREE, TORUS or DRAGONFLY.
//
// element -> Cluster (cluster.h), and the properties that speak of the whole platform. Pure
// function, any thread.
// Source: SimGrid's DTD for platform version 4.1; topo_parameters as in SimGrid's manual, "Clusters".
#pragma once

#include "predictor/base/result.h"
#include "predictor/platform/cluster.h"
#include "predictor/platform/properties.h"
#include "predictor/platform/xml_source.h"

#include <string>
#include <string_view>
#include <vector>

namespace farcast::platform {

inline constexpr std::uint64_t kMostLinks = std::uint64_t{1} << 24U; // of a platform; more is taken for a slip in the file

struct ReadCluster {
  Cluster cluster;
  std::string router;          // router_id, or SimGrid's name for it
  Properties about_platform;   // those that platform_properties.h knows
  std::string hosts_and_cores; // "4 hosts with 1 cores", for descriptions
};

// Appends to `warnings` what is read and not modelled.
// Errors: one sentence with file, line, element or attribute, what was found and what was expected.
base::Result<ReadCluster> read_cluster(const XmlSource& source, const pugi::xml_node& element,
                                       std::vector<std::string>& warnings);

// topo_parameters. Errors: "found ..., expected ..." without the place.
base::Result<FatTreeShape> parse_fat_tree(std::string_view text);
base::Result<TorusShape> parse_torus(std::string_view text);
base::Result<DragonflyShape> parse_dragonfly(std::string_view text);

// Returns: the speed of each processor state of "100Mf,50Mf".
base::Result<std::vector<base::FlopsPerSecond>> parse_speeds(std::string_view text);

} // namespace farcast::platform
