#include "predictor/trace/ti_names.h"

#include <fmt/format.h>

namespace farcast::trace {

base::Result<std::shared_ptr<const Communicator>> TiCommunicatorRegistry::define(std::uint32_t number, std::vector<int> members,
                                                                                 std::vector<int> remote) {
  const bool smaller = remote.empty() || members < remote;
  const auto other = objects_.find({number, !smaller});
  if (other != objects_.end() && (other->second->members != remote || other->second->remote != members))
    return base::fail(fmt::format("communicator {} has other groups elsewhere in the trace", number));
  std::shared_ptr<const Communicator>& object = objects_[{number, smaller}];
  if (object == nullptr) {
    auto made = std::make_shared<Communicator>();
    made->id = number;
    made->members = std::move(members);
    made->remote = std::move(remote);
    object = std::move(made);
  } else if (object->members != members || object->remote != remote) {
    return base::fail(fmt::format("communicator {} has other members elsewhere in the trace", number));
  }
  return object;
}

} // namespace farcast::trace
