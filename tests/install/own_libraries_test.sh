#!/usr/bin/env bash
# usage: own_libraries_test.sh SOURCE DIRECTORY
# Builds Plimsoll with the dependency archive, static and shared, with each MPI found, and installs it. Checks that the
# installed libraries show no symbol of other libraries, and that programs with other versions of these run.
set -euo pipefail
source=$(realpath "$1")
tests=$source/tests/install/own_libraries
mkdir -p "$2"
cd "$2"
"$source"/scripts/dependencies-archive archive.tar.xz || exit 77 # without network
rm -rf plimsoll-dependencies prefix-*
tar xf archive.tar.xz
dependencies=$PWD/plimsoll-dependencies

printf 'Load Balancing:\n  LB Data Output:\n    Enabled: true\n' >settings.yaml
compile="g++ -std=c++20 -fPIC -I$dependencies/fmt/include -I$dependencies/yaml-cpp/include"
$compile -c "$tests/own_libraries.cpp" -o own_libraries.o
$compile -shared own_libraries.o -o libown_libraries.so

for kind in static shared; do
  shared=$([ $kind = shared ] && echo ON || echo OFF)
  cmake -S "$source" -B build-$kind -DCMAKE_BUILD_TYPE=None -DBUILD_SHARED_LIBS="$shared" -DPLIMSOLL_BUILD_TESTS=OFF \
    -DPLIMSOLL_BUILD_BENCHMARKS=OFF -DPLIMSOLL_DEPENDENCIES_DIR="$dependencies" -DCMAKE_INSTALL_PREFIX="$PWD/prefix-$kind" \
    -DCMAKE_INSTALL_LIBDIR=lib >configured
  cmake --build build-$kind --parallel "$(nproc)" >built || { tail -50 built && exit 1; }
  cmake --install build-$kind >installed
  export PKG_CONFIG_PATH=$PWD/prefix-$kind/lib/pkgconfig LD_LIBRARY_PATH=$PWD/prefix-$kind/lib:$PWD

  for library in prefix-$kind/lib/libplimsoll*; do
    case $library in *.a) symbols="nm --extern-only" ;; *) symbols="nm --dynamic" ;; esac
    foreign=$($symbols "$library" | awk 'NF > 1 { print $NF }' |
      grep -E '^(_Z.*(3fmt|4YAML|8simdjson|4pugi)|Brotli|METIS_|SCOTCH_|Zoltan_|OTF2_|Cbc_|archive_|inflate|deflate|XXH)' |
      grep -v plimsoll || true)
    [ -z "$foreign" ] || { echo "$library shows symbols of other libraries:" $foreign && exit 1; }
  done

  for mpi in openmpi mpich; do
    [ -f prefix-$kind/lib/pkgconfig/plimsoll-runtime_$mpi.pc ] || continue
    for own in own_libraries.o "-L. -lown_libraries"; do
      echo "own_libraries: $kind, $mpi, $own"
      $compile "$tests/program.cpp" $own -rdynamic -o program $(pkg-config --cflags --libs plimsoll-runtime_$mpi plimsoll-balance)
      rm -rf data
      mpiexec.$mpi -n 2 ./program data --vt_lb_data_dir=data --vt_input_config_yaml=settings.yaml
      prefix-$kind/bin/plimsoll info data | head -1
    done
  done
done
