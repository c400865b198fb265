# Finds Open MPI and MPICH side by side: FARCAST_<OPENMPI|MPICH>_{FOUND,LIBRARY,INCLUDE_DIR,CC,FC,EXEC}.
# CMake's own FindMPI knows one MPI library per project; we stand in front of both.

function(farcast_find_mpi name library compiler)
  string(TOUPPER ${name} upper)
  find_program(FARCAST_${upper}_CC NAMES mpicc.${name} ${compiler})
  find_program(FARCAST_${upper}_FC NAMES mpifort.${name})
  find_program(FARCAST_${upper}_EXEC NAMES mpiexec.${name})
  if(FARCAST_${upper}_CC)
    execute_process(COMMAND ${FARCAST_${upper}_CC} ${ARGN} OUTPUT_VARIABLE flags ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX MATCHALL "-I[^ ]+" includes "${flags}")
    list(TRANSFORM includes REPLACE "^-I" "")
  endif()
  find_path(FARCAST_${upper}_INCLUDE_DIR NAMES mpi.h PATHS ${includes} NO_DEFAULT_PATH)
  find_library(FARCAST_${upper}_LIBRARY NAMES ${library})
  if(FARCAST_${upper}_INCLUDE_DIR AND FARCAST_${upper}_LIBRARY)
    set(FARCAST_${upper}_FOUND TRUE PARENT_SCOPE)
  else()
    set(FARCAST_${upper}_FOUND FALSE PARENT_SCOPE)
  endif()
endfunction()

farcast_find_mpi(openmpi libmpi.so.40 openmpi-cc --showme:compile)
farcast_find_mpi(mpich libmpich.so.12 mpich-cc -show)
