// The options of farcast whatif about failures and checkpoints.
#pragma once

#include "predictor/base/result.h"
#include "predictor/report/what_if_failures.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <vector>

namespace farcast::cli {

struct FailureRequest {
  std::optional<base::Seconds> writing; // unset: failures are not asked for
  std::optional<base::Seconds> restart;
  std::optional<base::Seconds> interval;
  std::optional<base::Hertz> node_failures;

  // Returns: what is asked; restarting takes as long as writing where nobody says otherwise.
  [[nodiscard]] std::optional<report::Checkpointing> checkpointing() const;
};

void add_failures(CLI::App& command, FailureRequest& request);

// Returns: [scenario] its nodes; empty where `asked` is unset. Errors: a host without a failure rate.
base::Result<std::vector<scenario::UsedNodes>> nodes_of(const std::optional<report::Checkpointing>& asked,
                                                        const std::vector<scenario::Scenario>& scenarios);

} // namespace farcast::cli
