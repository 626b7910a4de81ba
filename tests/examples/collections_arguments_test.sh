# usage: LAUNCHER="mpiexec -n 2" collections_arguments_test.sh FILE STENCIL3D LB_TEST
# The programs must reject wrong arguments. FILE receives the output.
set -eu
output=$1 stencil3d=$2 lb_test=$3

# rejects MESSAGE PROGRAM ARGUMENT...: the program must print the message and return 2, the code of wrong usage.
rejects() {
  message=$1
  shift
  status=0
  $launcher "$@" >"$output" 2>&1 || status=$?
  if [ "$status" != 2 ] || ! grep -qxF "$message" "$output"; then
    cat "$output"
    echo "$*: status $status; expected 2 and the message: $message"
    exit 1
  fi
}

launcher=$LAUNCHER
rejects 'invalid arguments: expected SIZE BLOCK STEPS' "$stencil3d" 16 4
rejects 'invalid arguments: expected ELEMENTS STEPS MIN MAX TOPOLOGY' "$lb_test" 16 4 1 10
launcher='env OMPI_MCA_ess_singleton_isolated=1' # one rank, which starts faster without a launcher or daemon
rejects 'invalid value "4x" for BLOCK: expected 1 to 1024' "$stencil3d" 16 4x 10
rejects 'SIZE = 16 is not a multiple of BLOCK = 5; use a divisor of SIZE' "$stencil3d" 16 5 10
rejects 'invalid value "0" for --phase: expected 1 to 1000000000' "$stencil3d" 16 4 10 --phase=0
rejects 'unknown option "--shufle"; available: --phase=K, --shuffle, --checkpoint=DIR, --restart=DIR' "$stencil3d" 16 4 10 --shufle
rejects 'invalid value "5" for MAX: expected 10 to 1000000' "$lb_test" 16 4 10 5 ring
rejects 'unknown topology "torus"; available: ring, mesh2d, mesh3d, randgraph' "$lb_test" 16 4 1 10 torus
options='--phase=K, --redraw=K, --heavy-half=FACTOR, --shuffle, --checkpoint=DIR, --restart=DIR'
rejects "unknown option \"--heavy\"; available: $options" "$lb_test" 16 4 1 10 ring --heavy
