// The same for algorithms whose sizes do not tell what a message carries, but whose rounds do: a
// ring in pieces, a scan that passes on more than it keeps, and halves in the order of mirrored
// bits.
#include "data_flow_play.h"

using namespace farcast::collective;
using namespace farcast::collective::test;

namespace {

// An allreduce round a ring, each block in as many pieces as there are rounds. A rank's n-th
// message is, of round n / (p - 1), the round's piece of the block that lies n % (p - 1) places
// before its own; after the rounds, whole blocks, from the next rank's own.
class RingPieces final : public CheckedModel {
public:
  RingPieces(int size, double bytes, int rounds)
      : size_(size), rounds_(rounds), blocks_(Blocks::even(bytes, size)), posted_(at(size)), held_(at(size)), pending_(at(size)) {
    for (int rank = 0; rank < size; ++rank) {
      RankSet own;
      own.set(at(rank));
      held_[at(rank)].assign(at(size), std::vector<RankSet>(at(rounds), own));
    }
  }
  void sent(int from, int to, double bytes, std::size_t message) override {
    if (to != (from + 1) % size_) fail(fmt::format("rank {} sends to {}", from, to));
    settle(from);
    const int number = posted_[at(from)]++;
    const int round = number / (size_ - 1);
    const int step = number % (size_ - 1);
    const int whole = round < rounds_ ? 0 : 1;
    if (round > rounds_) fail(fmt::format("rank {} sends {} messages", from, number + 1));
    Content content{(from + whole - step + size_) % size_, whole == 1 ? kAll : round, {}};
    content.from = held_[at(from)][at(content.block)];
    if (bytes != size_of(content)) fail(fmt::format("rank {} sends {} bytes in round {}, step {}", from, bytes, round, step));
    messages_[message] = std::move(content);
  }
  void received(int rank, std::size_t message) override { pending_[at(rank)].push_back(messages_[message]); }
  void reduced(int rank, double bytes) override {
    auto& pending = pending_[at(rank)];
    if (pending.empty()) return fail(fmt::format("rank {} reduces what it has not received", rank));
    const Content content = pending.front();
    pending.erase(pending.begin());
    if (content.piece == kAll) return fail(fmt::format("rank {} adds a block that is complete", rank));
    RankSet& mine = held_[at(rank)][at(content.block)][at(content.piece)];
    const RankSet& theirs = content.from[at(content.piece)];
    if (bytes != size_of(content)) fail(fmt::format("rank {} reduces {} bytes", rank, bytes));
    if ((mine & theirs).any()) fail(fmt::format("rank {} adds a contribution twice", rank));
    mine |= theirs;
  }
  // Returns: whether a rank has every contribution to every piece.
  bool complete(int rank) {
    settle(rank);
    for (const auto& block : held_[at(rank)])
      for (const RankSet& piece : block)
        if (piece != first_ranks(size_)) return false;
    return true;
  }

private:
  static constexpr int kAll = -1;
  struct Content {
    int block = 0;
    int piece = 0;
    std::vector<RankSet> from; // [piece]
  };
  [[nodiscard]] double size_of(const Content& content) const {
    const double block = blocks_.size(content.block);
    return content.piece == kAll ? block : Blocks::even(block, rounds_).size(content.piece);
  }
  void settle(int rank) {
    for (const Content& content : pending_[at(rank)]) {
      auto& mine = held_[at(rank)][at(content.block)];
      if (content.piece == kAll)
        mine = content.from;
      else
        mine[at(content.piece)] = content.from[at(content.piece)];
    }
    pending_[at(rank)].clear();
  }

