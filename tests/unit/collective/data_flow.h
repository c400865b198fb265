// What messages carry, block by block: a schedule's sizes decide which data each message can be,
// and the end state must be what MPI says the collective delivers.
//
// A step says how many bytes it moves, not which. Each model below knows enough of a family of
// algorithms to tell:
//   TellingBlocks   blocks of 1, 2, 4 ... bytes, so that a size names its set of blocks (up to 50 ranks)
//   Windows         reductions over a window of the buffer that halves and doubles; whole buffers are one window. A part of a
//   window
//                   goes to the higher rank from the right end, to the lower one from the left
//   Pipelined       whole buffers in segments
//   Bruck           all-to-all through intermediate ranks
//   Gathered        equal blocks towards a root, and a scatter's messages backwards
// Contributions are sets of ranks; adding one twice is a fault. Faults are sentences.
#pragma once

#include "executor.h"
#include "predictor/collective/blocks.h"

#include <fmt/format.h>
#include <map>
#include <set>

namespace farcast::collective::test {

class CheckedModel : public DataModel {
public:
  [[nodiscard]] const std::string& fault() const { return fault_; }

protected:
  void fail(const std::string& fault) {
    if (fault_.empty()) fault_ = fault;
  }
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

private:
  std::string fault_;
};

// Blocks of every rank's own size 2^b: a message of s bytes is the set of the blocks whose bits s
// has. Each rank holds, per block, who has contributed to it. A received block is added where a
// reduce step of its size follows, else it replaces what was there.
class TellingBlocks final : public CheckedModel {
public:
  using Held = std::map<int, RankSet>; // block -> contributors

  // `reduces`: every rank begins with its contribution to all blocks; else with its own block alone.
  TellingBlocks(int size, bool reduces) : held_(at(size)), pending_(at(size)) {
    for (int rank = 0; rank < size; ++rank)
      for (int block = 0; block < size; ++block)
        if (reduces || block == rank) held_[at(rank)][block].set(at(rank));
  }
  // A scatter's or a broadcast's: one rank begins with all blocks.
  static void give_all_to(int root, int blocks, TellingBlocks& model) {
    for (auto& held : model.held_) held.clear();
    for (int block = 0; block < blocks; ++block) model.held_[at(root)][block].set(at(root));
  }

  void sent(int from, int to, double bytes, std::size_t message) override {
    Held& content = messages_[message];
    // What came in may go on as it is before it is added.
    for (const Held& pending : pending_[at(from)]) {
      if (bytes_of(pending) != bytes) continue;
      content = pending;
      return;
    }
    settle(from);
    for (const int block : blocks_of(bytes)) {
      const auto found = held_[at(from)].find(block);
      if (found == held_[at(from)].end())
        fail(fmt::format("rank {} sends block {} to {}, which it has not got", from, block, to));
      else
        content.insert(*found);
    }
  }
  void received(int rank, std::size_t message) override { pending_[at(rank)].push_back(messages_[message]); }
  void reduced(int rank, double bytes) override {
    auto& pending = pending_[at(rank)];
    if (pending.empty()) return fail(fmt::format("rank {} reduces what it has not received", rank));
    const Held content = pending.front();
    pending.erase(pending.begin());
    const double size = bytes_of(content);
    for (const auto& [block, contributors] : content) {
      RankSet& mine = held_[at(rank)][block];
      if ((mine & contributors).any()) fail(fmt::format("rank {} adds a contribution to block {} twice", rank, block));
      mine |= contributors;
    }
    if (size != bytes) fail(fmt::format("rank {} reduces {} bytes of {}", rank, bytes, size));
  }
  // Returns: what a rank has at the end.
  const Held& end(int rank) {
    settle(rank);
    return held_[at(rank)];
  }

  static std::vector<double> sizes(int size) { return telling_blocks(size); }

private:
  static double bytes_of(const Held& content) {
    double bytes = 0;
    for (const auto& entry : content) bytes += std::ldexp(1.0, entry.first);
    return bytes;
  }
  static std::vector<int> blocks_of(double bytes) {
    std::vector<int> blocks;
    const auto bits = static_cast<std::uint64_t>(bytes);
    for (int block = 0; block < 64; ++block)
      if ((bits >> block & 1) != 0) blocks.push_back(block);
    return blocks;
  }
  // Received parts that no reduce step took replace what was there.
  void settle(int rank) {
    for (const Held& content : pending_[at(rank)])
      for (const auto& [block, contributors] : content) held_[at(rank)][block] = contributors;
    pending_[at(rank)].clear();
  }

