#include "predictor/base/program_image.h"

#include "predictor/base/child_process.h"
#include "predictor/base/missing_file.h"
#include "predictor/base/read_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#ifndef FARCAST_LIBRARY_DIR
#define FARCAST_LIBRARY_DIR "/usr/local/lib/farcast"
#endif

namespace farcast::base {

namespace {

namespace fs = std::filesystem;

constexpr const char* kNoProgram = "no such program";

// Returns: why that file cannot be run; empty: it can.
std::string why_not(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    return errno == ENOENT || errno == ENOTDIR ? kNoProgram : fmt::format("cannot be looked at: {}", std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return "is a folder, expected a program";
  if (!S_ISREG(status.st_mode)) return "is no regular file, expected a program";
  if (access(path.c_str(), X_OK) != 0) return fmt::format("is not executable: {}", std::strerror(errno));
  return {};
}

// As execvp does it: what may not be run is passed over where another folder has one that may.
void find_in_path(const std::string& program, ProgramImage& image) {
  std::vector<std::string> candidates{program};
  if (program.find('/') == std::string::npos) {
    candidates.clear();
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');)
      candidates.push_back((folder.empty() ? "." : folder) + "/" + program);
  }
  image.problem = kNoProgram;
  for (const std::string& candidate : candidates) {
    const std::string problem = why_not(candidate);
    if (problem.empty()) {
      image.path = candidate;
      image.problem.clear();
      return;
    }
    if (image.problem == kNoProgram && problem != kNoProgram)
      image.problem = candidate == program ? problem : fmt::format("{} {}", candidate, problem);
  }
}

// Returns: PT_INTERP of a 64-bit ELF file; empty when there is none. `elf` tells whether it is one.
std::string interpreter_of(const std::string& path, bool& elf) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  elf = static_cast<bool>(file.read(reinterpret_cast<char*>(&header), sizeof(header))) &&
        std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
  if (!elf || header.e_ident[EI_CLASS] != ELFCLASS64) return "";
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + std::uint64_t{i} * header.e_phentsize));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof(segment))) return "";
    constexpr std::uint64_t kLongest = 4096;
    if (segment.p_type != PT_INTERP || segment.p_filesz == 0 || segment.p_filesz > kLongest) continue;
    std::string name(segment.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    if (!file.read(name.data(), static_cast<std::streamsize>(name.size()))) return "";
    return name.substr(0, name.find('\0'));
  }
  return "";
}

// What `interpreter --list program` prints; the program itself does not run.
std::string list_libraries(const std::string& interpreter, const std::string& program) {
  return listen_to_child([&](int descriptor) {
           dup2(descriptor, STDOUT_FILENO);
           dup2(descriptor, STDERR_FILENO);
           if (descriptor > STDERR_FILENO) close(descriptor); // who has closed 0, 1 or 2 gets these numbers for a pipe
           unsetenv("LD_PRELOAD");
           become(interpreter, {interpreter, "--list", program});
         })
      .text;
}

// In pieces: a program may be of any size.
bool contains_symbol(const std::string& path, std::string_view name) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  auto file = base::InputFile::open(path);
  std::string text;
  for (bool more = file.has_value(); more;) {
    const auto got = file->append(text, kPiece);
    if (text.find(name) != std::string::npos) return true;
    text.erase(0, text.size() - std::min(text.size(), name.size())); // it may stand across two pieces
    more = got && *got > 0;
  }
  return false;
}

int first_integer(const std::vector<const char*>& names, int otherwise) {
  for (const char* name : names) {
    const char* text = std::getenv(name);
    if (text != nullptr && *text != '\0') return std::atoi(text);
  }
  return otherwise;
}

} // namespace

const char* short_name(MpiLibrary library) { return library == MpiLibrary::mpich ? "mpich" : "openmpi"; }

const char* full_name(MpiLibrary library) { return library == MpiLibrary::mpich ? "MPICH" : "Open MPI"; }

ProgramImage inspect_program(const std::string& program) {
  ProgramImage image;
  find_in_path(program, image);
  image.found = !image.path.empty();
  if (!image.found) return image;
  bool elf = false;
  const std::string interpreter = interpreter_of(image.path, elf);
  image.script = !elf;
  if (!elf) return image;
  if (interpreter.empty()) {
    image.is_static = true;
    image.has_mpi_symbols = contains_symbol(image.path, "MPI_Init");
    return image;
  }
  const std::string libraries = list_libraries(interpreter, image.path);
  if (libraries.find("libmpich.so") != std::string::npos || libraries.find("libmpi.so.12") != std::string::npos)
    image.links = MpiLibrary::mpich;
  else if (libraries.find("libmpi.so") != std::string::npos)
    image.links = MpiLibrary::openmpi;
  return image;
}

std::string why_not_started(const std::string& program, const ProgramImage& image) {
  const bool by_folder = image.problem == kNoProgram && program.find('/') != std::string::npos;
  return fmt::format("{}: {}{}", program, image.problem, by_folder ? nearest_beside(program) : "");
}

int exit_code_of(const ProgramImage& image) { return image.problem == kNoProgram ? 127 : 126; }

MpiLibrary launcher_library() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("OMPI_COMM_WORLD_RANK") != nullptr)
    return MpiLibrary::openmpi;
  if (std::getenv("PMI_RANK") != nullptr || std::getenv("PMI_FD") != nullptr) return MpiLibrary::mpich;
  return MpiLibrary::none;
}

int ranks_of_other_launcher(MpiLibrary library) {
  const auto set = [](const char* name) { return std::getenv(name) != nullptr; };
  int ranks = 0;
  if (library == MpiLibrary::openmpi) {
    const bool own = set("OMPI_COMM_WORLD_SIZE") || set("PMIX_RANK");
    // PMI_SIZE alone may be Slurm's, which knows Open MPI; MPI_LOCALNRANKS is Hydra's.
    if (!own && set("MPI_LOCALNRANKS")) ranks = first_integer({"PMI_SIZE"}, 0);
  } else if (library == MpiLibrary::mpich) {
    const bool own = set("PMI_RANK") || set("PMI_FD") || set("PMI_PORT");
    if (!own) ranks = first_integer({"OMPI_COMM_WORLD_SIZE"}, 0);
  }
  return ranks > 1 ? ranks : 0;
}

std::string library_path(const std::string& name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& folder : {self / "../lib", self / "../lib/farcast", fs::path(FARCAST_LIBRARY_DIR)}) {
    if (fs::exists(folder / name, error)) return fs::canonical(folder / name, error).string();
  }
  return "";
}

std::string interposer_path(MpiLibrary library) { return library_path(std::string("libfarcast-") + short_name(library) + ".so"); }

int launcher_rank() { return first_integer({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}, -1); }
int launcher_local_size() { return first_integer({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_TASKS_PER_NODE"}, 0); }
int launcher_size() { return first_integer({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}, 0); }

} // namespace farcast::base
