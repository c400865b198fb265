// The report on its way back to the ranks that wait for it.
#pragma once

#include <span>
#include <string_view>

namespace farcast::live {

// Sends `report`, and that it is done, to all of `sockets` at a time, none of which may block: who
// does not read keeps nobody else waiting, and us no longer than stream::kGiveUpSeconds. Returns:
// whether anybody got all of it.
bool deliver_report(std::span<const int> sockets, std::string_view report);

} // namespace farcast::live
