// Plays the schedules of all ranks against each other and tells what they amount to.
//
// In: one schedule per rank; out: an Outcome. Every send is synchronous (a blocking send returns
// with its receive only), messages match first in first out per (source, destination). A message
// carries what its sender had heard of when it was posted, and takes one unit of time from when
// both sides are posted; a rank may have any number of messages under way.
#pragma once

#include "predictor/collective/steps.h"

#include <algorithm>
#include <bitset>
#include <deque>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace farcast::collective::test {

inline constexpr int kMaxRanks = 128;
using RankSet = std::bitset<kMaxRanks>;

struct Outcome {
  std::string fault;            // empty: every rank reached its end and every message was received with the size that was sent
  std::vector<RankSet> heard;   // [rank] ranks that it has causally heard from, itself included
  std::vector<double> sent;     // [rank] bytes
  std::vector<double> received; // [rank] bytes
  std::vector<double> reduced;  // [rank] bytes
  std::vector<double> copied;   // [rank] bytes
  std::vector<int> finished;    // [rank] time at which it was done
  int messages = 0;

  [[nodiscard]] int rounds() const { return finished.empty() ? 0 : *std::max_element(finished.begin(), finished.end()); }
  [[nodiscard]] double total_sent() const { return std::accumulate(sent.begin(), sent.end(), 0.0); }
  [[nodiscard]] double total_reduced() const { return std::accumulate(reduced.begin(), reduced.end(), 0.0); }
};

// What the messages carry, as a test models it (data_flow.h): called in an order that respects
// causality.
class DataModel {
public:
  DataModel() = default;
  DataModel(const DataModel&) = delete;
  DataModel& operator=(const DataModel&) = delete;
  virtual ~DataModel() = default;
  virtual void sent(int from, int to, double bytes, std::size_t message) = 0; // posted
  virtual void received(int rank, std::size_t message) = 0;                   // waited for
  virtual void reduced(int rank, double bytes) = 0;
};

class Executor {
public:
  explicit Executor(const std::vector<Schedule>& schedules, DataModel* model = nullptr)
      : schedules_(schedules), model_(model), ranks_(schedules.size()) {
    const std::size_t n = schedules.size();
    outcome_.heard.resize(n);
    outcome_.sent.resize(n);
    outcome_.received.resize(n);
    outcome_.reduced.resize(n);
    outcome_.copied.resize(n);
    outcome_.finished.resize(n);
    for (std::size_t rank = 0; rank < n; ++rank) {
      outcome_.heard[rank].set(rank);
      ready_.push_back(static_cast<int>(rank));
    }
  }

  Outcome play() {
    while (!ready_.empty()) {
      const int rank = ready_.front();
      ready_.pop_front();
      while (outcome_.fault.empty() && advance(rank)) {
      }
    }
    if (outcome_.fault.empty()) check_end();
    return std::move(outcome_);
  }

private:
  struct Request {
    bool done = false;
    int posted = 0;
    int completed = 0;
    double bytes = 0;
    RankSet knowledge; // a send's content; a receive's after the match
    bool is_receive = false;
    std::size_t message = 0; // of a receive: the send that it met
  };
  static constexpr std::size_t kNothing = SIZE_MAX;
  struct Rank {
    std::size_t next = 0; // step to take
    bool posted = false;  // the blocking step at `next` has been posted
    int clock = 0;
    std::vector<std::size_t> open; // non-blocking requests that no wait has completed, in posting order
    std::size_t newest = kNothing; // the last two of them that were posted
    std::size_t second = kNothing;
    std::size_t blocking = 0; // request of the blocking step
  };
  struct Channel {
    std::deque<std::size_t> sends;
    std::deque<std::size_t> receives;
  };

  // Takes one step. Returns: false when the rank is blocked or at its end.
  bool advance(int rank) {
    Rank& self = ranks_[index(rank)];
    if (self.next == schedules_[index(rank)].size()) return false;
    const Step& step = schedules_[index(rank)][self.next];
    switch (step.kind) {
    case StepKind::send:
    case StepKind::receive:
      if (!self.posted) {
        self.blocking = post(rank, step, step.kind == StepKind::receive);
        self.posted = true;
      }
      if (!requests_[self.blocking].done) return false;
      complete(rank, self.blocking);
      self.posted = false;
      break;
    case StepKind::isend:
    case StepKind::ireceive:
      self.open.push_back(post(rank, step, step.kind == StepKind::ireceive));
      self.second = std::exchange(self.newest, self.open.back());
      break;
    case StepKind::wait_all:
      for (const std::size_t request : self.open)
        if (!requests_[request].done) return false;
      for (const std::size_t request : self.open) complete(rank, request);
      self.open.clear();
      break;
    case StepKind::wait_earlier: {
      if (self.open.size() < 2) break;
      const std::vector<std::size_t> earlier(self.open.begin(), self.open.end() - 1);
      for (const std::size_t request : earlier)
        if (!requests_[request].done) return false;
      for (const std::size_t request : earlier) complete(rank, request);
      self.open.erase(self.open.begin(), self.open.end() - 1);
      break;
    }
    case StepKind::wait_second: {
      const auto at = std::find(self.open.begin(), self.open.end(), self.second);
      if (at == self.open.end()) break;
      if (!requests_[*at].done) return false;
      complete(rank, *at);
      self.open.erase(at);
      break;
    }
    case StepKind::reduce:
      outcome_.reduced[index(rank)] += step.bytes;
      if (model_ != nullptr) model_->reduced(rank, step.bytes);
      break;
    case StepKind::copy:
      outcome_.copied[index(rank)] += step.bytes;
      break;
    case StepKind::rest:
    case StepKind::work:
      break;
    }
    ++self.next;
    return true;
  }

