// The progress engine of each rank's MPI library on ordered channels: when a process gets to know
// what has come for it.
//
// A process is one thread: it learns of a fragment when it reads its inbox, and with in-call
// progress it does so only while it waits inside a call, or when it polls (Test, Iprobe): then it
// does not sleep, and reads what has come by then. One that waits begins to read the wake-up
// latency after a fragment has come (the kernel's way, and the wake-up of who sleeps; what of it is
// chance: sim/chance.h); reading takes its time before it has any effect. The first read's time
// holds a poll of all connections; those that have something are read in the order of a library's
// descriptors (sim/chance.h), not of time, then comes another poll. A read takes in one system call
// what has come from the same peer by half of its time: the other half goes to what the library does
// with it. (Seen in Open MPI 4.1.4: readv 1.6 us after the poll, which took 1.2; it takes 1.0; 2.5 to
// 3.5 us later the next call.) The time:
//   the p2p model's `or` of an eager message's size, its least for control messages; for `fin` that
//   of the piece of its data that comes last, by bulk_read_s where the platform has it; more in the
//   same call: without the least of `or` (the system calls); what is written in answer: the least
//   of `os` for control messages, for data that of what one system call hands over.
// Threads: none; one owner.
#pragma once

#include "predictor/network/ordered_network.h"
#include "predictor/sim/blocking_waits.h"
#include "predictor/sim/chance.h"
#include "predictor/sim/channel_message.h"
#include "predictor/sim/messages.h"
#include "predictor/sim/scheduler.h"
#include "predictor/sim/setting.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace farcast::sim {

class ProgressEngine {
public:
  // Told of each notice once its process has read it.
  class Reader {
  public:
    virtual void read(const Notice& notice) = 0;
    // That was all of one read.
    virtual void end_read() = 0;
    // The process has read all that there was when it looked.
    virtual void looked(std::uint32_t rank) = 0;

  protected:
    ~Reader() = default;
  };

  ProgressEngine(const Setting& setting, const trace::Timelines& timelines, Scheduler& scheduler, Messages& messages,
                 BlockingWaits& waits, const network::OrderedNetwork& network, Reader& reader);

  [[nodiscard]] ProgressRule rule() const { return rule_; }
  // Something has come for the rank, or has left it; poll() once all of the instant is there.
  void add(std::uint32_t rank, const Notice& notice) { inboxes_[rank].waiting.push_back(notice); }
  // Lets a process that may read go on with its inbox, up to the next thing that takes time.
  void poll(std::uint32_t rank) { read_on(rank, false); }
  // The event that poll() has arranged.
  void resume(std::uint32_t rank);
  // Its main strand has got as far as it can.
  void paused(std::uint32_t rank) {
    if (reads(rank)) poll(rank);
  }
  // Returns: whether the process reads or writes now, or is waking up to it.
  [[nodiscard]] bool busy(std::uint32_t rank) const { return inboxes_[rank].state != Inbox::State::idle; }
  // Returns: whether something has come that it reads only when its main strand is inside a call.
  [[nodiscard]] bool unread(std::uint32_t rank) const { return !helped_[rank] && !inboxes_[rank].empty(); }
  // Returns: until when the process writes bulk data, in which it reads nothing.
  [[nodiscard]] double writes_until(std::uint32_t rank) const { return inboxes_[rank].writes_until; }
  // A poll of its main strand: what has come by now is read, what comes meanwhile stays. Returns:
  // false when there is nothing; else the strand waits, and Reader::looked() tells when it is done.
  bool begin_look(std::uint32_t rank);
  // Returns: how much of a message's data goes into the socket at once.
  [[nodiscard]] double written_at_once(double bytes) const;
  // The process writes the data that a cts asks for; it reads nothing meanwhile.
  void write_bulk(const Notice& cts);

private:
  struct Inbox {
    enum class State : std::uint8_t { idle, writing, waking, reading, reading_more };
    std::vector<Notice> waiting; // in order of arrival, from `head` on
    std::size_t head = 0;        // those before it have been read
    std::size_t in_round = 0;    // how many of the last poll are still to be read
    std::size_t in_one_go = 0;   // how many are being read
    std::uint64_t draws = 0;     // of chance
    double writes_until = 0;     // s; a process that writes bulk data reads nothing meanwhile
    State state = State::idle;   // unless idle, an event is arranged
    bool looks = false;          // a poll: it reads what is left of this round, and leaves
    [[nodiscard]] bool empty() const { return head == waiting.size(); }
    [[nodiscard]] const Notice& front() const { return waiting[head]; }
  };

  [[nodiscard]] bool reads(std::uint32_t rank) const;
  // Returns: whether what comes for the rank may have to wake its process, which nobody helps.
  [[nodiscard]] bool sleeps(std::uint32_t rank) const { return waits_.on() && !helped_[rank]; }
  static constexpr double kTaken = 0.5; // of a read's time, when the system call takes the data
  struct Cost {                         // s, of a notice
    double call;                        // of `read`, what no further notice of the same call costs
    double read;
    double write; // what is written in answer, after it
  };

  [[nodiscard]] Cost cost_of(std::uint32_t rank, const Notice& notice) const;
  void read_on(std::uint32_t rank, bool awake);
  void poll_connections(std::uint32_t rank);
  void read_until(std::uint32_t rank, Inbox::State state, double time);
  bool read_more(std::uint32_t rank);
  void take_in(std::uint32_t rank);
  void end_look(std::uint32_t rank);

  const Setting& setting_;
  Scheduler& scheduler_;
  Messages& messages_;
  BlockingWaits& waits_;
  const network::OrderedNetwork& network_;
  Reader& reader_;
  Chance chance_;
  ProgressRule rule_;
  double write_per_byte_s_;    // of bulk data
  std::vector<Inbox> inboxes_; // [rank]
  std::vector<bool> helped_;   // [rank]: it reads whatever its main strand does
  std::vector<Notice> being_read_;
};

} // namespace farcast::sim
