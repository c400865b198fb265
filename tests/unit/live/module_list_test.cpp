#include "predictor/live/module_list.h"

#include <catch2/catch.hpp>

namespace farcast::live {

TEST_CASE("each loaded object is taken once, with blanks in its path and without a build-id") {
  ModuleList list;
  std::vector<trace::LoadedModule> modules;
  list.add("1000 2000 abcd /opt/my app\n7f00 7fff - /lib/libm.so.6\n", modules);
  list.add("1000 2000 abcd /opt/my app\n3000 4000 ef /lib/late.so", modules);
  REQUIRE(modules.size() == 3);
  CHECK(modules[0].base == 0x1000);
  CHECK(modules[0].end == 0x2000);
  CHECK(modules[0].build_id == "abcd");
  CHECK(modules[0].path == "/opt/my app");
  CHECK(modules[1].build_id.empty());
  CHECK(modules[2].path == "/lib/late.so");
}

TEST_CASE("lines that are no objects are passed over") {
  ModuleList list;
  std::vector<trace::LoadedModule> modules;
  list.add("\nnonsense\n10 zz abcd /a\n10 20\n-1 20 - /b\n10 20 - /c\n", modules);
  REQUIRE(modules.size() == 1);
  CHECK(modules[0].path == "/c");
}

TEST_CASE("who sends lists without end is not listened to") {
  ModuleList list;
  std::vector<trace::LoadedModule> modules;
  const std::string much(std::size_t{17} << 20, 'x');
  list.add(much, modules);
  list.add("10 20 - /c\n", modules);
  CHECK(modules.empty());
}

} // namespace farcast::live