  std::size_t post(int rank, const Step& step, bool is_receive) {
    const std::size_t id = requests_.size();
    requests_.push_back({false, ranks_[index(rank)].clock, 0, step.bytes, {}, is_receive, 0});
    owners_.push_back(rank);
    if (step.peer < 0 || step.peer >= static_cast<int>(ranks_.size()) || step.peer == rank) {
      fail("rank " + std::to_string(rank) + " names peer " + std::to_string(step.peer));
      return id;
    }
    Channel& channel = is_receive ? channels_[{step.peer, rank}] : channels_[{rank, step.peer}];
    if (!is_receive) {
      requests_[id].knowledge = outcome_.heard[index(rank)];
      outcome_.sent[index(rank)] += step.bytes;
      ++outcome_.messages;
      if (model_ != nullptr) model_->sent(rank, step.peer, step.bytes, id);
    }
    (is_receive ? channel.receives : channel.sends).push_back(id);
    if (!channel.sends.empty() && !channel.receives.empty()) {
      match(channel.sends.front(), channel.receives.front());
      channel.sends.pop_front();
      channel.receives.pop_front();
    }
    return id;
  }

  void match(std::size_t send_id, std::size_t receive_id) {
    Request& from = requests_[send_id];
    Request& into = requests_[receive_id];
    if (from.bytes != into.bytes)
      fail("rank " + std::to_string(owners_[send_id]) + " sends " + std::to_string(from.bytes) + " bytes, rank " +
           std::to_string(owners_[receive_id]) + " expects " + std::to_string(into.bytes));
    from.done = into.done = true;
    from.completed = into.completed = std::max(from.posted, into.posted) + 1;
    into.knowledge = from.knowledge;
    into.message = send_id;
    ready_.push_back(owners_[send_id]);
    ready_.push_back(owners_[receive_id]);
  }

  void complete(int rank, std::size_t id) {
    const Request& request = requests_[id];
    ranks_[index(rank)].clock = std::max(ranks_[index(rank)].clock, request.completed);
    if (!request.is_receive) return;
    outcome_.heard[index(rank)] |= request.knowledge;
    outcome_.received[index(rank)] += request.bytes;
    if (model_ != nullptr) model_->received(rank, request.message);
  }

  void check_end() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      outcome_.finished[rank] = ranks_[rank].clock;
      if (ranks_[rank].next != schedules_[rank].size())
        fail("deadlock: rank " + std::to_string(rank) + " is blocked in step " + std::to_string(ranks_[rank].next));
      else if (!ranks_[rank].open.empty())
        fail("rank " + std::to_string(rank) + " never waits for its last requests");
    }
    for (const auto& [ends, channel] : channels_)
      if (!channel.sends.empty() || !channel.receives.empty())
        fail("unmatched message from " + std::to_string(ends.first) + " to " + std::to_string(ends.second));
  }

  void fail(const std::string& fault) {
    if (outcome_.fault.empty()) outcome_.fault = fault;
  }

  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  const std::vector<Schedule>& schedules_;
  DataModel* model_;
  std::vector<Rank> ranks_;
  std::vector<Request> requests_;
  std::vector<int> owners_; // [request] rank
  std::map<std::pair<int, int>, Channel> channels_;
  std::deque<int> ready_;
  Outcome outcome_;
};

// Plays `size` ranks whose schedules make(place, schedule) appends.
template <class Make> Outcome play(int size, Make make, DataModel* model = nullptr) {
  std::vector<Schedule> schedules(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) make(Place{rank, size}, schedules[static_cast<std::size_t>(rank)]);
  return Executor(schedules, model).play();
}

inline RankSet first_ranks(int count) {
  RankSet set;
  for (int rank = 0; rank < count; ++rank) set.set(static_cast<std::size_t>(rank));
  return set;
}

// Whether every rank has heard from all the others.
inline bool all_heard_all(const Outcome& outcome) {
  const RankSet everyone = first_ranks(static_cast<int>(outcome.heard.size()));
  return std::all_of(outcome.heard.begin(), outcome.heard.end(), [&](const RankSet& heard) { return heard == everyone; });
}

// Whether every rank has heard from this one.
inline bool all_heard(const Outcome& outcome, int rank) {
  return std::all_of(outcome.heard.begin(), outcome.heard.end(),
                     [&](const RankSet& heard) { return heard.test(static_cast<std::size_t>(rank)); });
}

inline int log2_ceiling(int n) { return static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1))); }
inline int log2_floor(int n) { return static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1; }

inline std::vector<int> communicator_sizes() {
  std::vector<int> sizes(17);
  std::iota(sizes.begin(), sizes.end(), 1);
  sizes.insert(sizes.end(), {32, 33, 64, 100});
  return sizes;
}

inline std::vector<double> message_sizes() { return {0, 1, 8, 1000, 65536, 1048576}; }

// All roots of small communicators, some of large ones.
inline std::vector<int> roots(int size) {
  std::vector<int> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  return size <= 9 ? all : std::vector<int>{0, 1, size / 2, size - 1};
}

// Blocks that no two different sets of which have the same sum, for up to 50 ranks: byte counts
// then prove which blocks moved.
inline std::vector<double> telling_blocks(int size) {
  std::vector<double> blocks;
  for (int rank = 0; rank < size; ++rank) blocks.push_back(static_cast<double>(1ULL << (rank % 50)));
  return blocks;
}

} // namespace farcast::collective::test
