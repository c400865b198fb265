#include "switch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <system_error>
#include <utility>

namespace farcast::bottle {

namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;
constexpr Nanoseconds kNever = std::numeric_limits<Nanoseconds>::max();

Nanoseconds read_clock(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

Nanoseconds clock_now() { return read_clock(CLOCK_MONOTONIC); }

} // namespace

Switch::Switch(const SwitchOptions& options)
    : options_(options), half_latency_(static_cast<Nanoseconds>(options.latency_us * 500)),
      least_transit_(static_cast<Nanoseconds>(8e9 * kLeastOnWire / options.bits_per_second)),
      fabric_(options.hosts, options.bits_per_second, half_latency_, options.backbone_bits_per_second),
      listening_(options.hosts, false) {
  for (std::size_t host = 0; host < options.hosts; ++host) taps_.emplace_back(options.prefix + std::to_string(host));
  events_ = ::epoll_create1(EPOLL_CLOEXEC);
  if (events_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

std::unique_ptr<Frame> Switch::fresh() {
  if (spare_.empty()) return std::make_unique<Frame>();
  std::unique_ptr<Frame> frame = std::move(spare_.back());
  spare_.pop_back();
  return frame;
}

void Switch::deliver_due() {
  while (!due_.empty()) {
    const Nanoseconds now = clock_now(); // again for each: a write takes long
    if (due_.front().piece.at > now) return;
    std::pop_heap(due_.begin(), due_.end(), std::greater<>());
    const Due due = std::move(due_.back());
    due_.pop_back();
    deliver(due.piece, now);
  }
}

void Switch::deliver(const Delivery& piece, Nanoseconds now) {
  const Nanoseconds lateness = now - piece.at;
  ++statistics_.frames;
  statistics_.lateness += lateness;
  statistics_.greatest_lateness = std::max(statistics_.greatest_lateness, lateness);
  if (lateness > kLate) ++statistics_.late;
  Segment& segment = *piece.segment;
  const Tap& tap = taps_[segment.to];
  const bool uncut = segment.packets == 1;
  if (!(uncut ? tap.write(*segment.frame) : tap.write(piece_of(*segment.frame, piece.first, piece.last)))) ++statistics_.refused;
  statistics_.giving += clock_now() - now;
  if (piece.last < segment.packets) return;
  statistics_.bytes += segment.frame->size() - kOffloadHeader;
  spare_.push_back(std::move(segment.frame));
}

// A frame that will be read later comes half a latency later at the earliest, so until then the order
// is settled; and nothing is due before another half latency is over.
void Switch::take_turns(Nanoseconds now) {
  pieces_.clear();
  fabric_.take_turns(now + half_latency_, pieces_);
  for (Delivery& piece : pieces_) {
    due_.push_back(Due{std::move(piece), order_++});
    std::push_heap(due_.begin(), due_.end(), std::greater<>());
  }
}

void Switch::read_from(std::size_t host) {
  for (int i = 0; i < kBurst; ++i) {
    std::unique_ptr<Frame> frame = fresh();
    const Nanoseconds before = clock_now();
    if (!taps_[host].read(*frame) || !frame->whole()) {
      spare_.push_back(std::move(frame));
      return;
    }
    ++statistics_.read;
    const Nanoseconds now = clock_now();
    statistics_.taking += now - before;
    const Passage at_switch = fabric_.leave(host, frame->wire_size(), now);
    if (frame->to_many()) {
      for (std::size_t to = 0; to < taps_.size(); ++to) {
        if (to == host) continue;
        std::unique_ptr<Frame> copy = fresh();
        std::copy_n(frame->data(), frame->size(), copy->data());
        copy->resize(frame->size());
        fabric_.forward(host, to, std::move(copy), at_switch);
      }
      spare_.push_back(std::move(frame));
      continue;
    }
    const std::optional<std::size_t> to = frame->destination();
    if (to && *to < taps_.size() && *to != host) {
      fabric_.forward(host, *to, std::move(frame), at_switch);
    } else {
      ++statistics_.strangers;
      spare_.push_back(std::move(frame));
    }
  }
}

void Switch::listen_to(std::size_t host, bool on) {
  if (listening_[host] == on) return;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = host;
  ::epoll_ctl(events_, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, taps_[host].descriptor(), &event);
  listening_[host] = on;
}

// Leaves the hosts alone whose up link has enough to do. Returns: when the first of them will be
// read again.
Nanoseconds Switch::choose_readers(Nanoseconds now) {
  Nanoseconds next = kNever;
  for (std::size_t host = 0; host < taps_.size(); ++host) {
    const Nanoseconds again = fabric_.time_of_backlog(host, kBackPressure);
    listen_to(host, again <= now);
    if (again > now) next = std::min(next, again);
  }
  return next;
}

void Switch::write_statistics() {
  const std::string aside = options_.statistics_path + ".new";
  std::FILE* file = std::fopen(aside.c_str(), "w");
  if (file == nullptr) return;
  const Nanoseconds work = read_clock(CLOCK_THREAD_CPUTIME_ID);
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  const long sleeps = usage.ru_nvcsw; // a wait that finds something at once is none
  const double frames = static_cast<double>(std::max<std::uint64_t>(1, statistics_.frames));
  std::fprintf(file,
               "{\"frames\": %llu, \"bytes\": %llu, \"strangers\": %llu, \"refused\": %llu, \"late_over_200_us\": %llu, "
               "\"mean_lateness_us\": %.2f, \"greatest_lateness_us\": %.1f, \"read\": %llu, \"sleeps\": %ld, \"cpu_s\": %.6f, "
               "\"waiting_s\": %.6f, \"taking_s\": %.6f, \"giving_s\": %.6f}\n",
               static_cast<unsigned long long>(statistics_.frames), static_cast<unsigned long long>(statistics_.bytes),
               static_cast<unsigned long long>(statistics_.strangers), static_cast<unsigned long long>(statistics_.refused),
               static_cast<unsigned long long>(statistics_.late), static_cast<double>(statistics_.lateness) / frames / 1e3,
               static_cast<double>(statistics_.greatest_lateness) / 1e3, static_cast<unsigned long long>(statistics_.read),
               sleeps - reported_sleeps_, static_cast<double>(work - reported_work_) / 1e9,
               static_cast<double>(statistics_.waiting) / 1e9, static_cast<double>(statistics_.taking) / 1e9,
               static_cast<double>(statistics_.giving) / 1e9);
  const bool written = std::fclose(file) == 0;
  if (written) std::rename(aside.c_str(), options_.statistics_path.c_str());
  statistics_ = Statistics{};
  reported_work_ = work;
  reported_sleeps_ = sleeps;
}

void Switch::run(const volatile std::sig_atomic_t& stop, volatile std::sig_atomic_t& report) {
  std::array<epoll_event, 64> ready{};
  while (stop == 0) {
    deliver_due();
    if (report != 0) {
      report = 0;
      write_statistics();
    }
    take_turns(clock_now());
    Nanoseconds next = choose_readers(clock_now());
    // Turns are taken when the first of those that wait could be due, not before: that is one
    // waking less for most frames.
    if (fabric_.waits()) next = std::min(next, fabric_.next() + half_latency_ + least_transit_);
    if (!due_.empty()) next = std::min(next, due_.front().piece.at);
    // Never longer than a second: a signal that comes between the look at `stop` and the wait is
    // seen then.
    Nanoseconds wait = std::clamp<Nanoseconds>(next == kNever ? kSecond : next - clock_now(), 0, kSecond);
    wait = wait < kWakingTime ? 0 : wait - kWakingTime;
    const timespec patience{wait / kSecond, wait % kSecond};
    const Nanoseconds before = clock_now();
    const int count = ::epoll_pwait2(events_, ready.data(), static_cast<int>(ready.size()), &patience, nullptr);
    if (wait == 0 && count == 0) statistics_.waiting += clock_now() - before;
    for (int i = 0; i < count; ++i) read_from(ready[static_cast<std::size_t>(i)].data.u64);
  }
  write_statistics();
}

} // namespace farcast::bottle
