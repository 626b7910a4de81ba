! The blocks of the mesh on this rank, which own the particles. A block is an object: the unit of work that is measured,
! and that can live on any rank.
module blocks
  use, intrinsic :: iso_fortran_env, only: int8, int64, real64
  use distribution
  use mesh
  use mpi
  use plimsoll
  implicit none
  private
  public :: blocks_type, blocks_of_rank
  public :: size_of_block, pack_block, unpack_block, remove_block

  ! Particles in an array that grows; only the first `count` are in use.
  type :: particle_list
    type(particle), allocatable :: data(:)
    integer :: count = 0
  contains
    procedure :: resize, append
  end type

  type :: block_type
    type(plimsoll_object_handle) :: object ! none if the block is on another rank
    type(particle_list) :: particles
  end type

  type :: blocks_type
    type(mesh_type) :: mesh
    type(plimsoll_load_recorder), pointer :: recorder
    integer :: rank, ranks
    type(block_type), allocatable :: block(:)      ! all blocks, by number; those of other ranks are empty
    integer, allocatable :: owner(:)               ! rank of each block
    type(plimsoll_object_id), allocatable :: id(:) ! ID of each block, which every rank can compute
    integer :: particle_type                       ! of MPI
    ! Buffers, kept from step to step.
    type(particle_list), allocatable :: to_rank(:) ! particles that enter a block of each rank
    type(particle_list) :: sent, received
  contains
    procedure :: create, step, find_owners
    procedure, private :: first_owner, create_block, number_particles, move_particles, exchange, insert
  end type

  ! The procedures that migrate a block receive nothing but its ID, so they find it in this variable.
  type(blocks_type), target :: blocks_of_rank
