// Operations as TI traces and GOAL schedules: what is written, what reading it back gives, what is
// refused and what is left behind.
#include "predictor/base/read_file.h"
#include "predictor/convert/convert.h"
#include "predictor/trace/function_info.h"
#include "predictor/trace/ti_trace.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <unistd.h>
#include <unit/convert/goal_schedule.h>

using namespace farcast;
using namespace farcast::convert;
using trace::Operation;
using Kind = trace::OperationKind;

namespace {

namespace fs = std::filesystem;

class Folder {
public:
  Folder() : path_(fs::temp_directory_path() / ("farcast-convert-" + std::to_string(getpid()))) { fs::create_directories(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }
  [[nodiscard]] std::string operator()(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::size_t entries() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), {})); }

private:
  fs::path path_;
};

std::string contents(const std::string& path) { return farcast::base::read_file(path).value(); }

class Written final : public trace::Timelines {
public:
  explicit Written(std::vector<std::vector<Operation>> ranks) : ranks_(std::move(ranks)), at_(ranks_.size()) {}
  [[nodiscard]] int ranks() const override { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] int timelines() const override { return ranks(); }
  [[nodiscard]] int rank_of(int timeline) const override { return timeline; }
  bool next(int timeline, Operation& out) override {
    const auto rank = static_cast<std::size_t>(timeline);
    if (at_[rank] == ranks_[rank].size()) return false;
    out = ranks_[rank][at_[rank]++];
    return true;
  }

private:
  std::vector<std::vector<Operation>> ranks_;
  std::vector<std::size_t> at_;
};

std::uint16_t number_of(const std::string& name) {
  const auto& infos = trace::function_infos();
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == name) return static_cast<std::uint16_t>(i);
  }
  return 0;
}

std::shared_ptr<const trace::Communicator> comm(std::uint32_t id, std::vector<int> members) {
  auto out = std::make_shared<trace::Communicator>();
  out->id = id;
  out->members = std::move(members);
  return out;
}
const auto kWorld = comm(0, {0, 1, 2, 3});
const auto kPair = comm(1, {2, 0});

Operation op(Kind kind, const std::string& function, double compute_s = 0) {
  Operation out;
  out.kind = kind;
  out.function = number_of(function);
  out.compute = base::Seconds(compute_s);
  out.communicator = kWorld;
  return out;
}
Operation message(Kind kind, const std::string& function, int peer, int tag, double bytes, std::uint32_t request = 0) {
  Operation out = op(kind, function);
  out.peer = peer;
  out.tag = tag;
  out.bytes = bytes;
  out.request = request;
  return out;
}
Operation wait(std::vector<std::uint32_t> requests) {
  Operation out = op(Kind::wait, "MPI_Waitall");
  out.requests = std::move(requests);
  return out;
}
Operation all(trace::CollectiveKind kind, const std::string& function, double bytes,
              const std::shared_ptr<const trace::Communicator>& communicator = kWorld, std::uint32_t request = 0) {
  Operation out = op(request == 0 ? Kind::collective : Kind::icollective, function);
  auto described = std::make_shared<trace::Collective>();
  described->kind = kind;
  described->send_bytes = described->receive_bytes = bytes;
  out.collective = std::move(described);
  out.communicator = communicator;
  out.request = request;
  return out;
}
std::vector<Operation> framed(std::vector<Operation> operations) {
  operations.insert(operations.begin(), op(Kind::init, "MPI_Init"));
  operations.push_back(op(Kind::finalize, "MPI_Finalize"));
  return operations;
}
// Rank 0 does something, the others nothing.
std::vector<std::vector<Operation>> alone(const std::vector<Operation>& operations) {
  return {framed(operations), framed({}), framed({}), framed({})};
}

