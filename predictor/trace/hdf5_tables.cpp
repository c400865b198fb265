#include "predictor/trace/hdf5_tables.h"

#include <algorithm>
#include <cstdint>

namespace farcast::trace {

namespace {

constexpr std::uint64_t kMostLines = std::uint64_t{1} << 24;

} // namespace

bool same_length(Hdf5Reader& file, hid_t group, std::initializer_list<std::size_t> lengths) {
  const bool same = std::all_of(lengths.begin(), lengths.end(), [&](std::size_t length) { return length == *lengths.begin(); });
  if (file.ok() && !same) file.fail(group, "its columns differ in length");
  return file.ok();
}

void write_sites(Hdf5Writer& file, const std::vector<ResolvedSite>& sites) {
  const Hdf5Id group = file.group(file.root(), "sites");
  file.texts(group.get(), "module", column_of(sites, [](const ResolvedSite& s) { return s.module; }));
  file.texts(group.get(), "build_id", column_of(sites, [](const ResolvedSite& s) { return s.build_id; }));
  file.naturals(group.get(), "offset", column_of(sites, [](const ResolvedSite& s) { return s.offset; }));
  file.texts(group.get(), "text", column_of(sites, [](const ResolvedSite& s) { return s.text; }));
  file.texts(group.get(), "file", column_of(sites, [](const ResolvedSite& s) { return s.file; }));
  file.naturals(group.get(), "line",
                column_of(sites, [](const ResolvedSite& s) { return static_cast<std::uint64_t>(std::max(s.line, 0)); }));
  file.texts(group.get(), "function", column_of(sites, [](const ResolvedSite& s) { return s.function; }));
}

std::vector<ResolvedSite> read_sites(Hdf5Reader& file) {
  const Hdf5Id group = file.group(file.root(), "sites");
  const auto module = file.texts(group.get(), "module");
  const auto build_id = file.texts(group.get(), "build_id");
  const auto offset = file.naturals(group.get(), "offset");
  const auto text = file.texts(group.get(), "text");
  const auto name = file.texts(group.get(), "file");
  const auto line = file.naturals(group.get(), "line");
  const auto function = file.texts(group.get(), "function");
  std::vector<ResolvedSite> out;
  if (!same_length(file, group.get(),
                   {module.size(), build_id.size(), offset.size(), text.size(), name.size(), line.size(), function.size()})) {
    return out;
  }
  for (std::size_t i = 0; i < module.size(); ++i) {
    const int at = line[i] > kMostLines ? 0 : static_cast<int>(line[i]);
    out.push_back({module[i], build_id[i], offset[i], text[i], name[i], at, function[i]});
  }
  return out;
}

} // namespace farcast::trace
