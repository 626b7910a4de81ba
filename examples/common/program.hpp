// The main program of the C++ examples, except for their arguments and the run itself.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <stdexcept>

#include <plimsoll/runtime.hpp>

// Calls run(parse_arguments(argc, argv), recorder), which returns whether its result is correct. Prints
// `usage` for arguments that parse_arguments() rejects with std::invalid_argument. Returns the exit status.
template <class ParseArguments, class Run>
int run_program(int argc, char** argv, const char* usage, const ParseArguments& parse_arguments,
                const Run& run) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    const auto arguments = parse_arguments(argc, argv);
    plimsoll::Settings defaults;
    defaults.lb_check = true;  // finds mistakes such as an object on two ranks
    plimsoll::LoadRecorder recorder(argc, argv, MPI_COMM_WORLD, defaults);
    status = run(arguments, recorder) ? 0 : 1;
    recorder.close();
  } catch (const std::invalid_argument& error) {
    if (rank == 0) std::fprintf(stderr, "%s\n%s", error.what(), usage);
    status = 2;
  } catch (const plimsoll::Error& error) {
    if (rank == 0) std::fprintf(stderr, "%s\n", error.what());
    status = 1;
  }
  MPI_Finalize();
  return status;
}