struct Converted {
  Converted(const std::vector<std::vector<Operation>>& ranks, const Options& options) {
    Written first(ranks);
    Written second(ranks);
    const bool ti = options.format == Format::ti;
    auto done = convert::convert(first, second, options, folder("out"));
    left = folder.entries();
    if (!done) {
      error = done.error().message;
      return;
    }
    losses = done->losses;
    if (!ti) {
      text = contents(folder("out"));
      return;
    }
    text = contents(folder("out/rank-0.ti"));
    text.erase(0, text.find('\n') + 1); // the comment
    const auto files = trace::find_ti_trace(folder("out/trace"));
    REQUIRE(files);
    trace::TiTimelines read(*files, std::vector<double>(ranks.size(), options.flops_per_second), base::Seconds(0));
    again.resize(ranks.size());
    Operation operation;
    for (int rank = 0; rank < read.ranks(); ++rank) {
      while (read.next(rank, operation)) again[static_cast<std::size_t>(rank)].push_back(operation);
    }
    CHECK(read.error() == "");
  }
  Folder folder;
  std::string text;
  std::string error;
  std::size_t left = 0;
  std::vector<std::string> losses;
  std::vector<std::vector<Operation>> again;
};

std::string ti(const std::vector<Operation>& operations, bool plain = false) {
  Options options;
  options.plain = plain;
  const Converted out(alone(operations), options);
  CHECK(out.error == "");
  return out.text;
}

} // namespace

TEST_CASE("messages, computation and local calls; rounding is carried on") {
  Operation local = op(Kind::local, "MPI_Comm_rank", 0.6e-9);
  local.measured = base::Seconds(2e-6);
  Operation send = message(Kind::send, "MPI_Send", 1, 7, 100);
  send.compute = base::Seconds(0.6e-9);
  Operation again = message(Kind::send, "MPI_Send", 1, 7, 100);
  again.compute = base::Seconds(0.8e-9); // 0.2 of a flop are owed: 0.2 + 0.8 - 0 is one
  CHECK(ti({local, send, again, message(Kind::receive, "MPI_Recv", 2, 3, 40)}) ==
        "0 init\n0 compute 1\n0 sleep 0.000002000\n0 send 1 7 100\n0 compute 1\n0 send 1 7 100\n0 recv 2 3 40\n0 finalize\n");
}

TEST_CASE("requests: waits by ranks and tag, waitall for all that is pending, a number where the order differs") {
  const auto post = [](std::uint32_t id, int tag) { return message(Kind::isend, "MPI_Isend", 1, tag, 8, id); };
  CHECK(ti({post(1, 0), post(2, 5), wait({2}), wait({1}), post(3, 0), post(4, 0), wait({3, 4})}) ==
        "0 init\n0 isend 1 0 8\n0 isend 1 5 8\n0 wait 0 1 5\n0 wait 0 1 0\n0 isend 1 0 8\n0 isend 1 0 8\n0 waitall 2\n0 "
        "finalize\n");
  const std::vector<Operation> crossed{post(1, 0), post(2, 0), wait({2}), wait({1})};
  CHECK(ti(crossed) == "0 init\n0 isend 1 0 8\n0 isend#2 1 0 8\n0 wait#2\n0 wait 0 1 0\n0 finalize\n");
  CHECK(ti(crossed, true) == "0 init\n0 send 1 0 8\n0 send 1 0 8\n0 finalize\n");
}

TEST_CASE("what the plain format cannot say is written beyond it, or refused") {
  using K = trace::CollectiveKind;
  Operation put = message(Kind::transfer, "MPI_Put", 1, 0, 100, 9);
  put.communicator = nullptr;
  Operation tagged = message(Kind::send, "MPI_Send", 2, 7, 8);
  tagged.communicator = kPair;
  CHECK(ti({all(K::allreduce, "MPI_Allreduce", 8), all(K::bcast, "MPI_Bcast", 0), all(K::allreduce, "MPI_Allreduce", 8, kPair),
            all(K::bcast, "MPI_Ibcast", 64, kWorld, 5), wait({5}), put, wait({9}), tagged}) ==
        "0 init\n0 allreduce 1 0 0\n0 comm@1 2 0\n0 allreduce@1 1 0 0\n0 ibcast#5 8 0 0\n0 wait#5\n0 put#9 1 100\n0 wait#9\n"
        "0 send 2 1048576 8\n0 finalize\n");
  Options plain;
  plain.plain = true;
  const Converted refused(alone({put}), plain);
  CHECK_THAT(refused.error, Catch::Contains("MPI_Put: 1 call, first by rank 0") && Catch::Contains("--plain"));
  CHECK(refused.left == 0);
  const auto pair = [&](const char* name) { return framed({all(K::allreduce, name, 8, kPair)}); };
  const Converted expanded({pair("MPI_Allreduce"), framed({}), pair("MPI_Allreduce"), framed({})}, plain);
  CHECK(expanded.error == "");
  CHECK(expanded.text.find('@') == std::string::npos);
  CHECK(expanded.text.find("send 2 ") != std::string::npos);
}

