// Compares text with a file of tests/golden. With FARCAST_UPDATE_GOLDEN=1 in the environment the
// file is written instead: look at `git diff tests/golden` then.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace farcast::report {

inline void check_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(FARCAST_SOURCE_DIR) + "/tests/golden/" + name;
  if (std::getenv("FARCAST_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
  std::ifstream in(path, std::ios::binary);
  const std::string expected{std::istreambuf_iterator<char>(in), {}};
  INFO("golden file " << path);
  CHECK(text == expected);
}

} // namespace farcast::report
