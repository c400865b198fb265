// Many sequences of records, which grow in any interleaving and are read one after another: in a
// temporary file, so that they take little memory however long they are.
//
// Invariants: (1) a sequence is read in the order in which it was appended to; (2) memory: about
// kMemory bytes for all sequences, and 8 bytes per block in the file. The file is unlinked from the
// beginning, in TMPDIR. Threads: one.
#pragma once

#include "predictor/base/result.h"
#include "predictor/trace/slot_stream.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace farcast::timeline {

template <class Record> class RecordFile {
  static_assert(std::is_trivially_copyable_v<Record>);
  struct Sequence {
    std::vector<std::int64_t> blocks; // where they begin in the file
    std::vector<Record> last;         // not yet in the file
  };

public:
  explicit RecordFile(std::size_t sequences)
      : sequences_(sequences),
        per_block_(std::clamp<std::size_t>(kMemory / sizeof(Record) / std::max<std::size_t>(1, sequences), kLeast, kMost)),
        file_(std::make_unique<trace::SpillFile>(0)) {}

  [[nodiscard]] std::size_t sequences() const { return sequences_.size(); }
  [[nodiscard]] std::uint64_t size() const { return size_; } // of all sequences

  void append(std::size_t sequence, const Record& record) {
    Sequence& into = sequences_[sequence];
    if (into.last.empty()) into.last.reserve(per_block_);
    into.last.push_back(record);
    ++size_;
    if (into.last.size() < per_block_) return;
    const std::int64_t offset = file_->write(into.last.data(), per_block_ * sizeof(Record));
    if (offset < 0)
      lost_ = true;
    else
      into.blocks.push_back(offset);
    into.last.clear();
  }

  // Errors: the temporary file could not take all; what it holds is not whole.
  [[nodiscard]] base::Result<void> check() const {
    if (!lost_) return {};
    return base::fail("the time line needs more room for its temporary file than the folder TMPDIR has (default: /tmp)");
  }

  // Reads one sequence. Requires: nothing is appended meanwhile; the file outlives it.
  class Reader {
  public:
    Reader(const RecordFile& file, std::size_t sequence) : file_(&file), from_(&file.sequences_[sequence]) {}
    // Returns: false at the end.
    bool next(Record& out) {
      while (at_ == block_.size()) {
        if (done_ || !read_block()) return false;
      }
      out = block_[at_++];
      return true;
    }

  private:
    bool read_block() {
      at_ = 0;
      if (block_number_ == from_->blocks.size()) {
        done_ = true;
        block_ = from_->last;
        return true;
      }
      read_.resize(file_->per_block_);
      if (!file_->file_->read(from_->blocks[block_number_++], read_.data(), read_.size() * sizeof(Record))) return false;
      block_ = read_;
      return true;
    }

    const RecordFile* file_;
    const Sequence* from_;
    std::vector<Record> read_;
    std::span<const Record> block_;
    std::size_t at_ = 0;
    std::size_t block_number_ = 0;
    bool done_ = false;
  };

private:
  static constexpr std::size_t kMemory = std::size_t{1} << 24;
  static constexpr std::size_t kLeast = 16; // records of a block
  static constexpr std::size_t kMost = 4096;
  std::vector<Sequence> sequences_;
  std::size_t per_block_;
  std::unique_ptr<trace::SpillFile> file_;
  std::uint64_t size_ = 0;
  bool lost_ = false;
};

} // namespace farcast::timeline