TEST_CASE("losses are named: cancelled receives, senders that were never seen, calls that are not modelled") {
  Operation forget = op(Kind::forget, "MPI_Wait");
  forget.requests = {3};
  Operation file = op(Kind::storage, "MPI_File_write");
  file.measured = base::Seconds(1.5);
  Options options;
  const Converted out(alone({message(Kind::ireceive, "MPI_Irecv", 1, 0, 8, 3), forget, file,
                             message(Kind::receive, "MPI_Recv", trace::kUnknownPeer, 0, 8)}),
                      options);
  CHECK(out.text == "0 init\n0 sleep 1.500000000\n0 finalize\n");
  CHECK(out.losses == std::vector<std::string>{"MPI_File_write is a sleep of its measured time: 1 call, first by rank 0",
                                               "MPI_Irecv that was cancelled is left out: 1 call, first by rank 0",
                                               "MPI_Recv whose sender was never seen is left out: 1 call, first by rank 0"});
}

TEST_CASE("read back, a trace has the operations that it was made of") {
  using K = trace::CollectiveKind;
  Operation probe = message(Kind::probe, "MPI_Probe", 1, 4, 0);
  Operation exchange = message(Kind::send_receive, "MPI_Sendrecv", 1, 3, 24);
  exchange.receive_peer = 2;
  exchange.receive_tag = 5;
  exchange.reply_bytes = 48;
  Options options;
  options.flops_per_second = 2.5e9;
  const Converted out(alone({op(Kind::local, "MPI_Comm_rank", 0.25), probe, message(Kind::receive, "MPI_Recv", 1, 4, 8), exchange,
                             all(K::alltoall, "MPI_Alltoall", 16), all(K::synchronize, "MPI_Comm_dup", 8)}),
                      options);
  const auto& ops = out.again[0];
  REQUIRE(ops.size() == 9);
  CHECK(ops[1].kind == Kind::probe);
  CHECK(ops[1].compute.value() == Approx(0.25).epsilon(1e-9));
  CHECK(ops[2].kind == Kind::receive);
  CHECK(ops[3].kind == Kind::ireceive);
  CHECK(ops[3].tag == 5);
  CHECK(ops[3].bytes == 48);
  CHECK(ops[4].kind == Kind::send);
  CHECK(ops[5].requests == std::vector{ops[3].request});
  CHECK(ops[6].collective->kind == K::alltoall);
  CHECK(ops[7].collective->kind == K::allreduce);
}

TEST_CASE("what ranks work in an agreement is kept; a plain trace has the agreement and says so") {
  using K = trace::CollectiveKind;
  Operation window = all(K::synchronize, "MPI_Win_allocate", 8);
  auto described = std::make_shared<trace::Collective>(*window.collective);
  described->works = true;
  window.collective = std::move(described);
  window.measured = base::Seconds(0.0125);
  Options options;
  {
    const Converted out(alone({window, all(K::synchronize, "MPI_Win_fence", 8)}), options);
    const auto& ops = out.again.at(0);
    REQUIRE(ops.size() == 4);
    CHECK(ops[1].collective->kind == K::synchronize);
    CHECK(ops[1].collective->works);
    CHECK(ops[1].measured.value() == Approx(0.0125).epsilon(1e-9));
    CHECK(ops[2].collective->kind == K::allreduce);
    CHECK(ops[2].measured.value() == 0);
  }
  {
    Operation at_once = window; // all that it took was taken from it
    at_once.measured = base::Seconds(0);
    const Converted out({framed({window}), framed({at_once}), framed({window}), framed({window})}, options); // reads it back
    REQUIRE(out.again.at(1).size() == 3);
    CHECK(out.again.at(1)[1].collective->works);
  }
  options.plain = true;
  const Converted plain(alone({window}), options);
  REQUIRE(plain.again.at(0).size() == 3);
  CHECK(plain.again.at(0)[1].collective->kind == K::allreduce);
  CHECK(plain.losses == std::vector<std::string>{
                            "MPI_Win_allocate is an agreement: what its ranks work in it is left out: 1 call, first by rank 0"});
}

