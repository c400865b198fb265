// The commands below `farcast calibrate`. Each returns the exit code; 2: the user's input was wrong, with one sentence on stderr.
#pragma once

#include "predictor/cli/probe_process.h"

#include <string>

namespace farcast::cli {

struct NetworkRequest {
  ProbeRequest probe;
  std::string output;  // platform file
  std::string picture; // SVG; empty: beside the output
  int nodes = 0;       // of the platform that is written; 0: as many as took part
};
// Runs on every rank of an mpirun; only the first returns from the measurement. Prints the table, writes file and picture.
int calibrate_network_command(const NetworkRequest& request);

struct CollectivesRequest {
  ProbeRequest probe;
  std::string output; // JSON
};
// As calibrate_network_command, for collective calls and the disk.
int calibrate_collectives_command(const CollectivesRequest& request);

// Judges a calibration file, for `program` unless that is empty. Returns: 0 nothing against it, 1 a fault.
int calibrate_check_command(const std::string& path, const std::string& program);

} // namespace farcast::cli
