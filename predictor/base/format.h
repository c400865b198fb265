// Physical quantities as short text for people: four significant digits and a fitting SI prefix, or
// an exponent beyond those.
//
// Files for programs (JSON, HDF5) hold raw numbers in SI units instead; nothing parses what these
// functions return.
// Threads: pure functions.
#pragma once

#include "predictor/base/units.h"

#include <string>

namespace farcast::base {

// Returns: e.g. "12.34 s", "3.210 ms", "450.0 us"; "0 s" for exactly zero; "unknown" for what is
// not finite.
std::string format_time(Seconds time);
// Returns: with nine digits behind the point, to tell one moment from another: "0.012345678 s".
std::string format_instant(Seconds time);
std::string format_energy(Joules energy);              // mJ, J, kJ, MJ, GJ
std::string format_power(Watts power);                 // mW, W, kW, MW
std::string format_energy_delay(double joule_seconds); // J s, kJ s, MJ s, ...
std::string format_bytes(Bytes amount);                // B, kB, MB, ...; powers of 1000

// Returns: "12.34 %"; "< 0.01 %" for a little that is not nothing; "-" where the whole is zero and
// a share means nothing.
std::string format_share(double part, double whole);

} // namespace farcast::base
