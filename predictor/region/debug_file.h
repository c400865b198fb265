// Finds the separate debug file of a stripped object: by build-id below /usr/lib/debug, or by its
// .gnu_debuglink.
//
// libdw's own search (dwfl_standard_find_debuginfo) is not used, because it asks debuginfod servers
// over the network when DEBUGINFOD_URLS is set, which many systems set for every login.
#pragma once

#include <elfutils/libdwfl.h>

namespace farcast::region {

// A callback of Dwfl_Callbacks::find_debuginfo. Returns: a file descriptor that libdw owns then, or -1.
// Only a debug file with the same build-id is taken.
int find_debug_file(Dwfl_Module* module, void** user_data, const char* module_name, Dwarf_Addr base, const char* file_name,
                    const char* debug_link, GElf_Word debug_link_crc, char** debug_file_name);

} // namespace farcast::region
