// Chrome's trace event format ("Trace Event Format", 2016), which Perfetto reads: a complete event (X)
// per slice, a pair of flow events (s, f) per message, and metadata (M) for the names.
#include "predictor/report/json_text.h"
#include "predictor/timeline/text_file.h"
#include "predictor/timeline/track.h"
#include "predictor/timeline/writers.h"

#include <cmath>
#include <unordered_map>

namespace farcast::timeline {

namespace {

std::string in_json(const std::string& text) {
  return report::Json(text).dump(-1, ' ', false, report::Json::error_handler_t::replace);
}

// Perfetto counts in whole nanoseconds: slices that end together must do so there too.
std::int64_t ns(double seconds) { return std::llround(seconds * 1e9); }

// The same as microseconds, the format's unit.
std::string us(std::int64_t nanoseconds) { return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000); }

class PerfettoText {
public:
  PerfettoText(TextFile& out, const TimeLine& line, std::size_t number) : out_(out), line_(line), process_(number + 1) {}

  // Perfetto takes 0 for the idle process and its thread.
  static std::size_t thread_of(std::size_t rank) { return rank + 1; }

  void metadata() {
    name("process_name", 0, "\"name\":" + in_json(line_.name));
    name("process_sort_index", 0, fmt::format("\"sort_index\":{}", process_));
    for (std::size_t rank = 0; rank < line_.ranks(); ++rank) {
      name("thread_name", thread_of(rank), "\"name\":" + in_json(fmt::format("rank {} on {}", rank, line_.host_of[rank])));
      name("thread_sort_index", thread_of(rank), fmt::format("\"sort_index\":{}", rank));
    }
  }

  void rank(std::size_t rank) {
    Track track(line_, rank);
    Event event;
    std::vector<double> entered;
    while (out_.good() && track.next(event)) {
      switch (event.kind) {
      case Event::Kind::enter:
        entered.push_back(event.time);
        break;
      case Event::Kind::leave:
        slice(rank, event.slice, ns(entered.back()), ns(event.time));
        entered.pop_back();
        break;
      case Event::Kind::received:
      case Event::Kind::received_at_once:
        message(rank, event.message);
        break;
      case Event::Kind::sent: // told where it is received
        break;
      }
    }
  }

  [[nodiscard]] std::uint64_t events() const { return events_; }

private:
  void name(const char* what, std::size_t thread, const std::string& arguments) {
    out_.put("{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{{}}}}},\n", what, process_, thread, arguments);
  }

  void slice(std::size_t rank, const Slice& slice, std::int64_t begin, std::int64_t end) {
    std::string& name = names_[key_of(slice)];
    if (name.empty()) name = in_json(name_of(slice));
    out_.put("{{\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{}}},\n", name,
             sim::name_of(slice.activity), process_, thread_of(rank), us(begin), us(end - begin));
    ++events_;
  }

  std::string name_of(const Slice& slice) const {
    if (slice.kind == Slice::Kind::waiting) return "waiting";
    const bool call = slice.kind == Slice::Kind::call;
    return text_of(line_.names, call ? sim::Activity::local : slice.activity, slice.site, slice.region);
  }

  void message(std::size_t rank, const Message& message) {
    // One name space of flows for the whole file.
    const std::string id = fmt::format("{}.{}", process_, message.id);
    out_.put("{{\"ph\":\"s\",\"name\":\"message\",\"cat\":\"message\",\"id\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},"
             "\"args\":{{\"bytes\":{}}}}},\n",
             id, process_, thread_of(message.peer), us(ns(message.sent)), message.bytes);
    out_.put("{{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"message\",\"cat\":\"message\",\"id\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},"
             "\"args\":{{\"bytes\":{}}}}},\n",
             id, process_, thread_of(rank), us(ns(message.received)), message.bytes);
    ++events_;
  }

  TextFile& out_;
  const TimeLine& line_;
  std::size_t process_;
  std::unordered_map<std::uint64_t, std::string> names_; // of slices, in quotes
  std::uint64_t events_ = 0;
};

} // namespace

base::Result<std::uint64_t> write_perfetto(const std::vector<TimeLine>& lines, const std::string& path,
                                           const std::atomic<bool>* stop) {
  TextFile out(path, stop);
  out.put("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"source\":\"farcast\",\"clock\":\"seconds since the exit of "
          "MPI_Init\"}},\n\"traceEvents\":[\n");
  std::uint64_t events = 0;
  for (std::size_t number = 0; number < lines.size(); ++number) {
    PerfettoText writer(out, lines[number], number);
    writer.metadata();
    for (std::size_t rank = 0; rank < lines[number].ranks(); ++rank) writer.rank(rank);
    events += writer.events();
  }
  // The list ends with an event, for JSON knows no comma at its end.
  out.put("{{\"ph\":\"M\",\"name\":\"trace_name\",\"pid\":0,\"tid\":0,\"args\":{{\"name\":\"farcast\"}}}}\n]}}\n");
  if (const auto done = out.commit(); !done) return tl::make_unexpected(done.error());
  return events;
}

} // namespace farcast::timeline
