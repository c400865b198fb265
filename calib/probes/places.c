// Where ranks stand, as hwloc shows it: which of them share a cache, a socket, a node.
#include "probe.h"

#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char* const probe_class_names[CLASS_COUNT + 1] = {"same-cache", "same-socket", "other-socket",
                                                        "same-node",  "other-node",  "self"};

// Returns: the number of the object of that type that holds the whole set, or -1.
static int holder(hwloc_topology_t topology, hwloc_const_cpuset_t set, hwloc_obj_type_t type) {
  for (hwloc_obj_t object = hwloc_get_obj_covering_cpuset(topology, set); object != NULL; object = object->parent) {
    if (object->type == type) return (int)object->logical_index;
  }
  return -1;
}

static hwloc_obj_type_t last_level_cache(hwloc_topology_t topology) {
  static const hwloc_obj_type_t caches[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE};
  for (size_t i = 0; i < sizeof caches / sizeof caches[0]; ++i) {
    if (hwloc_get_nbobjs_by_type(topology, caches[i]) > 0) return caches[i];
  }
  return HWLOC_OBJ_L1CACHE;
}

static struct probe_place own_place(void) {
  struct probe_place place;
  memset(&place, 0, sizeof place);
  place.cache = place.package = -1;
  place.cores = 1;
  gethostname(place.host, sizeof place.host - 1);
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return place;
  hwloc_cpuset_t set = hwloc_bitmap_alloc();
  if (hwloc_topology_load(topology) == 0) {
    const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    place.cores = cores > 0 ? cores : hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    if (hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_PROCESS) == 0) {
      place.cache = holder(topology, set, last_level_cache(topology));
      place.package = holder(topology, set, HWLOC_OBJ_PACKAGE);
    }
  }
  hwloc_bitmap_free(set);
  hwloc_topology_destroy(topology);
  return place;
}

struct probe_place* probe_places(int size) {
  struct probe_place mine = own_place();
  struct probe_place* all = calloc((size_t)size, sizeof *all);
  if (all == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  return all;
}

enum probe_class probe_classify(const struct probe_place* a, const struct probe_place* b) {
  if (strcmp(a->host, b->host) != 0) return CLASS_OTHER_NODE;
  if (a->cache >= 0 && a->cache == b->cache) return CLASS_SAME_CACHE;
  if (a->package < 0 || b->package < 0) return CLASS_SAME_NODE; // not bound: it can change while we measure
  return a->package == b->package ? CLASS_SAME_SOCKET : CLASS_OTHER_SOCKET;
}

int probe_count_hosts(const struct probe_place* places, int size) {
  int count = 0;
  for (int i = 0; i < size; ++i) {
    int seen = 0;
    for (int j = 0; j < i; ++j) seen |= strcmp(places[i].host, places[j].host) == 0;
    count += !seen;
  }
  return count;
}
