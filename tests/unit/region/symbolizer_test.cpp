#include "predictor/region/symbolizer.h"

#include "tests/unit/temporary_folder.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <link.h>
#include <optional>
#include <unistd.h>

using farcast::region::CallSite;
using farcast::region::demangle;
using farcast::region::FunctionLines;
using farcast::region::Symbolizer;
using farcast::test::TemporaryFolder;
namespace fs = std::filesystem;

// A function of this program with a return address to resolve; not inlined, so that it has one.
__attribute__((noinline)) std::uintptr_t farcast_test_return_address() {
  return reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
}

namespace {

struct Output {
  int status = 0;
  std::string text;
};

Output shell(const std::string& command) {
  Output output;
  std::FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.text.append(buffer.data(), got);
  output.status = ::pclose(pipe);
  return output;
}

void must(const std::string& command) {
  const Output output = shell(command);
  INFO(command << "\n" << output.text);
  REQUIRE(output.status == 0);
}

bool has(const std::string& tool) { return shell("command -v " + tool).status == 0; }

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// The program prints where each interesting call returns to, relative to the load bias of its
// object, as a recorder would.
constexpr const char* kProbeSource = R"(#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdio.h>
static uintptr_t wanted, bias;
static int find(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size; (void)data;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (info->dlpi_phdr[i].p_type == PT_LOAD && wanted >= start && wanted < start + info->dlpi_phdr[i].p_memsz) {
      bias = info->dlpi_addr;
      return 1;
    }
  }
  return 0;
}
__attribute__((noinline)) void tell_(void) {
  wanted = (uintptr_t)__builtin_return_address(0);
  dl_iterate_phdr(find, 0);
  printf("0x%lx\n", (unsigned long)(wanted - bias));
}
)";

std::uint64_t offset_printed_by(const std::string& program) {
  const Output output = shell(program);
  INFO(output.text);
  REQUIRE(output.status == 0);
  return std::strtoull(output.text.c_str(), nullptr, 16);
}

std::string build_id_of(const std::string& object) {
  const Output notes = shell("readelf -n " + object);
  const std::string label = "Build ID: ";
  const std::size_t at = notes.text.find(label);
  if (at == std::string::npos) return "";
  const std::size_t start = at + label.size();
  return notes.text.substr(start, notes.text.find('\n', start) - start);
}

struct CProgram { // main.c calls tell_() in line 4 of exchange()
  explicit CProgram(const std::string& flags) {
    write(folder.file("probe.c"), kProbeSource);
    write(folder.file("main.c"), "void tell_(void);\n"
                                 "__attribute__((noinline)) static int exchange(int x) {\n"
                                 "  x += 1;\n"
                                 "  tell_();\n"
                                 "  return x;\n"
                                 "}\n"
                                 "int main(int argc, char** argv) { (void)argv; return exchange(argc) - 2; }\n");
    path = folder.file("program");
    must(fmt::format("cd {} && cc -O1 -Wl,--build-id {} main.c probe.c -o program -ldl", folder.file(""), flags));
    offset = offset_printed_by(path);
    build_id = build_id_of(path);
  }
  TemporaryFolder folder;
  std::string path;
  std::string build_id;
  std::uint64_t offset = 0;
};

void check_line_4(const CallSite& site, const CProgram& program) {
  CHECK(site.text == "main.c:4");
  CHECK(site.line == 4);
  CHECK(fs::weakly_canonical(site.file) == fs::weakly_canonical(program.folder.file("main.c")));
  CHECK(site.function.substr(0, 8) == "exchange");
  CHECK(site.module == "program");
  CHECK_FALSE(site.stale);
}

} // namespace

TEST_CASE("a return address of this very program is resolved") {
  const std::uintptr_t address = farcast_test_return_address();
  Dl_info info{};
  link_map* map = nullptr;
  void* extra = nullptr;
  REQUIRE(::dladdr1(reinterpret_cast<void*>(address), &info, &extra, RTLD_DL_LINKMAP) != 0);
  map = static_cast<link_map*>(extra);
  Symbolizer symbolizer;
  const CallSite site = symbolizer.resolve("/proc/self/exe", "", address - map->l_addr);
  CHECK_FALSE(site.stale);
  CHECK_FALSE(site.function.empty());
  if (site.line != 0) { // built with -g
    CHECK(site.text == fmt::format("symbolizer_test.cpp:{}", site.line));
  } else {
    CHECK(site.text.find("+0x") != std::string::npos);
  }
}

