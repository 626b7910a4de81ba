// usage: fourier SIZE CALLS
// Repeatedly transforms a square of SIZE x SIZE complex numbers with FFTW. Prints the seconds between
// MPI_Init and MPI_Finalize.
#include <fftw3-mpi.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::ptrdiff_t size = std::atoi(argv[1]);
  const std::int64_t calls = std::atoll(argv[2]);
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t first_row = 0;
  std::ptrdiff_t columns = 0;
  std::ptrdiff_t first_column = 0;
  const std::ptrdiff_t room = fftw_mpi_local_size_2d_transposed(size, size, MPI_COMM_WORLD, &rows, &first_row,
                                                                &columns, &first_column);
  fftw_complex* const data = fftw_alloc_complex(static_cast<std::size_t>(room));
  fftw_complex* const result = fftw_alloc_complex(static_cast<std::size_t>(room));
  // If the input array may be destroyed, FFTW transposes with MPI_Alltoallv.
  fftw_plan plan = fftw_mpi_plan_dft_2d(size, size, data, result, MPI_COMM_WORLD, FFTW_FORWARD,
                                        FFTW_ESTIMATE | FFTW_DESTROY_INPUT | FFTW_MPI_TRANSPOSED_OUT);
  const auto transform = [&] {
    for (std::ptrdiff_t k = 0; k < rows * size; ++k) {
      data[k][0] = static_cast<double>(first_row);
      data[k][1] = static_cast<double>(k);
    }
    fftw_execute(plan);
  };
  transform();
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (std::int64_t call = 0; call < calls; ++call) transform();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("%g\n", MPI_Wtime() - begin);
  fftw_destroy_plan(plan);
  fftw_free(result);
  fftw_free(data);
  fftw_mpi_cleanup();
  MPI_Finalize();
}
