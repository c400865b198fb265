// The arguments of collectives.
#include "predictor/convert/ti_writer.h"

#include "predictor/trace/ti_actions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace farcast::convert {

using trace::Collective;
using trace::CollectiveKind;
using Counts = std::shared_ptr<const std::vector<double>>;

namespace {

std::string list_of(const Counts& counts, std::size_t ranks, double element_bytes = 1) {
  std::string out;
  for (std::size_t i = 0; i < ranks; ++i)
    out += fmt::format(" {:.0f}", counts != nullptr && i < counts->size() ? (*counts)[i] / element_bytes : 0.0);
  return out;
}

std::string root_of(const Collective& c, bool inter) {
  if (!inter) return fmt::format(" {}", c.root);
  return c.root == trace::kInterRoot ? " root" : c.root == trace::kProcNull ? " -" : fmt::format(" {}", c.root);
}

std::string neighbors(const std::shared_ptr<const std::vector<int>>& ranks, const Counts& counts, bool lists) {
  std::string out;
  for (std::size_t i = 0; ranks != nullptr && i < ranks->size(); ++i) {
    const int rank = (*ranks)[i];
    out += rank < 0 ? std::string(" -") : fmt::format(" {}", rank);
    if (lists) out += fmt::format(":{:.0f}", counts != nullptr && i < counts->size() ? (*counts)[i] : 0.0);
  }
  return out;
}

// Algorithms depend on the number of elements: the type is as wide as the program's where there is
// a usual one; else the largest that the bytes are made of.
struct Element {
  double bytes;
  const char* type; // behind the other arguments; empty: the default
};
Element element_of(const Collective& c, double bytes) {
  constexpr std::array kUsual = {8.0, 4.0, 2.0, 1.0};
  const bool is_usual = std::find(kUsual.begin(), kUsual.end(), c.element_bytes) != kUsual.end();
  const auto fits = [&](double size) {
    const auto divides = [size](double all) { return std::fmod(all, size) == 0; };
    return (!is_usual || c.element_bytes == size) && divides(bytes) &&
           (c.receive_counts == nullptr || std::all_of(c.receive_counts->begin(), c.receive_counts->end(), divides));
  };
  return fits(8) ? Element{8, " 0"} : fits(4) ? Element{4, " 1"} : fits(2) ? Element{2, " 3"} : Element{1, ""};
}

} // namespace

std::string ti_arguments(const Collective& c, std::size_t ranks, bool inter) {
  using trace::TiShape;
  const auto* const what = std::find_if(
      std::begin(trace::ti_actions::kActions), std::end(trace::ti_actions::kActions),
      [&c](const trace::TiAction& action) { return action.verb == trace::TiVerb::collective && action.kind == c.kind; });
  const std::string root = what->rooted ? root_of(c, inter) : std::string();
  const double most = std::max(c.send_bytes, c.receive_bytes); // MPI_IN_PLACE, or no root: one side is not given
  const Element element = element_of(c, most);
  switch (what->shape) {
  case TiShape::none:
  case TiShape::work:
    return {};
  case TiShape::whole:
    return fmt::format(" {:.0f}{}{}", most / element.bytes, root, element.type);
  case TiShape::reduction:
    return fmt::format(" {:.0f} 0{}{}", most / element.bytes, root, element.type);
  case TiShape::blocks:
    return fmt::format(" {:.0f} {:.0f}{}", c.send_bytes > 0 ? c.send_bytes : most, c.receive_bytes > 0 ? c.receive_bytes : most,
                       root);
  case TiShape::gather_list:
    return fmt::format(" {:.0f}{}{}", c.send_bytes, list_of(c.receive_counts, ranks), root);
  case TiShape::allgather_list:
    return fmt::format(" {:.0f}{}", c.send_bytes, list_of(c.receive_counts, ranks));
  case TiShape::scatter_list:
    return fmt::format("{} {:.0f}{}", list_of(c.send_counts, ranks), c.receive_bytes, root);
  case TiShape::reduce_list:
    return fmt::format("{} 0{}", list_of(c.receive_counts, ranks, element.bytes), element.type);
  case TiShape::both_lists: {
    const Counts& sent = c.send_counts != nullptr ? c.send_counts : c.receive_counts;
    const Counts& received = c.receive_counts != nullptr ? c.receive_counts : c.send_counts;
    return fmt::format(" {:.0f}{} {:.0f}{}", most, list_of(sent, ranks), most, list_of(received, ranks));
  }
  case TiShape::neighbors:
    return fmt::format(" {:.0f} {:.0f} to{} from{}", c.send_bytes, c.receive_bytes, neighbors(c.destinations, nullptr, false),
                       neighbors(c.sources, nullptr, false));
  case TiShape::neighbor_lists:
    return fmt::format(" to{} from{}", neighbors(c.destinations, c.send_counts, true),
                       neighbors(c.sources, c.receive_counts, true));
  }
  return {};
}

} // namespace farcast::convert
