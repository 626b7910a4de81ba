// Replaces CUDA in the tests of the documentation: streams whose kernels take a millisecond each.
#pragma once

struct FakeEvent {
  float time_ms = 0;
};
using cudaEvent_t = FakeEvent*;
using cudaStream_t = FakeEvent*;
enum cudaError_t { cudaSuccess, cudaErrorNotReady = 600 };

inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new FakeEvent;
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaEventCreate(stream);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return cudaEventDestroy(stream);
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->time_ms = ++stream->time_ms;
  return cudaSuccess;
}
inline cudaError_t cudaEventQuery(cudaEvent_t) {
  return cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float* time_ms, cudaEvent_t begin, cudaEvent_t end) {
  *time_ms = end->time_ms - begin->time_ms;
  return cudaSuccess;
}
