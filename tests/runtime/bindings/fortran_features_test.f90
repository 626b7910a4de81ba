! Infers loads, and passes those of a device, in Fortran.
module fortran_features_test
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use plimsoll
  use fortran_check
  implicit none

contains

  subroutine check_inferred_loads()
    type(plimsoll_load_recorder) :: recorder
    type(plimsoll_object_handle) :: object
    real(real64) :: cost_s, error_s
    integer :: pack, phase, stat
    logical :: found
    call recorder%start(MPI_COMM_WORLD%MPI_VAL, stat)
    call recorder%infer_loads("cells, particles", stat)
    call check(stat == 0, "loads can be inferred")
    call recorder%get_feature_cost("cells", cost_s, error_s, found)
    call check(.not. found, "costs are unknown before a phase ends")
    do pack = 0, 3
      object = recorder%register_object()
      call recorder%set_features(object, [10.0_real64 + pack, real(mod(7*pack, 5), real64)])
      call recorder%set_pack(object, pack)
    end do
    do phase = 1, 5
      do pack = 0, 3
        call recorder%add_pack_time(pack, 2*(10.0_real64 + pack) + 3*mod(7*pack, 5))
      end do
      call recorder%next_phase(stat)
      call check(stat == 0, "a phase ends")
    end do
    call recorder%get_feature_cost("particles", cost_s, error_s, found)
    call check(found .and. abs(cost_s - 3) < 0.1, "the cost of particles is found")
    call recorder%finish(stat)
  end subroutine

  subroutine check_device_times()
    type(plimsoll_load_recorder) :: recorder
    type(plimsoll_object_handle) :: object
    integer :: stat
    call recorder%start(MPI_COMM_WORLD%MPI_VAL, stat)
    object = recorder%register_object()
    call recorder%add_device_time(object, 0.5_real64, recorder%phase())
    call recorder%next_phase(stat)
    call check(stat == 0, "device times can be passed")
    call recorder%add_device_time(object, 0.5_real64, recorder%phase() + 1)
    call recorder%next_phase(stat)
    call check(stat /= 0, "a phase in the future is refused")
    call check(index(recorder%error_message(), "invalid phase 2 for add_device_time()") > 0, "the error names the call")
    call recorder%finish(stat)
  end subroutine
end module
