"""Calls MPI in finalizers, which the garbage collector runs."""
import ctypes
import gc

mpi = ctypes.CDLL(None)
try:
    self_comm = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_self")))
except ValueError:
    self_comm = ctypes.c_int(0x44000001)  # of MPICH


class Cycle:
    def __init__(self):
        self.me = self

    def __del__(self):
        mpi.MPI_Barrier(self_comm)


def call_in_nested_function(depth):
    if depth > 0:
        call_in_nested_function(depth - 1)
    else:
        mpi.MPI_Barrier(self_comm)


mpi.MPI_Init(None, None)
for _ in range(3000):
    Cycle()
    call_in_nested_function(6)
gc.collect()
mpi.MPI_Finalize()
