// Numbers of hosts and links of a platform: indices into Platform::hosts and Platform::links.
#pragma once

#include <cstdint>

namespace farcast::platform {

using HostId = std::uint32_t;
using LinkId = std::uint32_t;

} // namespace farcast::platform
