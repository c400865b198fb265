#include "predictor/trace/run_file.h"

#include "predictor/base/read_file.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unit/trace/decoded.h>
#include <unit/trace/sample_recording.h>

using namespace farcast;
using namespace farcast::trace;
using Catch::Contains;

namespace {

std::string contents(const std::string& path) { return farcast::base::read_file(path).value(); }

void put(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::unique_ptr<Recording> good(const std::string& path) {
  auto read = read_run_file(path);
  INFO((read ? std::string() : read.error().message));
  REQUIRE(read);
  return std::move(*read);
}

std::string bad(const std::string& path) {
  const auto read = read_run_file(path);
  REQUIRE_FALSE(read);
  CHECK_THAT(read.error().message, Catch::StartsWith("cannot read '" + path + "': "));
  CHECK(read.error().message.find('\n') == std::string::npos);
  return read.error().message;
}

std::string write_sample(const TemporaryFolder& folder, std::uint64_t slots = 300) {
  const auto recording = sample_recording(slots);
  const auto written = write_run_file(folder.file("run.h5"), *recording);
  INFO((written ? std::string() : written.error().message));
  REQUIRE(written);
  return folder.file("run.h5");
}

// Opens a written file to change it: what a damaged or foreign file might look like.
class Altered {
public:
  explicit Altered(const std::string& path) : file_(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)) { REQUIRE(file_ >= 0); }
  ~Altered() { H5Fclose(file_); }
  Altered(const Altered&) = delete;
  Altered& operator=(const Altered&) = delete;

  void drop_attribute(const char* object, const char* name) { REQUIRE(H5Adelete_by_name(file_, object, name, H5P_DEFAULT) >= 0); }
  void attribute(const char* object, const char* name, hid_t type, const void* value, hsize_t count = 0) {
    drop_attribute(object, name);
    const hid_t space = count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr);
    const hid_t made = H5Acreate_by_name(file_, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(H5Awrite(made, type, value) >= 0);
    H5Aclose(made);
    H5Sclose(space);
  }
  void integer(const char* object, const char* name, std::int64_t value) { attribute(object, name, H5T_NATIVE_INT64, &value); }
  void drop(const char* name) { REQUIRE(H5Ldelete(file_, name, H5P_DEFAULT) >= 0); }
  void rename(const char* from, const char* to) { REQUIRE(H5Lmove(file_, from, file_, to, H5P_DEFAULT, H5P_DEFAULT) >= 0); }
  // A data set of `count` elements of which nothing is stored.
  void hollow(const char* name, hid_t type, hsize_t count, hsize_t chunk) {
    drop(name);
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk > 0) H5Pset_chunk(list, 1, &chunk);
    const hid_t made = H5Dcreate2(file_, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    REQUIRE(made >= 0);
    H5Dclose(made);
    H5Pclose(list);
    H5Sclose(space);
  }
  [[nodiscard]] hid_t type_of(const char* set) const {
    const hid_t opened = H5Dopen2(file_, set, H5P_DEFAULT);
    const hid_t type = H5Dget_type(opened);
    H5Dclose(opened);
    return type;
  }

private:
  hid_t file_;
};

} // namespace

