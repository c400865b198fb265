"""Writes the Fortran programs: the same text for mpif.h, module mpi and module mpi_f08, with other declarations."""

import re

from variables import VARIABLES, fortran_declaration

USES = {"mpifh": [], "usempi": ["use mpi"], "f08": ["use mpi_f08"]}
EXTENSIONS = {"mpifh": "include 'mpif-ext.h'", "usempi": "use mpi_ext", "f08": "use mpi_f08_ext"}
NAMES = {"MPI_INT": "MPI_INTEGER", "MPI_CHAR": "MPI_CHARACTER", "true": ".true.", "false": ".false."}

CALLBACKS = """
module callbacks
  use, intrinsic :: iso_c_binding
  {use}
  implicit none
  {include}
  private
  public :: comm_failed, win_failed, file_failed, {public}combine, grequest_query, grequest_free, grequest_cancel
contains
  subroutine comm_failed(handle, code)
    {comm} :: handle
    integer :: code
  end subroutine
  subroutine win_failed(handle, code)
    {win} :: handle
    integer :: code
  end subroutine
  subroutine file_failed(handle, code)
    {file} :: handle
    integer :: code
  end subroutine
{session}
{combine}
  subroutine grequest_query(state, status, ierror)
    integer(MPI_ADDRESS_KIND) :: state
    {status}
    integer :: ierror
    ierror = MPI_SUCCESS
  end subroutine
  subroutine grequest_free(state, ierror)
    integer(MPI_ADDRESS_KIND) :: state
    integer :: ierror
    ierror = MPI_SUCCESS
  end subroutine
  subroutine grequest_cancel(state, complete, ierror)
    integer(MPI_ADDRESS_KIND) :: state
    logical :: complete
    integer :: ierror
    ierror = MPI_SUCCESS
  end subroutine
end module
"""
SESSION = """  subroutine session_failed(handle, code)
    {type} :: handle
    integer :: code
  end subroutine"""
COMBINE = """  subroutine combine(in, inout, length, type)
    integer :: length, type, in(length), inout(length)
    inout = inout + in
  end subroutine"""
COMBINE_F08 = """  subroutine combine(in, inout, length, type)
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: type
    integer, pointer :: a(:), b(:)
    call c_f_pointer(in, a, [length])
    call c_f_pointer(inout, b, [length])
    b = b + a
  end subroutine"""
SETUP = """
  world = MPI_COMM_WORLD
  types = MPI_INTEGER
  own_rank = rank
  peer = 1 - rank
  peers = peer
  block = MPI_DISTRIBUTE_BLOCK
  default_block = MPI_DISTRIBUTE_DFLT_DARG
  periods = .false.
  remain = .true.
  amode = ior(MPI_MODE_RDWR, MPI_MODE_CREATE)
  filename = '{data_file}'
"""
CHECK = """
  subroutine check(call, code)
    character(len=*), intent(in) :: call
    integer, intent(in) :: code
    if (code /= MPI_SUCCESS) then
      write (0, *) 'rank ', rank, ': ', call, ' returns ', code
      stop 3
    end if
  end subroutine
"""


def translate(text):
    """One line of a common snippet -> a Fortran statement."""
    for old, new in NAMES.items():
        text = re.sub(rf"\b{old}\b(?!')", new, text)
    text = re.sub(r"(\w+)@(\d)", r"\1(\2)", text)
    match = re.fullmatch(r"(MPIX?_\w+)\((.*)\)", text)
    if not match:
        return text
    arguments = match[2] + ", " if match[2] else ""
    return f"call {match[1]}({arguments}ierror); call check('{match[1]}', ierror)"


# Module mpi of MPICH 4.0 declares these logical results as integers.
INTEGER_RESULTS = ("MPI_Parrived", "MPIX_GPU_query_support")


def function(binding, name, lines, raw):
    """lines: (rank or None, text). Returns: the internal subroutine that makes the calls of one snippet."""
    body = []
    if any("allocated" in text for _, text in lines):
        body.append("    integer, pointer :: allocated(:)")
    for guard, text in lines:
        if "allocated" in text:
            body.append("    call c_f_pointer(memory, allocated, [64])")
        if binding == "usempi" and text.startswith(INTEGER_RESULTS):
            text = text.replace("flag", "n")
        text = text if raw else translate(text)
        if guard is None:
            body.append("    " + text)
        else:
            body += [f"    if (rank == {guard}) then", "      " + text, "    end if"]
    return "\n".join([f"  subroutine call_{name}()"] + body + ["  end subroutine"])


def callbacks(binding, has_sessions):
    f08 = binding == "f08"
    handle = (lambda kind: f"type(MPI_{kind})") if f08 else (lambda kind: "integer")
    return CALLBACKS.format(use="\n  ".join(USES[binding]), include="include 'mpif.h'" if binding == "mpifh" else "",
                            comm=handle("Comm"), win=handle("Win"), file=handle("File"),
                            public="session_failed, " if has_sessions else "",
                            session=SESSION.format(type=handle("Session")) if has_sessions else "",
                            status="type(MPI_Status) :: status" if f08 else "integer :: status(MPI_STATUS_SIZE)",
                            combine=COMBINE_F08 if f08 else COMBINE)


def program(binding, functions, calls, prologue, epilogue, initialise, data_file, library):
    """The parameters are those of c_program.program."""
    uses, includes = USES[binding] + ["use callbacks"], ["include 'mpif.h'"] if binding == "mpifh" else []
    has_sessions = library == "mpich"
    if library == "openmpi":
        (includes if binding == "mpifh" else uses).append(EXTENSIONS[binding])
    rows = [row for row in VARIABLES if has_sessions or row[1] != "session"]
    lines = ["program all_functions", "  use, intrinsic :: iso_c_binding"] + ["  " + u for u in uses] + ["  implicit none"]
    lines += ["  " + i for i in includes] + ["  " + fortran_declaration(binding, *row) for row in rows]
    if library == "mpich" and binding == "mpifh":
        lines += ["  integer(MPI_ADDRESS_KIND), external :: MPI_Aint_add, MPI_Aint_diff"]  # its mpif.h does not declare them
    lines += ["  integer :: ierror, repetition", "  double precision :: seconds"]
    lines += ["  " + s for s in prologue] + ["  " + initialise, "  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)"]
    lines += [SETUP.format(data_file=data_file)]
    for name, times in calls:
        lines += [f"  do repetition = 1, {times}", f"    call call_{name}()", "  end do"]
    lines += ["  call MPI_Finalize(ierror)"] + ["  " + s for s in epilogue]
    lines += ["contains", CHECK] + functions + ["end program", ""]
    return callbacks(binding, has_sessions) + "\n" + "\n".join(lines)
