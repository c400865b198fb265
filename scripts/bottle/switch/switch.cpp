#include "switch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
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

std::size_t packets_within(Nanoseconds time, double bits_per_second) {
  const double of_one = 8e9 * kFullOnWire / bits_per_second;
  return std::max<std::size_t>(2, static_cast<std::size_t>(std::lround(static_cast<double>(time) / of_one)));
}

} // namespace

Switch::Switch(const SwitchOptions& options)
    : options_(options), half_latency_(static_cast<Nanoseconds>(options.latency_us * 500)),
      least_transit_(static_cast<Nanoseconds>(8e9 * kLeastOnWire / options.bits_per_second)),
      together_(packets_within(kTogether, options.bits_per_second)), listening_(options.hosts, false) {
  for (std::size_t host = 0; host < options.hosts; ++host) {
    taps_.emplace_back(options.prefix + std::to_string(host));
    up_.emplace_back(options.bits_per_second, half_latency_);
    down_.emplace_back(options.bits_per_second, half_latency_);
  }
  if (options.backbone_bits_per_second > 0) backbone_.assign(2, Link(options.backbone_bits_per_second, 0));
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
    if (due_.front().at > now) return;
    std::pop_heap(due_.begin(), due_.end(), std::greater<>());
    Due due = std::move(due_.back());
    due_.pop_back();
    deliver(std::move(due), now);
  }
}

void Switch::deliver(Due due, Nanoseconds now) {
  const Nanoseconds lateness = now - due.at;
  ++statistics_.frames;
  statistics_.lateness += lateness;
  statistics_.greatest_lateness = std::max(statistics_.greatest_lateness, lateness);
  if (lateness > kLate) ++statistics_.late;
  const Tap& tap = taps_[due.host];
  const bool uncut = due.packets == 1;
  if (!(uncut ? tap.write(*due.frame) : tap.write(piece_of(*due.frame, due.given, due.to)))) ++statistics_.refused;
  statistics_.giving += clock_now() - now;
  due.given = due.to;
  if (due.given < due.packets) return plan_next(std::move(due));
  statistics_.bytes += due.frame->size() - kOffloadHeader;
  spare_.push_back(std::move(due.frame));
}

// The packets that come next, as many as a host gets as one.
void Switch::plan_next(Due due) {
  due.to = std::min(due.given + together_, due.packets);
  const Nanoseconds behind = due.to == due.packets ? 0 : down_[due.host].time_of(due.frame->wire_bytes_from(due.to));
  due.at = std::max(due.passage.first, due.passage.last - behind);
  due.order = order_++;
  due_.push_back(std::move(due));
  std::push_heap(due_.begin(), due_.end(), std::greater<>());
}

// A frame is on its way to the backbone or to its down link.
void Switch::forward(std::size_t from, std::size_t to, std::unique_ptr<Frame> frame, const WireSize& size,
                     const Passage& at_switch) {
  const std::size_t half = taps_.size() / 2;
  const bool crosses = !backbone_.empty() && (from >= half) != (to >= half);
  coming_.push_back(Coming{at_switch, order_++, from, to, crosses, size, std::move(frame)});
  std::push_heap(coming_.begin(), coming_.end(), std::greater<>());
}

// Puts frames that come to the same link into the order in which they come. A frame that will be
// read later comes half a latency later at the earliest, so until then the order is settled; and
// nothing is due before another half latency is over.
void Switch::take_turns(Nanoseconds now) {
  while (!coming_.empty() && coming_.front().passage.first <= now + half_latency_) {
    std::pop_heap(coming_.begin(), coming_.end(), std::greater<>());
    Coming next = std::move(coming_.back());
    coming_.pop_back();
    if (next.at_backbone) {
      next.passage = backbone_[next.from >= taps_.size() / 2 ? 1 : 0].carry(next.size, next.passage);
      next.at_backbone = false;
      coming_.push_back(std::move(next));
      std::push_heap(coming_.begin(), coming_.end(), std::greater<>());
      continue;
    }
    const Passage out = down_[next.to].carry(next.size, next.passage);
    const std::size_t packets = packets_of(*next.frame);
    plan_next(Due{0, 0, next.to, std::move(next.frame), out, packets, 0, 0});
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
    const WireSize size = frame->wire_size();
    const Passage at_switch = up_[host].carry(size, Passage{now, now});
    if (frame->to_many()) {
      for (std::size_t to = 0; to < taps_.size(); ++to) {
        if (to == host) continue;
        std::unique_ptr<Frame> copy = fresh();
        std::copy_n(frame->data(), frame->size(), copy->data());
        copy->resize(frame->size());
        forward(host, to, std::move(copy), size, at_switch);
      }
      spare_.push_back(std::move(frame));
      continue;
    }
    const std::optional<std::size_t> to = frame->destination();
    if (to && *to < taps_.size() && *to != host) {
      forward(host, *to, std::move(frame), size, at_switch);
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
    const Nanoseconds again = up_[host].time_of_backlog(kBackPressure);
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
    if (!coming_.empty()) next = std::min(next, coming_.front().passage.first + half_latency_ + least_transit_);
    if (!due_.empty()) next = std::min(next, due_.front().at);
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
