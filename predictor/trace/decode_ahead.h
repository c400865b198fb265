// Decodes complete recordings ahead of the engine, on a thread of its own: playing and decoding
// take about the same time.
//
// In: decoders whose streams are all closed. Out: their operations in batches per timeline, one
// that is being played and one that is being decoded. From its start on only this object's thread
// touches the decoders and what they share (sites, communicators).
// Threads: next() of one owner. A fault of the thread (no memory, of `begin`) comes out of next().
#pragma once

#include "predictor/trace/decoder.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace farcast::trace {

class DecodeAhead {
public:
  struct Place {
    Decoder* decoder = nullptr;
    std::size_t thread = 0;
  };
  // `begin`: called by the new thread before anything else. `slots_read` counts what it decodes.
  DecodeAhead(const std::vector<Place>& places, std::function<void()> begin, std::atomic<std::uint64_t>& slots_read);
  DecodeAhead(const DecodeAhead&) = delete;
  DecodeAhead& operator=(const DecodeAhead&) = delete;
  ~DecodeAhead();

  // Puts the next operation of a timeline into `out`. Returns: false when it has ended.
  bool next(std::size_t timeline, Operation& out);
  // As Timelines::next_alike().
  bool next_alike(std::size_t timeline, Operation& last);

private:
  struct Batch {
    std::vector<Operation> operations;        // as many as fit; `size` of them are filled
    std::vector<RepeatedOperations> repeated; // [operation] that follow it
    std::size_t size = 0;
    std::size_t at = 0;
    bool last = false; // the timeline ends behind it
  };
  struct Timeline {
    Place place;
    Batch played;
    Operation repeats;           // the operation that was given last, where others repeat it
    RepeatedOperations repeated; // those that are left
    Batch decoded;
    bool asked = false;             // of the owner: `decoded` is on its way
    std::atomic<bool> ready{false}; // `decoded` is there
  };

  void ask(std::size_t timeline);
  void refill(std::size_t timeline);
  void work();
  void decode(Timeline& timeline);
  bool take_job(std::size_t& timeline);

  std::vector<std::unique_ptr<Timeline>> timelines_;
  std::size_t batch_;
  std::function<void()> begin_;
  std::atomic<std::uint64_t>& slots_read_;
  std::mutex mutex_; // of what follows
  std::condition_variable more_;
  std::deque<std::size_t> jobs_; // timelines, each at most once
  bool ending_ = false;
  std::exception_ptr fault_;
  std::thread thread_;
};

} // namespace farcast::trace
