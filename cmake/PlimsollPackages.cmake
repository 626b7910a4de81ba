# Debian packages, made by scripts/debian-packages: the command, a profiler for each MPI, libraries and headers, documentation.
# Users of other systems find recipes in packaging/.
set(contact "Plimsoll developers <plimsoll@packages.debian.org>")
set(CPACK_PACKAGE_CONTACT "${contact}" CACHE STRING "Maintainer that the packages name")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME plimsoll)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL "")

# plimsoll_add_package(<component> <package> DESCRIPTION line... [LIBRARIES] [SECTION section] [ARCHITECTURE all] [DEPENDS packages]
#                      [RECOMMENDS packages] [SUGGESTS packages]): adds the package of an installed component, with LIBRARIES that ldconfig must find.
macro(plimsoll_add_package component package)
  cmake_parse_arguments(package "LIBRARIES" "SECTION;ARCHITECTURE" "DESCRIPTION;DEPENDS;RECOMMENDS;SUGGESTS" ${ARGN})
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  list(JOIN package_DESCRIPTION "\n" CPACK_COMPONENT_${upper}_DESCRIPTION)
  foreach(field SECTION ARCHITECTURE)
    if(package_${field})
      set(CPACK_DEBIAN_${upper}_PACKAGE_${field} ${package_${field}})
    endif()
  endforeach()
  foreach(field DEPENDS RECOMMENDS SUGGESTS)
    list(JOIN package_${field} ", " CPACK_DEBIAN_${upper}_PACKAGE_${field})
  endforeach()
  if(package_LIBRARIES)
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)
  endif()
  # What Debian's policy requires of each package.
  install(FILES ${PROJECT_BINARY_DIR}/copyright ${PROJECT_BINARY_DIR}/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
endmacro()

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${PROJECT_BINARY_DIR}/changelog "plimsoll (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * Version ${PROJECT_VERSION}.\n\n\
 -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
execute_process(COMMAND gzip --force --best --no-name ${PROJECT_BINARY_DIR}/changelog COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
file(READ LICENSE licence)
file(READ THIRD-PARTY-NOTICES.md notices)
file(WRITE ${PROJECT_BINARY_DIR}/copyright "${licence}\n${notices}")

# Packages of the libraries that are loaded when used. Only METIS serves common subcommands: GraphPartLB, collectives reorder.
foreach(library METIS Scotch CBC LibArchive OTF2)
  set(${library}_packages "")
  if(${library}_LIBRARY)
    get_filename_component(file ${${library}_LIBRARY} REALPATH)
    execute_process(COMMAND dpkg-query --search ${file} OUTPUT_VARIABLE found ERROR_QUIET)
    if(found MATCHES "^([^:]+):")
      list(APPEND ${library}_packages ${CMAKE_MATCH_1})
    endif()
  endif()
endforeach()

# Packages of libraries that programs link with ours.
set(development_packages libcereal-dev)
if(NOT PLIMSOLL_DEPENDENCIES_DIR)
  list(APPEND development_packages libbrotli-dev libfmt-dev libpugixml-dev libsimdjson-dev libyaml-cpp-dev zlib1g-dev)
endif()

set(profilers ${MpiFlavour_NAMES})
list(TRANSFORM profilers PREPEND plimsoll-)
list(JOIN profilers " | " any_profiler)
plimsoll_add_package(
  command plimsoll
  LIBRARIES
  DESCRIPTION "The command plimsoll shows how evenly the work of an MPI program is"
              "spread over its ranks, and computes a better placement. It also"
              "analyses the traffic of collectives, and finds processor counts for"
              "the components of coupled models."
  RECOMMENDS "${any_profiler}" ${METIS_packages}
  SUGGESTS ${Scotch_packages} ${CBC_packages} ${LibArchive_packages} ${OTF2_packages} libdw1 libplimsoll-dev plimsoll-doc
           python3) # JSON_data_files_validator.py
foreach(flavour IN LISTS MpiFlavour_NAMES)
  plimsoll_add_package(
    ${flavour} plimsoll-${flavour}
    LIBRARIES
    DESCRIPTION "Libraries that plimsoll profile preloads into programs with ${flavour}."
                "They record the traffic of collectives and the time in MPI."
    RECOMMENDS plimsoll)
endforeach()
plimsoll_add_package(
  development libplimsoll-dev
  LIBRARIES
  SECTION libdevel
  DESCRIPTION "Libraries, headers, Fortran modules, and files for CMake and pkg-config."
              "Programs that link them measure the work of their objects, and migrate"
              "objects between ranks."
  DEPENDS ${development_packages}
  SUGGESTS plimsoll plimsoll-doc)
plimsoll_add_package(
  documentation plimsoll-doc
  SECTION doc
  ARCHITECTURE all
  DESCRIPTION "Tutorials, how-to guides, references and example programs.")
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/plimsoll-doc COMPONENT documentation)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/plimsoll-doc COMPONENT documentation)
install(
  CODE "file(GLOB pages \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1/*.1\")
        execute_process(COMMAND gzip --force --best --no-name \${pages} COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT command)
include(CPack)
