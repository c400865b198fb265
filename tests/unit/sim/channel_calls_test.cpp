// Ordered channels: what a process's reads and writes take, and whom it reads first.
#include "unit/sim/channels.h"

#include <set>

namespace channel_calls_test {

using namespace scenario;
using sim::Activity;

namespace {

constexpr double kWrite = 3e-6;
constexpr double kRead = 5e-6;
constexpr double kReadPerByte = 1e-9;

double read_time(double bytes) { return kRead + kReadPerByte * bytes; }

platform::Platform with_overheads(int hosts) {
  platform::Platform result = connected(hosts);
  result.p2p.send_overhead = result.p2p.isend_overhead = {{0, kWrite, 0}};
  result.p2p.receive_overhead = {{0, kRead, kReadPerByte}};
  return result;
}

} // namespace

TEST_CASE("channels: what a process reads and writes takes its time") {
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kSmall);
  program.rank(1).receive(0);
  program.all_finalize();
  CHECK(play(program, with_overheads(2)).time.value() == near(kWrite + heard(22 + kSmall) + read_time(kSmall)));

  Program bulk(2);
  bulk.all_init();
  bulk.rank(0).send(1, kBulk);
  bulk.rank(1).receive(0);
  bulk.all_finalize();
  const double answers = kWrite + heard(40) + kRead + kWrite + heard(64) + kRead + kWrite;
  CHECK(play(bulk, with_overheads(2)).time.value() == near(answers + heard_all(kBulk) + read_time(kTail)));
}

TEST_CASE("channels: an empty message has a header, and costs its sender what a small one does") {
  const auto sender = [](double bytes, bool immediate) {
    Program program(2);
    program.all_init();
    if (immediate)
      program.rank(0).isend(1, bytes, 1).wait({1});
    else
      program.rank(0).send(1, bytes);
    program.rank(1).receive(0);
    program.all_finalize();
    platform::Platform platform = with_overheads(2);
    platform.p2p.isend_overhead = {{0, 2 * kWrite, 0}};
    return seconds(play(program, platform), 0, Activity::point_to_point);
  };
  CHECK(sender(0, false) == near(kWrite));
  CHECK(sender(8, false) == near(kWrite));
  CHECK(sender(0, true) == near(2 * kWrite));
  Program barrier(2);
  barrier.all_init();
  for (int rank = 0; rank < 2; ++rank) barrier.rank(rank).collective(trace::CollectiveKind::barrier, 0);
  barrier.all_finalize();
  CHECK(play(barrier, with_overheads(2)).time.value() == near(kWrite + heard(22) + kRead));
}

TEST_CASE("channels: on calls that post sends chance draws, between half and twice their time") {
  Program program(2);
  program.all_init();
  for (int i = 0; i < 20; ++i) program.rank(0).send(1, kSmall, i).compute(1e-3);
  for (int i = 0; i < 20; ++i) program.rank(1).receive(0, i);
  program.all_finalize();
  const auto sender = [&](std::uint64_t seed) {
    sim::Options options;
    options.seed = seed;
    return seconds(play_with(program, with_overheads(2), options), 0, Activity::point_to_point);
  };
  CHECK(sender(0) == near(20 * kWrite));
  std::set<double> seen;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    seen.insert(sender(seed));
    CHECK(*seen.begin() > 10 * kWrite);
    CHECK(*seen.rbegin() < 40 * kWrite);
  }
  CHECK(seen.size() == 5);
}

