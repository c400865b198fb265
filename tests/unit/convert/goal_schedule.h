// A reader of GOAL text that knows nothing of the writer, and what has to hold of a schedule that
// LogGOPSim can play.
#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace farcast::convert {

struct GoalVertex {
  char kind = '?'; // s, r, c
  std::uint64_t size = 0;
  int peer = -1;
  int tag = 0;
  std::vector<std::string> after;  // requires
  std::vector<std::string> beside; // irequires
};

struct GoalSchedule {
  std::vector<std::map<std::string, GoalVertex>> ranks;
  std::string error; // the first line that is no GOAL

  explicit GoalSchedule(const std::string& text) {
    std::istringstream in(text);
    std::map<std::string, GoalVertex>* rank = nullptr;
    for (std::string line; error.empty() && std::getline(in, line);) {
      if (!line.empty() && !read(line, rank)) error = line;
    }
  }

  // Returns: what is wrong; empty: every send has its receive, and everything can happen.
  [[nodiscard]] std::string fault() const {
    if (!error.empty()) return "no GOAL: " + error;
    std::map<std::tuple<int, int, int>, long> open; // source, destination, tag -> sends minus receives
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const int own = static_cast<int>(r);
      for (const auto& [label, vertex] : ranks[r]) {
        if (vertex.kind == 's') ++open[{own, vertex.peer, vertex.tag}];
        if (vertex.kind == 'r') --open[{vertex.peer, own, vertex.tag}];
        if (vertex.kind != 'c' && vertex.size == 0) return "a message of no bytes";
      }
    }
    for (const auto& [key, count] : open) {
      if (count != 0) return "sends without receives, or the other way round: tag " + std::to_string(std::get<2>(key));
    }
    return stuck() ? "some vertices can never happen" : "";
  }

private:
  bool read(const std::string& line, std::map<std::string, GoalVertex>*& rank) {
    std::istringstream words(line);
    std::string first, second;
    words >> first;
    if (first == "num_ranks") {
      std::size_t count = 0;
      words >> count;
      ranks.resize(count);
      return count > 0;
    }
    if (first == "rank") {
      std::size_t number = ranks.size();
      words >> number >> second;
      rank = number < ranks.size() ? &ranks[number] : nullptr;
      return rank != nullptr && second == "{";
    }
    if (first == "}") return true;
    if (rank == nullptr) return false;
    words >> second;
    if (second == "requires" || second == "irequires") {
      std::string other;
      words >> other;
      const auto found = rank->find(first);
      if (found == rank->end() || !rank->contains(other)) return false;
      (second == "requires" ? found->second.after : found->second.beside).push_back(other);
      return true;
    }
    GoalVertex vertex;
    std::string unit, way, word;
    if (second == "calc") {
      vertex.kind = 'c';
      words >> vertex.size;
    } else if (second == "send" || second == "recv") {
      vertex.kind = second[0];
      words >> vertex.size >> unit >> way >> vertex.peer >> word >> vertex.tag;
      if (unit != "b" || way != (vertex.kind == 's' ? "to" : "from") || word != "tag") return false;
      if (vertex.peer < 0 || static_cast<std::size_t>(vertex.peer) >= ranks.size()) return false;
    } else {
      return false;
    }
    return !words.fail() && first.back() == ':' && rank->emplace(first.substr(0, first.size() - 1), vertex).second;
  }

  // Plays: sends when what they require is done, receives when their message has been sent.
  // Returns: whether some are left.
  [[nodiscard]] bool stuck() const {
    std::map<std::tuple<int, int, int>, long> sent;
    std::vector<std::map<std::string, bool>> done(ranks.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        const int own = static_cast<int>(r);
        for (const auto& [label, vertex] : ranks[r]) {
          if (done[r][label]) continue;
          bool ready = true;
          for (const std::string& one : vertex.after) ready = ready && done[r][one];
          if (!ready) continue;
          if (vertex.kind == 'r' && sent[{vertex.peer, own, vertex.tag}] == 0) continue;
          if (vertex.kind == 'r') --sent[{vertex.peer, own, vertex.tag}];
          if (vertex.kind == 's') ++sent[{own, vertex.peer, vertex.tag}];
          done[r][label] = moved = true;
        }
      }
    }
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      for (const auto& [label, vertex] : ranks[r]) {
        if (!done[r][label]) return true;
      }
    }
    return false;
  }
};

} // namespace farcast::convert
