#include "predictor/trace/hdf5_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace farcast::trace {

namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{16} << 20;
constexpr std::uint64_t kMaxColumnBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kMaxNames = std::uint64_t{1} << 24;
constexpr unsigned kDeflateLevel = 1;

Hdf5Id type_id(hid_t type) { return {type, H5Tclose}; }
Hdf5Id space_id(hid_t space) { return {space, H5Sclose}; }
Hdf5Id list_id(hid_t list) { return {list, H5Pclose}; }
Hdf5Id set_id(hid_t set) { return {set, H5Dclose}; }

Hdf5Id text_type(std::size_t bytes) {
  Hdf5Id type = type_id(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), std::max<std::size_t>(bytes, 1));
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

std::string trimmed(const char* data, std::size_t bytes) { return {data, strnlen(data, bytes)}; }

Hdf5Id access_list() {
  Hdf5Id list = list_id(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(list.get(), H5F_LIBVER_V110, H5F_LIBVER_V110); // this format has checksums on all metadata
  H5Pset_fclose_degree(list.get(), H5F_CLOSE_STRONG);
  return list;
}

} // namespace

std::mutex& Hdf5Session::mutex() {
  static std::mutex only;
  return only;
}

void Hdf5Session::silence() {
  // What HDF5 could not close of a damaged file makes its clean-up at exit print nonsense; all that
  // we open, we close.
  static const herr_t no_cleanup_at_exit = H5dont_atexit();
  static_cast<void>(no_cleanup_at_exit);
  H5Eget_auto2(H5E_DEFAULT, &report_, &report_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

void Hdf5Session::fail(const std::string& what) {
  if (message_.empty()) message_ = task_ + ": " + what;
}

void Hdf5Session::fail(hid_t object, const std::string& what) {
  if (!message_.empty()) return;
  char name[256] = {};
  const ssize_t length = H5Iget_name(object, name, sizeof(name));
  fail(length > 0 ? std::string(name) + ": " + what : what);
}

// --- writing ---

Hdf5Writer::Hdf5Writer(const std::string& path, const std::string& shown)
    : Hdf5Session(fmt::format("cannot write '{}'", shown)), shown_(shown) {
  const Hdf5Id access = access_list();
  if (!output_.install(access.get())) {
    fail("the HDF5 library refuses the file driver");
    return;
  }
  file_ = Hdf5Id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  if (!file_.valid()) fail("the HDF5 library cannot create a file there");
}

base::Result<void> Hdf5Writer::close() {
  file_.reset();
  // What the disk says explains all that followed from it.
  if (output_.error() != 0) return base::fail(fmt::format("cannot write '{}': {}", shown_, std::strerror(output_.error())));
  if (!ok()) return base::fail(message());
  return {};
}

Hdf5Id Hdf5Writer::group(hid_t parent, const std::string& name) {
  if (!ok()) return {};
  Hdf5Id made(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (!made.valid()) fail(parent, fmt::format("group '{}' cannot be made", name));
  return made;
}

void Hdf5Writer::attribute(hid_t at, const char* name, hid_t stored, hid_t memory, const void* value) {
  if (!ok()) return;
  const Hdf5Id space = space_id(H5Screate(H5S_SCALAR));
  const Hdf5Id made(H5Acreate2(at, name, stored, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!made.valid() || H5Awrite(made.get(), memory, value) < 0) fail(at, fmt::format("attribute '{}' cannot be written", name));
}

void Hdf5Writer::text(hid_t at, const char* name, const std::string& value) {
  const Hdf5Id type = text_type(value.size());
  attribute(at, name, type.get(), type.get(), value.c_str());
}

void Hdf5Writer::integer(hid_t at, const char* name, std::int64_t value) {
  attribute(at, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

void Hdf5Writer::natural(hid_t at, const char* name, std::uint64_t value) {
  attribute(at, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

void Hdf5Writer::real(hid_t at, const char* name, double value) {
  attribute(at, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void Hdf5Writer::texts(hid_t at, const char* name, const std::vector<std::string>& column) {
  std::size_t longest = 1;
  for (const std::string& text : column) longest = std::max(longest, text.size());
  std::vector<char> packed(longest * column.size());
  for (std::size_t i = 0; i < column.size(); ++i) std::memcpy(packed.data() + i * longest, column[i].data(), column[i].size());
  const Hdf5Id type = text_type(longest);
  bool given = false;
  elements(at, name, type.get(), column.size(), column.size(),
           [&] { return std::pair<const void*, std::uint64_t>(packed.data(), std::exchange(given, true) ? 0 : column.size()); });
}

void Hdf5Writer::naturals(hid_t at, const char* name, const std::vector<std::uint64_t>& column) {
  bool given = false;
  elements(at, name, H5T_STD_U64LE, column.size(), column.size(),
           [&] { return std::pair<const void*, std::uint64_t>(column.data(), std::exchange(given, true) ? 0 : column.size()); });
}

void Hdf5Writer::elements(hid_t at, const std::string& name, hid_t type, std::uint64_t count, std::uint64_t chunk,
                          const Source& next) {
  if (!ok()) return;
  const hsize_t size = count;
  const Hdf5Id space = space_id(H5Screate_simple(1, &size, nullptr));
  const Hdf5Id list = list_id(H5Pcreate(H5P_DATASET_CREATE));
  if (count > 0) {
    const hsize_t part = std::min(count, chunk);
    H5Pset_chunk(list.get(), 1, &part);
    H5Pset_shuffle(list.get());
    H5Pset_deflate(list.get(), kDeflateLevel);
    H5Pset_fletcher32(list.get());
  }
  const Hdf5Id set = set_id(H5Dcreate2(at, name.c_str(), type, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT));
  if (!set.valid()) return fail(at, fmt::format("data set '{}' cannot be made", name));
  hsize_t done = 0;
  while (done < count && output_.error() == 0) {
    const auto [data, given] = next();
    const hsize_t block = std::min<hsize_t>(given, count - done);
    if (block == 0)
      return fail(set.get(), fmt::format("only {} of {} records can be read back from the temporary file", done, count));
    const Hdf5Id memory = space_id(H5Screate_simple(1, &block, nullptr));
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &done, nullptr, &block, nullptr);
    if (H5Dwrite(set.get(), type, memory.get(), space.get(), H5P_DEFAULT, data) < 0) return fail(set.get(), "writing failed");
    done += block;
  }
}

// --- reading ---

Hdf5Reader::Hdf5Reader(const std::string& path) : Hdf5Session(fmt::format("cannot read '{}'", path)) {
  const Hdf5Id access = access_list();
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
  H5Pset_file_locking(access.get(), false, true); // many parallel file systems have no locks
  file_ = Hdf5Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
  if (file_.valid()) return;
  fail(H5Fis_hdf5(path.c_str()) > 0 ? "the file is cut short or damaged" : "it is not an HDF5 file, or its beginning is damaged");
}

bool Hdf5Reader::exists(hid_t at, const std::string& name) const { return ok() && H5Lexists(at, name.c_str(), H5P_DEFAULT) > 0; }

bool Hdf5Reader::has_attribute(hid_t at, const char* name) const { return ok() && H5Aexists(at, name) > 0; }

Hdf5Id Hdf5Reader::group(hid_t parent, const std::string& name) {
  if (!ok()) return {};
  Hdf5Id found;
  if (exists(parent, name)) found = Hdf5Id(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), H5Gclose);
  if (!found.valid()) fail(parent, fmt::format("group '{}' is missing or damaged", name));
  return found;
}

std::vector<std::string> Hdf5Reader::names(hid_t group) {
  std::vector<std::string> out;
  H5G_info_t info{};
  if (!ok()) return out;
  if (H5Gget_info(group, &info) < 0 || info.nlinks > kMaxNames) {
    fail(group, "the list of its members is damaged");
    return out;
  }
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    char name[256] = {};
    if (H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof(name), H5P_DEFAULT) < 0) {
      fail(group, "the list of its members is damaged");
      return out;
    }
    out.emplace_back(name);
  }
  return out;
}

Hdf5Id Hdf5Reader::attribute(hid_t at, const char* name, H5T_class_t expected) {
  if (!ok()) return {};
  Hdf5Id found;
  if (has_attribute(at, name)) found = Hdf5Id(H5Aopen(at, name, H5P_DEFAULT), H5Aclose);
  if (!found.valid()) {
    fail(at, fmt::format("attribute '{}' is missing or damaged", name));
    return {};
  }
  const Hdf5Id space = space_id(H5Aget_space(found.get()));
  const Hdf5Id type = type_id(H5Aget_type(found.get()));
  if (H5Sget_simple_extent_npoints(space.get()) != 1 || H5Tget_class(type.get()) != expected) {
    fail(at, fmt::format("attribute '{}' is of another type than expected", name));
    return {};
  }
  return found;
}

std::string Hdf5Reader::text(hid_t at, const char* name) {
  const Hdf5Id found = attribute(at, name, H5T_STRING);
  if (!found.valid()) return {};
  const Hdf5Id type = type_id(H5Aget_type(found.get()));
  const std::size_t bytes = H5Tget_size(type.get());
  if (H5Tis_variable_str(type.get()) != 0 || bytes == 0 || bytes > kMaxTextBytes) {
    fail(at, fmt::format("attribute '{}' is a text of {} bytes: not more than {} are expected", name, bytes, kMaxTextBytes));
    return {};
  }
  std::vector<char> data(bytes);
  const Hdf5Id memory = text_type(bytes);
  if (H5Aread(found.get(), memory.get(), data.data()) < 0) fail(at, fmt::format("attribute '{}' cannot be read", name));
  return trimmed(data.data(), bytes);
}

std::int64_t Hdf5Reader::integer(hid_t at, const char* name, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const Hdf5Id found = attribute(at, name, H5T_INTEGER);
  if (!found.valid()) return least;
  if (H5Aread(found.get(), H5T_NATIVE_INT64, &value) < 0) fail(at, fmt::format("attribute '{}' cannot be read", name));
  if (value >= least && value <= most) return value;
  fail(at, fmt::format("attribute '{}' is {}: expected {} to {}", name, value, least, most));
  return least;
}

std::uint64_t Hdf5Reader::natural(hid_t at, const char* name, std::uint64_t most) {
  std::uint64_t value = 0;
  const Hdf5Id found = attribute(at, name, H5T_INTEGER);
  if (!found.valid()) return 0;
  if (H5Aread(found.get(), H5T_NATIVE_UINT64, &value) < 0) fail(at, fmt::format("attribute '{}' cannot be read", name));
  if (value <= most) return value;
  fail(at, fmt::format("attribute '{}' is {}: expected at most {}", name, value, most));
  return 0;
}

double Hdf5Reader::real(hid_t at, const char* name) {
  double value = 0;
  const Hdf5Id found = attribute(at, name, H5T_FLOAT);
  if (!found.valid()) return 0;
  if (H5Aread(found.get(), H5T_NATIVE_DOUBLE, &value) < 0) fail(at, fmt::format("attribute '{}' cannot be read", name));
  if (std::isfinite(value)) return value;
  fail(at, fmt::format("attribute '{}' is not a finite number", name));
  return 0;
}

Hdf5Reader::Column Hdf5Reader::column(hid_t at, const std::string& name) {
  Column out;
  if (!ok()) return out;
  if (exists(at, name)) out.set = set_id(H5Dopen2(at, name.c_str(), H5P_DEFAULT));
  if (!out.set.valid()) {
    fail(at, fmt::format("data set '{}' is missing or damaged", name));
    return out;
  }
  out.type = type_id(H5Dget_type(out.set.get()));
  const Hdf5Id space = space_id(H5Dget_space(out.set.get()));
  hsize_t size = 0;
  if (!out.type.valid() || H5Sget_simple_extent_ndims(space.get()) != 1 ||
      H5Sget_simple_extent_dims(space.get(), &size, nullptr) != 1) {
    fail(out.set.get(), "it is not a list");
    return out;
  }
  out.count = size;
  if (size == 0) return out;
  // Chunks that are not there would read as zeros, any number of them: insist on all.
  const Hdf5Id list = list_id(H5Dget_create_plist(out.set.get()));
  hsize_t chunk = 0;
  hsize_t chunks = 0;
  if (H5Pget_layout(list.get()) != H5D_CHUNKED || H5Pget_chunk(list.get(), 1, &chunk) != 1 || chunk == 0 ||
      chunk * H5Tget_size(out.type.get()) > kMaxColumnBytes || H5Dget_num_chunks(out.set.get(), space.get(), &chunks) < 0 ||
      chunks != (size - 1) / chunk + 1) {
    fail(out.set.get(), "parts of it are missing, or of an unexpected size");
  }
  return out;
}

std::vector<std::string> Hdf5Reader::texts(hid_t at, const char* name) {
  std::vector<std::string> out;
  const Column found = column(at, name);
  if (!ok()) return out;
  const std::size_t bytes = H5Tget_size(found.type.get());
  if (H5Tget_class(found.type.get()) != H5T_STRING || H5Tis_variable_str(found.type.get()) != 0 || bytes == 0 ||
      bytes > kMaxTextBytes || found.count > kMaxColumnBytes / bytes) {
    fail(found.set.get(), "it is not a list of texts of a reasonable size");
    return out;
  }
  std::vector<char> data(bytes * found.count);
  const Hdf5Id memory = text_type(bytes);
  if (found.count > 0 && H5Dread(found.set.get(), memory.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()) < 0) {
    fail(found.set.get(), "the data are damaged");
    return out;
  }
  for (std::uint64_t i = 0; i < found.count; ++i) out.push_back(trimmed(data.data() + i * bytes, bytes));
  return out;
}

std::vector<std::uint64_t> Hdf5Reader::naturals(hid_t at, const char* name) {
  std::vector<std::uint64_t> out;
  const Column found = column(at, name);
  if (!ok()) return out;
  if (H5Tget_class(found.type.get()) != H5T_INTEGER || found.count > kMaxColumnBytes / sizeof(std::uint64_t)) {
    fail(found.set.get(), "it is not a list of integers of a reasonable size");
    return out;
  }
  out.resize(found.count);
  if (found.count > 0 && H5Dread(found.set.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()) < 0) {
    fail(found.set.get(), "the data are damaged");
  }
  return out;
}

void Hdf5Reader::elements(hid_t at, const std::string& name, hid_t type, std::size_t element_bytes, std::uint64_t block,
                          const std::function<void(const void*, std::uint64_t)>& take) {
  const Column found = column(at, name);
  if (!ok()) return;
  if (H5Tequal(found.type.get(), type) <= 0) return fail(found.set.get(), "its elements are of another type than expected");
  const Hdf5Id space = space_id(H5Dget_space(found.set.get()));
  std::vector<char> data(element_bytes * std::min(block, found.count));
  for (hsize_t done = 0; done < found.count;) {
    const hsize_t part = std::min<hsize_t>(block, found.count - done);
    const Hdf5Id memory = space_id(H5Screate_simple(1, &part, nullptr));
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &done, nullptr, &part, nullptr);
    if (H5Dread(found.set.get(), type, memory.get(), space.get(), H5P_DEFAULT, data.data()) < 0) {
      return fail(found.set.get(), fmt::format("the data from record {} on are damaged", done));
    }
    take(data.data(), part);
    done += part;
  }
}

} // namespace farcast::trace