TEST_CASE("channels: a call right behind another is quicker than one after a pause") {
  constexpr int kMessages = 5;
  constexpr double kCold = kWrite / 4;
  const auto sender = [](double pause, const platform::Platform& platform) {
    Program program(2);
    program.all_init();
    for (int i = 0; i < kMessages; ++i) {
      program.rank(0).send(1, kSmall, i);
      if (pause > 0) program.rank(0).compute(pause);
      program.rank(1).receive(0, i);
    }
    program.all_finalize();
    return seconds(play(program, platform), 0, Activity::point_to_point);
  };
  platform::Platform platform = with_overheads(2);
  CHECK(sender(0, platform) == near(kMessages * kWrite));
  platform.transport.cold_call = Seconds(kCold);
  CHECK(sender(0, platform) == near(kWrite + (kMessages - 1) * (kWrite - kCold)));
  CHECK(sender(1e-3, platform) == near(kMessages * kWrite));
  platform.transport.cold_call = Seconds(2 * kWrite); // never less than nothing
  CHECK(sender(0, platform) == near(kWrite));

  // The root of a broadcast (a binary tree) sends to two.
  Program all(8);
  all.all_init();
  for (int rank = 0; rank < all.ranks(); ++rank) all.rank(rank).collective(trace::CollectiveKind::bcast, 8);
  all.all_finalize();
  platform = with_overheads(all.ranks());
  CHECK(seconds(play(all, platform), 0, Activity::collective) == near(2 * kWrite));
  platform.transport.cold_call = Seconds(kCold);
  CHECK(seconds(play(all, platform), 0, Activity::collective) == near(2 * kWrite - kCold));
}

TEST_CASE("channels: what several peers sent is read one after another, what one peer sent in one go") {
  constexpr int kPeers = 5;
  Program spread(kPeers + 1);
  spread.all_init();
  for (int peer = 1; peer <= kPeers; ++peer) {
    spread.rank(peer).send(0, 1);
    spread.rank(0).ireceive(peer, static_cast<std::uint32_t>(peer));
  }
  spread.rank(0).wait({1, 2, 3, 4, 5});
  spread.all_finalize();
  CHECK(play(spread, with_overheads(kPeers + 1)).time.value() == near(kWrite + heard(23) + kPeers * read_time(1)));

  // All of them are there when the receiver comes back: one system call gets them.
  Program burst(2);
  burst.all_init();
  for (int i = 0; i < kPeers; ++i) burst.rank(0).send(1, kSmall, i);
  burst.rank(1).compute(1.0);
  for (int i = 0; i < kPeers; ++i) burst.rank(1).receive(0, i);
  burst.all_finalize();
  CHECK(play(burst, with_overheads(2)).time.value() == near(1.0 + kRead + kPeers * kReadPerByte * kSmall));
}

TEST_CASE("channels: one system call takes what has come by half of a read's time") {
  const auto time_with = [](double later) {
    Program program(2);
    program.all_init();
    program.rank(0).send(1, kSmall, 1).compute(later).send(1, kSmall, 2);
    program.rank(1).ireceive(0, 1, 1).ireceive(0, 2, 2).wait({1, 2});
    program.all_finalize();
    platform::Platform platform = with_overheads(2);
    platform.p2p.send_overhead.clear();
    platform.p2p.isend_overhead.clear();
    return play(program, platform).time.value();
  };
  const double read = read_time(kSmall);
  CHECK(time_with(kWakeup + 0.55 * read) - time_with(kWakeup + 0.45 * read) > read);
}

TEST_CASE("channels: a process that writes bulk data reads nothing meanwhile") {
  // Rank 0's bulk goes to rank 1; rank 2's message comes while it is written.
  constexpr double kWritePerByte = 1e-7;
  constexpr double kLater = 0.1;
  Program program(3);
  program.all_init();
  program.rank(0).isend(1, kBulk, 1).receive(2).wait({1});
  program.rank(1).receive(0);
  program.rank(2).compute(kLater).send(0, 1);
  program.all_finalize();
  platform::Platform platform = connected(3);
  platform.p2p.send_overhead = {{0, 0, kWritePerByte}};
  const auto received_at = [&] {
    const sim::Prediction result = play(program, platform);
    return seconds(result, 0, Activity::point_to_point) + seconds(result, 0, Activity::waiting);
  };
  CHECK(received_at() == Approx(heard(40) + heard(64) + 65480 * kWritePerByte + (kBulk - 65480) * kWritePerByte).epsilon(1e-3));
  platform.p2p.send_overhead = {{0, 0, kWritePerByte},
                                {1, 65480 * kWritePerByte, 0}}; // as much for the first, nothing for the rest
  CHECK(received_at() == Approx(kLater).epsilon(0.01));
}

