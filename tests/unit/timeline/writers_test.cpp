// The files: each by the grammar of its format, and all times those of the prediction.
#include "predictor/timeline/writers.h"

#include "predictor/base/read_file.h"
#include "unit/temporary_folder.h"
#include "unit/timeline/sample_line.h"

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using namespace sample;
using farcast::test::TemporaryFolder;
using nlohmann::json;
using timeline::Format;
using timeline::TimeLine;

namespace {

// Returns: the fields of a line, quotes taken off. `separator` ' ': any number of blanks.
std::vector<std::string> fields_of(const std::string& line, char separator) {
  std::vector<std::string> out(1);
  bool quoted = false;
  bool any = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      const bool doubled = quoted && separator == ',' && i + 1 < line.size() && line[i + 1] == '"';
      if (doubled)
        out.back() += line[++i];
      else
        quoted = !quoted;
      any = true;
    } else if (c == separator && !quoted) {
      if (separator == ',' || any) out.emplace_back();
      any = false;
    } else {
      out.back() += c;
      any = true;
    }
  }
  return out;
}

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::uint64_t write(Format format, const Sample& run, const std::string& file) {
  const auto events = timeline::write(format, run.lines, file, nullptr);
  REQUIRE(events);
  return *events;
}

} // namespace

TEST_CASE("CSV: the intervals of each rank and activity sum up to the prediction's times") {
  const Sample run = play_twice(any_kind());
  const TemporaryFolder folder;
  const std::uint64_t events = write(Format::csv, run, folder.file("t.csv"));
  const std::vector<std::string> lines = lines_of(folder.file("t.csv"));
  REQUIRE(lines.front() == "timeline,rank,begin_s,end_s,what,call,place,peer,bytes");
  CHECK(lines.size() == events + 1);
  std::map<std::string, double> spent;
  std::set<std::string> calls;
  double end = 0;
  std::size_t messages = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> row = fields_of(lines[i], ',');
    REQUIRE(row.size() == 9);
    CHECK((row[0] == "measured" || row[0] == "predicted on \"flat\""));
    if (row[0] == "measured") continue;
    if (row[4] == "message") {
      ++messages;
      CHECK_FALSE(row[8].empty());
      continue;
    }
    spent[row[1] + row[4]] += std::stod(row[3]) - std::stod(row[2]);
    end = std::max(end, std::stod(row[3]));
    calls.insert(row[5]);
    if (row[4] == "compute" && row[6].find(" -> ") == std::string::npos) FAIL(lines[i]);
  }
  CHECK(end == run.prediction.time.value());
  CHECK(messages == 28);
  CHECK(calls.contains("MPI_Sendrecv"));
  for (int rank = 0; rank < kRanks; ++rank) {
    for (int i = 0; i < sim::kActivities; ++i) {
      const auto activity = static_cast<sim::Activity>(i);
      CHECK(spent[std::to_string(rank) + sim::name_of(activity)] ==
            Approx(seconds(run.prediction, rank, activity)).margin(1e-12));
    }
  }
}

namespace {

// What the trace event format asks of an event, by its phase.
void check_fields(const json& event) {
  const std::map<std::string, std::vector<std::string>> needed{
      {"M", {"name", "pid", "args"}},
      {"X", {"name", "cat", "ts", "dur", "pid", "tid"}},
      {"s", {"name", "cat", "id", "ts", "pid", "tid"}},
      {"f", {"name", "cat", "id", "ts", "pid", "tid", "bp"}},
  };
  REQUIRE(needed.contains(event.at("ph")));
  for (const std::string& field : needed.at(event.at("ph"))) REQUIRE(event.contains(field));
  for (const char* const number : {"ts", "dur", "pid", "tid"})
    if (event.contains(number)) REQUIRE(event[number].is_number());
  if (event["ph"] == "X") {
    REQUIRE(event["dur"].get<double>() >= 0);
    REQUIRE_FALSE(event["name"].get<std::string>().empty());
  }
}

// Perfetto counts whole nanoseconds.
long long ns(const json& microseconds) { return std::llround(microseconds.get<double>() * 1e3); }

// Slices of a thread, which follow each other or lie inside each other.
void check_nesting(std::vector<std::pair<long long, long long>> slices) {
  std::sort(slices.begin(), slices.end(),
            [](const auto& a, const auto& b) { return std::pair(a.first, -a.second) < std::pair(b.first, -b.second); });
  std::vector<long long> ends;
  for (const auto& [begin, end] : slices) {
    while (!ends.empty() && ends.back() <= begin) ends.pop_back();
    if (!ends.empty()) REQUIRE(end <= ends.back());
    ends.push_back(end);
  }
}

} // namespace

