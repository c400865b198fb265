#include "predictor/base/format.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace farcast::base;

TEST_CASE("times have four significant digits and a prefix up to seconds") {
  CHECK(format_time(Seconds(0.0)) == "0 s");
  CHECK(format_time(Seconds(12.3456)) == "12.35 s");
  CHECK(format_time(Seconds(86400.0)) == "86400 s");
  CHECK(format_time(Seconds(0.0032104)) == "3.210 ms");
  CHECK(format_time(Seconds(450e-6)) == "450.0 us");
  CHECK(format_time(Seconds(-2e-9)) == "-2.000 ns");
  CHECK(format_time(Seconds(5e-12)) == "0.005 ns");
}

TEST_CASE("a value that rounds up to the next prefix takes it") {
  CHECK(format_time(Seconds(0.99999)) == "1.000 s");
  CHECK(format_time(Seconds(0.99985)) == "999.9 ms");
  CHECK(format_time(Seconds(9.99999)) == "10.00 s");
  CHECK(format_energy(Joules(999.99)) == "1.000 kJ");
}

TEST_CASE("energy, power and their products have their units") {
  CHECK(format_energy(Joules(1234567.0)) == "1.235 MJ");
  CHECK(format_energy(Joules(0.0125)) == "12.50 mJ");
  CHECK(format_power(Watts(2544.0)) == "2.544 kW");
  CHECK(format_power(Watts(92.0)) == "92.00 W");
  CHECK(format_energy_delay(15230.0) == "15.23 kJ s");
}

TEST_CASE("bytes are decimal and whole below a kilobyte") {
  CHECK(format_bytes(Bytes(0.0)) == "0 B");
  CHECK(format_bytes(Bytes(64.0)) == "64 B");
  CHECK(format_bytes(Bytes(65536.0)) == "65.54 kB");
  CHECK(format_bytes(Bytes(2.5e9)) == "2.500 GB");
}

TEST_CASE("what is not a number is not printed as one") {
  CHECK(format_time(Seconds(std::numeric_limits<double>::quiet_NaN())) == "unknown");
  CHECK(format_bytes(Bytes(std::numeric_limits<double>::infinity())) == "unknown");
  CHECK(format_share(1.0, 0.0) == "-");
  CHECK(format_share(1.0, 8.0) == "12.50 %");
  CHECK(format_share(1.0, 1e6) == "< 0.01 %");
  CHECK(format_share(0.0, 1e6) == "0.00 %");
}

TEST_CASE("figures beyond all prefixes have an exponent, not hundreds of digits") {
  CHECK(format_time(Seconds(1e308)) == "1.000e+308 s");
  CHECK(format_time(Seconds(-2.5e9)) == "-2.500e+09 s");
  CHECK(format_time(Seconds(1e-300)) == "1.000e-300 s");
  CHECK(format_energy(Joules(1e300)) == "1.000e+300 J");
  CHECK(format_power(Watts(5e-320)).size() < 16);
  CHECK(format_bytes(Bytes(1.5e200)) == "1.500e+200 B");
  CHECK(format_share(1.0, 1e-300) == "1.000e+302 %");
  CHECK(format_instant(Seconds(0.0123456789)) == "0.012345679 s");
  CHECK(format_instant(Seconds(1e300)) == "1.000000000e+300 s");
}
