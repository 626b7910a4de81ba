#!/bin/sh
# usage: heat_test.sh PLIMSOLL FOLDER PROGRAM  (with LAUNCHER, a command line for 4 ranks)
# Records all MPI calls of examples/collectives/heat.c, and compares their numbers with those in the source.
set -eu
plimsoll=$1 folder=$2 program=$3
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
export COLUMNS=200 # for tables

"$plimsoll" profile --record mpi -o profile -- $LAUNCHER "$program" 10 >output.txt 2>messages.txt || { cat messages.txt >&2; exit 1; }
grep -Eq "^parallel efficiency +0\.[0-9]{3} " messages.txt
grep -q "^largest change in step 10: 0.02" output.txt

# 10 steps of two half-steps; 2 x 3 messages per half-step; 4096 doubles per message.
"$plimsoll" collectives summary profile >summary.txt
grep -q "^Point-to-point: 3.8 MiB in 120 messages" summary.txt
grep -q "^MPI takes .* of the run" summary.txt
grep -q "^Findings$" summary.txt
"$plimsoll" collectives scaling profile profile >scaling.txt
grep -Eq "^  computation scaling +1.000 +1.000$" scaling.txt
"$plimsoll" collectives sites profile >sites.txt
grep -Eq "^MPI_Allreduce +heat.c:[0-9]+ \(.*\) +40 " sites.txt
grep -Eq "^MPI_Waitall +heat.c:[0-9]+ \(.*\) +80 " sites.txt
grep -Eq "^MPI_Isend +heat.c:[0-9]+ \(.*\) +" sites.txt