TEST_CASE("Perfetto: Chrome's trace events with the fields that the format asks for, on the prediction's times") {
  const Sample run = play_twice(any_kind());
  const TemporaryFolder folder;
  const std::uint64_t events = write(Format::perfetto, run, folder.file("t.json"));
  const json document = json::parse(*base::read_file(folder.file("t.json")));
  REQUIRE(document.at("traceEvents").is_array());
  std::map<std::pair<int, int>, std::vector<std::pair<long long, long long>>> slices;
  std::map<std::string, long long> begun;
  std::map<int, std::string> processes;
  std::size_t flows = 0;
  for (const json& event : document["traceEvents"]) {
    check_fields(event);
    const std::string phase = event["ph"];
    if (phase == "M" && event["name"] == "process_name") processes[event["pid"]] = event["args"]["name"];
    if (phase == "X") slices[{event["pid"], event["tid"]}].emplace_back(ns(event["ts"]), ns(event["ts"]) + ns(event["dur"]));
    if (phase == "s") CHECK(begun.emplace(event["id"], ns(event["ts"])).second);
    if (phase != "f") continue;
    ++flows;
    REQUIRE(begun.contains(event["id"]));
    CHECK(begun[event["id"]] <= ns(event["ts"]));
    CHECK(slices.contains({event["pid"], event["tid"]}));
  }
  CHECK(processes == std::map<int, std::string>{{1, "measured"}, {2, "predicted on \"flat\""}});
  CHECK(flows == 2 * 28);
  CHECK(begun.size() == flows);
  std::size_t count = flows;
  long long end = 0;
  CHECK(slices.size() == 2 * kRanks);
  for (const auto& [thread, of_thread] : slices) {
    CHECK(thread.second > 0); // Perfetto takes thread 0 for the idle one
    check_nesting(of_thread);
    count += of_thread.size();
    for (const auto& [begin, until] : of_thread) end = std::max(end, until);
  }
  CHECK(count == events);
  CHECK(end == std::llround(run.prediction.time.value() * 1e9));
}

namespace {

// A reader of Paje: the fields that the header defines for each event, and what events may do.
class PajeReader {
public:
  explicit PajeReader(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      if (line.empty() || line[0] == '#') continue;
      if (line[0] == '%')
        define(fields_of(line.substr(1), ' '));
      else
        event(fields_of(line, ' '));
    }
    CHECK(containers.empty());
    CHECK(links.empty());
  }

  std::map<std::string, std::vector<std::string>> containers;  // alias -> states that are open
  std::map<std::string, std::pair<std::string, double>> links; // key -> container, time
  std::map<std::string, double> waiting;                       // alias -> seconds in the state "waiting"
  std::map<std::string, std::string> names;                    // alias of a container -> its name
  std::map<std::string, std::string> root_of;                  // alias of a container -> the one that it is in
  double time = 0;
  std::size_t pairs = 0;

private:
  using Fields = std::map<std::string, std::string>;

  void define(const std::vector<std::string>& words) {
    if (words.front() == "EventDef") {
      REQUIRE(words.size() == 3);
      now_ = words[2];
      CHECK(definitions_.emplace(now_, std::pair(words[1], std::vector<std::string>{})).second);
    } else if (words.front() != "EndEventDef") {
      REQUIRE(words.size() == 2);
      definitions_[now_].second.push_back(words[0]);
    }
  }

  void event(const std::vector<std::string>& words) {
    REQUIRE(definitions_.contains(words.front()));
    const auto& [name, wanted] = definitions_.at(words.front());
    REQUIRE(words.size() == wanted.size() + 1);
    Fields fields;
    for (std::size_t i = 0; i < wanted.size(); ++i) fields[wanted[i]] = words[i + 1];
    if (fields.contains("Time")) {
      const double now = std::stod(fields["Time"]);
      REQUIRE(now >= time);
      time = now;
    }
    if (name == "PajeCreateContainer") {
      CHECK((fields["Container"] == "0" || containers.contains(fields["Container"])));
      CHECK(containers.emplace(fields["Alias"], std::vector<std::string>{}).second);
      names[fields["Alias"]] = fields["Name"];
      root_of[fields["Alias"]] = fields["Container"];
    } else if (name.starts_with("PajeDefine")) {
      CHECK(types_.insert(fields["Alias"]).second);
      CHECK((fields["Type"] == "0" || types_.contains(fields["Type"])));
      if (name == "PajeDefineEntityValue") values_[fields["Alias"]] = fields["Name"];
    } else {
      CHECK(types_.contains(fields["Type"]));
      act(name, fields);
    }
  }

