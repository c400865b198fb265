#include "predictor/base/nearest_name.h"

#include <catch2/catch.hpp>

namespace base = farcast::base;

TEST_CASE("edit distance and nearest names") {
  CHECK(base::edit_distance("", "") == 0);
  CHECK(base::edit_distance("abc", "") == 3);
  CHECK(base::edit_distance("kitten", "sitting") == 3);
  CHECK(base::edit_distance("taurus", "tauru") == 1);
  const std::vector<std::string> names = {"taurus", "galera+", "galera", "kask"};
  CHECK(base::nearest_names("tarus", names) == std::vector<std::string>{"taurus"});
  CHECK(base::nearest_names("galerra", names) == std::vector<std::string>{"galera", "galera+"});
  CHECK(base::nearest_names("galerra", names, 1) == std::vector<std::string>{"galera"});
  CHECK(base::nearest_names("xyz", names).empty());
  CHECK(base::nearest_names(std::string(100000, 'x'), names).empty());
}
