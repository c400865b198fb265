#include "predictor/region/symbolizer.h"

#include "predictor/base/base_name.h"
#include "predictor/region/debug_file.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <vector>

namespace farcast::region {
namespace {

// Compilers give some instructions line 0 ("no source"): the call's line is then looked for this
// many bytes before.
constexpr std::uint64_t kLineSearchBytes = 64;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return lower;
}

// Opening a FIFO or a device would block or do harm: a recorded path can be anything by now.
bool is_regular_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string build_id_of(Dwfl_Module* module) {
  const unsigned char* bits = nullptr;
  GElf_Addr where = 0;
  const int length = dwfl_module_build_id(module, &bits, &where);
  std::string hex;
  for (int i = 0; i < length; ++i) hex += fmt::format("{:02x}", bits[i]);
  return hex;
}

struct SourceLine {
  std::string file;
  int line = 0;
};

SourceLine line_at(Dwfl_Module* module, std::uint64_t address) {
  Dwfl_Line* const entry = dwfl_module_getsrc(module, address);
  if (!entry) return {};
  int line = 0;
  const char* const file = dwfl_lineinfo(entry, nullptr, &line, nullptr, nullptr, nullptr);
  if (!file || line <= 0) return {};
  const char* const directory = file[0] == '/' ? nullptr : dwfl_line_comp_dir(entry);
  return {directory ? fmt::format("{}/{}", directory, file) : std::string(file), line};
}

using AddressRanges = std::vector<std::pair<Dwarf_Addr, Dwarf_Addr>>; // [begin, end)

AddressRanges ranges_of(Dwarf_Die& scope) {
  AddressRanges ranges;
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  std::ptrdiff_t at = 0;
  while ((at = dwarf_ranges(&scope, at, &base, &begin, &end)) > 0) ranges.emplace_back(begin, end);
  return ranges;
}

// Appends the ranges of the calls that were inlined into the scope.
void add_inlined(Dwarf_Die& scope, AddressRanges& ranges) {
  Dwarf_Die child{};
  if (dwarf_child(&scope, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_inlined_subroutine) {
      const AddressRanges inlined = ranges_of(child);
      ranges.insert(ranges.end(), inlined.begin(), inlined.end());
    } else if (tag == DW_TAG_lexical_block) {
      add_inlined(child, ranges);
    }
  } while (dwarf_siblingof(&child, &child) == 0);
}

bool hold(const AddressRanges& ranges, Dwarf_Addr address) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const auto& range) { return address >= range.first && address < range.second; });
}

// Returns: the last line of `file` below `below` (0: any) that has code of the scope itself; 0: none.
int last_line_of(Dwarf_Die& unit, Dwarf_Die& scope, const char* file, int below) {
  const AddressRanges own = ranges_of(scope);
  AddressRanges inlined;
  add_inlined(scope, inlined);
  Dwarf_Lines* lines = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrclines(&unit, &lines, &count) != 0) return 0;
  int last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Dwarf_Line* const line = dwarf_onesrcline(lines, i);
    Dwarf_Addr address = 0;
    int number = 0;
    bool ends = false;
    if (dwarf_lineaddr(line, &address) != 0 || dwarf_lineno(line, &number) != 0 || dwarf_lineendsequence(line, &ends) != 0)
      continue;
    if (ends || number <= last || (below > 0 && number >= below) || !hold(own, address) || hold(inlined, address)) continue;
    const char* const source = dwarf_linesrc(line, nullptr, nullptr);
    if (source && std::string_view(source) == file) last = number;
  }
  return last;
}

// Returns: what `scope`, a function or an inlined call of one, is in the source.
FunctionLines lines_of(Dwarf_Die& unit, Dwarf_Die& scope) {
  FunctionLines out;
  const char* const name = dwarf_diename(&scope);
  const char* const file = dwarf_decl_file(&scope);
  if (!name || !file || dwarf_decl_line(&scope, &out.first) != 0) return {};
  out.name = name;
  out.file = file;
  // Instructions that an inlined call shares with what surrounds it have lines of that: of one function
  // further down in the same file, they must not count.
  Dwarf_Attribute attribute{};
  Dwarf_Word caller = 0;
  const bool inlined = dwarf_formudata(dwarf_attr(&scope, DW_AT_call_line, &attribute), &caller) == 0;
  const int below = inlined && static_cast<int>(caller) > out.first ? static_cast<int>(caller) : 0;
  out.last = std::max(out.first, last_line_of(unit, scope, file, below));
  return out;
}

} // namespace