TEST_CASE("channels: reading the data of a rendezvous message has a time of its own") {
  platform::Platform platform = with_overheads(2);
  Program program(2);
  program.all_init();
  program.rank(0).send(1, kBulk);
  program.rank(1).receive(0);
  program.all_finalize();
  const double by_overhead = play(program, platform).time.value();
  constexpr double kReadPerByte = 1e-10;
  platform.transport.bulk_read_s = kReadPerByte;
  const platform::Overhead& reading = platform.p2p.receive_overhead;
  const double less = platform::overhead_at(reading, kTail).value() - farcast::network::least_overhead_s(reading);
  CHECK(play(program, platform).time.value() == near(by_overhead - less + kReadPerByte * kTail));
}

TEST_CASE("channels: a process whose writing ends within an instant of what comes to it goes on") {
  constexpr int kRanks = 4;
  Program program(kRanks);
  program.all_init();
  for (int rank = 0; rank < kRanks; ++rank) program.rank(rank).collective(trace::CollectiveKind::alltoall, 131072);
  program.all_finalize();
  platform::Platform platform = with_overheads(kRanks);
  sim::Options options;
  options.p2p = sim::MessageModel::channel;
  for (std::uint64_t i = 1; i <= 100; ++i) { // at 49 one event is a rounding before the other
    INFO(i);
    platform.transport.bulk_write_s = 2.5e-12 * static_cast<double>(i);
    options.seed = i;
    CHECK(play_with(program, platform, options).complete);
  }
}

namespace {

// When rank 0 has answered `rank`, and its send is over: ranks 1 and 2 ask it at different times.
double answered_at(std::uint32_t rank, double rank_1_later) {
  Program program(3);
  program.all_init();
  program.rank(0).ireceive(1, 1).ireceive(2, 2).wait({1, 2});
  program.rank(1).compute(rank_1_later).send(0, kBulk);
  program.rank(2).send(0, kBulk);
  program.all_finalize();
  const sim::Prediction result = play(program, with_overheads(3));
  const int index = static_cast<int>(rank);
  return seconds(result, index, Activity::compute) + seconds(result, index, Activity::point_to_point) +
         seconds(result, index, Activity::waiting);
}

} // namespace

TEST_CASE("channels: who has sent by half of a first read is read in the order of ranks, who comes later comes later") {
  constexpr double kSoon = kWakeup + 0.45 * kRead, kLate = kWakeup + 0.55 * kRead;
  CHECK(answered_at(1, kSoon) < answered_at(2, kSoon));
  CHECK(answered_at(1, kLate) > answered_at(2, kLate));
  CHECK(answered_at(1, 10 * kRead) > answered_at(2, 10 * kRead));
}

TEST_CASE("channels: whom a library reads first is chance, and the seed decides it") {
  constexpr int kRanks = 4;
  constexpr double kBytes = 131072;
  Program program(kRanks);
  program.all_init();
  for (int rank = 0; rank < kRanks; ++rank) {
    auto& timeline = program.rank(rank);
    std::vector<std::uint32_t> requests;
    for (int step = 1; step < kRanks; ++step) {
      const int peer = (rank + step) % kRanks;
      timeline.ireceive(peer, requests.emplace_back(static_cast<std::uint32_t>(requests.size() + 1)));
      timeline.isend(peer, kBytes, requests.emplace_back(static_cast<std::uint32_t>(requests.size() + 1)));
    }
    for (const std::uint32_t request : requests) timeline.wait({request});
  }
  program.all_finalize();
  const platform::Platform platform = connected(kRanks);
  const auto time_of = [&](std::uint64_t seed) {
    sim::Options options;
    options.p2p = sim::MessageModel::channel;
    options.seed = seed;
    return play_with(program, platform, options).time.value();
  };
  const double alone = leaving(24 + kBytes);
  std::set<int> outcomes;
  for (std::uint64_t seed = 0; seed <= 40; ++seed) {
    const double time = time_of(seed);
    CHECK(time == time_of(seed));
    CHECK(time > 3 * alone); // a link carries three messages
    CHECK(time < 6 * alone); // and is seldom idle for as long again
    outcomes.insert(static_cast<int>(std::lround(time / alone)));
  }
  CHECK(outcomes.size() > 1);
  sim::Options third;
  third.p2p = sim::MessageModel::channel;
  third.seed = 3;
  CHECK(play_with(program, platform, third).transport ==
        sim::TransportUse{sim::MessageModel::channel, sim::ProgressRule::in_call, 3});
}

} // namespace channel_calls_test
