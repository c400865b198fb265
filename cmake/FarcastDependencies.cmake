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

add_library(farcast_hdf5 INTERFACE)
target_include_directories(farcast_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(farcast_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
