// Which algorithm a collective over one group takes, by ranks and bytes; schedule.h says what the choice rests on.
//
// Each function appends the steps of the rank at `at` and returns the algorithm's name. A group of one rank gets no step
// ("local").
#pragma once

#include "predictor/collective/algorithms.h"

#include <string_view>

namespace farcast::collective {

std::string_view choose_barrier(Place at, Schedule& out);
std::string_view choose_bcast(Place at, int root, double bytes, Schedule& out);
std::string_view choose_reduce(Place at, int root, double bytes, bool commutative, Schedule& out);
std::string_view choose_allreduce(Place at, double bytes, bool commutative, Schedule& out);
std::string_view choose_reduce_scatter(Place at, const Blocks& blocks, bool commutative, Schedule& out);
std::string_view choose_scan(Place at, double bytes, Schedule& out); // exscan too
std::string_view choose_gather(Place at, int root, double block, Schedule& out);
std::string_view choose_scatter(Place at, int root, double block, Schedule& out);
std::string_view choose_allgather(Place at, double block, Schedule& out);
std::string_view choose_allgatherv(Place at, const Blocks& blocks, Schedule& out);
std::string_view choose_alltoall(Place at, double block, Schedule& out);

// The same for an inter-communicator: `at` is the place in this rank's own group.
std::string_view build_inter(const trace::Collective& collective, Place at, int remote_size, Schedule& out);

} // namespace farcast::collective
