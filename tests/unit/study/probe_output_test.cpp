#include "calib/study/probe_output.h"

#include "tests/unit/study/synthetic_network.h"

#include <catch2/catch.hpp>

using namespace farcast::study;
using farcast::test::output_of;

namespace {
constexpr const char* kLines =
    "farcast-probe 2\nfact mpi Open MPI v4, x\nsample send same-node 12 1 1.5e-06\nprogress 0.5\nend\n";
}

TEST_CASE("a probe's lines are read, in pieces of any size") {
  const std::string text = kLines;
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    ProbeReader reader;
    for (std::size_t at = 0; at < text.size(); at += piece) REQUIRE(reader.take(std::string_view(text).substr(at, piece)));
    REQUIRE(reader.complete());
    CHECK(reader.output().fact("mpi") == "Open MPI v4, x");
    CHECK(reader.progress() == 0.5);
    REQUIRE(reader.output().samples.size() == 1);
    CHECK(reader.output().samples[0].kind == "send");
    CHECK(reader.output().samples[0].pair_class == "same-node");
    CHECK(reader.output().samples[0].bytes == 12.0);
    CHECK(reader.output().samples[0].seconds == 1.5e-06);
  }
}

TEST_CASE("samples know their batch, and batches come in order of time") {
  ProbeReader reader;
  REQUIRE(reader.take("farcast-probe 2\nsample send x 1 1 1e-6\nbatch 0\nsample send x 1 1 1e-6\nbatch 4\n"
                      "sample send x 1 1 1e-6\nsample send x 1 1 1e-6\nend\n"));
  const std::vector<Sample>& samples = reader.output().samples;
  REQUIRE(samples.size() == 4);
  CHECK(samples[0].batch == farcast::fit::kNoBatch);
  CHECK(samples[1].batch == 0);
  CHECK(samples[2].batch == 4);
  CHECK(samples[3].batch == 4);
  ProbeReader earlier; // its word for a batch
  REQUIRE(earlier.take("farcast-probe 2\nsitting 7\nsample send x 1 1 1e-6\nend\n"));
  CHECK(earlier.output().samples.at(0).batch == 7);
  for (const char* line : {"batch 4", "batch 3", "batch", "batch -2", "batch x"}) {
    ProbeReader other = reader;
    INFO(line);
    CHECK_FALSE(other.take(std::string(line) + "\n"));
  }
}

TEST_CASE("samples of two runs are joined, one after the other, and survive a file") {
  const std::string first =
      "farcast-probe 2\nfact mpi X 1, y\nfact seed 1\nfact tcp_rtt.other-node 4e-05\nsample send x 0 1 2e-06\n"
      "batch 0\nsample send x 1 1 1e-06\nbatch 1\nsample send x 2 1 1e-06\nend\n";
  const std::string second = "farcast-probe 2\nfact mpi X 1, y\nfact seed 2\nfact tcp_rtt.other-node 3e-05\n"
                             "batch 0\nsample send x 3 1 1.25e-06\nend\n";
  for (const bool turned : {false, true}) {
    const auto all = join(output_of(turned ? second : first), output_of(turned ? first : second));
    REQUIRE(all);
    CHECK(all->samples.size() == 4);
    CHECK(all->samples.back().batch == farcast::fit::kBatchesOfRun + (turned ? 1 : 0));
    CHECK(all->fact("seed") == (turned ? "1" : "2"));
    CHECK(all->number("tcp_rtt.other-node", 0.0) == 3e-05);
  }
  const auto all = join(output_of(first), output_of(second));
  const ProbeOutput again = output_of(to_text(*all));
  CHECK(again.facts == all->facts);
  REQUIRE(again.samples.size() == all->samples.size());
  for (std::size_t i = 0; i < again.samples.size(); ++i) {
    CHECK(again.samples[i].batch == all->samples[i].batch);
    CHECK(again.samples[i].bytes == all->samples[i].bytes);
    CHECK(again.samples[i].seconds == all->samples[i].seconds);
  }
  const auto other = join(output_of("farcast-probe 2\nfact mpi Z 2\nend\n"), output_of(first));
  REQUIRE_FALSE(other);
  CHECK(other.error().message == "the samples are of other runs: found mpi 'Z 2', expected 'X 1, y'");
}

TEST_CASE("output that was cut anywhere is not complete, and no error") {
  const std::string text = kLines;
  for (std::size_t length = 0; length < text.size(); ++length) {
    ProbeReader reader;
    CHECK(reader.take(std::string_view(text).substr(0, length)));
    CHECK_FALSE(reader.complete());
  }
}

TEST_CASE("a line of another version is an error that shows it") {
  for (const char* line : {"sample send", "sample send x 1 1 fast", "sample send x -1 1 1e-6", "sample send x 1 1 0", "tone 4",
                           "progress much", "sample send x 1 1 1e-6 more"}) {
    ProbeReader reader;
    const auto taken = reader.take(std::string("farcast-probe 2\n") + line + "\n");
    INFO(line);
    REQUIRE_FALSE(taken);
    CHECK(taken.error().message.find(line) != std::string::npos);
    CHECK(taken.error().message.find("line 2") != std::string::npos);
  }
  ProbeReader reader;
  CHECK_FALSE(reader.take("farcast-probe 1\n"));
}

TEST_CASE("facts as numbers") {
  ProbeOutput output;
  output.facts["ranks"] = "4";
  output.facts["mpi"] = "4 things";
  CHECK(output.number("ranks", 0) == 4.0);
  CHECK(output.number("mpi", 7) == 7.0);
  CHECK(output.number("none", 9) == 9.0);
}
