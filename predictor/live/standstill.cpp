#include "predictor/live/standstill.h"

#include "predictor/region/frame_names.h"
#include "predictor/trace/function_info.h"

#include <fmt/format.h>

namespace farcast::live {

bool Standstill::begins(const LiveSession& session, std::uint64_t played, Clock::time_point now) {
  if (patience_.count() == 0) return false;
  const std::uint64_t progress = session.slots_published() + played;
  if (progress != progress_ || since_ == Clock::time_point{}) {
    progress_ = progress;
    since_ = now;
    told_ = false;
    return false;
  }
  if (told_ || now - since_ <= patience_) return false;
  told_ = true;
  return true;
}

std::string Standstill::in_words(const LiveSession& session, trace::Recording& recording, double virtual_time_s) const {
  std::string out = fmt::format("farcast: no rank has made a call for {} s (--patience); the virtual time is {:.6g} s\n",
                                patience_.count(), virtual_time_s);
  region::FrameNames names;
  for (const LiveSession::LastCall& last : session.last_calls()) {
    if (last.function >= trace::function_infos().size()) continue; // a rank may write there what it likes
    trace::SiteTable table;
    trace::SiteResolver resolver(table, *last.recording, recording.mutex);
    const trace::Site& site = table.sites()[resolver.site(last.site, last.function)];
    const std::string call =
        fmt::format("{} at {}", trace::function_infos()[last.function].name, names.of(site.frames.front()).text);
    out += fmt::format("farcast:   rank {} was last seen in its {}\n", last.rank, call);
  }
  return out;
}

} // namespace farcast::live
