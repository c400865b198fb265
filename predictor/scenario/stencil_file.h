// The file of a stencil's parameters: what `farcast whatif --model stencil` needs to know of a
// program and its machine (model/supertile.h). Its format: stencil_file.md.
//
// JSON text -> StencilModel, all figures in their ranges. Pure function.
#pragma once

#include "predictor/base/result.h"
#include "predictor/base/units.h"
#include "predictor/model/supertile.h"

#include <string>
#include <string_view>
#include <vector>

namespace farcast::scenario {

struct StencilScenario { // where it runs: the real machine, virtual machines
  std::string name;
  model::SpmdOverhead overhead; // against the real machine
};

struct StencilModel {
  model::SpmdProgram program;
  model::SpmdMachine machine;             // the real one
  std::vector<base::Hertz> frequencies;   // may be empty
  std::vector<StencilScenario> scenarios; // the first is "real", without overhead
};

// Errors: "file: entry: found ..., expected ...".
base::Result<StencilModel> read_stencil(std::string_view text, const std::string& file_name);

} // namespace farcast::scenario