// One object file, opened on construction at bias 0, so that addresses in it are those of its
// program headers.
class Symbolizer::Module {
public:
  Module(const std::string& path, std::string_view build_id) : name_(path.empty() ? "unknown" : base::base_name(path)) {
    if (!is_regular_file(path)) return;
    static const Dwfl_Callbacks kCallbacks = {dwfl_build_id_find_elf, find_debug_file, nullptr, nullptr};
    session_.reset(dwfl_begin(&kCallbacks));
    if (!session_) return;
    dwfl_report_begin(session_.get());
    module_ = dwfl_report_elf(session_.get(), name_.c_str(), path.c_str(), -1, 0, true);
    dwfl_report_end(session_.get(), nullptr, nullptr);
    GElf_Addr bias = 0;
    if (module_ && !dwfl_module_getelf(module_, &bias)) module_ = nullptr; // not an ELF file
    if (module_ && !build_id.empty() && build_id_of(module_) != lower_case(build_id))
      module_ = nullptr; // rebuilt or replaced since the run
  }

  [[nodiscard]] CallSite resolve(std::uint64_t offset) const {
    CallSite site;
    site.module = name_;
    site.text = fmt::format("{}+0x{:x}", name_, offset);
    site.stale = module_ == nullptr;
    if (site.stale) return site;
    const std::uint64_t call = offset == 0 ? 0 : offset - 1;
    GElf_Sym symbol{};
    GElf_Off within = 0;
    const char* const name = dwfl_module_addrinfo(module_, call, &within, &symbol, nullptr, nullptr, nullptr);
    if (name && name[0] != '\0') {
      site.function = demangle(name);
      site.text = fmt::format("{}+0x{:x} ({})", site.function, within + (offset - call), name_);
    }
    const std::uint64_t reach = name ? std::min<std::uint64_t>(within, kLineSearchBytes) : 0;
    SourceLine source;
    for (std::uint64_t back = 0; back <= reach && source.line == 0; ++back) source = line_at(module_, call - back);
    if (source.line != 0) {
      site.text = fmt::format("{}:{}", base::base_name(source.file), source.line);
      site.file = source.file;
      site.line = source.line;
    }
    return site;
  }

  [[nodiscard]] FunctionLines function_around(std::uint64_t offset) const {
    Dwarf_Addr bias = 0;
    const std::uint64_t call = offset == 0 ? 0 : offset - 1;
    Dwarf_Die* const unit = module_ ? dwfl_module_addrdie(module_, call, &bias) : nullptr;
    if (!unit) return {};
    Dwarf_Die* found = nullptr;
    const int count = dwarf_getscopes(unit, call - bias, &found); // innermost first
    if (count <= 0) return {};
    const std::unique_ptr<Dwarf_Die, void (*)(void*)> scopes(found, &std::free);
    for (int i = 0; i < count; ++i) {
      const int tag = dwarf_tag(&found[i]);
      if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) return lines_of(*unit, found[i]);
    }
    return {};
  }

private:
  struct End {
    void operator()(Dwfl* session) const { dwfl_end(session); }
  };
  std::string name_;
  std::unique_ptr<Dwfl, End> session_;
  Dwfl_Module* module_ = nullptr; // owned by session_; null: missing, unreadable, or another build
};

Symbolizer::Symbolizer() = default;
Symbolizer::~Symbolizer() = default;

Symbolizer::Module& Symbolizer::module_of(const std::string& path, std::string_view build_id) {
  std::unique_ptr<Module>& module = modules_[{path, std::string(build_id)}];
  if (!module) module = std::make_unique<Module>(path, build_id);
  return *module;
}

CallSite Symbolizer::resolve(const std::string& module_path, std::string_view build_id, std::uint64_t offset) {
  return module_of(module_path, build_id).resolve(offset);
}

FunctionLines Symbolizer::function_around(const std::string& module_path, std::string_view build_id, std::uint64_t offset) {
  return module_of(module_path, build_id).function_around(offset);
}

std::string demangle(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol; // __cxa_demangle would read "i" as the type int
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && name ? std::string(name.get()) : symbol;
}

} // namespace farcast::region