TEST_CASE("a run comes back as it was, byte for byte") {
  const TemporaryFolder folder;
  const auto before = sample_recording(20000); // more than two blocks
  REQUIRE(write_run_file(folder.file("run.h5"), *before));
  CHECK(folder.files() == 1);
  const auto after = good(folder.file("run.h5"));
  CHECK(after->source == folder.file("run.h5"));
  CHECK(after->program == before->program);
  CHECK(after->executable == before->executable);
  CHECK(after->mpi_library == before->mpi_library);
  CHECK(after->mpi_version == before->mpi_version);
  CHECK(after->start_date == before->start_date);
  CHECK(after->world_size == 3);
  CHECK(after->notes == before->notes);
  CHECK(after->counters == before->counters);
  CHECK(after->predictor_cpu_s == 1.25);
  CHECK(after->backlog_records == 123456789012);
  CHECK(after->steal_share == 0.03125);
  CHECK(after->resolved == before->resolved);
  REQUIRE(after->ranks.size() == 3);
  const std::vector<std::size_t> order = {0, 2, 1}; // by rank, the one without a number last
  for (std::size_t i = 0; i < 3; ++i) {
    const RankRecording& was = *before->ranks[order[i]];
    const RankRecording& is = *after->ranks[i];
    CHECK(is.rank == was.rank);
    CHECK(is.pid == was.pid);
    CHECK(is.host == was.host);
    CHECK(is.ticks_per_second == was.ticks_per_second);
    CHECK(is.overhead_ticks == was.overhead_ticks);
    CHECK(is.cpu_clock == was.cpu_clock);
    CHECK(is.aside_partial == was.aside_partial);
    CHECK(is.multithreaded == was.multithreaded);
    CHECK(is.end == was.end);
    CHECK(is.off_reason == was.off_reason);
    CHECK(is.call_cost_ticks == was.call_cost_ticks);
    CHECK(is.counters_note == was.counters_note);
    CHECK(is.refused == was.refused);
    REQUIRE(is.modules.size() == was.modules.size());
    for (std::size_t m = 0; m < is.modules.size(); ++m) {
      CHECK(is.modules[m].base == was.modules[m].base);
      CHECK(is.modules[m].end == was.modules[m].end);
      CHECK(is.modules[m].build_id == was.modules[m].build_id);
      CHECK(is.modules[m].path == was.modules[m].path);
    }
    REQUIRE(is.threads.size() == was.threads.size());
    for (std::size_t t = 0; t < is.threads.size(); ++t) {
      CHECK(is.threads[t]->closed());
      CHECK(same_bytes(slots_of(*is.threads[t]), slots_of(*was.threads[t])));
    }
  }
  REQUIRE(write_run_file(folder.file("again.h5"), *after));
  CHECK(good(folder.file("again.h5"))->program == before->program);
}

TEST_CASE("a run with nothing in it") {
  const TemporaryFolder folder;
  Recording empty(0);
  REQUIRE(write_run_file(folder.file("run.h5"), empty));
  const auto after = good(folder.file("run.h5"));
  CHECK(after->ranks.empty());
  CHECK(after->notes.empty());
  CHECK(after->program.empty());
  CHECK(after->counters.empty());
  CHECK(after->predictor_cpu_s == -1);
}

TEST_CASE("a run file from before counters and costs were stored is read without them") {
  const TemporaryFolder folder;
  const std::string path = write_sample(folder);
  {
    Altered file(path);
    file.drop_attribute("/", "counters");
    file.drop_attribute("/ranks/0", "call_cost_ticks");
    file.drop_attribute("/ranks/1", "counters_note");
  }
  const auto after = good(path);
  CHECK(after->counters.empty());
  CHECK(after->ranks.at(0)->call_cost_ticks == 0);
  CHECK(after->ranks.at(1)->counters_note.empty());
}

TEST_CASE("streams that were spilled to disk are written block by block") {
  const TemporaryFolder folder;
  Recording recording(0);
  recording.world_size = 1;
  add_thread(recording, add_rank(recording, 0), noise(40000, 3));
  REQUIRE(write_run_file(folder.file("run.h5"), recording));
  CHECK(same_bytes(slots_of(*good(folder.file("run.h5"))->ranks.at(0)->threads.at(0)), noise(40000, 3)));
}

