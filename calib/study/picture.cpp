#include "calib/study/picture.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace farcast::study {

namespace {

constexpr double kWidth = 460.0; // of a panel
constexpr double kHeight = 300.0;
constexpr double kLeft = 62.0; // room for labels
constexpr double kRight = 14.0;
constexpr double kTop = 34.0;
constexpr double kBottom = 40.0;
constexpr double kHeading = 34.0;
constexpr std::size_t kColumns = 2;

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

// A logarithmic axis over whole decades.
struct Axis {
  double low = 0.0; // exponents of 10
  double high = 1.0;
  double from = 0.0; // pixels
  double to = 1.0;
  [[nodiscard]] double at(double value) const {
    const double share = (std::log10(std::max(value, 1e-12)) - low) / (high - low);
    return from + std::clamp(share, 0.0, 1.0) * (to - from);
  }
};

Axis axis_over(double least, double most, double from, double to) {
  Axis axis{std::floor(std::log10(least)), std::ceil(std::log10(most)), from, to};
  if (axis.high <= axis.low) axis.high = axis.low + 1.0;
  return axis;
}

std::string size_label(double exponent) {
  static constexpr const char* kLabels[] = {"1 B", "10 B", "100 B", "1 kB", "10 kB", "100 kB", "1 MB", "10 MB", "100 MB", "1 GB"};
  const auto index = static_cast<std::size_t>(std::max(0.0, exponent));
  return index < std::size(kLabels) ? kLabels[index] : fmt::format("1e{} B", index);
}

std::string time_label(double exponent) {
  const int e = static_cast<int>(exponent);
  static constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  const int shifted = e + 9;
  if (shifted < 0 || shifted >= 12) return fmt::format("1e{} s", e);
  return fmt::format("{} {}", static_cast<int>(std::lround(std::pow(10.0, shifted % 3))), kUnits[shifted / 3]);
}

void add_grid(std::string& svg, const Axis& x, const Axis& y) {
  for (double e = x.low; e <= x.high; e += 1.0) {
    const double at = x.at(std::pow(10.0, e));
    svg += fmt::format("<line x1='{0:.1f}' y1='{1:.1f}' x2='{0:.1f}' y2='{2:.1f}' class='g'/>"
                       "<text x='{0:.1f}' y='{3:.1f}' class='l' text-anchor='middle'>{4}</text>\n",
                       at, y.from, y.to, y.from + 15.0, size_label(e));
  }
  for (double e = y.low; e <= y.high; e += 1.0) {
    const double at = y.at(std::pow(10.0, e));
    svg += fmt::format("<line x1='{0:.1f}' y1='{2:.1f}' x2='{1:.1f}' y2='{2:.1f}' class='g'/>"
                       "<text x='{3:.1f}' y='{4:.1f}' class='l' text-anchor='end'>{5}</text>\n",
                       x.from, x.to, at, x.from - 5.0, at + 4.0, time_label(e));
  }
}

void add_points(std::string& svg, const Curve& curve, const Axis& x, const Axis& y) {
  const std::size_t count = curve.samples.size();
  const std::size_t step = count <= kMostPoints ? 1 : (count + kMostPoints - 1) / kMostPoints;
  svg += "<path class='p' d='";
  for (std::size_t i = 0; i < count; i += step)
    svg += fmt::format("M{:.1f} {:.1f}h0", x.at(curve.samples[i].bytes), y.at(curve.samples[i].seconds));
  svg += "'/>\n";
}

// A straight section bends on logarithmic axes: it is drawn in short pieces.
void add_fit(std::string& svg, const Curve& curve, const Axis& x, const Axis& y) {
  for (std::size_t i = 0; i < curve.fit.sections.size(); ++i) {
    const fit::Section& section = curve.fit.sections[i];
    const double begin = std::max(1.0, section.from_bytes);
    const double end = i < curve.fit.breaks.size() ? curve.fit.breaks[i].bytes : std::max(begin, section.largest_bytes);
    svg += "<polyline class='f' points='";
    constexpr int kPieces = 40;
    for (int piece = 0; piece <= kPieces; ++piece) {
      const double bytes = begin * std::pow(end / begin, static_cast<double>(piece) / kPieces);
      const double seconds = section.base_s.value + section.per_byte_s.value * bytes;
      svg += fmt::format("{:.1f},{:.1f} ", x.at(bytes), y.at(seconds));
    }
    svg += "'/>\n";
  }
  for (const fit::Breakpoint& breakpoint : curve.fit.breaks)
    svg += fmt::format("<line x1='{0:.1f}' y1='{1:.1f}' x2='{0:.1f}' y2='{2:.1f}' class='b'><title>{3:.0f} B</title></line>\n",
                       x.at(breakpoint.bytes), y.from, y.to, breakpoint.bytes);
}

void add_panel(std::string& svg, const Panel& panel, double left, double top) {
  double least_bytes = HUGE_VAL, most_bytes = 1.0, least_s = HUGE_VAL, most_s = 0.0;
  for (const fit::TimedSize& sample : panel.curve->samples) {
    least_bytes = std::min(least_bytes, std::max(1.0, sample.bytes));
    most_bytes = std::max(most_bytes, sample.bytes);
    least_s = std::min(least_s, std::max(1e-9, sample.seconds));
    most_s = std::max(most_s, sample.seconds);
  }
  if (!(most_s > 0.0)) return;
  const Axis x = axis_over(least_bytes, most_bytes, left + kLeft, left + kWidth - kRight);
  const Axis y = axis_over(least_s, most_s, top + kHeight - kBottom, top + kTop);
  svg += fmt::format("<text x='{:.1f}' y='{:.1f}' class='t'>{}</text>\n", left + kLeft, top + kTop - 10.0, escaped(panel.title));
  add_grid(svg, x, y);
  add_points(svg, *panel.curve, x, y);
  add_fit(svg, *panel.curve, x, y);
}

} // namespace

