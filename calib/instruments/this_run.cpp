#include "calib/instruments/this_run.h"

#include "predictor/base/process_info.h"
#include "predictor/base/version.h"

#include <fstream>
#include <unistd.h>

namespace farcast::instruments {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name") && !line.starts_with("Model")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

double tcp_send_buffer() {
  std::ifstream file("/proc/sys/net/ipv4/tcp_wmem");
  double least = 0.0, start = 0.0, most = 0.0;
  return file >> least >> start >> most ? most : 0.0;
}

study::Provenance provenance_of_this_run(const std::string& mpi, std::uint64_t seed) {
  study::Provenance provenance;
  provenance.host = base::host_name();
  provenance.cpu = cpu_model();
  provenance.mpi = mpi;
  provenance.date = base::iso_date_now();
  provenance.command = base::command_line(getpid());
  provenance.version = base::version();
  provenance.seed = static_cast<double>(seed);
  return provenance;
}

} // namespace farcast::instruments
