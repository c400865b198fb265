# What `cmake --install` puts where. Only targets that were built are installed.
#   bin/farcast, lib/farcast/libfarcast-<mpi>.so, lib/farcast/farcast-<probe>-probe-<mpi>,
#   share/man/man1/farcast.1, lib/pkgconfig/farcast.pc, share/doc/farcast

# Not CMAKE_INSTALL_LIBDIR: bin/farcast and the libraries find each other by this path, on multiarch systems too.
set(FARCAST_LIBDIR lib/farcast)

if(TARGET farcast)
  install(TARGETS farcast RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(beside idle clocks)
  if(TARGET farcast_${beside})
    install(TARGETS farcast_${beside} LIBRARY DESTINATION ${FARCAST_LIBDIR})
  endif()
endforeach()
foreach(mpi openmpi mpich)
  if(TARGET farcast_interpose_${mpi})
    install(TARGETS farcast_interpose_${mpi} LIBRARY DESTINATION ${FARCAST_LIBDIR})
  endif()
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/predictor/cli/farcast.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The pages that a user of the files needs: the JSON report and the record format.
file(GLOB report_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/predictor/report/*.md)
if(report_pages)
  install(FILES ${report_pages} DESTINATION ${CMAKE_INSTALL_DOCDIR}/report)
endif()

install(FILES ${PROJECT_SOURCE_DIR}/predictor/html/schema.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/html)

configure_file(${CMAKE_CURRENT_LIST_DIR}/farcast.pc.in ${PROJECT_BINARY_DIR}/farcast.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/farcast.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
