#include "predictor/region/frame_names.h"

#include <fmt/format.h>

namespace farcast::region {

trace::ResolvedSite FrameNames::of(const trace::Frame& frame) {
  for (const trace::ResolvedSite& site : known_) {
    if (site.offset == frame.offset && site.module == frame.path && site.build_id == frame.build_id) return site;
  }
  trace::ResolvedSite out{};
  out.module = frame.path;
  out.build_id = frame.build_id;
  out.offset = frame.offset;
  if (frame.path.empty()) {
    out.text = fmt::format("{:#x}", frame.offset);
  } else {
    if (!symbolizer_) symbolizer_.emplace();
    const CallSite site = symbolizer_->resolve(frame.path, frame.build_id, frame.offset);
    out.text = site.text;
    out.file = site.file;
    out.line = site.line;
    out.function = site.function;
  }
  known_.push_back(out);
  return out;
}

FunctionLines FrameNames::function_around(const trace::Frame& frame) {
  if (frame.path.empty()) return {};
  if (!symbolizer_) symbolizer_.emplace();
  return symbolizer_->function_around(frame.path, frame.build_id, frame.offset);
}

} // namespace farcast::region