  void act(const std::string& name, Fields& fields) {
    if (name == "PajeDestroyContainer") {
      REQUIRE(containers.contains(fields["Name"]));
      CHECK(containers[fields["Name"]].empty());
      containers.erase(fields["Name"]);
      return;
    }
    REQUIRE(containers.contains(fields["Container"]));
    std::vector<std::string>& open = containers[fields["Container"]];
    if (name == "PajePushState") {
      REQUIRE(values_.contains(fields["Value"]));
      open.push_back(values_[fields["Value"]]);
      if (open.back() == "waiting") waiting[fields["Container"]] -= time;
    } else if (name == "PajePopState") {
      REQUIRE_FALSE(open.empty());
      if (open.back() == "waiting") waiting[fields["Container"]] += time;
      open.pop_back();
    } else if (name == "PajeStartLink") {
      CHECK(containers.contains(fields["StartContainer"]));
      CHECK(links.emplace(fields["Key"], std::pair(fields["Container"], time)).second);
    } else {
      REQUIRE(name == "PajeEndLink");
      CHECK(containers.contains(fields["EndContainer"]));
      REQUIRE(links.contains(fields["Key"]));
      CHECK(links[fields["Key"]].first == fields["Container"]);
      links.erase(fields["Key"]);
      ++pairs;
    }
  }

  std::string now_;
  std::map<std::string, std::pair<std::string, std::vector<std::string>>> definitions_; // number -> name, fields
  std::set<std::string> types_;
  std::map<std::string, std::string> values_;
};

} // namespace

TEST_CASE("Paje: events as the header defines them, in the order of time, with states and links that close") {
  const Sample run = play_twice(any_kind());
  const TemporaryFolder folder;
  write(Format::paje, run, folder.file("t.paje"));
  const PajeReader read(lines_of(folder.file("t.paje")));
  CHECK(read.time == run.prediction.time.value());
  CHECK(read.pairs == 2 * 28);
  for (const auto& [container, waited] : read.waiting) {
    const int rank = std::stoi(read.names.at(container).substr(5));
    CHECK(waited == Approx(seconds(run.prediction, rank, sim::Activity::waiting)).margin(1e-12));
  }
  std::multiset<std::string> names;
  for (const auto& [alias, name] : read.names) names.insert(name);
  CHECK(names == std::multiset<std::string>{"measured", "predicted on 'flat'", "rank-0", "rank-0", "rank-1", "rank-1", "rank-2",
                                            "rank-2", "rank-3", "rank-3"});
}

TEST_CASE("a time line of another length is over when it is over") {
  std::vector<TimeLine> lines;
  for (const double end : {1.0, 3.0, 2.0}) {
    TimeLine& line = lines.emplace_back(1);
    line.name = "t";
    line.host_of = {"n"};
    line.end_s = end;
    line.intervals.append(0, {0, end, 0, 0, 0, sim::Activity::compute});
  }
  const TemporaryFolder folder;
  REQUIRE(timeline::write(Format::paje, lines, folder.file("t.paje"), nullptr));
  const PajeReader read(lines_of(folder.file("t.paje")));
  CHECK(read.time == 3.0);
}

TEST_CASE("what cannot be written, or is stopped, leaves nothing behind") {
  const Sample run = play_twice(platform::TransportKind::smpi);
  const TemporaryFolder folder;
  std::atomic<bool> stop{true};
  for (const Format format : {Format::csv, Format::perfetto, Format::paje, Format::otf2}) {
    const auto stopped = timeline::write(format, run.lines, folder.file("t"), &stop);
    REQUIRE_FALSE(stopped);
    const auto nowhere = timeline::write(format, run.lines, folder.file("none/t"), nullptr);
    REQUIRE_FALSE(nowhere);
    if (nowhere.error().message.find("without OTF2") == std::string::npos)
      CHECK(nowhere.error().message.find(folder.file("none/t")) != std::string::npos);
  }
  CHECK(folder.files() == 0);
}
