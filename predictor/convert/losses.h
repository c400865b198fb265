// What a format could not say about a run: counted and named, never passed over in silence.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace farcast::convert {

class Losses {
public:
  // what: the start of a sentence, "MPI_Put is left out".
  void count(const std::string& what, int rank) {
    Entry& entry = entries_.try_emplace(what, Entry{0, rank}).first->second;
    ++entry.calls;
  }
  // Returns: "MPI_Put is left out: 12 calls, first by rank 0".
  [[nodiscard]] std::vector<std::string> sentences() const;

private:
  struct Entry {
    std::uint64_t calls;
    int first_rank;
  };
  std::map<std::string, Entry> entries_;
};

} // namespace farcast::convert
