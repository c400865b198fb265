// A list that grows, for memory of which there need not be any: nothing here throws.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace farcast::interpose {

// Of plain values. Constant-initialised: all zero.
template <class Value> struct List {
  Value* values;
  std::size_t size;
  std::size_t room;
  Value* add() {
    if (size == room) {
      const std::size_t more = room == 0 ? 64 : 2 * room;
      auto* grown = static_cast<Value*>(std::realloc(values, more * sizeof(Value)));
      if (grown == nullptr) return nullptr;
      values = grown;
      room = more;
    }
    return &values[size++];
  }
  void remove(std::size_t index) {
    for (std::size_t i = index + 1; i < size; ++i) values[i - 1] = values[i];
    --size;
  }
  // Returns: where the first one is of which `test` says true; `size`: nowhere.
  template <class Test> [[nodiscard]] std::size_t find(Test test) const {
    std::size_t at = 0;
    while (at < size && !test(values[at])) ++at;
    return at;
  }
  template <class Test> [[nodiscard]] bool any(Test test) const { return find(test) < size; }
};

} // namespace farcast::interpose