  int size_;
  int rounds_;
  Blocks blocks_;
  std::vector<int> posted_;
  std::vector<std::vector<std::vector<RankSet>>> held_; // [rank][block][piece]
  std::vector<std::vector<Content>> pending_;
  std::map<std::size_t, Content> messages_;
};

// Each rank has a result and what it passes on: the sum over all that it has heard of. What comes
// from below counts for both, what comes from above for the latter alone; sums are of neighbouring
// ranks only, so that an order can be kept.
class ScanSums final : public CheckedModel {
public:
  ScanSums(int size, double bytes) : bytes_(bytes), ranks_(at(size)) {
    for (int rank = 0; rank < size; ++rank) ranks_[at(rank)].result = ranks_[at(rank)].passes_on = {rank, rank + 1};
  }
  void sent(int from, int, double bytes, std::size_t message) override {
    if (bytes != bytes_) fail(fmt::format("rank {} sends {} bytes", from, bytes));
    finish(from);
    messages_[message] = ranks_[at(from)].passes_on;
  }
  void received(int rank, std::size_t message) override {
    finish(rank);
    Rank& mine = ranks_[at(rank)];
    mine.came = messages_[message];
    mine.reductions = mine.came.last <= rank ? 2 : 1;
  }
  void reduced(int rank, double bytes) override {
    Rank& mine = ranks_[at(rank)];
    if (bytes != bytes_) fail(fmt::format("rank {} reduces {} bytes", rank, bytes));
    if (mine.reductions == 0) return fail(fmt::format("rank {} reduces what it has not received", rank));
    --mine.reductions;
    join(rank, mine.reductions == 0 ? mine.passes_on : mine.result, mine.came);
  }
  // Returns: whether a rank's result is the sum over ranks 0 to its own.
  bool complete(int rank) {
    finish(rank);
    return ranks_[at(rank)].result.first == 0 && ranks_[at(rank)].result.last == rank + 1;
  }

private:
  struct Sum { // over ranks [first, last)
    int first = 0;
    int last = 0;
  };
  struct Rank {
    Sum result;
    Sum passes_on;
    Sum came;
    int reductions = 0; // of what came that are still to be done
  };
  void join(int rank, Sum& mine, const Sum& came) {
    if (came.last == mine.first)
      mine.first = came.first;
    else if (came.first == mine.last)
      mine.last = came.last;
    else
      fail(fmt::format("rank {} adds [{}, {}) to [{}, {})", rank, came.first, came.last, mine.first, mine.last));
  }
  void finish(int rank) {
    if (ranks_[at(rank)].reductions > 0) fail(fmt::format("rank {} leaves out a reduction", rank));
  }

  double bytes_;
  std::vector<Rank> ranks_;
  std::map<std::size_t, Sum> messages_;
};

int mirrored_bits(int number, int power) {
  int out = 0;
  for (int bit = 1; bit < power; bit *= 2, number /= 2) out = 2 * out + number % 2;
  return out;
}

} // namespace

TEST_CASE("ring in segments: every rank ends with every contribution to every piece, each once") {
  for (const int p : flow_sizes())
    for (const double block : {64.0, 1000.0, 4099.0})
      for (const double segment : {0.0, 64.0, 1000.0}) {
        const int larger = p / 2; // blocks, by a byte
        const double n = block * p + larger;
        const int rounds = Blocks::segments(Blocks::even(n, p).size(0), segment).count();
        CAPTURE(p, n, segment, rounds);
        RingPieces model(p, n, rounds);
        const auto run = [&](Place at, Schedule& out) { segmented_ring_allreduce(at, n, segment, out); };
        REQUIRE(play(p, run, &model).fault == "");
        REQUIRE(model.fault() == "");
        for (int rank = 0; rank < p; ++rank) REQUIRE(model.complete(rank));
      }
}

TEST_CASE("scan by recursive doubling: every rank ends with the contributions up to its own") {
  for (const int p : flow_sizes()) {
    CAPTURE(p);
    ScanSums model(p, 1000);
    const auto run = [&](Place at, Schedule& out) { recursive_doubling_scan(at, 1000, out); };
    REQUIRE(play(p, run, &model).fault == "");
    for (int rank = 0; rank < p; ++rank) REQUIRE(model.complete(rank));
    REQUIRE(model.fault() == "");
  }
}

TEST_CASE("mirrored halving: every rank ends with its own block, and every contribution to it once") {
  for (int p = 1; p <= 64; p *= 2) {
    CAPTURE(p);
    constexpr double kBlock = 1000;
    Windows model(p, kBlock * p);
    const auto run = [&](Place at, Schedule& out) { mirrored_halving_reduce_scatter(at, kBlock, out); };
    REQUIRE(play(p, run, &model).fault == "");
    REQUIRE(model.fault() == "");
    for (int rank = 0; rank < p; ++rank) {
      CAPTURE(rank);
      const Windows::Window& end = model.end(rank);
      REQUIRE(end.low == kBlock * mirrored_bits(rank, p)); // where the order of mirrored bits puts the rank's block
      REQUIRE(end.high == end.low + kBlock);
      REQUIRE(end.from == first_ranks(p));
    }
  }
}
