#include "predictor/scenario/sweep_store.h"

#include "predictor/base/words.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include <utility>
#include <vector>

namespace farcast::scenario {

namespace {

namespace fs = std::filesystem;
using StoredJson = nlohmann::json;

constexpr std::string_view kEnding = ".jsonl";

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  return std::getline(in, line) && !in.eof() ? line : std::string();
}

// Returns: the paths of all parts in the folder.
std::vector<std::string> parts_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(kEnding) && base::number_in<int>(name.substr(0, name.size() - kEnding.size())))
      out.push_back(at->path().string());
  }
  return out;
}

base::Result<void> append(int descriptor, const std::string& path, const std::string& line) {
  // One call: a line is there as a whole, unless the process or the disk ends within it.
  if (::write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return {};
  return base::fail(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

StoredJson remarks_value(const std::vector<Remark>& remarks) {
  StoredJson out = StoredJson::array();
  for (const Remark& one : remarks) out.push_back({one.caution, one.subject, one.extent, one.sentence});
  return out;
}

std::vector<Remark> remarks_in(const StoredJson& list) {
  std::vector<Remark> out;
  for (const StoredJson& one : list)
    out.push_back({one.at(0).get<bool>(), one.at(1).get<std::string>(), one.at(2).get<double>(), one.at(3).get<std::string>()});
  return out;
}

StoredJson spent_value(const SweepAnswer& answer) {
  StoredJson out = StoredJson::array();
  for (const base::Seconds seconds : answer.spent) out.push_back(seconds.value());
  return out;
}

StoredJson parts_value(const SweepAnswer& answer) {
  const energy::EnergyParts& parts = answer.energy_parts;
  return {parts.baseline.value(), parts.computing.value(), parts.polling.value(), parts.probing.value(), answer.links.value()};
}

void take_spent(const StoredJson& in, SweepAnswer& answer) {
  for (std::size_t i = 0; i < answer.spent.size(); ++i) answer.spent.at(i) = base::Seconds(in.at("spent_s").at(i).get<double>());
  const StoredJson& parts = in.at("parts_j");
  const auto joules = [&](std::size_t i) { return base::Joules(parts.at(i).get<double>()); };
  answer.energy_parts = {joules(0), joules(1), joules(2), joules(3)};
  answer.links = joules(4);
}

std::string line_of(const SweepQuestion& question, const SweepAnswer& answer) {
  StoredJson out{{"scenario", question.scenario},
                 {"seed", question.seed},
                 {"member", question.member},
                 {"time_s", answer.time.value()},
                 {"nodes", answer.nodes},
                 {"complete", answer.complete},
                 {"events", answer.events},
                 {"energy_j", answer.energy ? StoredJson(answer.energy->value()) : StoredJson()},
                 {"spent_s", spent_value(answer)},
                 {"parts_j", parts_value(answer)},
                 {"remarks", remarks_value(answer.remarks)}};
  return out.dump() + '\n';
}

void take_line(const std::string& line, SweepAnswers& answers) {
  const StoredJson in = StoredJson::parse(line, nullptr, false);
  try {
    SweepAnswer answer;
    answer.time = base::Seconds(in.at("time_s").get<double>());
    if (!in.at("energy_j").is_null()) answer.energy = base::Joules(in.at("energy_j").get<double>());
    answer.nodes = in.at("nodes").get<int>();
    answer.complete = in.at("complete").get<bool>();
    answer.events = in.at("events").get<std::uint64_t>();
    take_spent(in, answer);
    answer.remarks = remarks_in(in.at("remarks"));
    const SweepQuestion question{in.at("scenario").get<std::size_t>(), in.at("seed").get<std::uint64_t>(),
                                 in.at("member").get<std::uint64_t>()};
    answers.emplace(question, answer);
  } catch (const StoredJson::exception&) { // not whole, or somebody else's: that question is played again
  }
}

} // namespace

SweepStore::SweepStore(std::string folder, std::string sweep, int descriptor, bool goes_on)
    : folder_(std::move(folder)), sweep_(std::move(sweep)), descriptor_(descriptor), goes_on_(goes_on) {}

SweepStore::SweepStore(SweepStore&& other) noexcept
    : folder_(std::move(other.folder_)), sweep_(std::move(other.sweep_)), descriptor_(std::exchange(other.descriptor_, -1)),
      goes_on_(other.goes_on_), parts_(std::move(other.parts_)) {}

SweepStore::~SweepStore() {
  if (descriptor_ >= 0) close(descriptor_);
}

base::Result<SweepStore> SweepStore::open(const std::string& folder, const std::string& sweep, int part) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return base::fail(fmt::format("{}: cannot be made: {}", folder, error.message()));
  const std::string path = fmt::format("{}/{}{}", folder, part, kEnding);
  const bool goes_on = first_line(path) == sweep;
  const int descriptor =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (goes_on ? 0 : O_TRUNC), 0666);
  if (descriptor < 0) return base::fail(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  SweepStore store(folder, sweep, descriptor, goes_on);
  // A line that was cut short is ended, so that the next one stands alone.
  const auto begun = append(descriptor, path, goes_on ? "\n" : sweep + '\n');
  if (!begun) return tl::make_unexpected(begun.error());
  return store;
}

base::Result<void> SweepStore::add(const SweepQuestion& question, const SweepAnswer& answer) {
  return append(descriptor_, folder_, line_of(question, answer));
}

int SweepStore::read(SweepAnswers& answers) {
  int begun = 0;
  for (const std::string& path : parts_in(folder_)) {
    Part& part = parts_[path];
    if (!part.of_this_sweep) part.of_this_sweep = first_line(path) == sweep_;
    if (!part.of_this_sweep) continue;
    ++begun;
    std::ifstream in(path);
    in.seekg(static_cast<std::streamoff>(part.read_to));
    std::string line;
    while (std::getline(in, line) && !in.eof()) { // the last one without its end may still be written
      part.read_to += line.size() + 1;
      take_line(line, answers);
    }
  }
  return begun;
}

bool SweepStore::is_gone() const {
  std::error_code error;
  return !fs::exists(folder_, error);
}

void SweepStore::remove() {
  std::error_code error;
  for (const std::string& path : parts_in(folder_)) fs::remove(path, error);
  fs::remove(folder_, error); // leaves what others have put there
}

} // namespace farcast::scenario
