// What the kernel says about processes of this machine: names, ancestors, where they write their
// errors.
#pragma once

#include <string>
#include <vector>

namespace farcast::base {

std::string host_name();
// Returns: the arguments joined with blanks; empty when the process is gone.
std::string command_line(int pid);
std::string executable_path(int pid);
int parent_of(int pid);
// Opens what a process or one of its ancestors has as its standard error, outermost first.
// `terminals_only`: only a terminal.
// Returns: a descriptor, or -1.
int open_stderr_of_ancestor(int pid, bool terminals_only);
// CPU time that this process has used so far, in seconds.
double own_cpu_seconds();
std::string iso_date_now();
// Rate of the time-stamp counter of records, measured against CLOCK_MONOTONIC_RAW for `milliseconds`.
double measure_ticks_per_second(int milliseconds);
// Returns: the cores that this process may use.
std::vector<int> usable_cores();

} // namespace farcast::base