contains
  ! Creates this rank's blocks and their particles. Each rank starts with consecutive blocks, which are columns of the
  ! mesh: the usual static decomposition.
  subroutine create(self, mesh, distribution, recorder)
    class(blocks_type), intent(out) :: self
    type(mesh_type), intent(in) :: mesh
    type(distribution_type), intent(in) :: distribution
    type(plimsoll_load_recorder), intent(in), target :: recorder
    integer :: error, last, number
    self%mesh = mesh
    self%recorder => recorder
    call MPI_Comm_rank(MPI_COMM_WORLD, self%rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, self%ranks, error)
    call MPI_Type_contiguous(particle_bytes, MPI_BYTE, self%particle_type, error)
    call MPI_Type_commit(self%particle_type, error)
    last = mesh%block_count() - 1
    allocate (self%block(0:last), self%owner(0:last), self%id(0:last), self%to_rank(0:self%ranks - 1))
    do number = 0, last
      self%owner(number) = self%first_owner(number)
      self%id(number) = plimsoll_make_object_id(self%owner(number), int(number, int64))
      if (self%owner(number) == self%rank) call self%create_block(number, distribution)
    end do
    call self%number_particles()
  end subroutine

  ! Moves all particles by one step, and those that leave their block to their new one.
  subroutine step(self)
    class(blocks_type), intent(inout) :: self
    integer :: i, left, number, target
    self%to_rank%count = 0
    do number = 0, size(self%block) - 1
      if (self%owner(number) /= self%rank) cycle
      associate (object => self%block(number)%object, particles => self%block(number)%particles)
        call self%recorder%begin_work(object)
        call self%move_particles(number, left)
        ! Messages between blocks of the same rank count too: they cross ranks once one of the blocks has left.
        do i = particles%count + 1, particles%count + left
          target = self%mesh%block_of(particles%data(i))
          call self%recorder%record_message(self%id(number), self%id(target), int(particle_bytes, int64))
          call self%to_rank(self%owner(target))%append(particles%data(i))
        end do
        call self%recorder%end_work(object)
      end associate
    end do
    call self%exchange()
    do number = 0, size(self%block) - 1
      if (self%owner(number) /= self%rank) cycle
      call self%recorder%set_value(self%block(number)%object, "task_serialized_bytes", &
        self%block(number)%particles%count*int(particle_bytes, int64))
    end do
  end subroutine

  ! Asks where the blocks are, after some have moved. Collective.
  subroutine find_owners(self, stat)
    class(blocks_type), intent(inout) :: self
    integer, intent(out) :: stat
    integer, allocatable :: ranks(:)
    call self%recorder%owner(self%id, ranks, stat)
    self%owner(:) = ranks
  end subroutine

  ! How Plimsoll moves a block to another rank: it sends the particles.
  function size_of_block(object) result(size_bytes)
    type(plimsoll_object_id), intent(in) :: object
    integer(int64) :: size_bytes
    size_bytes = blocks_of_rank%block(plimsoll_object_number(object))%particles%count*int(particle_bytes, int64)
  end function

  function pack_block(object, bytes) result(written)
    type(plimsoll_object_id), intent(in) :: object
    integer(int8), intent(inout) :: bytes(:)
    integer(int64) :: written
    associate (particles => blocks_of_rank%block(plimsoll_object_number(object))%particles)
      if (particles%count > 0) bytes = transfer(particles%data(:particles%count), bytes)
    end associate
    written = size(bytes, kind=int64)
  end function

  function unpack_block(object, bytes) result(read)
    type(plimsoll_object_id), intent(in) :: object
    integer(int8), intent(in) :: bytes(:)
    integer(int64) :: read
    associate (block => blocks_of_rank%block(plimsoll_object_number(object)))
      block%object = blocks_of_rank%recorder%find(object)
      block%particles%data = transfer(bytes, [particle ::])
      block%particles%count = size(block%particles%data)
    end associate
    read = size(bytes, kind=int64)
  end function

  subroutine remove_block(object)
    type(plimsoll_object_id), intent(in) :: object
    associate (particles => blocks_of_rank%block(plimsoll_object_number(object))%particles)
      particles = particle_list()
    end associate
  end subroutine

  pure integer function first_owner(self, number)
    class(blocks_type), intent(in) :: self
    integer, intent(in) :: number
    first_owner = int(int(number, int64)*self%ranks/size(self%block))
  end function

  subroutine create_block(self, number, distribution)
    class(blocks_type), intent(inout) :: self
    integer, intent(in) :: number
    type(distribution_type), intent(in) :: distribution
    type(random_sequence) :: random
    integer :: index(2), column, row, i
    index = [number/self%mesh%blocks_per_side(), mod(number, self%mesh%blocks_per_side())]
    self%block(number)%object = self%recorder%register_object(index, number=int(number, int64))
    call self%recorder%set_position(self%block(number)%object, (index + 0.5_real64)*self%mesh%block)
    do column = index(1)*self%mesh%block, (index(1) + 1)*self%mesh%block - 1
      call random%start_at(int(column, int64)*self%mesh%cells + index(2)*self%mesh%block)
      do row = index(2)*self%mesh%block, (index(2) + 1)*self%mesh%block - 1
        do i = 1, int(distribution%expected_particles(column, row) + random%next())
          call self%block(number)%particles%append(self%mesh%particle_in(column, row))
        end do
      end do
    end do
  end subroutine

  ! Numbers the particles of all ranks from 1, in the order of their blocks.
  subroutine number_particles(self)
    class(blocks_type), intent(inout) :: self
    integer(int64) :: count, last
    integer :: error, i, number
    count = sum(int(self%block%particles%count, int64))
    last = 0
    call MPI_Exscan(count, last, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, error)
    do number = 0, size(self%block) - 1
      do i = 1, self%block(number)%particles%count
        last = last + 1
        self%block(number)%particles%data(i)%number = last
      end do
    end do
  end subroutine

  ! Moves the particles of a block. The `left` particles that leave it are behind the others then, and are not counted
  ! any more.
  subroutine move_particles(self, number, left)
    class(blocks_type), intent(inout) :: self
    integer, intent(in) :: number
    integer, intent(out) :: left
    type(particle) :: leaving
    integer :: i
    left = 0
    i = 1
    associate (particles => self%block(number)%particles)
      do while (i <= particles%count)
        call self%mesh%move(particles%data(i))
        if (self%mesh%block_of(particles%data(i)) == number) then
          i = i + 1
        else ! exchange it for the last particle, which is moved next
          leaving = particles%data(i)
          particles%data(i) = particles%data(particles%count)
          particles%data(particles%count) = leaving
          particles%count = particles%count - 1
          left = left + 1
        end if
      end do
    end associate
  end subroutine

  ! Sends the particles that left their blocks to the ranks that own their new blocks.
  subroutine exchange(self)
    class(blocks_type), intent(inout) :: self
    integer, dimension(0:self%ranks - 1) :: send_counts, send_starts, receive_counts, receive_starts
    integer :: error, rank
    call self%sent%resize(0)
    do rank = 0, self%ranks - 1
      send_starts(rank) = self%sent%count
      send_counts(rank) = merge(0, self%to_rank(rank)%count, rank == self%rank)
      if (send_counts(rank) == 0) cycle
      call self%sent%resize(send_starts(rank) + send_counts(rank))
      self%sent%data(send_starts(rank) + 1:self%sent%count) = self%to_rank(rank)%data(:send_counts(rank))
    end do
    call self%recorder%begin_idle()
    call MPI_Alltoall(send_counts, 1, MPI_INTEGER, receive_counts, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    receive_starts = [(sum(receive_counts(:rank - 1)), rank=0, self%ranks - 1)]
    call self%received%resize(sum(receive_counts))
    call MPI_Alltoallv(self%sent%data, send_counts, send_starts, self%particle_type, &
      self%received%data, receive_counts, receive_starts, self%particle_type, MPI_COMM_WORLD, error)
    call self%recorder%end_idle()
    call self%insert(self%to_rank(self%rank))
    call self%insert(self%received)
  end subroutine

  subroutine insert(self, particles)
    class(blocks_type), intent(inout) :: self
    type(particle_list), intent(in) :: particles
    integer :: i
    do i = 1, particles%count
      call self%block(self%mesh%block_of(particles%data(i)))%particles%append(particles%data(i))
    end do
  end subroutine

  subroutine resize(self, count)
    class(particle_list), intent(inout) :: self
    integer, intent(in) :: count
    type(particle), allocatable :: larger(:)
    if (.not. allocated(self%data)) allocate (self%data(max(count, 1)))
    if (count > size(self%data)) then
      allocate (larger(max(count, 2*size(self%data))))
      larger(:self%count) = self%data(:self%count)
      call move_alloc(larger, self%data)
    end if
    self%count = count
  end subroutine

  subroutine append(self, p)
    class(particle_list), intent(inout) :: self
    type(particle), intent(in) :: p
    call self%resize(self%count + 1)
    self%data(self%count) = p
  end subroutine
end module
