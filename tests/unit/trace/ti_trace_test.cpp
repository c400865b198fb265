// SimGrid TI traces: actions as operations, shared and separate files, and what is wrong with a trace.
#include "predictor/trace/ti_trace.h"

#include <filesystem>
#include <unit/pipe.h>
#include <unit/trace/decoded.h>
#include <unit/trace/ti_played.h>

using namespace farcast;
using namespace farcast::trace;
using Kind = OperationKind;

namespace {

using Folder = TiFolder;
using Played = TiPlayed;

std::vector<Operation> only_rank(const std::string& lines) {
  const Folder folder;
  const Played played(folder.trace({"0 init\n" + lines + "0 finalize\n"}));
  CHECK(played.error.empty());
  REQUIRE(played.operations.size() == 1);
  REQUIRE(played.operations[0].size() >= 2);
  return {played.operations[0].begin() + 1, played.operations[0].end() - 1};
}

std::string error_of(const std::vector<std::string>& ranks) {
  const Folder folder;
  return Played(folder.trace(ranks)).error;
}

} // namespace

TEST_CASE("TI: computation in flops, messages in elements of the default type or of their own") {
  const auto ops =
      only_rank("0 compute 2e9\n0 compute 1e9\n0 send 0 7 100\n0 recv 0 7 100 1\n0 sleep 0.5\n0 compute 5e8\n0 barrier\n");
  REQUIRE(kinds(ops) == std::vector{Kind::send, Kind::receive, Kind::local, Kind::collective});
  CHECK(near(ops[0].compute, 3.0));
  CHECK(ops[0].bytes == 100);
  CHECK(ops[0].tag == 7);
  CHECK(ops[1].bytes == 400);
  CHECK(near(ops[2].measured, 0.5));
  CHECK(near(ops[3].compute, 0.5));
  const Folder folder;
  const Played doubles(folder.trace({"0 init 1\n0 send 0 0 100\n0 finalize\n"}));
  CHECK(doubles.operations[0][1].bytes == 800);
}

TEST_CASE("TI: requests are named by source, destination and tag, the oldest first; finalize waits for the rest") {
  const auto ops = only_rank("0 isend 0 1 10\n0 isend 0 1 20\n0 irecv 0 1 10\n0 isend 0 2 30\n0 wait 0 0 1\n0 wait 0 0 9\n"
                             "0 waitall 1\n0 waitall 1\n0 isend 0 3 1\n");
  REQUIRE(kinds(ops) ==
          std::vector{Kind::isend, Kind::isend, Kind::ireceive, Kind::isend, Kind::wait, Kind::wait, Kind::isend, Kind::wait});
  CHECK(ops[4].requests == std::vector{ops[0].request});
  CHECK(ops[5].requests == std::vector{ops[1].request, ops[2].request, ops[3].request});
  CHECK(ops[7].requests == std::vector{ops[6].request});
}

TEST_CASE("TI: a receive of unknown size is a probe first; sendRecv; test") {
  const auto ops = only_rank("0 recv 0 3 -1\n0 sendRecv 10 0 20 0 0 1\n0 test 0 0 1\n");
  REQUIRE(kinds(ops) == std::vector{Kind::probe, Kind::receive, Kind::send_receive, Kind::poll});
  CHECK(ops[0].tag == 3);
  CHECK(ops[2].bytes == 80);
  CHECK(near(ops[3].measured, 1e-4));
}

