// What a calibration file tells of the machine and the command that made it.
#pragma once

#include "calib/study/provenance.h"

#include <cstdint>
#include <string>

namespace farcast::instruments {

study::Provenance provenance_of_this_run(const std::string& mpi, std::uint64_t seed);
// Returns: the processor's model name; "unknown" where the kernel does not tell.
std::string cpu_model();
// Returns: the most that a sender can leave to its kernel per TCP connection, in bytes; 0: unknown.
double tcp_send_buffer();

} // namespace farcast::instruments
