// TI traces written into a folder of their own, and all their operations.
#pragma once

#include "predictor/trace/ti_trace.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace farcast::trace {

class TiFolder {
public:
  TiFolder() : path_(std::filesystem::temp_directory_path() / ("farcast-ti-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  TiFolder(const TiFolder&) = delete;
  TiFolder& operator=(const TiFolder&) = delete;
  ~TiFolder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  // An index of one file per text.
  [[nodiscard]] std::string trace(const std::vector<std::string>& ranks) const {
    std::string index;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      static_cast<void>(file(std::to_string(i) + ".ti", ranks[i]));
      index += std::to_string(i) + ".ti\n";
    }
    return file("index", index);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

// All operations, rank by rank.
struct TiPlayed {
  explicit TiPlayed(const std::string& index, double speed = 1e9) {
    const auto files = find_ti_trace(index);
    if (!files) {
      error = files.error().message;
      return;
    }
    TiTimelines timelines(*files, std::vector<double>(static_cast<std::size_t>(files->ranks), speed), base::Seconds(1e-4));
    operations.resize(static_cast<std::size_t>(files->ranks));
    Operation operation;
    for (int rank = 0; rank < files->ranks; ++rank) {
      while (timelines.next(rank, operation)) operations[static_cast<std::size_t>(rank)].push_back(operation);
    }
    error = timelines.error();
  }
  std::vector<std::vector<Operation>> operations;
  std::string error;
};

} // namespace farcast::trace
