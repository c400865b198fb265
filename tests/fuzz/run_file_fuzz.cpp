// Whatever the bytes of a run file: a recording whose operations can all be read, or a sentence
// with the file.
#include "predictor/trace/recorded_timelines.h"
#include "predictor/trace/run_file.h"
#include "tests/fuzz/input_file.h"

namespace {

constexpr std::size_t kMostOperations = 100'000; // of one input

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace farcast;
  const fuzz::InputFile file(data, size);
  auto read = trace::read_run_file(file.path());
  if (!read) {
    fuzz::require(read.error().message.starts_with("cannot read '" + file.path()));
    return 0;
  }
  if (!trace::check_complete(**read)) return 0;
  trace::RecordedTimelines timelines(**read);
  trace::Operation operation;
  std::size_t operations = 0;
  for (int timeline = 0; timeline < timelines.timelines(); ++timeline) {
    while (timelines.next(timeline, operation) && ++operations < kMostOperations)
      fuzz::require(operation.peer >= trace::kUnknownPeer);
  }
  return 0;
}
