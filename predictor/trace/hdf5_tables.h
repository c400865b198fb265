// Tables in HDF5 files: columns of rows, and the call sites that run files and files of slowdowns
// both hold.
//
// A table is a group with one data set per column, all of one length. Errors stay in the writer or
// reader, as those of its own functions do. Threads: as hdf5_file.h.
#pragma once

#include "predictor/trace/hdf5_file.h"
#include "predictor/trace/recording.h"

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace farcast::trace {

template <class Row, class Get> auto column_of(const std::vector<Row>& rows, Get get) {
  std::vector<std::decay_t<decltype(get(rows.front()))>> out;
  out.reserve(rows.size());
  for (const Row& row : rows) out.push_back(get(row));
  return out;
}

// Returns: whether the reader is well so far and the columns of `group` fit together; an error if
// they do not.
bool same_length(Hdf5Reader& file, hid_t group, std::initializer_list<std::size_t> lengths);

// The group /sites. A line that no source file can have is read as 0: unknown.
void write_sites(Hdf5Writer& file, const std::vector<ResolvedSite>& sites);
std::vector<ResolvedSite> read_sites(Hdf5Reader& file);

} // namespace farcast::trace
