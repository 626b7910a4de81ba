# usage: [LAUNCHER="mpiexec -n 2"] pkg_config_test.sh SOURCE PROGRAM MODULE...
# Compiles the consumer without CMake, and runs it.
set -eux
source=$1 program=$2
shift 2
$CXX -std=c++20 $CXXFLAGS $LDFLAGS "$source" $(pkg-config --cflags --libs "$@") -o "$program"
${LAUNCHER:-} "$program"
