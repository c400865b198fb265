# Compiles the built-in platforms into farcast_platform: builtin/<name>.xml becomes the entry <name> of builtin_files().
# The first is the default platform.
set(FARCAST_BUILTIN_NAMES taurus galera+ galera kask nehalem-ib)

set(FARCAST_BUILTIN_ENTRIES "")
foreach(name IN LISTS FARCAST_BUILTIN_NAMES)
  set(file ${CMAKE_CURRENT_LIST_DIR}/builtin/${name}.xml)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} xml)
  string(APPEND FARCAST_BUILTIN_ENTRIES "      BuiltinFile{\"${name}\", R\"farcast_xml(${xml})farcast_xml\"},\n")
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/builtin_table.cpp.in ${PROJECT_BINARY_DIR}/generated/builtin_table.cpp @ONLY)
target_sources(farcast_platform PRIVATE ${PROJECT_BINARY_DIR}/generated/builtin_table.cpp)
