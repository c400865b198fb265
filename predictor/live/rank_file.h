// Whether a file that another process handed over may be mapped: whoever has it can still do with
// it what its seals allow.
#pragma once

#include <cstddef>

namespace farcast::live {

// Returns: it is memory (not a device, nor a file on a disk or on somebody's server), holds at
// least so many bytes, and is sealed against shrinking: touching it can neither kill us nor keep us
// waiting.
bool can_be_mapped(int file, std::size_t bytes);

// A number in such a file, which the rank may be changing: it is read once, and then looked at.
template <class Number> Number read_once(const Number& number) { return *static_cast<const volatile Number*>(&number); }

} // namespace farcast::live