TEST_CASE("a function of the C library is named although the library is stripped") {
  Dl_info info{};
  void* extra = nullptr;
  REQUIRE(::dladdr1(reinterpret_cast<void*>(&::getenv), &info, &extra, RTLD_DL_LINKMAP) != 0);
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(&::getenv) - static_cast<link_map*>(extra)->l_addr;
  Symbolizer symbolizer;
  const CallSite site = symbolizer.resolve(info.dli_fname, "", offset + 8);
  CHECK(site.function == "getenv");
  CHECK(site.module.substr(0, 7) == "libc.so");
  if (site.line == 0) // no libc debug package
    CHECK(site.text == fmt::format("getenv+0x8 ({})", site.module));
}

TEST_CASE("position-independent and fixed-address executables have lines") {
  Symbolizer symbolizer;
  for (const char* flags : {"-g -pie -fPIE", "-g -no-pie -fno-pie", "-g -gdwarf-4", "-g -gz"}) {
    INFO(flags);
    const CProgram program(flags);
    check_line_4(symbolizer.resolve(program.path, program.build_id, program.offset), program);
    check_line_4(symbolizer.resolve(program.path, "", program.offset), program);
  }
}

TEST_CASE("without line information the symbol and its offset stand there, without symbols the module") {
  CProgram program("-g0 -pie -fPIE");
  {
    Symbolizer symbolizer;
    const CallSite site = symbolizer.resolve(program.path, program.build_id, program.offset);
    CHECK(site.line == 0);
    CHECK(site.file.empty());
    CHECK(site.text.find(site.function + "+0x") == 0);
    CHECK(site.text.find(" (program)") == site.text.size() - 10);
  }
  must("strip " + program.path);
  Symbolizer symbolizer;
  const CallSite site = symbolizer.resolve(program.path, program.build_id, program.offset);
  CHECK(site.text == fmt::format("program+0x{:x}", program.offset));
  CHECK(site.function.empty());
  CHECK_FALSE(site.stale);
}

TEST_CASE("a separate debug file beside a stripped program is found, one of another build is not") {
  CProgram program("-g");
  const auto split = [&](const std::string& debug_of) {
    must(fmt::format("cd {0} && objcopy --only-keep-debug {1} program.debug && strip program -o bare && "
                     "objcopy --add-gnu-debuglink=program.debug bare",
                     program.folder.file(""), debug_of));
  };
  split("program");
  Symbolizer symbolizer;
  const CallSite found = symbolizer.resolve(program.folder.file("bare"), program.build_id, program.offset);
  CHECK(found.text == "main.c:4");
  CHECK(found.function.substr(0, 8) == "exchange");
  must(fmt::format("cd {} && cc -O0 -g -Wl,--build-id main.c probe.c -o other -ldl && rm bare", program.folder.file("")));
  split("other");
  Symbolizer afresh;
  const CallSite refused = afresh.resolve(program.folder.file("bare"), program.build_id, program.offset);
  CHECK(refused.text == fmt::format("bare+0x{:x}", program.offset));
}

TEST_CASE("a module that is gone, was rebuilt, or is no object is stale") {
  const CProgram program("-g");
  Symbolizer symbolizer;
  const CallSite rebuilt = symbolizer.resolve(program.path, "00112233445566778899aabbccddeeff00112233", 0x1234);
  CHECK(rebuilt.stale);
  CHECK(rebuilt.text == "program+0x1234");
  CHECK(rebuilt.line == 0);
  const CallSite gone = symbolizer.resolve("/nonexistent/lib/libgone.so.1", "", 0x10);
  CHECK(gone.stale);
  CHECK(gone.text == "libgone.so.1+0x10");
  CHECK(gone.module == "libgone.so.1");
  CHECK(symbolizer.resolve("", "", 0x10).text == "unknown+0x10");
  CHECK(symbolizer.resolve("[vdso]", "", 0x10).text == "[vdso]+0x10");
  CHECK(symbolizer.resolve(program.folder.file("main.c"), "", 0x10).stale);
  CHECK(symbolizer.resolve("/dev/zero", "", 0x10).stale);
  // An address outside the module says where it is, and does no harm.
  CHECK(symbolizer.resolve(program.path, program.build_id, 0x7fffffffffff).text == "program+0x7fffffffffff");
  CHECK(symbolizer.resolve(program.path, program.build_id, 0).text == "program+0x0");
}

TEST_CASE("a build-id is compared without regard to case") {
  const CProgram program("-g");
  std::string upper = program.build_id;
  for (char& letter : upper) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  Symbolizer symbolizer;
  check_line_4(symbolizer.resolve(program.path, upper, program.offset), program);
}