TEST_CASE("constructors of communicators are played as they were, in a plain trace by their messages") {
  using K = trace::CollectiveKind;
  const std::vector<Operation> calls{all(K::construct, "MPI_Comm_dup", 0), all(K::construct, "MPI_Comm_split", 8)};
  Options options;
  {
    const Converted out(alone(calls), options);
    const auto& ops = out.again.at(0);
    REQUIRE(ops.size() == 5);
    CHECK(ops[1].collective->kind == K::construct);
    CHECK(ops[2].collective->kind == K::allgather);
    CHECK(ops[2].collective->send_bytes == 8);
    CHECK(ops[3].collective->kind == K::construct);
  }
  options.plain = true;
  const Converted plain(alone(calls), options);
  REQUIRE(plain.error.empty());
  const auto is = [](Kind kind) { return [kind](const Operation& one) { return one.kind == kind; }; };
  const auto& messages = plain.again.at(0); // rank 0 hears from two others, three times for each
  CHECK(std::count_if(messages.begin(), messages.end(), is(Kind::collective)) == 0);
  CHECK(std::count_if(messages.begin(), messages.end(), is(Kind::ireceive)) +
            std::count_if(messages.begin(), messages.end(), is(Kind::receive)) >=
        12);
}

TEST_CASE("GOAL: every message has its other end, and everything can happen") {
  using K = trace::CollectiveKind;
  std::vector<std::vector<Operation>> ranks;
  for (int rank = 0; rank < 4; ++rank) {
    const int right = (rank + 1) % 4;
    const int left = (rank + 3) % 4;
    std::vector<Operation> ops{message(Kind::ireceive, "MPI_Irecv", left, 0, 1000, 1),
                               op(Kind::local, "MPI_Comm_rank", 1e-3),
                               message(Kind::isend, "MPI_Isend", right, 0, 1000, 2),
                               all(K::allreduce, "MPI_Iallreduce", 8, kWorld, 3),
                               wait({1, 2, 3}),
                               all(K::barrier, "MPI_Barrier", 0),
                               all(K::alltoall, "MPI_Alltoall", 100)};
    if (rank % 2 == 0) ops.push_back(all(K::bcast, "MPI_Bcast", 5000, kPair));
    ranks.push_back(framed(ops));
  }
  Options options;
  options.format = Format::goal;
  const Converted out(ranks, options);
  CHECK(out.error == "");
  const GoalSchedule schedule(out.text);
  CHECK(schedule.fault() == "");
  CHECK(schedule.ranks.size() == 4);
  std::uint64_t calculated = 0;
  for (const auto& [label, vertex] : schedule.ranks[0]) calculated += vertex.kind == 'c' ? vertex.size : 0;
  CHECK(calculated == 1000000);
  // The test would see a schedule that cannot be played.
  CHECK(GoalSchedule("num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 0\n}\nrank 1 {\nl1: calc 5\n}\n").fault() != "");
  CHECK(GoalSchedule("num_ranks 1\nrank 0 {\nl1: calc 1\nl2: calc 1\nl1 requires l2\nl2 requires l1\n}\n").fault() != "");
}

TEST_CASE("a folder that is there is not touched, and what fails leaves nothing behind") {
  const Folder folder;
  fs::create_directory(folder("out"));
  Written first(alone({}));
  Written second(alone({}));
  const auto done = convert::convert(first, second, Options{}, folder("out"));
  REQUIRE_FALSE(done);
  CHECK_THAT(done.error().message, Catch::Contains("it exists already"));
  CHECK(folder.entries() == 1);
  Written third(alone({}));
  Written fourth(alone({}));
  const auto nowhere = convert::convert(third, fourth, Options{}, folder("no/such/place"));
  REQUIRE_FALSE(nowhere);
  CHECK(folder.entries() == 1);
  fs::create_directory(folder(".next.farcast-999999999")); // of a process that was killed
  Written fifth(alone({}));
  Written sixth(alone({}));
  CHECK(convert::convert(fifth, sixth, Options{}, folder("next")));
  CHECK(folder.entries() == 2);
}
