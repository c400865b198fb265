// Paje as SimGrid writes it (SimGrid 3.32, `smpirun -trace`): its event definitions with its numbers,
// a container per rank, states that are pushed and popped, and links for messages.
#include "predictor/timeline/text_file.h"
#include "predictor/timeline/track.h"
#include "predictor/timeline/writers.h"

#include <algorithm>
#include <map>
#include <memory>
#include <queue>

namespace farcast::timeline {

namespace {

// Number, name and fields of the events that follow; SimGrid's numbers.
constexpr const char* kHeader = R"(%EventDef PajeDefineContainerType 0
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineStateType 2
%       Alias string
%       Type string
%       Name string
%EndEventDef
%EventDef PajeDefineLinkType 4
%       Alias string
%       Type string
%       StartContainerType string
%       EndContainerType string
%       Name string
%EndEventDef
%EventDef PajeDefineEntityValue 5
%       Alias string
%       Type string
%       Name string
%       Color color
%EndEventDef
%EventDef PajeCreateContainer 6
%       Time date
%       Alias string
%       Type string
%       Container string
%       Name string
%EndEventDef
%EventDef PajeDestroyContainer 7
%       Time date
%       Type string
%       Name string
%EndEventDef
%EventDef PajePushState 12
%       Time date
%       Type string
%       Container string
%       Value string
%EndEventDef
%EventDef PajePopState 13
%       Time date
%       Type string
%       Container string
%EndEventDef
%EventDef PajeStartLink 15
%       Time date
%       Type string
%       Container string
%       Value string
%       StartContainer string
%       Key string
%EndEventDef
%EventDef PajeEndLink 16
%       Time date
%       Type string
%       Container string
%       Value string
%       EndContainer string
%       Key string
%EndEventDef
)";
// Types, by the aliases that the file gives them.
constexpr int kTimeLineType = 1;
constexpr int kRankType = 2;
constexpr int kStateType = 3;
constexpr int kLinkType = 4;
constexpr std::size_t kFirstContainer = 5;

std::string quoted(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '"' || static_cast<unsigned char>(c) < ' '; }, '\'');
  return '"' + text + '"';
}

const char* colour_of(const Slice& slice) {
  switch (slice.kind) {
  case Slice::Kind::compute:
    return "0.3 0.7 0.3";
  case Slice::Kind::waiting:
    return "0.8 0.1 0.1";
  case Slice::Kind::ended:
    return "0.8 0.8 0.8";
  case Slice::Kind::call:
    break;
  }
  return slice.activity == sim::Activity::collective ? "1 0.6 0.1" : "0.2 0.4 0.9";
}

// One rank, at its next event.
struct Place {
  std::unique_ptr<Track> track;
  Event event;
  const TimeLine* line;
  std::size_t root;      // container of its time line
  std::size_t container; // its own
};

struct Later {
  bool operator()(const Place* one, const Place* other) const {
    const auto key = [](const Place& place) { return std::tuple(place.event.time, place.event.kind, place.container); };
    return key(*one) > key(*other);
  }
};

class PajeText {
public:
  explicit PajeText(TextFile& out) : out_(out) {}

  void head(const std::vector<TimeLine>& lines) {
    out_.put("#This file was generated using farcast, in SimGrid's dialect of Paje\n{}", kHeader);
    out_.put("0 {} 0 TIMELINE\n0 {} {} MPI\n", kTimeLineType, kRankType, kTimeLineType);
    out_.put("2 {} {} MPI_STATE\n4 {} {} {} {} MPI_LINK\n", kStateType, kRankType, kLinkType, kTimeLineType, kRankType,
             kRankType);
    std::size_t container = kFirstContainer;
    for (const TimeLine& line : lines) {
      const std::size_t root = container++;
      ranks_left_[root] = line.ranks();
      out_.put("6 0 {} {} 0 {}\n", root, kTimeLineType, quoted(line.name));
      for (std::size_t rank = 0; rank < line.ranks(); ++rank) {
        places_.push_back({std::make_unique<Track>(line, rank), {}, &line, root, container++});
        out_.put("6 0 {} {} {} {}\n", places_.back().container, kRankType, root, quoted(fmt::format("rank-{}", rank)));
      }
    }
    next_value_ = container;
  }

  void events() {
    Queue queue;
    for (Place& place : places_) go_on(place, queue);
    while (out_.good() && !queue.empty()) {
      Place* const place = queue.top();
      queue.pop();
      event(*place);
      go_on(*place, queue);
    }
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }

private:
  using Queue = std::priority_queue<Place*, std::vector<Place*>, Later>;

  // Containers go when their time line has come to its end.
  void go_on(Place& place, Queue& queue) {
    if (place.track->next(place.event)) return queue.push(&place);
    out_.put("7 {} {} {}\n", place.line->end_s, kRankType, place.container);
    if (--ranks_left_[place.root] == 0) out_.put("7 {} {} {}\n", place.line->end_s, kTimeLineType, place.root);
  }

  void event(const Place& place) {
    const double time = place.event.time;
    switch (place.event.kind) {
    case Event::Kind::enter:
      out_.put("12 {} {} {} {}\n", time, kStateType, place.container, state(place));
      break;
    case Event::Kind::leave:
      out_.put("13 {} {} {}\n", time, kStateType, place.container);
      ++count_;
      break;
    case Event::Kind::sent:
      link(15, place);
      break;
    case Event::Kind::received:
    case Event::Kind::received_at_once:
      link(16, place);
      ++count_;
      break;
    }
  }

  void link(int number, const Place& place) {
    out_.put("{} {} {} {} PTP {} {}_{}\n", number, place.event.time, kLinkType, place.root, place.container, place.root,
             place.event.message.id);
  }

  // Returns: the alias of the slice's value; defines it when it is new.
  std::size_t state(const Place& place) {
    const Slice& slice = place.event.slice;
    const std::string name = slice.kind == Slice::Kind::compute   ? "computing"
                             : slice.kind == Slice::Kind::waiting ? "waiting"
                             : slice.kind == Slice::Kind::ended   ? "ended"
                                                                  : place.line->names.call(slice.site).function;
    const auto [value, fresh] = values_.try_emplace(name, next_value_);
    if (fresh) out_.put("5 {} {} {} \"{}\"\n", next_value_++, kStateType, quoted(name), colour_of(slice));
    return value->second;
  }

  TextFile& out_;
  std::map<std::size_t, std::size_t> ranks_left_; // container of a time line -> its ranks that are not at their end
  std::vector<Place> places_;
  std::map<std::string, std::size_t> values_;
  std::size_t next_value_ = 0;
  std::uint64_t count_ = 0;
};

} // namespace

base::Result<std::uint64_t> write_paje(const std::vector<TimeLine>& lines, const std::string& path,
                                       const std::atomic<bool>* stop) {
  TextFile out(path, stop);
  PajeText writer(out);
  writer.head(lines);
  writer.events();
  if (const auto done = out.commit(); !done) return tl::make_unexpected(done.error());
  return writer.count();
}

} // namespace farcast::timeline
