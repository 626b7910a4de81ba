# cmake -D ARCHIVE=... -D DEPENDENCIES=... -D NAMES=... -D LINKER=... -D NM=... -D OBJCOPY=... -D AR=... -P EmbedDependencies.cmake
#
# Replaces the objects of the static library ARCHIVE by one object that also contains what they use of the static
# libraries DEPENDENCIES. Makes the symbols of the dependencies local: those that their archives define, and those of their
# templates, whose mangled names match NAMES.
cmake_policy(VERSION 3.20)
set(object ${ARCHIVE}.o)
execute_process(COMMAND ${LINKER} -r --force-group-allocation -o ${object} --whole-archive ${ARCHIVE} --no-whole-archive
                        --start-group ${DEPENDENCIES} --end-group COMMAND_ERROR_IS_FATAL ANY)

function(global_symbols types result)
  execute_process(COMMAND ${NM} --defined-only --extern-only --format=posix ${ARGN} OUTPUT_VARIABLE symbols
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" symbols "${symbols}")
  list(FILTER symbols INCLUDE REGEX " [${types}] ")
  list(TRANSFORM symbols REPLACE " .*" "")
  set(${result} ${symbols} PARENT_SCOPE)
endfunction()
global_symbols(TDBRCG of_dependencies ${DEPENDENCIES})
global_symbols(A-Za-z of_templates ${object})
list(FILTER of_templates INCLUDE REGEX "${NAMES}")
list(FILTER of_templates EXCLUDE REGEX "plimsoll")
list(JOIN of_dependencies "\n" lines)
list(JOIN of_templates "\n" more_lines)
file(WRITE ${object}.local "${lines}\n${more_lines}\n")

execute_process(COMMAND ${OBJCOPY} --localize-symbols=${object}.local ${object} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${ARCHIVE})
execute_process(COMMAND ${AR} qcs ${ARCHIVE} ${object} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${object} ${object}.local)
