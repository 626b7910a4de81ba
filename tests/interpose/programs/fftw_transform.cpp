// Transforms 10 x 6 complex numbers, distributed over the ranks, three times with one plan and transposed
// output. Prints a hash of each rank's part of the results. FFTW transposes with MPI_Alltoallv between arrays
// if it may destroy the first one.
#include <fftw3-mpi.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  constexpr std::ptrdiff_t rows = 10, columns = 6;
  std::ptrdiff_t local_rows = 0, first_row = 0, local_columns = 0, first_column = 0;
  const std::ptrdiff_t room = fftw_mpi_local_size_2d_transposed(rows, columns, MPI_COMM_WORLD, &local_rows,
                                                                &first_row, &local_columns, &first_column);
  fftw_complex* data = fftw_alloc_complex(room);
  fftw_complex* result = fftw_alloc_complex(room);
  fftw_plan plan = fftw_mpi_plan_dft_2d(rows, columns, data, result, MPI_COMM_WORLD, FFTW_FORWARD,
                                        FFTW_ESTIMATE | FFTW_DESTROY_INPUT | FFTW_MPI_TRANSPOSED_OUT);
  std::uint64_t hash = 14695981039346656037U;
  for (int transform = 0; transform < 3; ++transform) {
    for (std::ptrdiff_t row = 0; row < local_rows; ++row)
      for (std::ptrdiff_t column = 0; column < columns; ++column) {
        data[row * columns + column][0] = 1.0 / static_cast<double>(1 + first_row + row);
        data[row * columns + column][1] = 0.1 * static_cast<double>(column + transform);
      }
    fftw_execute(plan);
    std::vector<unsigned char> bytes(local_columns * rows * sizeof(fftw_complex));
    if (!bytes.empty()) std::memcpy(bytes.data(), result, bytes.size());
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211U;
  }
  std::vector<std::uint64_t> hashes(size);
  MPI_Gather(&hash, 1, MPI_UINT64_T, hashes.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  for (int k = 0; rank == 0 && k < size; ++k)
    std::printf("rank %d has %016jx\n", k, static_cast<std::uintmax_t>(hashes[k]));
  fftw_destroy_plan(plan);
  fftw_free(result);
  fftw_free(data);
  fftw_mpi_cleanup();
  MPI_Finalize();
}