TEST_CASE("a call site in a shared object is resolved there") {
  const TemporaryFolder folder;
  write(folder.file("probe.c"), kProbeSource);
  write(folder.file("lib.c"), "void tell_(void);\n\nint halo(int x) {\n  tell_();\n  return x;\n}\n");
  write(folder.file("main.c"), "int halo(int);\nint main(int argc, char** argv) { (void)argv; return halo(argc) - 1; }\n");
  must(fmt::format("cd {} && cc -g -shared -fPIC lib.c probe.c -o libhalo.so -ldl && "
                   "cc main.c -L. -lhalo -Wl,-rpath,$PWD -o program",
                   folder.file("")));
  const std::uint64_t offset = offset_printed_by(folder.file("program"));
  Symbolizer symbolizer;
  const CallSite site = symbolizer.resolve(folder.file("libhalo.so"), build_id_of(folder.file("libhalo.so")), offset);
  CHECK(site.text == "lib.c:4");
  CHECK(site.function == "halo");
  CHECK(site.module == "libhalo.so");
}

TEST_CASE("a C++ function is demangled") {
  const TemporaryFolder folder;
  write(folder.file("probe.c"), kProbeSource);
  write(folder.file("main.cpp"), "extern \"C\" void tell_();\nnamespace halo {\nstruct Grid {\n"
                                 "  __attribute__((noinline)) int exchange(int x) { tell_(); return x; }\n};\n}\n"
                                 "int main(int argc, char**) { halo::Grid g; return g.exchange(argc) - 1; }\n");
  must(fmt::format("cd {} && cc -c probe.c && c++ main.cpp probe.o -o program -ldl", folder.file("")));
  Symbolizer symbolizer;
  const CallSite site = symbolizer.resolve(folder.file("program"), "", offset_printed_by(folder.file("program")));
  CHECK(site.function == "halo::Grid::exchange(int)");
  CHECK(site.text.find("halo::Grid::exchange(int)+0x") == 0);
  CHECK(demangle("_ZN4halo4GridE") == "halo::Grid");
  CHECK(demangle("_Zbroken") == "_Zbroken");
  CHECK(demangle("i") == "i");
}

TEST_CASE("Fortran names stay as they are") {
  if (!has("gfortran")) {
    WARN("gfortran is not installed: not tested");
    return;
  }
  const TemporaryFolder folder;
  write(folder.file("probe.c"), kProbeSource);
  write(folder.file("step.f90"), "subroutine step(x)\n  integer :: x\n  call tell()\n  x = x + 1\nend subroutine\n");
  write(folder.file("main.f90"), "program cavity\n  integer :: x = 1\n  call tell()\nend program\n");
  write(folder.file("calls.f90"), "program cavity\n  integer :: x = 1\n  call step(x)\nend program\n");
  must(fmt::format("cd {} && cc -c probe.c && gfortran -g main.f90 probe.o -o program -ldl && "
                   "gfortran -g0 calls.f90 step.f90 probe.o -o second -ldl",
                   folder.file("")));
  Symbolizer symbolizer;
  const CallSite main = symbolizer.resolve(folder.file("program"), "", offset_printed_by(folder.file("program")));
  CHECK(main.text == "main.f90:3");
  CHECK(main.function == "MAIN__");
  const CallSite step = symbolizer.resolve(folder.file("second"), "", offset_printed_by(folder.file("second")));
  CHECK(step.function == "step_");
  CHECK(step.text.find("step_+0x") == 0);
}

TEST_CASE("the function around a call has its name and lines, of an inlined one those of the inlined") {
  const CProgram program("-g");
  Symbolizer symbolizer;
  const FunctionLines around = symbolizer.function_around(program.path, program.build_id, program.offset);
  CHECK(around.name == "exchange");
  CHECK(fs::weakly_canonical(around.file) == fs::weakly_canonical(program.folder.file("main.c")));
  CHECK(around.first == 2);
  CHECK(around.last == 6);
  CHECK(symbolizer.function_around(program.path, "00", program.offset).name.empty()); // another build
  CHECK(symbolizer.function_around(program.folder.file("none"), "", program.offset).name.empty());

  write(program.folder.file("inline.c"), "void tell_(void);\n"
                                         "static inline __attribute__((always_inline)) int twice(int x) {\n"
                                         "  tell_();\n"
                                         "  tell_();\n"
                                         "  return 2 * x;\n"
                                         "}\n"
                                         "int main(int argc, char** argv) { (void)argv; return twice(argc) - 2; }\n");
  must(fmt::format("cd {} && cc -O1 -g inline.c probe.c -o inlined -ldl", program.folder.file("")));
  const std::string inlined = program.folder.file("inlined");
  const FunctionLines inner = symbolizer.function_around(inlined, "", offset_printed_by(inlined));
  CHECK(inner.name == "twice");
  CHECK(inner.first == 2);
  CHECK(inner.last >= 4); // the last may share an instruction with what surrounds the call
  CHECK(inner.last <= 5);

  const CProgram without("-g0");
  CHECK(symbolizer.function_around(without.path, without.build_id, without.offset).name.empty());
}
