#pragma once

#include <mpi.h>

#include <vector>

/// Completes a number of active requests.
using CompletingFunction = void (*)(int count, MPI_Request* requests);

/// Returns a function for each function of MPI that waits for requests or tests them: first those that wait.
inline std::vector<CompletingFunction> completing_functions() {
  return {[](int count, MPI_Request* requests) {
            for (int k = 0; k < count; ++k) MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
          },
          [](int count, MPI_Request* requests) { MPI_Waitall(count, requests, MPI_STATUSES_IGNORE); },
          [](int count, MPI_Request* requests) {
            for (int done = 0, index = 0; done < count; ++done)
              MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
          },
          [](int count, MPI_Request* requests) {
            std::vector<int> indices(static_cast<std::size_t>(count));
            for (int done = 0, now = 0; done < count; done += now)
              MPI_Waitsome(count, requests, &now, indices.data(), MPI_STATUSES_IGNORE);
          },
          [](int count, MPI_Request* requests) {
            for (int k = 0; k < count; ++k)
              for (int done = 0; done == 0;) MPI_Test(&requests[k], &done, MPI_STATUS_IGNORE);
          },
          [](int count, MPI_Request* requests) {
            for (int done = 0; done == 0;) MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
          },
          [](int count, MPI_Request* requests) {
            for (int done = 0, now = 0, index = 0; done < count; done += now)
              MPI_Testany(count, requests, &index, &now, MPI_STATUS_IGNORE);
          },
          [](int count, MPI_Request* requests) {
            std::vector<int> indices(static_cast<std::size_t>(count));
            for (int done = 0, now = 0; done < count; done += now)
              MPI_Testsome(count, requests, &now, indices.data(), MPI_STATUSES_IGNORE);
          },
          [](int count, MPI_Request* requests) {
            for (int k = 0; k < count; ++k)
              for (int done = 0; done == 0;) MPI_Request_get_status(requests[k], &done, MPI_STATUS_IGNORE);
            MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
          }};
}
