// Samples and fitted sections as an SVG picture: a panel per curve, both axes logarithmic, breaks
// dashed.
//
// Curves -> text of a self-contained SVG. At most kMostPoints samples per panel are drawn, spread
// over all. Threads: pure function.
#pragma once

#include "calib/study/network_calibration.h"

#include <span>
#include <string>
#include <vector>

namespace farcast::study {

struct Panel {
  std::string title;
  const Curve* curve; // outlives the call
};

inline constexpr std::size_t kMostPoints = 1500;

std::string picture(std::span<const Panel> panels, const std::string& title);
// One panel per curve of each class of pair.
std::string network_picture(const NetworkCalibration& calibration, const std::string& title);

} // namespace farcast::study
