// What has to be known of a whole run before its first line is written.
//
// In: the run's operations. Out: per rank, which receives were cancelled (they never happened) and
// which requests need a number because they were completed out of the order of their (source,
// destination, tag); and what the plain format cannot say.
// Threads: one.
#pragma once

#include "predictor/base/result.h"
#include "predictor/convert/losses.h"
#include "predictor/convert/numbers.h"

#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace farcast::convert {

// The requests of a rank that are under way, as a format without request numbers knows them.
class RequestBook {
public:
  struct Key {
    int source, destination, tag;
    auto operator<=>(const Key&) const = default;
  };
  void start(std::uint32_t id, const Key& key) {
    keys_[id] = key;
    order_[key].push_back(id);
  }
  // Returns: null when no such request is under way.
  [[nodiscard]] const Key* find(std::uint32_t id) const {
    const auto found = keys_.find(id);
    return found == keys_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] bool oldest(std::uint32_t id) const;
  void finish(std::uint32_t id);
  [[nodiscard]] std::size_t live() const { return keys_.size(); }

private:
  std::unordered_map<std::uint32_t, Key> keys_;
  std::map<Key, std::deque<std::uint32_t>> order_;
};

struct RankPlan {
  std::unordered_set<std::uint32_t> cancelled; // receives
  std::unordered_set<std::uint32_t> numbered;
  bool finalized = false;
};

struct Plan {
  std::vector<RankPlan> ranks;
  std::vector<std::string> beyond_plain; // what only the extensions can say: sentences
};

// Reads all operations. Errors: a rank that called MPI from several threads.
base::Result<Plan> make_plan(trace::Timelines& timelines);

// Returns: the name of the MPI function that an operation was.
const std::string& function_name(const trace::Operation& operation);

} // namespace farcast::convert
