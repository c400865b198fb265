# Everything that we link, found once. Packages: scripts/setup lists their Debian names.
# PAPI and libunwind are opened at run time, where they are installed; of PAPI the types are needed.

find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
pkg_check_modules(PUGIXML REQUIRED IMPORTED_TARGET pugixml)
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(Boost REQUIRED) # Boost.Math: headers alone
pkg_check_modules(OTF2 IMPORTED_TARGET otf2)
if(NOT OTF2_FOUND)
  message(STATUS "No OTF2 (libopen-trace-format2-dev): `farcast trace --to otf2` is left out")
endif()
find_path(FARCAST_PAPI_INCLUDE_DIR papi.h REQUIRED)
if(NOT FARCAST_SANITIZE) # the sanitizers bring their own allocator
  pkg_check_modules(JEMALLOC IMPORTED_TARGET jemalloc)
  if(NOT JEMALLOC_FOUND)
    message(STATUS "No jemalloc (libjemalloc-dev): large predictions take longer")
  endif()
endif()

# Debian's shared HDF5 brings libcurl and some thirty libraries with it: each start of farcast, and every rank is one, would
# take 10 ms for them. The archive leaves out what nobody calls.
get_filename_component(hdf5_folder "${HDF5_C_INCLUDE_DIRS}" NAME)
find_library(FARCAST_HDF5_ARCHIVE libhdf5.a PATH_SUFFIXES hdf5/${hdf5_folder})
find_library(FARCAST_SZIP sz)
find_library(FARCAST_ZLIB z)
add_library(farcast_hdf5 INTERFACE)
target_include_directories(farcast_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
if(FARCAST_HDF5_ARCHIVE AND FARCAST_SZIP AND FARCAST_ZLIB)
  target_link_libraries(farcast_hdf5 INTERFACE ${FARCAST_HDF5_ARCHIVE} ${FARCAST_SZIP} ${FARCAST_ZLIB} ${CMAKE_DL_LIBS} m)
else()
  target_link_libraries(farcast_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
endif()
