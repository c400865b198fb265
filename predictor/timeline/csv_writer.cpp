#include "predictor/report/text_layout.h"
#include "predictor/timeline/text_file.h"
#include "predictor/timeline/writers.h"

namespace farcast::timeline {

namespace {

void write_rank(const TimeLine& line, const std::string& name, std::size_t rank, TextFile& out) {
  using report::in_csv_quotes;
  Interval interval;
  RecordFile<Interval>::Reader intervals(line.intervals, rank);
  while (out.good() && intervals.next(interval)) {
    const bool computes = interval.activity == sim::Activity::compute;
    const bool ended = interval.activity == sim::Activity::ended;
    const CallName& call = line.names.call(interval.site);
    out.put("{},{},{},{},{},{},{},,\n", name, rank, interval.begin, interval.end, sim::name_of(interval.activity),
            computes || ended ? "" : in_csv_quotes(call.function),
            ended ? "" : in_csv_quotes(computes ? line.names.region(interval.region) : call.place));
  }
  Message message;
  RecordFile<Message>::Reader received(line.received, rank);
  while (out.good() && received.next(message))
    out.put("{},{},{},{},message,,,{},{}\n", name, message.peer, message.sent, message.received, rank, message.bytes);
}

} // namespace

base::Result<std::uint64_t> write_csv(const std::vector<TimeLine>& lines, const std::string& path,
                                      const std::atomic<bool>* stop) {
  TextFile out(path, stop);
  out.put("timeline,rank,begin_s,end_s,what,call,place,peer,bytes\n");
  std::uint64_t rows = 0;
  for (const TimeLine& line : lines) {
    const std::string name = report::in_csv_quotes(line.name);
    for (std::size_t rank = 0; rank < line.ranks(); ++rank) write_rank(line, name, rank, out);
    rows += line.intervals.size() + line.received.size();
  }
  if (const auto done = out.commit(); !done) return tl::make_unexpected(done.error());
  return rows;
}

} // namespace farcast::timeline