TEST_CASE("TI: collectives; a reduction computes after its messages") {
  const auto ops =
      only_rank("0 bcast 10 0 1\n0 reduce 10 1e9 0 0\n0 allreduce 5 2e9\n0 gather 3 4 0 1 1\n0 alltoall 2 2 0 0\n"
                "0 gatherv 5 7\n0 scatterv 6 8 0 1 1\n0 reducescatter 9 0 1\n0 alltoallv 4 4 4 4 1 1\n0 allgatherv 2 3\n");
  REQUIRE(ops.size() == 10);
  const auto of = [&](std::size_t i) -> const Collective& { return *ops.at(i).collective; };
  CHECK(of(0).send_bytes == 40);
  CHECK(of(1).kind == CollectiveKind::reduce);
  CHECK(of(1).send_bytes == 80);
  CHECK(near(ops[1].compute, 0));
  CHECK(near(ops[2].compute, 1.0));
  CHECK(near(ops[3].compute, 2.0));
  CHECK(of(3).send_bytes == 12);
  CHECK(of(3).receive_bytes == 16);
  CHECK(of(4).send_bytes == 16);
  CHECK(*of(5).receive_counts == std::vector<double>{7});
  CHECK(*of(6).send_counts == std::vector<double>{24});
  CHECK(of(6).receive_bytes == 32);
  CHECK(*of(7).receive_counts == std::vector<double>{36});
  CHECK(*of(8).send_counts == std::vector<double>{16});
  CHECK(of(9).kind == CollectiveKind::allgatherv);
}

TEST_CASE("TI: one file of all ranks, lines in any order, with comments and blank lines") {
  const Folder folder;
  const std::string path =
      folder.file("all", "# a comment\n0 init\n1 init\n\n1 recv 0 0 8\n0 send 1 0 8\n1 finalize\n0 finalize\n");
  const Played played(path);
  CHECK(played.error.empty());
  REQUIRE(played.operations.size() == 2);
  CHECK(kinds(played.operations[0]) == std::vector{Kind::init, Kind::send, Kind::finalize});
  CHECK(kinds(played.operations[1]) == std::vector{Kind::init, Kind::receive, Kind::finalize});
}

TEST_CASE("TI: lines that lie across pieces, and a file without a newline at its end") {
  const Folder folder;
  std::string text = "0 init\n";
  for (int i = 0; i < 20000; ++i) text += "0 compute 1000000\n";
  const Played played(folder.trace({text + "0 barrier\n0 finalize"}));
  CHECK(played.error.empty());
  REQUIRE(played.operations[0].size() == 3);
  CHECK(near(played.operations[0][1].compute, 20.0));
}

TEST_CASE("TI: what is wrong is said with file, line and rank") {
  const auto wrong = [](const std::string& line) { return error_of({"0 init\n" + line + "\n0 finalize\n"}); };
  const auto holds = [](const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; };
  CHECK(holds(wrong("0 dance 1"), "0.ti:2: rank 0: the action 'dance' is unknown"));
  CHECK(holds(wrong("0 send 1 0 8"), "send names rank 1, expected 0 to 0"));
  CHECK(holds(wrong("0 send 0 0"), "send has 2 arguments, expected 3 to 4"));
  CHECK(holds(wrong("0 send 0 0 x"), "argument 3 of send is 'x', expected a number"));
  CHECK(holds(wrong("0 send 0 0 -1"), "expected no negative number"));
  CHECK(holds(wrong("0 send 0 0 1 99"), "datatype 99, expected 0 to 54"));
  CHECK(holds(wrong("0 compute nan"), "expected a number"));
  CHECK(holds(wrong("1 barrier"), "found '1', expected the rank 0 at the start of its line"));
  CHECK(holds(wrong("0"), "the line has no action"));
  CHECK(holds(wrong("0 gatherv 1"), "gatherv has 1 arguments"));
  CHECK(holds(error_of({"0 init\n0 barrier\n"}), "0.ti:2: rank 0: the trace ends without finalize: it was cut short"));
}

TEST_CASE("TI: an index that is none") {
  const Folder folder;
  const auto error = [](const std::string& path) {
    const auto found = find_ti_trace(path);
    return found ? std::string() : found.error().message;
  };
  CHECK(error("/no/such/file").find("cannot read '/no/such/file'") == 0);
  CHECK(error(folder.file("empty", "")).find("names no trace") != std::string::npos);
  CHECK(error(folder.file("lost", "nothing.ti\n")).find("lost:1: the trace 'nothing.ti' does not exist") != std::string::npos);
  CHECK(error(folder.file("mixed", "0 init\nsomething\n")).find("mixed:2: found 'something'") != std::string::npos);
  CHECK(error(std::filesystem::temp_directory_path().string()).find("Is a directory") != std::string::npos);
}

