// The switch's end of a host's network card: a TAP device `eth0` inside a network namespace.
#pragma once

#include "piece.h"

#include <string>

namespace farcast::bottle {

class Tap {
public:
  // Makes the device. Throws std::system_error, naming what failed. Leaves the calling thread in
  // the namespace.
  explicit Tap(const std::string& name_of_namespace);
  Tap(Tap&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;
  Tap& operator=(Tap&&) = delete;
  ~Tap();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  // Returns: whether a frame was waiting.
  [[nodiscard]] bool read(Frame& frame) const;
  // Returns: whether the host took it.
  [[nodiscard]] bool write(const Frame& frame) const;
  [[nodiscard]] bool write(const Piece& piece) const;

private:
  int descriptor_ = -1;
};

} // namespace farcast::bottle
