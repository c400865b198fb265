#include "predictor/base/missing_file.h"

#include "tests/unit/temporary_folder.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>

using farcast::base::why_not_found;

TEST_CASE("a file that is not there has the nearest name of its folder beside it") {
  const farcast::test::TemporaryFolder folder;
  std::ofstream(folder.file("run.h5")) << "x";
  std::ofstream(folder.file("other.xml")) << "x";
  CHECK(why_not_found(folder.file("rum.h5"), ENOENT) == "No such file or directory; did you mean " + folder.file("run.h5") + "?");
  CHECK(why_not_found(folder.file("quite_another_name"), ENOENT) == "No such file or directory");
  CHECK(why_not_found(folder.file("none/run.h5"), ENOENT) ==
        "No such file or directory: there is no folder '" + folder.file("none") + "'");
  CHECK(why_not_found(folder.file("rum.h5"), EACCES) == "Permission denied");
  CHECK(why_not_found("", ENOENT) == "No such file or directory");
}
