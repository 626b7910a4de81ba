#!/bin/sh
# usage: hardening_test.sh program|interposer|objects FILE
#
# Checks, by its ELF properties, that a file was compiled and linked with the protections of
# cmake/PlimsollHardening.cmake. Programs and interposers also contain code that others compiled. Therefore only objects
# are checked for the protections of the compiler.
set -u
kind=$1
file=$2
failures=0

expect() { # expect PROPERTY COMMAND...: reports the property as missing if the command fails
  what=$1
  shift
  if ! "$@" >/dev/null; then
    echo "$file: missing $what"
    failures=1
  fi
}
segments() { readelf --program-headers --wide "$file"; }
flags() { readelf --dynamic --wide "$file" | grep FLAGS_1; }
names() { nm --undefined-only "$file" 2>/dev/null; }

has_read_only_tables() { segments | grep GNU_RELRO; }
has_stack_without_code() { segments | grep 'GNU_STACK.* RW '; }
binds_at_start() { flags | grep NOW; }
binds_lazily() { ! flags | grep NOW; }
is_position_independent() { flags | grep PIE; }
has_stack_protector() { names | grep __stack_chk_fail; }
has_checked_functions() { names | grep '_chk$'; }
has_landing_pads() { readelf --notes --wide "$file" | grep 'IBT, SHSTK'; }

case $kind in
objects)
  expect "stack protector" has_stack_protector
  expect "checked functions (FORTIFY)" has_checked_functions
  case $(uname -m) in x86_64) expect "control-flow protection" has_landing_pads ;; esac
  exit $failures
  ;;
program)
  expect "binding at start (-z now)" binds_at_start
  expect "position-independent code" is_position_independent
  ;;
interposer) expect "lazy binding, for programs of an MPI library that lacks functions" binds_lazily ;;
esac
expect "read-only tables (RELRO)" has_read_only_tables
expect "non-executable stack" has_stack_without_code
exit $failures