  std::vector<Held> held_;
  std::vector<std::vector<Held>> pending_;
  std::map<std::size_t, Held> messages_;
};

// Each rank holds one window [low, high) of the buffer, all of it with the same contributors.
class Windows final : public CheckedModel {
public:
  struct Window {
    double low = 0;
    double high = 0;
    RankSet from;
  };
  Windows(int size, double bytes) : held_(at(size)), pending_(at(size)) {
    for (int rank = 0; rank < size; ++rank) {
      held_[at(rank)].high = bytes;
      held_[at(rank)].from.set(at(rank));
    }
  }
  // An allgather's: rank r begins with window r of `block` bytes.
  void one_each(double block) {
    forwards_ = true;
    for (std::size_t rank = 0; rank < held_.size(); ++rank)
      held_[rank] = {block * static_cast<double>(rank), block * static_cast<double>(rank + 1), {}};
  }
  // A broadcast's: nobody but the root has anything.
  void only_root(int root) {
    forwards_ = true;
    for (std::size_t rank = 0; rank < held_.size(); ++rank)
      if (static_cast<int>(rank) != root) held_[rank] = {};
  }

  void sent(int from, int to, double bytes, std::size_t message) override {
    // What came in may go on as it is before it joins.
    for (const Window& pending : pending_[at(from)]) {
      if (!forwards_ || pending.high - pending.low != bytes) continue;
      messages_[message] = pending;
      return;
    }
    settle(from);
    Window& mine = held_[at(from)];
    Window content = mine;
    if (bytes > mine.high - mine.low) fail(fmt::format("rank {} sends {} bytes of {}", from, bytes, mine.high - mine.low));
    if (bytes < mine.high - mine.low) {
      if (from < to)
        mine.high = content.low = mine.high - bytes;
      else
        mine.low = content.high = mine.low + bytes;
    }
    messages_[message] = content;
  }
  void received(int rank, std::size_t message) override { pending_[at(rank)].push_back(messages_[message]); }
  void reduced(int rank, double bytes) override {
    auto& pending = pending_[at(rank)];
    if (pending.empty()) return fail(fmt::format("rank {} reduces what it has not received", rank));
    const Window content = pending.front();
    pending.erase(pending.begin());
    Window& mine = held_[at(rank)];
    if (content.low != mine.low || content.high != mine.high || bytes != mine.high - mine.low)
      fail(fmt::format("rank {} adds [{}, {}) to [{}, {})", rank, content.low, content.high, mine.low, mine.high));
    if ((mine.from & content.from).any()) fail(fmt::format("rank {} adds a contribution twice", rank));
    mine.from |= content.from;
  }
  const Window& end(int rank) {
    settle(rank);
    return held_[at(rank)];
  }

private:
  // Parts that no reduce step took join the window that they touch, or replace it.
  void settle(int rank) {
    Window& mine = held_[at(rank)];
    for (const Window& content : pending_[at(rank)]) {
      if (content.from == mine.from && content.low == mine.high)
        mine.high = content.high;
      else if (content.from == mine.from && content.high == mine.low)
        mine.low = content.low;
      else
        mine = content;
    }
    pending_[at(rank)].clear();
  }

  bool forwards_ = false; // there is nothing to add
  std::vector<Window> held_;
  std::vector<std::vector<Window>> pending_;
  std::map<std::size_t, Window> messages_;
};

// Whole buffers in segments: the n-th message of a connection is segment n.
class Pipelined final : public CheckedModel {
public:
  Pipelined(int size, const Blocks& segments) : segments_(segments), held_(at(size)), pending_(at(size)) {
    for (int rank = 0; rank < size; ++rank) {
      held_[at(rank)].resize(at(segments.count()));
      for (RankSet& segment : held_[at(rank)]) segment.set(at(rank));
    }
  }
  void sent(int from, int to, double bytes, std::size_t message) override {
    const int segment = posted_[{from, to}]++;
    if (segment >= segments_.count() || segments_.size(segment) != bytes)
      return fail(fmt::format("rank {} sends {} bytes to {} as message {}", from, bytes, to, segment));
    settle(from);
    messages_[message] = {segment, held_[at(from)][at(segment)]};
  }
  void received(int rank, std::size_t message) override { pending_[at(rank)].push_back(messages_[message]); }
  void reduced(int rank, double bytes) override {
    auto& pending = pending_[at(rank)];
    if (pending.empty()) return fail(fmt::format("rank {} reduces what it has not received", rank));
    const auto [segment, from] = pending.front();
    pending.erase(pending.begin());
    RankSet& mine = held_[at(rank)][at(segment)];
    if (bytes != segments_.size(segment)) fail(fmt::format("rank {} reduces {} bytes of segment {}", rank, bytes, segment));
    if ((mine & from).any()) fail(fmt::format("rank {} adds a contribution twice", rank));
    mine |= from;
  }
  // Returns: what all segments of a rank have in common; the union where `any`.
  RankSet end(int rank, bool any = false) {
    settle(rank);
    RankSet all = held_[at(rank)].front();
    for (const RankSet& segment : held_[at(rank)]) all = any ? all | segment : all & segment;
    return all;
  }

private:
  void settle(int rank) {
    for (const auto& [segment, from] : pending_[at(rank)]) held_[at(rank)][at(segment)] = from;
    pending_[at(rank)].clear();
  }

