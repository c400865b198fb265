// The version of this farcast, as reports and files tell it.
#pragma once

namespace farcast::base {

const char* version(); // "0.1.0"

} // namespace farcast::base