TEST_CASE("real records are small in the file") {
  SlotScript script;
  script.init(1);
  for (int i = 0; i < 20000; ++i) {
    script.compute(1000 + i % 7)
        .call("MPI_Send", {.peer = 0, .tag = i, .bytes = 800, .comm = 0}, 200 + static_cast<std::uint64_t>(i % 13));
  }
  const TemporaryFolder folder;
  Recording recording(0);
  recording.world_size = 1;
  add_thread(recording, add_rank(recording, 0), script.slots());
  REQUIRE(write_run_file(folder.file("run.h5"), recording));
  const auto size = contents(folder.file("run.h5")).size();
  INFO(size);
  CHECK(size < script.slots().size() * 12);
}

TEST_CASE("a file is replaced only when the new one is complete") {
  const TemporaryFolder folder;
  const std::string path = write_sample(folder);
  const std::string old = contents(path);
  auto recording = sample_recording(300);
  recording->ranks[0]->threads.push_back(std::make_unique<SlotStream>(recording->spill)); // never closed
  const auto written = write_run_file(path, *recording);
  REQUIRE_FALSE(written);
  CHECK_THAT(written.error().message, Contains("/ranks/0/threads: thread 2 is still being recorded"));
  CHECK(contents(path) == old);
  CHECK(folder.files() == 1);
}

TEST_CASE("places that cannot be written") {
  const TemporaryFolder folder;
  const auto recording = sample_recording(3);
  const auto missing = write_run_file(folder.file("no/such/run.h5"), *recording);
  REQUIRE_FALSE(missing);
  CHECK_THAT(missing.error().message, Contains("no/such/run.h5") && Contains("No such file or directory"));
  const auto directory = write_run_file(folder.path(), *recording);
  REQUIRE_FALSE(directory);
  CHECK_THAT(directory.error().message, Contains("directory"));
  const auto device = write_run_file("/dev/null", *recording);
  REQUIRE_FALSE(device);
  CHECK_THAT(device.error().message, Contains("regular file"));
  CHECK(folder.files() == 0);
}

TEST_CASE("a full disk is one sentence, and nothing stays behind") {
  const TemporaryFolder folder;
  const auto recording = sample_recording(20000);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t limit :
       {rlim_t{0}, rlim_t{1}, rlim_t{100}, rlim_t{2000}, rlim_t{50000}, rlim_t{300000}, rlim_t{600000}, rlim_t{1000000}}) {
    const rlimit tight{limit, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &tight);
    const auto written = write_run_file(folder.file("run.h5"), *recording);
    setrlimit(RLIMIT_FSIZE, &old);
    INFO(limit);
    REQUIRE_FALSE(written);
    CHECK(written.error().message == "cannot write '" + folder.file("run.h5") + "': File too large");
    CHECK(folder.files() == 0);
  }
  std::signal(SIGXFSZ, handler);
  REQUIRE(write_run_file(folder.file("run.h5"), *recording)); // and HDF5 still works
  good(folder.file("run.h5"));
}

