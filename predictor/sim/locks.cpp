#include "predictor/sim/locks.h"

#include <utility>

namespace farcast::sim {

using trace::Lock;

// Grants what can be granted at a target, from the first that waits on.
void Locks::serve(State& state, Target& target, std::vector<std::uint32_t>& granted) {
  while (!target.waiting.empty() && !target.exclusive) {
    const Waiting first = target.waiting.front();
    if (first.exclusive && (target.shared > 0 || state.all > 0)) return;
    target.waiting.pop_front();
    target.exclusive = first.exclusive;
    if (first.exclusive)
      ++state.exclusive;
    else
      ++target.shared;
    granted.push_back(first.request);
  }
}

bool Locks::ask(const Window& window, std::uint32_t target, Lock kind, std::uint32_t request) {
  State& state = windows_[window];
  if (kind == Lock::all) {
    if (state.exclusive > 0) {
      state.waiting_for_all.push_back(request);
      return false;
    }
    ++state.all;
    return true;
  }
  Target& at = state.targets[target];
  at.waiting.push_back({request, kind == Lock::exclusive});
  std::vector<std::uint32_t> granted;
  serve(state, at, granted);
  return !granted.empty(); // those before it wait as before
}

std::vector<std::uint32_t> Locks::release(const Window& window, std::uint32_t target, Lock kind) {
  State& state = windows_[window];
  std::vector<std::uint32_t> granted;
  if (kind == Lock::all) {
    if (state.all == 0 || --state.all > 0) return granted;
    for (auto& [rank, at] : state.targets) serve(state, at, granted);
    return granted;
  }
  Target& at = state.targets[target];
  if (kind == Lock::shared && at.shared > 0) --at.shared;
  if (kind == Lock::exclusive && std::exchange(at.exclusive, false) && --state.exclusive == 0) {
    granted = std::exchange(state.waiting_for_all, {});
    state.all += static_cast<std::uint32_t>(granted.size());
  }
  serve(state, at, granted);
  return granted;
}

} // namespace farcast::sim
