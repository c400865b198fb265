// Whose collective algorithms the simulated MPI library uses: a library's own choice, or algorithms
// by name.
//
// In: the text of an option; out: a Selection. Immutable once parsed; names have static storage.
#pragma once

#include "predictor/base/result.h"
#include "predictor/model/block_formulas.h"
#include "predictor/trace/operation.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace farcast::collective {

enum class Library : std::uint8_t { openmpi, mpich };

inline constexpr std::size_t kKinds = static_cast<std::size_t>(trace::CollectiveKind::construct) + 1;

struct Selection {
  bool closed_form = false;                     // calls take a formula's time (closed_form.h), not that of their messages
  std::optional<Library> library;               // none: whoever plays the run knows (the recorded library; Open MPI)
  std::array<std::string_view, kKinds> named{}; // [kind] algorithm for blocking calls; empty: the library's choice

  // [kind] Proficz16 Table 1's time of the call, whatever else is chosen (model/block_formulas.h)
  std::array<std::optional<model::BlockParameters>, kKinds> blocks{};

  [[nodiscard]] bool by_formula(trace::CollectiveKind kind) const {
    return closed_form || blocks[static_cast<std::size_t>(kind)].has_value();
  }
  [[nodiscard]] Library library_or(Library other) const { return library.value_or(other); }
};

// "mpich", "alltoall=linear,bcast=binomial", "mpich,bcast=binomial", each with "closed-form" or
// not; "bcast=block:T:K" or "bcast=block:T:K:D" for a block formula, with T, K and D_tu as `farcast
// calibrate collectives` writes them. Algorithms have the names that the libraries use; one of the
// library at hand goes before one of the other library that has the same name. Errors: an unknown
// library, call or algorithm; names what there is.
base::Result<Selection> parse_selection(std::string_view text);

// "Open MPI" -> openmpi, "MPICH" -> mpich, as recordings name them; anything else is taken for Open
// MPI.
Library library_named(std::string_view recorded);
std::string_view name_of(Library library); // as the option spells it
std::string_view name_of(trace::CollectiveKind kind);
std::optional<trace::CollectiveKind> kind_named(std::string_view name);

// Returns: the names of a call's algorithms in the library's own order; empty when it has no choice
// for that call.
std::vector<std::string_view> algorithms_of(Library library, trace::CollectiveKind kind);

} // namespace farcast::collective
