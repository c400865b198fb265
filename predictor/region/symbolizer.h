// Call sites for people: (module, build-id, return address) -> file:line, or symbol+offset, or
// module+offset.
//
// Reads ELF files and their DWARF information through elfutils' libdw, after the run and never in
// the observed program.
// In:  the path of a loaded object, its build-id, and an address relative to the object's load bias
// (dlpi_addr), so that
//      position-independent executables, fixed-address executables (bias 0) and shared objects are
//      alike.
// Out: a CallSite; there is always a text, whatever is missing.
// Invariants:
// 1. Nothing is fetched over the network: separate debug files come from /usr/lib/debug or from
//    beside the module.
// 2. A module whose file is gone or has another build-id is never read: its lines would be wrong.
//    The site is `stale`.
// Threads: one Symbolizer per thread. Modules stay open until it is destroyed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace farcast::region {

struct CallSite {
  std::string file;     // path as the compiler recorded it; empty: unknown
  int line = 0;         // 0: unknown
  std::string function; // enclosing function as the symbol table names it, C++ demangled; empty: unknown
  std::string module;   // base name of the object
  std::string text;     // "file.c:123", "symbol+0x1f (module)" or "module+0x1234"
  bool stale = false;   // the object of the run is not there any more: only module+offset is known
};

// The function whose source a line belongs to: of an inlined call that function, not the one that it
// was inlined into.
struct FunctionLines {
  std::string name; // as in the source, without scope or arguments; empty: no debug information
  std::string file; // path as the compiler recorded it
  int first = 0;    // line of its declaration; 0: unknown
  int last = 0;     // last line that has code; 0: unknown
};

class Symbolizer {
public:
  Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;
  ~Symbolizer();

  // `offset` is a return address: the call itself ends one byte before it, and that byte is looked up.
  // `build_id` in hexadecimal; empty: not recorded, and then not checked.
  CallSite resolve(const std::string& module_path, std::string_view build_id, std::uint64_t offset);
  // Returns: the function that the call stands in, from DWARF information alone. Reads the lines of the
  // whole source file once per question: for few calls.
  FunctionLines function_around(const std::string& module_path, std::string_view build_id, std::uint64_t offset);

private:
  class Module;
  Module& module_of(const std::string& path, std::string_view build_id);

  std::map<std::pair<std::string, std::string>, std::unique_ptr<Module>> modules_; // (path, build-id)
};

// Returns: the C++ name of a mangled symbol; any other name unchanged.
std::string demangle(const std::string& symbol);

} // namespace farcast::region
