# Compiler settings that every target of ours shares, and the one function that makes a floor of the predictor.

add_library(farcast_settings INTERFACE)
target_include_directories(farcast_settings INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
# Predictions must not differ between compilers: no fused multiply-add that only one of them chooses.
target_compile_options(farcast_settings INTERFACE -ffp-contract=off -Wall -Wextra -Wshadow -Wnon-virtual-dtor
                                                  -Wold-style-cast -Wcast-qual -Wconversion -Wno-sign-conversion
                                                  # g++ 12 sees overlap in plain string concatenation
                                                  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(FARCAST_WERROR)
  target_compile_options(farcast_settings INTERFACE -Werror)
endif()

add_library(farcast_sanitizers INTERFACE)
if(FARCAST_SANITIZE)
  target_compile_options(farcast_sanitizers INTERFACE -fsanitize=${FARCAST_SANITIZE} -fno-omit-frame-pointer
                                                      -fno-sanitize-recover=all)
  target_link_options(farcast_sanitizers INTERFACE -fsanitize=${FARCAST_SANITIZE})
  # GCC 12 sees uninitialised members in the standard library's <regex> once it is instrumented.
  target_compile_options(farcast_sanitizers INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()

# A source spends most of its compile time in headers of the standard library and fmt: the targets of a kind share them
# precompiled. Not under ccache, which would find nothing again. Each source still includes what it uses: clang-tidy
# (scripts/lint) reads it without.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
set(farcast_common_headers
  <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <numeric> <optional> <set> <span>
  <string> <string_view> <unordered_map> <utility> <vector> <fmt/format.h>)

# farcast_precompile(<target> <kind> [<further headers>...]): one kind has one set of headers, compiler options and macros
# (those of a single source are that source's property).
function(farcast_precompile target kind)
  if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  target_link_libraries(${target} PRIVATE fmt::fmt)
  # g++ 12 forgets of precompiled headers that they are the system's, and warns of what it suspects in std::string
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-array-bounds>")
  get_property(first GLOBAL PROPERTY farcast_precompiled_${kind})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${farcast_common_headers} ${ARGN})
    set_property(GLOBAL PROPERTY farcast_precompiled_${kind} ${target})
  endif()
endfunction()

# farcast_floor(<name> <libraries it may use>...): the static library farcast_<name> from the sources of this folder/<name>.
function(farcast_floor name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(sources)
    add_library(farcast_${name} STATIC ${sources})
    target_link_libraries(farcast_${name} PRIVATE farcast_settings PUBLIC farcast_sanitizers ${ARGN})
    farcast_precompile(farcast_${name} floor)
  else()
    add_library(farcast_${name} INTERFACE)
    target_link_libraries(farcast_${name} INTERFACE farcast_sanitizers ${ARGN})
  endif()
endfunction()
