// What a prediction takes of a record of `farcast calibrate collectives`: Proficz16's block
// formulas.
//
// Text of a file -> figures. Threads: pure functions.
#pragma once

#include "calib/study/provenance.h"
#include "predictor/base/result.h"
#include "predictor/model/block_formulas.h"

#include <map>
#include <string>
#include <string_view>

namespace farcast::study {

struct BlockRecord {
  Provenance provenance;
  std::map<model::Block, model::BlockParameters> formulas; // those that were measured; not empty
};
// Errors: not such a file, an unknown block, a figure that cannot be.
base::Result<BlockRecord> read_block_file(std::string_view text, const std::string& file_name);

} // namespace farcast::study
