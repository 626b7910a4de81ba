# PLIMSOLL_COMPONENTS: what to build. Each component needs only the libraries that its own modules use.
set(components command profiler runtime)
set(PLIMSOLL_COMPONENTS "${components}" CACHE STRING
    "What to build: command (plimsoll), profiler (libraries that plimsoll profile preloads), runtime (libraries that programs link)")
if(NOT PLIMSOLL_COMPONENTS)
  message(FATAL_ERROR "PLIMSOLL_COMPONENTS is empty; specify at least one of ${components}")
endif()
foreach(component IN LISTS PLIMSOLL_COMPONENTS)
  if(NOT component IN_LIST components)
    message(FATAL_ERROR "unknown component '${component}' in PLIMSOLL_COMPONENTS; expected a list of ${components}")
  endif()
endforeach()
option(PLIMSOLL_WITH_COLLECTIVES "Build plimsoll profile and plimsoll collectives as parts of the command (tests need them)" ON)
option(PLIMSOLL_WITH_PELAYOUT "Build plimsoll layout as a part of the command (tests need it)" ON)

# plimsoll_decide(<variable> <condition>...): sets a variable to ON or OFF.
function(plimsoll_decide variable)
  set(${variable} OFF PARENT_SCOPE)
  if(${ARGN})
    set(${variable} ON PARENT_SCOPE)
  endif()
endfunction()
plimsoll_decide(PLIMSOLL_BUILD_COMMAND command IN_LIST PLIMSOLL_COMPONENTS)
plimsoll_decide(PLIMSOLL_BUILD_PROFILER profiler IN_LIST PLIMSOLL_COMPONENTS)
plimsoll_decide(PLIMSOLL_BUILD_RUNTIME runtime IN_LIST PLIMSOLL_COMPONENTS)

# Modules that depend on the components.
plimsoll_decide(PLIMSOLL_BUILD_LBDATA PLIMSOLL_BUILD_COMMAND OR PLIMSOLL_BUILD_RUNTIME)
plimsoll_decide(PLIMSOLL_BUILD_COLLECTIVES PLIMSOLL_BUILD_PROFILER OR (PLIMSOLL_BUILD_COMMAND AND PLIMSOLL_WITH_COLLECTIVES))
plimsoll_decide(PLIMSOLL_BUILD_PELAYOUT PLIMSOLL_BUILD_COMMAND AND PLIMSOLL_WITH_PELAYOUT)
plimsoll_decide(PLIMSOLL_BUILD_MPI PLIMSOLL_BUILD_PROFILER OR PLIMSOLL_BUILD_RUNTIME)