  Blocks segments_;
  std::vector<std::vector<RankSet>> held_;
  std::vector<std::vector<std::pair<int, RankSet>>> pending_;
  std::map<std::pair<int, int>, int> posted_;
  std::map<std::size_t, std::pair<int, RankSet>> messages_;
};

// All-to-all: items (source, destination) of one block. A message by `distance` places takes along
// what has still to go by a distance with that bit (Thakur05 section 4.4); with no such reading it
// is the one item between the two.
class Bruck final : public CheckedModel {
public:
  using Item = std::pair<int, int>;

  explicit Bruck(int size, double block) : size_(size), block_(block), held_(at(size)) {
    for (int source = 0; source < size; ++source)
      for (int destination = 0; destination < size; ++destination) held_[at(source)].insert({source, destination});
  }
  void sent(int from, int to, double bytes, std::size_t message) override {
    const int distance = (to - from + size_) % size_;
    std::set<Item> content;
    for (const Item& item : held_[at(from)])
      if ((((item.second - from + size_) % size_) & distance) != 0) content.insert(item);
    if (!is_power_of_two(distance) || static_cast<double>(content.size()) * block_ != bytes)
      fail(fmt::format("rank {} sends {} bytes to {}, where {} items have that bit to go", from, bytes, to, content.size()));
    for (const Item& item : content) held_[at(from)].erase(item);
    messages_[message] = std::move(content);
  }
  void received(int rank, std::size_t message) override {
    for (const Item& item : messages_[message])
      if (!held_[at(rank)].insert(item).second) fail(fmt::format("rank {} is sent an item twice", rank));
  }
  void reduced(int rank, double) override { fail(fmt::format("rank {} reduces in an all-to-all", rank)); }
  // Whether the rank has exactly the blocks that all ranks sent to it.
  [[nodiscard]] bool delivered(int rank) const {
    std::set<Item> expected;
    for (int source = 0; source < size_; ++source) expected.insert({source, rank});
    return held_[at(rank)] == expected;
  }

private:
  int size_;
  double block_;
  std::vector<std::set<Item>> held_;
  std::map<std::size_t, std::set<Item>> messages_;
};

// Who sent how much to whom, in the order of posting.
class MessageLog final : public DataModel {
public:
  struct Message {
    int from;
    int to;
    double bytes;
    std::size_t id;
  };
  void sent(int from, int to, double bytes, std::size_t message) override { messages_.push_back({from, to, bytes, message}); }
  void received(int, std::size_t) override {}
  void reduced(int, double) override {}
  [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }
  void play_backwards(DataModel& model) const {
    for (auto message = messages_.rbegin(); message != messages_.rend(); ++message) {
      model.sent(message->to, message->from, message->bytes, message->id);
      model.received(message->from, message->id);
    }
  }

private:
  std::vector<Message> messages_;
};

// A gather of equal blocks: whoever sends sends all that it has, once; empty messages mean nothing.
class Gathered final : public CheckedModel {
public:
  Gathered(int size, double block) : block_(block), held_(at(size)) {
    for (int rank = 0; rank < size; ++rank) held_[at(rank)].set(at(rank));
  }
  void sent(int from, int to, double bytes, std::size_t message) override {
    if (!(bytes > 0)) return;
    RankSet& held = held_[at(from)];
    if (static_cast<double>(held.count()) * block_ != bytes)
      fail(fmt::format("rank {} sends {} bytes to {}, but has {} blocks", from, bytes, to, held.count()));
    messages_[message] = std::exchange(held, RankSet{});
  }
  void received(int rank, std::size_t message) override {
    const auto content = messages_.find(message);
    if (content == messages_.end()) return;
    if ((held_[at(rank)] & content->second).any()) fail(fmt::format("rank {} is sent a block twice", rank));
    held_[at(rank)] |= content->second;
  }
  void reduced(int rank, double) override { fail(fmt::format("rank {} reduces in a gather", rank)); }
  [[nodiscard]] const RankSet& has(int rank) const { return held_[at(rank)]; }

private:
  double block_;
  std::vector<RankSet> held_;
  std::map<std::size_t, RankSet> messages_;
};

} // namespace farcast::collective::test