std::string picture(std::span<const Panel> panels, const std::string& title) {
  const std::size_t columns = std::min(kColumns, std::max<std::size_t>(1, panels.size()));
  const std::size_t rows = (panels.size() + columns - 1) / columns;
  const double width = kWidth * static_cast<double>(columns);
  const double height = kHeading + kHeight * static_cast<double>(rows);
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' height='{1:.0f}'>\n", width, height);
  svg += "<style>text{font-family:sans-serif;fill:#333}.h{font-size:15px;font-weight:bold}.t{font-size:13px}.l{font-size:10px}"
         ".g{stroke:#e4e4e4}.p{stroke:#3572b0;stroke-opacity:.45;stroke-width:3;stroke-linecap:round}"
         ".f{fill:none;stroke:#c8372d;stroke-width:1.6}.b{stroke:#777;stroke-dasharray:4 3}</style>\n";
  svg += fmt::format("<rect width='{:.0f}' height='{:.0f}' fill='#fff'/>\n<text x='14' y='22' class='h'>{}</text>\n", width,
                     height, escaped(title));
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::size_t row = i / columns;
    add_panel(svg, panels[i], kWidth * static_cast<double>(i % columns), kHeading + kHeight * static_cast<double>(row));
  }
  return svg + "</svg>\n";
}

std::string network_picture(const NetworkCalibration& calibration, const std::string& title) {
  static constexpr const char* kTitles[] = {"half a ping-pong", "MPI_Send", "MPI_Isend", "MPI_Recv of a message that is there"};
  std::vector<Panel> panels;
  for (const PairCalibration& pair : calibration.pairs) {
    const Curve* curves[] = {&pair.one_way, &pair.send, &pair.isend, &pair.receive};
    for (std::size_t i = 0; i < std::size(curves); ++i) {
      if (!curves[i]->samples.empty()) panels.push_back({fmt::format("{}: {}", pair.name, kTitles[i]), curves[i]});
    }
  }
  return picture(panels, title);
}

} // namespace farcast::study
