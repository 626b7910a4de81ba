# plimsoll_harden(<target>)
#
# Compiles and links a target so that memory errors terminate the program instead of giving attackers control of it. It
# enables stack protectors, checked C library functions (in optimised builds), control-flow protection on x86,
# position-independent executables, and linker tables that are read-only after binding. Builds with a sanitiser, which
# checks more, do not use the checked functions. docs/explanation/performance.md lists the cost.
option(PLIMSOLL_HARDENING "Compile and link with the compiler's protections" ON)

function(plimsoll_harden target)
  if(NOT PLIMSOLL_HARDENING)
    return()
  endif()
  set(optimised $<IN_LIST:$<CONFIG>,Release$<SEMICOLON>RelWithDebInfo$<SEMICOLON>MinSizeRel>)
  target_compile_options(${target} PRIVATE $<$<NOT:$<COMPILE_LANGUAGE:Fortran>>:-fstack-protector-strong>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i.86)$")
    target_compile_options(${target} PRIVATE $<$<NOT:$<COMPILE_LANGUAGE:Fortran>>:-fcf-protection>)
  endif()
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(${target} PRIVATE $<$<AND:$<NOT:$<COMPILE_LANGUAGE:Fortran>>,${optimised}>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>)
  endif()
  target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now,-z,noexecstack)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()
