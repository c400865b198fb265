// Whatever the bytes of a trace: operations, or a sentence with the place. One file for all ranks.
#include "predictor/trace/ti_trace.h"
#include "tests/fuzz/input_file.h"

#include <algorithm>

using namespace farcast;

namespace {

constexpr int kMostRanks = 64;              // a rank number alone can ask for millions of timelines
constexpr std::size_t kMostLines = 100'000; // of one input

// Plays rank after rank, as far as it goes.
void play(const trace::TiTraceFiles& files) {
  trace::TiTimelines timelines(files, std::vector<double>(static_cast<std::size_t>(files.ranks), 1e9), base::Seconds(1e-4));
  trace::Operation operation;
  std::size_t lines = 0;
  for (int rank = 0; rank < files.ranks; ++rank) {
    while (timelines.next(rank, operation) && ++lines < kMostLines) {
      fuzz::require(operation.site < timelines.sites().size());
      fuzz::require(operation.region < timelines.regions().size());
      fuzz::require(operation.peer >= trace::kProcNull && operation.peer < files.ranks);
      fuzz::require(operation.communicator != nullptr);
      fuzz::require(operation.bytes >= 0);
    }
  }
  const std::string& error = timelines.error();
  fuzz::require(error.empty() || error.find(':') != std::string::npos);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::InputFile file(data, size);
  const auto files = trace::find_ti_trace(file.path());
  if (!files) {
    fuzz::require(!files.error().message.empty());
    return 0;
  }
  if (files->ranks <= kMostRanks && files->shared) play(*files);
  return 0;
}
