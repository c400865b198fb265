// A first-in first-out queue in one piece of memory, for elements too large for std::deque, which
// takes a block of memory for each of those. Elements move when it grows.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace farcast::trace {

template <class Element> class Queue {
public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  // Requires: !empty().
  Element& front() { return places_[first_]; }
  // Requires: index < size(); 0 is the front.
  Element& operator[](std::size_t index) { return places_[(first_ + index) & (places_.size() - 1)]; }
  void push_back(Element&& element) { add() = std::move(element); }
  // Returns: a new last element, which holds what an earlier one of its place left there.
  Element& add() {
    if (size_ == places_.size()) grow();
    return places_[(first_ + size_++) & (places_.size() - 1)];
  }
  // Requires: !empty(). What the element holds stays until its place is taken again.
  void pop_front() {
    first_ = (first_ + 1) & (places_.size() - 1);
    --size_;
  }

private:
  static constexpr std::size_t kFirstSize = 4; // a power of two, as all later sizes
  void grow() {
    std::vector<Element> larger(places_.empty() ? kFirstSize : places_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    places_ = std::move(larger);
    first_ = 0;
  }

  std::vector<Element> places_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

} // namespace farcast::trace
