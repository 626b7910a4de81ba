// Replaces HIP in the tests of the documentation.
#pragma once

#include "../cuda_runtime.h"

using hipEvent_t = cudaEvent_t;
using hipStream_t = cudaStream_t;
using hipError_t = cudaError_t;
constexpr hipError_t hipSuccess = cudaSuccess;

inline hipError_t hipEventCreate(hipEvent_t* event) {
  return cudaEventCreate(event);
}
inline hipError_t hipEventDestroy(hipEvent_t event) {
  return cudaEventDestroy(event);
}
inline hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return cudaEventRecord(event, stream);
}
inline hipError_t hipEventElapsedTime(float* time_ms, hipEvent_t begin, hipEvent_t end) {
  return cudaEventElapsedTime(time_ms, begin, end);
}
