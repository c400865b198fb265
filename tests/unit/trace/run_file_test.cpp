#include "predictor/trace/run_file.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unit/trace/decoded.h>
#include <unit/trace/run_files.h>

using namespace farcast;
using namespace farcast::trace;
using Catch::Contains;

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
    CHECK(is.in_call_ticks == was.in_call_ticks);
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
    file.drop_attribute("/ranks/0", "in_call_ticks");
    file.drop_attribute("/ranks/0", "call_cost_ticks");
    file.drop_attribute("/ranks/1", "counters_note");
  }
  const auto after = good(path);
  CHECK(after->counters.empty());
  CHECK(after->ranks.at(0)->in_call_ticks == 0);
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
