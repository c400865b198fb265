// What a step of the predictor returns when it can fail: a value, or one sentence for the user.
//
// Only cli/ prints errors and chooses an exit code. An error about a file names the file, the place
// in it, what was found and what was expected.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace farcast::base {

struct Error {
  std::string message; // a sentence, without a trailing full stop or newline
};

template <class T> using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string message) { return tl::unexpected<Error>(Error{std::move(message)}); }

} // namespace farcast::base
