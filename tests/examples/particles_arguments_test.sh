# usage: LAUNCHER="mpiexec -n 2" particles_arguments_test.sh FILE PROGRAM...
# Each program must reject wrong arguments with the same message. FILE receives the output.
set -eu
output=$1
shift

# rejects MESSAGE ARGUMENT...: the program must print the message and return 2, the code of wrong usage.
rejects() {
  message=$1
  shift
  status=0
  $launcher "$program" "$@" >"$output" 2>&1 || status=$?
  if [ "$status" != 2 ] || ! grep -qxF "$message" "$output"; then
    cat "$output"
    echo "$program $*: status $status; expected 2 and the message: $message"
    exit 1
  fi
}

for program; do
  launcher=$LAUNCHER
  rejects 'missing arguments' 10 100 1000
  launcher='env OMPI_MCA_ess_singleton_isolated=1' # one rank, which starts faster without a launcher or daemon
  rejects 'invalid value "ten" for STEPS: expected an integer' ten 100 1000 0 1 UNIFORM
  rejects 'invalid value 0 for STEPS: expected 1 to 1000000000' 0 100 1000 0 1 UNIFORM
  rejects 'invalid value 99 for L: expected an even number' 10 99 1000 0 1 UNIFORM
  rejects 'L = 50 is not a multiple of the block size 20; use --block=B with a divisor of L' 10 50 1000 0 1 UNIFORM
  rejects 'invalid value 50 for K: expected 0 to 49' 10 100 1000 50 1 UNIFORM
  rejects 'invalid value "1x" for N: expected an integer' 10 100 1x 0 1 UNIFORM
  rejects 'unknown distribution "RANDOM"; available: GEOMETRIC, SINUSOIDAL, LINEAR, PATCH, UNIFORM' 10 100 1000 0 1 RANDOM
  rejects 'invalid parameters of GEOMETRIC: expected RHO, with 0 < RHO < 1' 10 100 1000 0 1 GEOMETRIC 1.5
  rejects 'invalid value "high" for a parameter of the distribution: expected a number' 10 100 1000 0 1 GEOMETRIC high
  rejects 'invalid parameters of PATCH: expected LEFT RIGHT BOTTOM TOP, with 0 <= LEFT < RIGHT <= L and 0 <= BOTTOM < TOP <= L' \
    10 100 1000 0 1 PATCH 20 10 0 50
  rejects 'invalid parameters of UNIFORM: expected none' 10 100 1000 0 1 UNIFORM 1
done