TEST_CASE("files that are no run files") {
  const TemporaryFolder folder;
  CHECK_THAT(bad(folder.file("missing.h5")), Contains("No such file or directory"));
  CHECK_THAT(bad(folder.path()), Contains("not a regular file"));
  CHECK_THAT(bad("/dev/null"), Contains("not a regular file"));
  put(folder.file("empty.h5"), "");
  CHECK_THAT(bad(folder.file("empty.h5")), Contains("not an HDF5 file"));
  put(folder.file("text.h5"), std::string(5000, 'a'));
  CHECK_THAT(bad(folder.file("text.h5")), Contains("not an HDF5 file"));
  const hid_t foreign = H5Fcreate(folder.file("foreign.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(foreign);
  CHECK_THAT(bad(folder.file("foreign.h5")), Contains("not a run that farcast recorded"));
}

TEST_CASE("a file cut off anywhere") {
  const TemporaryFolder folder;
  const std::string whole = contents(write_sample(folder, 10000));
  for (std::size_t part = 0; part < 50; ++part) {
    put(folder.file("cut.h5"), whole.substr(0, whole.size() * part / 50));
    bad(folder.file("cut.h5"));
  }
  put(folder.file("cut.h5"), whole.substr(0, whole.size() - 1));
  CHECK_THAT(bad(folder.file("cut.h5")), Contains("cut short or damaged"));
}

TEST_CASE("attributes that are missing, of another type, or out of range") {
  const TemporaryFolder folder;
  const std::string path = write_sample(folder);
  const double infinite = std::numeric_limits<double>::infinity();
  const std::int64_t two[2] = {1, 1};
  const char* text = "farcast-run";
  const hid_t variable = H5Tcopy(H5T_C_S1);
  H5Tset_size(variable, H5T_VARIABLE);
  const std::vector<std::pair<std::function<void(Altered&)>, std::string>> cases = {
      {[](Altered& f) { f.drop_attribute("/", "format"); }, "not a run that farcast recorded"},
      {[](Altered& f) { f.integer("/", "format", 3); }, "attribute 'format' is of another type"},
      {[&](Altered& f) { f.attribute("/", "format", variable, &text); }, "attribute 'format' is a text of"},
      {[](Altered& f) { f.integer("/", "version", 4); }, "version 4, this farcast reads version 3: use a newer one"},
      {[](Altered& f) { f.integer("/", "version", 1); }, "version 1, this farcast reads version 3: record the run again"},
      {[](Altered& f) { f.integer("/", "version", 0); }, "attribute 'version' is 0"},
      {[](Altered& f) { f.drop_attribute("/", "world_size"); }, "attribute 'world_size' is missing"},
      {[](Altered& f) { f.integer("/", "world_size", -1); }, "attribute 'world_size' is -1: expected 0 to"},
      {[](Altered& f) { f.integer("/", "world_size", 1); }, "/ranks/1: attribute 'rank' is 1: expected -1 to 0"},
      {[&](Altered& f) { f.attribute("/", "world_size", H5T_NATIVE_INT64, two, 2); },
       "attribute 'world_size' is of another type"},
      {[&](Altered& f) { f.attribute("/ranks/0", "ticks_per_second", H5T_NATIVE_DOUBLE, &infinite); },
       "/ranks/0: attribute 'ticks_per_second' is not a finite"},
      {[](Altered& f) {
         const double none = 0;
         f.attribute("/ranks/0", "ticks_per_second", H5T_NATIVE_DOUBLE, &none);
       },
       "not positive"},
      {[](Altered& f) { f.integer("/ranks/0", "end", 3); }, "/ranks/0: attribute 'end'"},
      {[](Altered& f) { f.integer("/ranks/0", "rank", 2); }, "/ranks/0: it holds rank 2"},
      {[](Altered& f) { f.integer("/ranks/0", "thread_count", 1000000); },
       "attribute 'thread_count' is 1000000: expected at most 4096"},
      {[](Altered& f) { f.integer("/ranks/0", "thread_count", 3); }, "/ranks/0/threads: data set '2' is missing"},
      {[](Altered& f) { f.drop("/ranks"); }, "group 'ranks' is missing"},
      {[](Altered& f) { f.drop("/ranks/1/modules"); }, "/ranks/1: group 'modules' is missing"},
      {[](Altered& f) { f.drop("/notes"); }, "data set 'notes' is missing"},
      {[](Altered& f) {
         f.drop("/notes");
         f.rename("/ranks/1", "/notes");
       },
       "data set 'notes' is missing or damaged"},
      {[](Altered& f) {
         f.drop("/sites");
         f.rename("/notes", "/sites");
       },
       "'notes' is missing"},
  };
  const std::string original = contents(path);
  for (const auto& [change, expected] : cases) {
    put(path, original);
    {
      Altered file(path);
      change(file);
    }
    CHECK_THAT(bad(path), Contains(expected));
  }
  H5Tclose(variable);
}

TEST_CASE("columns that are longer than what they hold, of another type, or of unequal length") {
  const TemporaryFolder folder;
  const std::string path = write_sample(folder);
  const std::string original = contents(path);
  const auto altered = [&](const auto& change) {
    put(path, original);
    {
      Altered file(path);
      change(file);
    }
    return bad(path);
  };
  CHECK_THAT(altered([](Altered& f) {
               const hid_t type = f.type_of("/ranks/0/threads/0");
               f.hollow("/ranks/0/threads/0", type, hsize_t{1} << 50, 8192);
               H5Tclose(type);
             }),
             Contains("/ranks/0/threads/0: parts of it are missing"));
  CHECK_THAT(altered([](Altered& f) { f.hollow("/ranks/0/threads/0", H5T_NATIVE_INT64, 0, 0); }), Contains("another type"));
  CHECK_THAT(altered([](Altered& f) { f.hollow("/ranks/0/modules/base", H5T_NATIVE_UINT64, hsize_t{1} << 40, 0); }),
             Contains("parts of it"));
  CHECK_THAT(altered([](Altered& f) { f.hollow("/ranks/0/modules/base", H5T_NATIVE_UINT64, 0, 0); }),
             Contains("/ranks/0/modules: its columns differ in length"));
  CHECK_THAT(altered([](Altered& f) { f.hollow("/ranks/0/modules/path", H5T_NATIVE_UINT64, 0, 0); }),
             Contains("not a list of texts"));
  CHECK_THAT(altered([](Altered& f) { f.hollow("/ranks/0/modules/base", H5T_NATIVE_DOUBLE, 0, 0); }),
             Contains("not a list of integers"));
}

TEST_CASE("a line that no source file can have is unknown") {
  const TemporaryFolder folder;
  const auto recording = sample_recording(0);
  recording->resolved.assign(2, ResolvedSite{"/p", "b1", 16, "a.c:1", "a.c", 1 << 24, "f"});
  recording->resolved.back().line += 1;
  REQUIRE(write_run_file(folder.file("run.h5"), *recording));
  const auto read = good(folder.file("run.h5"));
  REQUIRE(read->resolved.size() == 2);
  CHECK(read->resolved[0].line == 1 << 24);
  CHECK(read->resolved[1].line == 0);
}

TEST_CASE("function numbers follow the names in the file, not this version's table") {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  SlotScript script;
  script.init(1).call("MPI_Send", {.peer = 0, .bytes = 8, .comm = 0}).call("MPI_Recv", {.peer = 0, .bytes = 8, .comm = 0}).end();
  Recording recording(0);
  recording.world_size = 1;
  add_thread(recording, add_rank(recording, 0), script.slots());
  REQUIRE(write_run_file(path, recording));
  const auto rewrite_names = [&](const std::string& first, const std::string& second) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t set = H5Dopen2(file, "functions", H5P_DEFAULT);
    const hid_t type = H5Dget_type(set);
    const std::size_t width = H5Tget_size(type);
    std::vector<char> names(width * function_infos().size());
    REQUIRE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names.data()) >= 0);
    const auto rename = [&](const std::string& from, const std::string& to) {
      char* at = names.data() + width * number_of(from);
      std::memset(at, 0, width);
      std::memcpy(at, to.data(), to.size());
    };
    rename("MPI_Send", first);
    rename("MPI_Recv", second);
    REQUIRE(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names.data()) >= 0);
    H5Tclose(type);
    H5Dclose(set);
    H5Fclose(file);
  };
  rewrite_names("MPI_Recv", "MPI_Send");
  const auto slots = slots_of(*good(path)->ranks.at(0)->threads.at(0));
  CHECK(slots.at(2).call.function == number_of("MPI_Recv"));
  CHECK(slots.at(3).call.function == number_of("MPI_Send"));
  rewrite_names("MPI_From_the_future", "MPI_Recv");
  CHECK_THAT(bad(path), Contains("'MPI_From_the_future' is unknown to this version"));
}
