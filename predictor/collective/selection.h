// Whose collective algorithms the simulated MPI library uses: a library's own choice, or algorithms by name.
//
// In: the text of an option; out: a Selection. Immutable once parsed; names have static storage.
#pragma once

#include "predictor/base/result.h"
#include "predictor/trace/operation.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace farcast::collective {

enum class Library : std::uint8_t { openmpi, mpich };

inline constexpr std::size_t kKinds = static_cast<std::size_t>(trace::CollectiveKind::synchronize) + 1;

struct Selection {
  std::optional<Library> library;               // none: whoever plays the run knows (the recorded library; Open MPI)
  std::array<std::string_view, kKinds> named{}; // [kind] algorithm for blocking calls; empty: the library's choice

  [[nodiscard]] Library library_or(Library other) const { return library.value_or(other); }
};

// "mpich", "alltoall=linear,bcast=binomial", "mpich,bcast=binomial". Algorithms have the names that the libraries use; one of the
// library at hand goes before one of the other library that has the same name.
// Errors: an unknown library, call or algorithm; names what there is.
base::Result<Selection> parse_selection(std::string_view text);

// "Open MPI" -> openmpi, "MPICH" -> mpich, as recordings name them; anything else is taken for Open MPI.
Library library_named(std::string_view recorded);
std::string_view name_of(Library library); // as the option spells it
std::string_view name_of(trace::CollectiveKind kind);
std::optional<trace::CollectiveKind> kind_named(std::string_view name);

// Returns: the names of a call's algorithms in the library's own order; empty when it has no choice for that call.
std::vector<std::string_view> algorithms_of(Library library, trace::CollectiveKind kind);

} // namespace farcast::collective