TEST_CASE("TI: the traces of all ranks, or an index, come through a pipe as from a file") {
  const Folder folder;
  std::string text = "# all ranks\n0 init\n1 init\n";
  constexpr int kRounds = 20000; // more than a pipe holds, and than a piece
  for (int i = 0; i < kRounds; ++i) text += "0 send 1 0 8\n1 recv 0 0 8\n";
  text += "0 finalize\n1 finalize";
  const test::Pipe pipe(text);
  const Played played(pipe.path());
  CHECK(played.error.empty());
  REQUIRE(played.operations.size() == 2);
  CHECK(played.operations[0].size() == kRounds + 2);
  CHECK(played.operations[1].size() == kRounds + 2);
  const std::string first = folder.file("0.ti", "0 init\n0 finalize\n");
  const test::Pipe index(first + "\n");
  CHECK(Played(index.path()).operations.size() == 1);
  const test::Pipe wrong("0 init\n0 dance 1\n");
  CHECK(Played(wrong.path()).error.starts_with(wrong.path() + ":2: rank 0"));
}

TEST_CASE("TI: devices are refused at once, and a line without end is") {
  const Folder folder;
  const auto error = [](const std::string& path) { return find_ti_trace(path).error().message; };
  CHECK(error("/dev/zero") == "cannot read '/dev/zero': found a device, expected a regular file or a pipe");
  CHECK(error(folder.file("index", "/dev/zero\n")).find("'/dev/zero' is no regular file, expected the file of rank 0") !=
        std::string::npos);
  const std::string zeros = folder.file("zeros", "");
  std::filesystem::resize_file(zeros, std::uintmax_t{1} << 40U); // no blocks behind them
  CHECK(error(zeros).find("zeros:1: the line is longer than") != std::string::npos);
}

TEST_CASE("TI: lines behind finalize and a second init are refused, in files of their own and in a shared one") {
  const auto holds = [](const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
  };
  const std::string behind = "found a line behind finalize";
  CHECK(holds(error_of({"0 init\n0 finalize\n0 compute 5\n"}), "0.ti:3: rank 0: " + behind));
  CHECK(holds(error_of({"0 init\n0 init\n0 finalize\n"}), "0.ti:2: rank 0: init comes a second time"));
  CHECK(error_of({"0 init\n0 finalize\n\n# the end\n"}).empty());
  const Folder folder;
  const auto shared = [&](const std::string& lines) { return Played(folder.file("all", lines)).error; };
  CHECK(shared("0 init\n1 init\n0 finalize\n1 finalize\n# the end\n").empty());
  CHECK(holds(shared("0 init\n1 init\n0 finalize\n1 finalize\n0 compute 1\n"), "all:5: rank 0: " + behind));
  CHECK(holds(shared("0 init\n1 init\n0 finalize\n1 finalize\n1 init\n"), "all:5: rank 1: " + behind));
  CHECK(holds(shared("0 init\n0 finalize\n0 compute 1\n1 init\n1 finalize\n"), "all:3: rank 0: " + behind));
  CHECK(holds(shared("1 init\n1 finalize\n1 compute 1\n0 init\n0 finalize\n"), "all:3: rank 1: " + behind)); // read ahead
  CHECK(holds(shared("0 init\n1 init\n1 init\n0 finalize\n1 finalize\n"), "all:3: rank 1: init comes a second time"));
}

TEST_CASE("TI: numbers that nothing has are refused") {
  const std::string error = error_of({"0 init\n0 compute 1e308\n0 finalize\n"});
  CHECK(error.find("0.ti:2: rank 0: argument 1 of compute is '1e308', expected a number of at most 1e+30") != std::string::npos);
}
