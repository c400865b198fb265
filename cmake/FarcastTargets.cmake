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

# A source spends most of its compile time in headers and in templates of them that others instantiate as well: sources of a
# target are compiled eight at a time. So names in unnamed namespaces are unique in a folder; a test with names of its own has
# a namespace. Each source still includes what it uses: clang-tidy (scripts/lint) reads it alone.
function(farcast_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# farcast_floor(<name> <libraries it may use>...): the static library farcast_<name> from the sources of this folder/<name>.
function(farcast_floor name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(sources)
    add_library(farcast_${name} STATIC ${sources})
    target_link_libraries(farcast_${name} PRIVATE farcast_settings PUBLIC farcast_sanitizers ${ARGN})
    farcast_compile_together(farcast_${name})
  else()
    add_library(farcast_${name} INTERFACE)
    target_link_libraries(farcast_${name} INTERFACE farcast_sanitizers ${ARGN})
  endif()
endfunction()
