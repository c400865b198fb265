// The commands below `farcast calibrate`. Each returns the exit code; 2: the user's input was
// wrong, with one sentence on stderr.
#pragma once

#include "calib/instruments/core_clocks.h"
#include "calib/instruments/probe_process.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace farcast::cli {

// Refuses on the first rank of a job whose other ranks wait in a probe: all of them end. Returns:
// the exit code, where nobody waits.
int refuse_probe(const instruments::ProbeRequest& request, const std::string& sentence);

struct NetworkRequest {
  instruments::ProbeRequest probe;
  std::string output;  // platform file
  std::string picture; // SVG; empty: beside the output
  std::string samples; // of earlier runs, to be added to; empty: this run's are not kept
  int nodes = 0;       // of the platform that is written; 0: as many as took part
};
// Runs on every rank of an mpirun; only the first returns from the measurement. Prints the table,
// writes file and picture.
int calibrate_network_command(const NetworkRequest& request);

struct CollectivesRequest {
  instruments::ProbeRequest probe;
  std::string output; // JSON
};
// As calibrate_network_command, for collective calls and the disk.
int calibrate_collectives_command(const CollectivesRequest& request);

struct PowerRequest {
  std::string output;                            // JSON
  std::string meter;                             // log of a wattmeter; empty: the processor's counters
  double meter_offset_s = 0.0;                   // to be added to its times
  std::string powercap = "/sys/class/powercap";  // where the kernel shows them
  std::string mpi;                               // whose polling and probing; empty: what is installed
  double step_s = 10.0;                          // each load step
  std::string cpufreq = instruments::kCpuFolder; // where clocks are set
  std::vector<double> frequencies;               // in Hz; empty: a few of all that can be set
};
// Holds the cores of this node in each state in turn while their power is read. Returns: 3 when
// there is nothing to read.
int calibrate_power_command(const PowerRequest& request);

struct SpeedRequest {
  std::vector<std::string> records;              // what was measured before; empty: measure now
  std::string against;                           // record of another node
  std::string output;                            // JSON; empty: none
  std::string adjustments;                       // SimGrid's comp-adjustment-file of regions' R_P; empty: none
  std::string cpufreq = instruments::kCpuFolder; // where clocks are set
  std::vector<double> frequencies;               // in Hz; empty: a few of all that can be set, or what the files of regions tell
  int repetitions = 15;                          // of each kernel
  double sample_s = 0.02;                        // each of them
  std::uint64_t seed = 1;                        // of the order
};
// Measures how fast this node's cores compute, or takes records, and compares with another node's.
// Returns: 3 when clocks were to be set that cannot be.
int calibrate_speed_command(const SpeedRequest& request);

// Of a calibration that was just written to `path`: says on stderr what speaks against it in itself,
// how many faults and which first; where there are none, nothing.
void say_faults(std::string_view text, const std::string& path);

// Judges a calibration file, for `program` unless that is empty. Returns: 0 nothing against it, 1 a
// fault.
int calibrate_check_command(const std::string& path, const std::string& program);

} // namespace farcast::cli
