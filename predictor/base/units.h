// Physical quantities as types: a number of seconds cannot be added to a number of bytes.
//
// All quantities hold one double in SI units. Arithmetic that changes the unit is spelled out
// below; anything else does not compile. Use value() only at raw boundaries (files, printing, tight
// solver loops).
#pragma once

#include <compare>

namespace farcast::base {

template <class Unit> class Quantity {
public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}
  [[nodiscard]] constexpr double value() const { return value_; }

  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, double b) { return Quantity(a.value_ * b); }
  friend constexpr Quantity operator*(double a, Quantity b) { return Quantity(a * b.value_); }
  friend constexpr Quantity operator/(Quantity a, double b) { return Quantity(a.value_ / b); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

private:
  double value_ = 0.0;
};

using Seconds = Quantity<struct SecondUnit>;
using Bytes = Quantity<struct ByteUnit>;
using BytesPerSecond = Quantity<struct BytePerSecondUnit>;
using Flops = Quantity<struct FlopUnit>;
using FlopsPerSecond = Quantity<struct FlopPerSecondUnit>;
using Watts = Quantity<struct WattUnit>;
using Joules = Quantity<struct JouleUnit>;
using JouleSeconds = Quantity<struct JouleSecondUnit>; // energy-delay products
using Hertz = Quantity<struct HertzUnit>;              // clocks, and rates of events such as failures

constexpr Seconds operator/(Bytes amount, BytesPerSecond rate) { return Seconds(amount.value() / rate.value()); }
constexpr Bytes operator*(BytesPerSecond rate, Seconds time) { return Bytes(rate.value() * time.value()); }
constexpr Seconds operator/(Flops work, FlopsPerSecond speed) { return Seconds(work.value() / speed.value()); }
constexpr Joules operator*(Watts power, Seconds time) { return Joules(power.value() * time.value()); }
constexpr JouleSeconds operator*(Joules energy, Seconds time) { return JouleSeconds(energy.value() * time.value()); }
constexpr double operator*(Hertz rate, Seconds time) { return rate.value() * time.value(); }
constexpr Watts operator/(Joules energy, Seconds time) { return Watts(energy.value() / time.value()); }

} // namespace farcast::base
