// Which MPI library a program will use, and whether a preload library can watch it at all.
#pragma once

#include <string>

namespace farcast::base {

enum class MpiLibrary { none, openmpi, mpich };
const char* short_name(MpiLibrary library); // "openmpi", as in libfarcast-openmpi.so
const char* full_name(MpiLibrary library);  // "Open MPI"

struct ProgramImage {
  bool found = false;           // the file exists and may be run
  bool script = false;          // not an ELF file: its interpreter loads MPI, if anybody
  bool is_static = false;       // no dynamic linker: nothing can be preloaded
  bool has_mpi_symbols = false; // static: MPI_Init is inside
  MpiLibrary links = MpiLibrary::none;
  std::string path;    // as PATH resolves it
  std::string problem; // not found: why, to stand behind its name: "no such program", "is not executable: ..."
};

// Looks a program up as execvp does, and asks its own dynamic linker what it would load.
ProgramImage inspect_program(const std::string& program);
// Returns: why the program cannot be started, as a sentence with its name; of one that is named by its
// folder and is not there also the nearest name in it. Requires: it was not found.
std::string why_not_started(const std::string& program, const ProgramImage& image);
// Returns: what a shell answers for a program that was not found: 127, or 126 when it is there and
// may not be run.
int exit_code_of(const ProgramImage& image);
// Returns: the library of the launcher that started this process, as its variables tell.
MpiLibrary launcher_library();
// Returns: how many ranks the other library's launcher started this process among, when there are
// several and `library`'s own started none: a program of `library` would be alone in each, a job of
// one rank; else 0. As libinterpose/channel.h has it.
int ranks_of_other_launcher(MpiLibrary library);
// Returns: the path of a library of ours, beside this program or where it was installed; empty when
// it was not built.
std::string library_path(const std::string& name);
// Returns: the path of libfarcast-<name>.so beside this program or where it was installed; empty
// when it was not built.
std::string interposer_path(MpiLibrary library);
// Returns: this rank and the number of ranks, in all and on this node, as the launcher says; -1, 0, 0
// without one.
int launcher_rank();
int launcher_size();
int launcher_local_size();

} // namespace farcast::base
